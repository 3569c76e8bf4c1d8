//! Deploy tokens: secrets that read what a project has, or all projects of a group, and belong to no account.

use crate::container::Container;
use crate::field_errors::{BLANK, FieldErrors};
use crate::id::DeployTokenId;
use crate::time::{Date, Timestamp};
use crate::words::words;

/// The longest name and user name, in characters.
pub const MAX_NAME: usize = 255;

words! {
    /// One permission of a deploy token. Those of registries are stored only: the server has none.
    pub enum DeployScope {
        /// Git over HTTP, fetch.
        ReadRepository = "read_repository",
        /// Registry of containers, pull.
        ReadRegistry = "read_registry",
        /// Registry of containers, push.
        WriteRegistry = "write_registry",
        /// Registry of packages, read.
        ReadPackageRegistry = "read_package_registry",
        /// Registry of packages, write.
        WritePackageRegistry = "write_package_registry",
        /// Virtual registry, read.
        ReadVirtualRegistry = "read_virtual_registry",
        /// Virtual registry, write.
        WriteVirtualRegistry = "write_virtual_registry",
    }
}

/// A deploy token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployToken {
    /// The token's id.
    pub id: DeployTokenId,
    /// The project that it opens, or the group below which it opens all projects.
    pub container: Container,
    /// Its maker's name for it; need not be unique.
    pub name: String,
    /// The user name that comes with it, if its maker has chosen one.
    pub chosen_username: Option<String>,
    /// The uses that it allows, each once.
    pub scopes: Vec<DeployScope>,
    /// The last day on which it works.
    pub expires_at: Option<Date>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl DeployToken {
    /// The user name that comes with it.
    #[must_use]
    pub fn username(&self) -> String {
        self.chosen_username.clone().unwrap_or_else(|| format!("gitlab+deploy-token-{}", self.id))
    }

    /// True if its last day is over.
    #[must_use]
    pub fn is_expired(&self, today: Date) -> bool {
        self.expires_at.is_some_and(|last| last < today)
    }

    /// Notes what is wrong with a new token.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.present("name", &self.name);
        errors.at_most(MAX_NAME, "name", &self.name);
        errors.require(!self.scopes.is_empty(), "scopes", BLANK);
        let username = self.chosen_username.as_deref().unwrap_or_default();
        errors.at_most(MAX_NAME, "username", username);
        let is_kept = username.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+_-".contains(&byte));
        errors.require(is_kept, "username", "can contain only letters, digits, '_', '-', '+', and '.'");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ProjectId;

    fn token() -> DeployToken {
        DeployToken {
            id: DeployTokenId::new(7),
            container: Container::Project(ProjectId::new(1)),
            name: "CI".to_owned(),
            chosen_username: None,
            scopes: vec![DeployScope::ReadRepository],
            expires_at: None,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn problems(token: &DeployToken) -> String {
        let mut errors = FieldErrors::default();
        token.check(&mut errors);
        errors.sentences()
    }

    #[test]
    fn a_token_works_to_the_end_of_its_last_day() {
        let day = |day| Date::from_ymd_opt(2026, 3, day);
        let until = DeployToken { expires_at: day(2), ..token() };
        let expired = [1, 2, 3].map(|today| day(today).is_some_and(|today| until.is_expired(today)));
        assert_eq!(expired, [false, false, true]);
        assert!(!day(2).is_some_and(|today| token().is_expired(today)));
    }

    #[test]
    fn the_usual_user_name_has_the_id() {
        assert_eq!(token().username(), "gitlab+deploy-token-7");
        let chosen = DeployToken { chosen_username: Some("ci".to_owned()), ..token() };
        assert_eq!((chosen.username(), problems(&chosen)), ("ci".to_owned(), String::new()));
    }

    #[test]
    fn every_rule_has_its_text() {
        assert_eq!(problems(&DeployToken { scopes: Vec::new(), ..token() }), "Scopes can't be blank");
        assert_eq!(problems(&DeployToken { name: " ".to_owned(), ..token() }), "Name can't be blank");
        for bad in ["a b", "a:b", "é"] {
            let refused = DeployToken { chosen_username: Some(bad.to_owned()), ..token() };
            let want = "Username can contain only letters, digits, '_', '-', '+', and '.'";
            assert_eq!(problems(&refused), want, "{bad}");
        }
        let long = DeployToken { name: "n".repeat(256), chosen_username: Some("u".repeat(256)), ..token() };
        let want = "Name is too long (maximum is 255 characters), Username is too long (maximum is 255 characters)";
        assert_eq!(problems(&long), want);
    }
}
