//! Environments: the places to which the code of a project is deployed.

use crate::field_errors::{BLANK, FieldErrors};
use crate::id::{EnvironmentId, ProjectId};
use crate::time::Timestamp;
use crate::words::words;

/// The longest name and address, in characters.
pub const MAX_NAME: usize = 255;
/// The longest description, in characters.
pub const MAX_DESCRIPTION: usize = 10_000;
/// The length of a slug, in characters, at most.
pub const MAX_SLUG: usize = 24;
/// The random characters at the end of a slug that differs from the name.
pub const SLUG_RANDOM: usize = 6;

const NAME_WORDS: &str = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";

words! {
    /// The purpose of an environment.
    pub enum Tier {
        /// For the users of the project.
        Production = "production",
        /// As production, for a last look.
        Staging = "staging",
        /// For tests.
        Testing = "testing",
        /// For work on the project.
        Development = "development",
        /// For anything else.
        Other = "other",
    }
}

impl Tier {
    /// The tier that a name speaks of, such as `review/new-colours`.
    #[must_use]
    pub fn guessed(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if has(&["dev", "review", "trunk"]) {
            Self::Development
        } else if has(&["test", "tst", "int", "acpt", "accept", "qa", "qc", "control", "quality"]) {
            Self::Testing
        } else if has(&["stg", "stag", "modl", "model", "pre", "demo", "non"]) {
            Self::Staging
        } else if has(&["prd", "prod", "live"]) {
            Self::Production
        } else {
            Self::Other
        }
    }
}

words! {
    /// The state of an environment.
    pub enum EnvironmentState {
        /// In use.
        Available = "available",
        /// Out of use, until the next successful deployment.
        Stopped = "stopped",
    }
}

words! {
    /// When an environment is stopped by itself. Stored only: Tenon runs no jobs that would stop one.
    pub enum AutoStop {
        /// In every case that has one.
        Always = "always",
        /// Only if a job stops it.
        WithAction = "with_action",
    }
}

/// An environment of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// The environment's id.
    pub id: EnvironmentId,
    /// The project that it belongs to.
    pub project: ProjectId,
    /// Its name, of which no other environment of the project has the same.
    pub name: String,
    /// A short name for hosts and files, which stays when the name changes.
    pub slug: String,
    /// Its purpose.
    pub tier: Tier,
    /// Its state.
    pub state: EnvironmentState,
    /// The address at which it is found.
    pub external_url: Option<String>,
    /// A text about it.
    pub description: Option<String>,
    /// When it is stopped by itself.
    pub auto_stop: AutoStop,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Environment {
    /// Notes what is wrong with the environment, but for its address.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.require(!self.name.trim().is_empty(), "name", BLANK);
        errors.at_most(MAX_NAME, "name", &self.name);
        errors.require(is_name(&self.name), "name", NAME_WORDS);
        errors.at_most(MAX_NAME, "external_url", self.external_url.as_deref().unwrap_or_default());
        errors.at_most(MAX_DESCRIPTION, "description", self.description.as_deref().unwrap_or_default());
    }

    /// The part of the name before the first `/`, if it has one: environments of one folder belong together.
    #[must_use]
    pub fn folder(&self) -> Option<&str> {
        self.name.split_once('/').map(|(folder, _)| folder)
    }
}

/// True if an environment can be called so.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/${}. ".contains(&byte);
    !name.is_empty() && name.bytes().all(is_part) && !name.starts_with('/') && !name.ends_with('/')
}

/// The slug that follows from a name alone. A new environment has it if it is the name itself and no other has it.
#[must_use]
pub fn plain_slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let begin = if lower.starts_with(|first: char| first.is_ascii_lowercase()) { "" } else { "env-" };
    let mut slug = begin.to_owned();
    for letter in lower.chars() {
        let kept = if letter.is_ascii_lowercase() || letter.is_ascii_digit() { letter } else { '-' };
        if kept != '-' || !slug.ends_with('-') {
            slug.push(kept);
        }
    }
    // All characters have one byte.
    slug.truncate(MAX_SLUG);
    slug.strip_suffix('-').unwrap_or(&slug).to_owned()
}

/// A plain slug with random letters and digits at its end: as many as `random` has bytes.
#[must_use]
pub fn random_slug(plain: &str, random: [u8; SLUG_RANDOM]) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let head: String = plain.chars().take(MAX_SLUG - SLUG_RANDOM - 1).collect();
    let letter = |byte: u8| LETTERS.get(usize::from(byte) % LETTERS.len()).copied().map_or('a', char::from);
    let tail: String = random.into_iter().map(letter).collect();
    format!("{}-{tail}", head.strip_suffix('-').unwrap_or(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_short_and_plain() {
        for (name, plain, random) in [
            ("production", "production", "production-abcdef"),
            ("staging-2", "staging-2", "staging-2-abcdef"),
            ("1st", "env-1st", "env-1st-abcdef"),
            ("review/Feature", "review-feature", "review-feature-abcdef"),
            ("review/Some_Long Branch Name", "review-some-long-branch", "review-some-long-abcdef"),
            ("a--b", "a-b", "a-b-abcdef"),
            ("a-", "a", "a-abcdef"),
            ("..", "env", "env-abcdef"),
            ("é", "env", "env-abcdef"),
            ("abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx", "abcdefghijklmnopq-abcdef"),
            ("abcdefghijklmnopqrstuvwxy", "abcdefghijklmnopqrstuvwx", "abcdefghijklmnopq-abcdef"),
        ] {
            assert_eq!(plain_slug(name), plain, "{name}");
            assert_eq!(random_slug(plain, [0, 1, 2, 3, 4, 5]), random, "{name}");
        }
        assert_eq!(random_slug("a", [255; SLUG_RANDOM]), "a-dddddd");
        assert!(random_slug(&plain_slug(&"x/".repeat(30)), [0; SLUG_RANDOM]).len() <= MAX_SLUG);
    }

    #[test]
    fn names_have_few_characters() {
        for good in ["production", "review/a b", "$X{y}.-_", "..", "a/b/c", " a"] {
            assert!(is_name(good), "{good:?}");
        }
        for bad in ["", "/a", "a/", "/", "é", "a\u{0}", "a\nb", "a\u{202e}", "a:b", "<b>", "a%2Fb", "a\\b"] {
            assert!(!is_name(bad), "{bad:?}");
        }
    }

    #[test]
    fn tiers_are_guessed_from_names() {
        for (name, want) in [
            ("review/x", Tier::Development),
            ("DEV", Tier::Development),
            ("test-2", Tier::Testing),
            ("QA", Tier::Testing),
            ("staging", Tier::Staging),
            ("pre-release", Tier::Staging),
            ("Production", Tier::Production),
            ("prd", Tier::Production),
            ("live", Tier::Production),
            ("gstg", Tier::Staging),
            ("abc", Tier::Other),
        ] {
            assert_eq!(Tier::guessed(name), want, "{name}");
        }
    }
}
