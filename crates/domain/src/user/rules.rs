//! The rules for the fields of an account.

use validator::ValidateEmail;

use crate::direction::turns_text;
use crate::field_errors::{BLANK, FieldErrors};
use crate::path::{self, PathProblem, Place};
use crate::project::NAME_FORMAT;

/// The texts about a user that others may read. All but the first three are empty, never absent, when unset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// Free text about the person.
    pub bio: Option<String>,
    /// The place of the person.
    pub location: Option<String>,
    /// Whom the person works for.
    pub organization: Option<String>,
    /// An address of the user's own that everyone may see.
    pub public_email: String,
    /// Handle at a messenger.
    pub messenger: String,
    /// Handle at a professional network.
    pub professional_network: String,
    /// Handle at a microblog.
    pub microblog: String,
    /// Home page.
    pub website_url: String,
}

const FORMAT: &str =
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";

/// The message for a user or group path with this problem.
pub(crate) fn path_message(segment: &str, problem: PathProblem) -> String {
    match problem {
        PathProblem::Blank => BLANK.to_owned(),
        PathProblem::Format => FORMAT.to_owned(),
        PathProblem::Reserved => format!("{segment} is a reserved name"),
        PathProblem::TooLong => format!("is too long (maximum is {} characters)", path::MAX_PATH),
    }
}

/// Notes what is wrong with a user name.
pub fn check_username(errors: &mut FieldErrors, username: &str) {
    if let Err(problem) = path::check(username, Place::Top) {
        errors.add("username", path_message(username, problem));
    }
}

/// Notes what is wrong with a display name. People have punctuation in their names that projects have not; what turns the
/// direction of text neither has.
pub fn check_name(errors: &mut FieldErrors, name: &str) {
    errors.present("name", name);
    errors.at_most(255, "name", name);
    errors.require(!name.contains(turns_text), "name", NAME_FORMAT);
}

/// Notes what is wrong with an address that has been through [`normalise_email`].
pub fn check_email(errors: &mut FieldErrors, field: &str, email: &str) {
    if email.is_empty() {
        errors.add(field, BLANK);
    } else {
        // A host without a dot is fine inside a company; `root@localhost` is the first account of every server.
        errors.require(email.validate_email() && email.len() <= 254, field, "is invalid");
    }
}

/// The form in which addresses are stored and compared: trimmed, lower case.
#[must_use]
pub fn normalise_email(email: &str) -> String {
    email.trim().to_lowercase()
}

/// What a new password has to have. Made from the application settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordRules {
    /// The least number of characters.
    pub least: usize,
    /// A digit.
    pub number: bool,
    /// A character that is no letter, digit or white space.
    pub symbol: bool,
    /// A capital letter.
    pub uppercase: bool,
    /// A small letter.
    pub lowercase: bool,
}

impl Default for PasswordRules {
    fn default() -> Self {
        Self { least: 8, number: false, symbol: false, uppercase: false, lowercase: false }
    }
}

