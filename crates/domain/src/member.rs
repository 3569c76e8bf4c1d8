//! Memberships and shares.

use crate::access::AccessLevel;
use crate::container::Container;
use crate::id::{InvitationId, NamespaceId, UserId};
use crate::time::{Date, Timestamp};

/// One user's membership in one group or project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The project or group that the membership is in.
    pub container: Container,
    /// The member.
    pub user: UserId,
    /// With what level.
    pub level: AccessLevel,
    /// Void from 00:00 UTC of this date on.
    pub expires_at: Option<Date>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Who has made it, if that was a user other than the server itself and the account is still there.
    pub created_by: Option<UserId>,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A group or project opened to the members of another group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The row's id.
    pub id: i64,
    /// The project or group that is opened.
    pub container: Container,
    /// The group whose members come in.
    pub group: NamespaceId,
    /// The most that they get.
    pub level: AccessLevel,
    /// Void from 00:00 UTC of this date on.
    pub expires_at: Option<Date>,
}

/// An invitation by mail. Whether an account has the address is not part of it, and no one learns it from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Its id.
    pub id: InvitationId,
    /// The project or group that it opens.
    pub container: Container,
    /// The address, as `normalise_email` makes it.
    pub address: String,
    /// The level of the membership.
    pub level: AccessLevel,
    /// The end of the membership, as [`Member::expires_at`].
    pub expires_at: Option<Date>,
    /// Who invites. The invitation counts while they may manage the members.
    pub inviter: UserId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed, or was sent again.
    pub updated_at: Timestamp,
    /// When its link ends.
    pub ends_at: Timestamp,
}

/// A request of a user to become a member. It gives no rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessRequest {
    /// The project or group.
    pub container: Container,
    /// Who asks.
    pub user: UserId,
    /// When.
    pub requested_at: Timestamp,
}

/// Why a membership cannot be changed as asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MemberRefusal {
    /// A group must keep one owner of its own; inherited owners do not count.
    #[error("the last owner of a group can be neither changed nor removed")]
    LastOwner,
    /// The owner of a personal project stays its member.
    #[error("the owner of a personal project stays its member")]
    NamespaceOwner,
}

/// The facts that decide whether a membership may be changed or removed.
#[derive(Debug, Clone, Copy)]
pub struct MemberFacts {
    /// The level it gives now.
    pub level: AccessLevel,
    /// How many others own the group directly, with usable accounts and without an end; not used for projects.
    pub other_owners: i64,
    /// True if it is the membership of a personal project's owner.
    pub namespace_owner: bool,
}

/// The change of a membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange {
    /// This level, for ever or with an end.
    Level {
        /// The level.
        level: AccessLevel,
        /// True if it ends on some day.
        ends: bool,
    },
    /// Nothing: the membership is over.
    Removal,
}

/// Checks that a membership of `container` may change so.
///
/// # Errors
/// [`MemberRefusal::LastOwner`] if a group would be left without an owner of its own, [`MemberRefusal::NamespaceOwner`]
/// for the owner of a personal project.
pub fn check_change(container: Container, facts: MemberFacts, change: MemberChange) -> Result<(), MemberRefusal> {
    let stays_owner = change == MemberChange::Level { level: AccessLevel::Owner, ends: false };
    match container {
        Container::Project(_) if facts.namespace_owner => Err(MemberRefusal::NamespaceOwner),
        Container::Group(_) if facts.level == AccessLevel::Owner && facts.other_owners <= 0 && !stays_owner => {
            Err(MemberRefusal::LastOwner)
        }
        Container::Project(_) | Container::Group(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ProjectId;

    #[test]
    fn a_group_keeps_its_last_owner() {
        use AccessLevel::{Developer, Owner};
        let group = Container::Group(NamespaceId::new(1));
        let facts = |level, other_owners| MemberFacts { level, other_owners, namespace_owner: false };
        let to = |level, ends| MemberChange::Level { level, ends };
        for (level, owners, change, want) in [
            (Owner, 0, MemberChange::Removal, Err(MemberRefusal::LastOwner)),
            (Owner, 0, to(Developer, false), Err(MemberRefusal::LastOwner)),
            (Owner, 0, to(Owner, true), Err(MemberRefusal::LastOwner)),
            (Owner, 0, to(Owner, false), Ok(())),
            (Owner, 1, MemberChange::Removal, Ok(())),
            (Developer, 0, MemberChange::Removal, Ok(())),
        ] {
            assert_eq!(check_change(group, facts(level, owners), change), want);
        }
    }

    #[test]
    fn the_owner_of_a_personal_project_stays() {
        let project = Container::Project(ProjectId::new(1));
        let facts = MemberFacts { level: AccessLevel::Maintainer, other_owners: 0, namespace_owner: true };
        assert_eq!(check_change(project, facts, MemberChange::Removal), Err(MemberRefusal::NamespaceOwner));
    }
}
