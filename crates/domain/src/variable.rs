//! Variables of projects, groups and the whole server, which jobs get.

use crate::container::Container;
use crate::field_errors::{BLANK, FieldErrors};
use crate::id::VariableId;
use crate::time::Timestamp;
use crate::words::words;

/// The longest key, in characters; as long a scope and description.
pub const MAX_NAME: usize = 255;
/// The scope of a variable for all environments.
pub const ALL_ENVIRONMENTS: &str = "*";
const KEY_WORDS: &str = "can contain only letters, digits and '_'.";
const SCOPE_WORDS: &str = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces";
/// The least characters of a value that logs of jobs do not show: shorter ones would be found everywhere.
const LEAST_MASKED: usize = 8;

words! {
    /// How jobs get the value of a variable.
    pub enum VariableKind {
        /// As the value of a variable of the environment.
        EnvVar = "env_var",
        /// As a file, whose path is the value of the variable.
        File = "file",
    }
}

impl VariableKind {
    /// The longest value, in characters.
    #[must_use]
    pub const fn longest_value(self) -> usize {
        match self {
            Self::EnvVar => 10_000,
            Self::File => 50_000,
        }
    }
}

/// A variable without its value, which is stored encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the API")]
pub struct Variable {
    /// The variable's id.
    pub id: VariableId,
    /// The project or group that it belongs to; `None` for the whole server.
    pub container: Option<Container>,
    /// Its name; case-sensitive.
    pub key: String,
    /// How jobs get it.
    pub kind: VariableKind,
    /// True if only jobs of protected branches and tags get it.
    pub protected: bool,
    /// True if logs of jobs do not show its value.
    pub masked: bool,
    /// True if no answer has its value. It is masked as well.
    pub hidden: bool,
    /// True if names of other variables in its value stay as they are.
    pub raw: bool,
    /// The environments whose jobs get it: a name, in which `*` stands for any text.
    pub environment_scope: String,
    /// Its description.
    pub description: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Variable {
    /// Notes what is wrong with the variable and its value.
    pub fn check(&self, errors: &mut FieldErrors, value: &str) {
        errors.require(!self.key.is_empty(), "key", BLANK);
        errors.at_most(MAX_NAME, "key", &self.key);
        let is_word = !self.key.is_empty() && self.key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        errors.require(is_word, "key", KEY_WORDS);
        let most = self.kind.longest_value();
        if value.chars().count() > most {
            errors.add("value", format!("The value of the provided variable exceeds the {most} character limit"));
        }
        errors.require(!self.masked || is_maskable(value, self.raw), "value", "is invalid");
        errors.require(!self.environment_scope.is_empty(), "environment_scope", BLANK);
        errors.at_most(MAX_NAME, "environment_scope", &self.environment_scope);
        let is_scope = |c: char| c.is_ascii_alphanumeric() || "-_/${}.* ".contains(c);
        errors.require(self.environment_scope.chars().all(is_scope), "environment_scope", SCOPE_WORDS);
        errors.at_most(MAX_NAME, "description", self.description.as_deref().unwrap_or_default());
        if self.hidden && !self.masked {
            errors.add("base", "The visibility setting cannot be changed for masked and hidden variables.");
        }
    }
}

/// True if logs can leave the value out: it is one long word. One whose `$NAME` is replaced has only harmless characters.
fn is_maskable(value: &str, raw: bool) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_+=/@:.~-".contains(c);
    let may_have = |c: char| if raw { !c.is_whitespace() } else { is_plain(c) };
    value.chars().count() >= LEAST_MASKED && value.chars().all(may_have)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable() -> Variable {
        Variable {
            id: VariableId::new(0),
            container: None,
            key: "KEY".to_owned(),
            kind: VariableKind::EnvVar,
            protected: false,
            masked: false,
            hidden: false,
            raw: false,
            environment_scope: ALL_ENVIRONMENTS.to_owned(),
            description: None,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn problems(variable: &Variable, value: &str) -> String {
        let mut errors = FieldErrors::default();
        variable.check(&mut errors, value);
        errors.iter().flat_map(|(field, texts)| texts.iter().map(move |text| format!("{field} {text}; "))).collect()
    }

    #[test]
    fn keys_are_words() {
        for good in ["KEY", "a_1", "_", "1", &"a".repeat(255)] {
            assert_eq!(problems(&Variable { key: good.to_owned(), ..variable() }, ""), "", "{good}");
        }
        let of = |key: &str| problems(&Variable { key: key.to_owned(), ..variable() }, "");
        for bad in ["A-B", "A B", "é", "a\n"] {
            assert_eq!(of(bad), format!("key {KEY_WORDS}; "), "{bad:?}");
        }
        assert_eq!(of(""), format!("key {BLANK}; key {KEY_WORDS}; "));
        assert_eq!(of(&"a".repeat(256)), "key is too long (maximum is 255 characters); ");
    }

    #[test]
    fn masked_values_are_one_long_word() {
        let masked = |raw| Variable { masked: true, raw, ..variable() };
        for (value, plain, raw) in [
            ("aA0_+=/@:.~-", true, true),
            ("12345678", true, true),
            ("1234567", false, false),
            ("1234 5678", false, false),
            ("12345678\n", false, false),
            ("$NAME678", false, true),
            ("geheim§!", false, true),
            ("", false, false),
        ] {
            assert_eq!(problems(&masked(false), value).is_empty(), plain, "{value:?}");
            assert_eq!(problems(&masked(true), value).is_empty(), raw, "{value:?}, raw");
        }
        assert_eq!(problems(&masked(false), "short"), "value is invalid; ");
        assert_eq!(problems(&variable(), "short"), "");
    }

    #[test]
    fn values_have_an_end() {
        let file = Variable { kind: VariableKind::File, ..variable() };
        for (variable, most) in [(variable(), 10_000), (file, 50_000)] {
            assert_eq!(problems(&variable, &"é".repeat(most)), "");
            let want = format!("value The value of the provided variable exceeds the {most} character limit; ");
            assert_eq!(problems(&variable, &"é".repeat(most + 1)), want);
        }
    }

    #[test]
    fn scopes_are_names_of_environments_with_asterisks() {
        let of = |scope: &str| problems(&Variable { environment_scope: scope.to_owned(), ..variable() }, "");
        for good in ["*", "production", "review/*", "a b.${X}-_"] {
            assert_eq!(of(good), "", "{good}");
        }
        for bad in ["a,b", "é", "a\nb"] {
            assert_eq!(of(bad), format!("environment_scope {SCOPE_WORDS}; "), "{bad:?}");
        }
        assert_eq!(of(""), format!("environment_scope {BLANK}; "));
    }

    #[test]
    fn a_hidden_variable_stays_masked() {
        let hidden = Variable { hidden: true, ..variable() };
        assert!(problems(&hidden, "12345678").starts_with("base The visibility setting cannot be changed"));
        assert_eq!(problems(&Variable { masked: true, ..hidden }, "12345678"), "");
    }
}