impl PasswordRules {
    /// The kinds of characters that are asked for, and what is one of each.
    fn kinds(&self) -> impl Iterator<Item = (&'static str, fn(char) -> bool)> {
        let is_symbol = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let kinds: [(bool, &'static str, fn(char) -> bool); 4] = [
            (self.number, "digit", char::is_numeric),
            (self.symbol, "symbol", is_symbol),
            (self.uppercase, "capital letter", char::is_uppercase),
            (self.lowercase, "small letter", char::is_lowercase),
        ];
        kinds.into_iter().filter(|(is_asked, ..)| *is_asked).map(|(_, name, is_one)| (name, is_one))
    }

    /// The rules in words, for who chooses a password: `at least 8 characters, with a digit`.
    #[must_use]
    pub fn words(&self) -> String {
        let kinds: Vec<String> = self.kinds().map(|(name, _)| format!("a {name}")).collect();
        let with = match kinds.as_slice() {
            [] => String::new(),
            [one] => format!(", with {one}"),
            [all @ .., last] => format!(", with {} and {last}", all.join(", ")),
        };
        format!("at least {} characters{with}", self.least)
    }
}

/// Notes what is wrong with a new password.
pub fn check_password(errors: &mut FieldErrors, password: &str, rules: &PasswordRules) {
    if password.is_empty() {
        errors.add("password", BLANK);
        return;
    }
    let least = rules.least;
    errors.require(
        password.chars().count() >= least,
        "password",
        &format!("is too short (minimum is {least} characters)"),
    );
    errors.at_most(128, "password", password);
    for (name, is_one) in rules.kinds() {
        errors.require(password.chars().any(is_one), "password", &format!("must contain at least one {name}"));
    }
}

impl Profile {
    /// Notes what is wrong with the texts of a profile.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.at_most(255, "bio", self.bio.as_deref().unwrap_or_default());
        errors.at_most(255, "location", self.location.as_deref().unwrap_or_default());
        errors.at_most(255, "organization", self.organization.as_deref().unwrap_or_default());
        for (field, text) in [
            ("public_email", &self.public_email),
            ("messenger", &self.messenger),
            ("professional_network", &self.professional_network),
            ("microblog", &self.microblog),
            ("website_url", &self.website_url),
        ] {
            errors.at_most(255, field, text);
        }
        let is_web = |url: &str| url.is_empty() || url.starts_with("http://") || url.starts_with("https://");
        errors.require(is_web(&self.website_url), "website_url", "must be a valid URL");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(check: impl FnOnce(&mut FieldErrors)) -> Vec<String> {
        let mut errors = FieldErrors::default();
        check(&mut errors);
        errors.iter().flat_map(|(_, messages)| messages.to_vec()).collect()
    }

    #[test]
    fn addresses_need_two_sides() {
        for good in ["root@localhost", "a.b+c@example.org"] {
            assert!(messages(|e| check_email(e, "email", good)).is_empty(), "{good}");
        }
        for bad in ["x", "a b@example.org", "@example.org", "a@", "a@b@c"] {
            assert_eq!(messages(|e| check_email(e, "email", bad)), ["is invalid"], "{bad}");
        }
        assert_eq!(messages(|e| check_email(e, "email", "")), [BLANK]);
    }

    #[test]
    fn a_name_does_not_turn_the_direction_of_text() {
        for good in ["Ada Lovelace", "O'Brien, \"Pat\"", "عمر", "بی\u{200c}تا", "🚜"] {
            assert!(messages(|e| check_name(e, good)).is_empty(), "{good}");
        }
        let text = "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.";
        for bad in ["Ada\u{202e}ecalevoL", "\u{2066}Ada", "Ada\u{202c}"] {
            assert_eq!(messages(|e| check_name(e, bad)), [text], "{bad:?}");
        }
    }

    #[test]
    fn passwords_have_a_length() {
        assert_eq!(
            messages(|e| check_password(e, "short", &PasswordRules::default())),
            ["is too short (minimum is 8 characters)"]
        );
        assert_eq!(
            messages(|e| check_password(e, &"x".repeat(129), &PasswordRules::default())),
            ["is too long (maximum is 128 characters)"]
        );
        assert!(messages(|e| check_password(e, "correct horse", &PasswordRules::default())).is_empty());
    }

    #[test]
    fn passwords_have_the_characters_that_are_asked_for() {
        let all = PasswordRules { least: 10, number: true, symbol: true, uppercase: true, lowercase: true };
        let wrong = |password: &str| messages(|errors| check_password(errors, password, &all)).len();
        for (password, want) in
            [("Correct horse 1!", 0), ("correct horse", 3), ("Straße ÄÖ 7_", 0), ("Sh0rt!", 1), ("1234567890", 3)]
        {
            assert_eq!(wrong(password), want, "{password}");
        }
        assert_eq!(all.words(), "at least 10 characters, with a digit, a symbol, a capital letter and a small letter");
        assert_eq!(PasswordRules::default().words(), "at least 8 characters");
    }

    #[test]
    fn a_reserved_user_name_is_named() {
        assert_eq!(messages(|e| check_username(e, "Admin")), ["Admin is a reserved name"]);
    }
}
