//! Feature flags: switches that the programs of a project ask for, and lists of users for whom they are on.

use std::collections::{BTreeMap, BTreeSet};

use crate::field_errors::{BLANK, FieldErrors, TAKEN};
use crate::id::{FeatureFlagId, FlagScopeId, FlagStrategyId, Iid, ProjectId, UserListId};
use crate::time::Timestamp;
use crate::words::words;

/// The longest name of a flag, in characters.
pub const MAX_NAME: usize = 63;
/// The longest description of a flag, scope of a strategy, and name of a list, in characters.
pub const MAX_TEXT: usize = 255;
/// The longest name of a user of a program, in characters.
pub const MAX_USER: usize = 256;
/// The longest list of users, in characters.
pub const MAX_USERS: usize = 10_000;
/// The most strategies of a flag, and the most scopes of a strategy.
pub const MAX_PARTS: usize = 10;

const NAME_WORDS: &str =
    "can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'";
const INVALID: &str = "parameters are invalid";
const PERCENT_WORDS: &str = "must be a string between 0 and 100 inclusive";
const USERS_WORDS: &str = "must be a string of unique comma separated values each 256 characters or less";

words! {
    /// A rule for whom a flag is on.
    pub enum StrategyKind {
        /// For everybody.
        Default = "default",
        /// For some percent of the users, by their names.
        GradualRolloutUserId = "gradualRolloutUserId",
        /// For the users who are named.
        UserWithId = "userWithId",
        /// For those of a list.
        UserList = "gitlabUserList",
        /// For some percent of the users, by what a program chooses.
        FlexibleRollout = "flexibleRollout",
    }
}

/// A flag of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureFlag {
    /// The flag's id.
    pub id: FeatureFlagId,
    /// The project that it belongs to.
    pub project: ProjectId,
    /// Its name, of which no other flag of the project has the same.
    pub name: String,
    /// A text about it.
    pub description: Option<String>,
    /// False if it is off for everybody.
    pub active: bool,
    /// The rules for whom it is on, the oldest first.
    pub strategies: Vec<Strategy>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A rule for whom a flag is on, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strategy {
    /// The strategy's id; 0 for a new one.
    pub id: FlagStrategyId,
    /// The kind of the rule.
    pub kind: StrategyKind,
    /// Its parameters, by name.
    pub parameters: BTreeMap<String, String>,
    /// The list of users that it names.
    pub user_list: Option<UserListId>,
    /// The environments in which it holds.
    pub scopes: Vec<Scope>,
}

/// The environments in which a strategy holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The scope's id; 0 for a new one.
    pub id: FlagScopeId,
    /// A name, in which `*` stands for any text.
    pub environment: String,
}

impl FeatureFlag {
    /// Notes what is wrong with the flag and its strategies.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.present("name", &self.name);
        errors.at_most(MAX_NAME, "name", &self.name);
        errors.require(is_flag_name(&self.name), "name", NAME_WORDS);
        errors.at_most(MAX_TEXT, "description", self.description.as_deref().unwrap_or_default());
        let most = format!("are too many (maximum is {MAX_PARTS})");
        errors.require(self.strategies.len() <= MAX_PARTS, "strategies", &most);
        for strategy in &self.strategies {
            strategy.check(errors);
            errors.require(strategy.scopes.len() <= MAX_PARTS, "strategies.scopes", &most);
            let named: BTreeSet<&str> = strategy.scopes.iter().map(|scope| scope.environment.as_str()).collect();
            let are_different = named.len() == strategy.scopes.len();
            errors.require(are_different, "strategies.scopes.environment_scope", TAKEN);
            for scope in &strategy.scopes {
                errors.present("strategies.scopes.environment_scope", &scope.environment);
                errors.at_most(MAX_TEXT, "strategies.scopes.environment_scope", &scope.environment);
            }
        }
    }
}

