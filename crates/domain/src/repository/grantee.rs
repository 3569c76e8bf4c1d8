//! Those whom rules about protected branches and tags name.

use crate::id::{DeployKeyId, NamespaceId, UserId};

/// The level for no one.
pub const NO_ONE: i64 = 0;

/// Whom an entry of a rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grantee {
    /// Everyone of at least this level in the project; one of [`crate::settings::PROTECTION_LEVELS`].
    Level(i64),
    /// A user.
    User(UserId),
    /// The direct members of a group.
    Group(NamespaceId),
    /// A deploy key.
    DeployKey(DeployKeyId),
}

/// Those whom some rules name besides levels, each kind sorted and each of them once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grantees {
    /// The users.
    pub users: Vec<UserId>,
    /// The groups.
    pub groups: Vec<NamespaceId>,
    /// The deploy keys.
    pub keys: Vec<DeployKeyId>,
}

impl FromIterator<Grantee> for Grantees {
    fn from_iter<I: IntoIterator<Item = Grantee>>(named: I) -> Self {
        let mut all = Self::default();
        for grantee in named {
            match grantee {
                Grantee::User(user) => all.users.push(user),
                Grantee::Group(group) => all.groups.push(group),
                Grantee::DeployKey(key) => all.keys.push(key),
                Grantee::Level(_) => {}
            }
        }
        all.users.sort_unstable();
        all.users.dedup();
        all.groups.sort_unstable();
        all.groups.dedup();
        all.keys.sort_unstable();
        all.keys.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_those_who_are_named_is_there_once() {
        let (user, key) = (Grantee::User(UserId::new(2)), Grantee::DeployKey(DeployKeyId::new(3)));
        let found: Grantees =
            [user, Grantee::Level(40), Grantee::User(UserId::new(1)), key, user].into_iter().collect();
        let users = vec![UserId::new(1), UserId::new(2)];
        assert_eq!(found, Grantees { users, groups: Vec::new(), keys: vec![DeployKeyId::new(3)] });
    }
}