impl Strategy {
    /// Notes what is wrong with the parameters.
    fn check(&self, errors: &mut FieldErrors) {
        let parameter = |name: &str| self.parameters.get(name).map(String::as_str);
        let has = |names: &[&str]| {
            self.parameters.len() == names.len() && names.iter().all(|name| self.parameters.contains_key(*name))
        };
        let percent = |errors: &mut FieldErrors, name: &str| {
            let is_percent = parameter(name).is_some_and(is_percent);
            errors.require(is_percent, "strategies.parameters", &format!("{name} {PERCENT_WORDS}"));
        };
        let group = |errors: &mut FieldErrors| {
            let is_group = parameter("groupId").is_some_and(is_group);
            errors.require(is_group, "strategies.parameters", "groupId parameter is invalid");
        };
        match self.kind {
            StrategyKind::Default => errors.require(has(&[]), "strategies.parameters", INVALID),
            StrategyKind::UserList => {
                errors.require(has(&[]), "strategies.parameters", INVALID);
                errors.require(self.user_list.is_some(), "strategies.user_list", BLANK);
            }
            StrategyKind::UserWithId if !has(&["userIds"]) => errors.add("strategies.parameters", INVALID),
            StrategyKind::UserWithId => {
                let is_list = parameter("userIds").is_some_and(is_users);
                errors.require(is_list, "strategies.parameters", &format!("userIds {USERS_WORDS}"));
            }
            StrategyKind::GradualRolloutUserId if !has(&["groupId", "percentage"]) => {
                errors.add("strategies.parameters", INVALID);
            }
            StrategyKind::GradualRolloutUserId => {
                percent(errors, "percentage");
                group(errors);
            }
            StrategyKind::FlexibleRollout if !has(&["groupId", "rollout", "stickiness"]) => {
                errors.add("strategies.parameters", INVALID);
            }
            StrategyKind::FlexibleRollout => {
                percent(errors, "rollout");
                let known = ["default", "userId", "sessionId", "random"];
                let is_known = parameter("stickiness").is_some_and(|value| known.contains(&value));
                errors.require(
                    is_known,
                    "strategies.parameters",
                    "stickiness parameter must be default, userId, sessionId, or random",
                );
                group(errors);
            }
        }
    }
}

/// True if a flag can be called so.
fn is_flag_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(is_part)
        && !name.ends_with(['-', '_'])
}

fn is_percent(text: &str) -> bool {
    let is_plain = text == "0" || !text.starts_with('0');
    is_plain && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u8>().is_ok_and(|number| number <= 100)
}

fn is_group(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// True for users that are separated by commas, each once.
fn is_users(text: &str) -> bool {
    let mut known = BTreeSet::new();
    text.chars().count() <= MAX_USERS
        && text
            .split(',')
            .map(str::trim)
            .all(|user| !user.is_empty() && user.chars().count() <= MAX_USER && known.insert(user))
}

/// A list of users of a project's programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserList {
    /// The list's id.
    pub id: UserListId,
    /// The project that it belongs to.
    pub project: ProjectId,
    /// Its number within the project.
    pub iid: Iid,
    /// Its name, of which no other list of the project has the same.
    pub name: String,
    /// The users, separated by commas.
    pub users: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl UserList {
    /// Notes what is wrong with the list.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.present("name", &self.name);
        errors.at_most(MAX_TEXT, "name", &self.name);
        errors.require(
            self.users.is_empty() || is_users(&self.users),
            "user_xids",
            &format!("user_xids {USERS_WORDS}"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(kind: StrategyKind, parameters: &[(&str, &str)]) -> String {
        let strategy = Strategy {
            id: FlagStrategyId::new(0),
            kind,
            parameters: parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            user_list: None,
            scopes: Vec::new(),
        };
        let mut errors = FieldErrors::default();
        strategy.check(&mut errors);
        errors.iter().flat_map(|(_, texts)| texts).cloned().collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn names_are_plain() {
        for good in ["a", "a1", "my_flag-2"] {
            assert!(is_flag_name(good), "{good:?}");
        }
        for bad in ["", "A", "1a", "a-", "a_", "-a", "a b", "a.b", "é", "a\u{0}", "a/b", ".."] {
            assert!(!is_flag_name(bad), "{bad:?}");
        }
    }

    #[test]
    fn each_kind_has_its_parameters() {
        use StrategyKind::{Default, FlexibleRollout, GradualRolloutUserId, UserList, UserWithId};
        let invalid = "parameters are invalid";
        for (kind, parameters, want) in [
            (Default, &[][..], String::new()),
            (Default, &[("a", "b")], invalid.to_owned()),
            (UserList, &[], BLANK.to_owned()),
            (UserWithId, &[("userIds", "a, b")], String::new()),
            (UserWithId, &[("userIds", "a,a")], format!("userIds {USERS_WORDS}")),
            (UserWithId, &[("userIds", "")], format!("userIds {USERS_WORDS}")),
            (UserWithId, &[], invalid.to_owned()),
            (GradualRolloutUserId, &[("groupId", "default"), ("percentage", "50")], String::new()),
            (
                GradualRolloutUserId,
                &[("groupId", "A"), ("percentage", "101")],
                format!("percentage {PERCENT_WORDS}; groupId parameter is invalid"),
            ),
            (GradualRolloutUserId, &[("groupId", "default")], invalid.to_owned()),
            (FlexibleRollout, &[("groupId", "default"), ("rollout", "0"), ("stickiness", "random")], String::new()),
            (
                FlexibleRollout,
                &[("groupId", "default"), ("rollout", "05"), ("stickiness", "x")],
                format!("rollout {PERCENT_WORDS}; stickiness parameter must be default, userId, sessionId, or random"),
            ),
        ] {
            assert_eq!(problems(kind, parameters), want, "{kind:?} {parameters:?}");
        }
    }
}
