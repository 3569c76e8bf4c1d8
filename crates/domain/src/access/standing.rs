//! Facts about the caller, from which abilities are decided.

use super::AccessLevel;
use crate::id::UserId;
use crate::visibility::Visibility;

/// The answer to a caller who wants to do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Do it.
    Allow,
    /// Refuse it openly: the caller may know that the thing exists.
    Deny,
    /// Answer as if the thing did not exist.
    Hide,
}

impl Decision {
    /// `Allow` if `condition` holds, otherwise `Deny`: for things the caller is known to see.
    #[must_use]
    pub const fn allow_if(condition: bool) -> Self {
        if condition { Self::Allow } else { Self::Deny }
    }
}

/// Who is asking, before anything is known about what they ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// Anonymous.
    Anonymous,
    /// A signed-in user.
    User {
        /// Who it is.
        id: UserId,
        /// Administrators may do everything.
        admin: bool,
        /// External users see nothing that is merely internal.
        external: bool,
    },
}

impl Viewer {
    /// The user's id, unless the caller is anonymous.
    #[must_use]
    pub const fn user(self) -> Option<UserId> {
        match self {
            Self::Anonymous => None,
            Self::User { id, .. } => Some(id),
        }
    }

    /// True if an administrator asks.
    #[must_use]
    pub const fn is_admin(self) -> bool {
        matches!(self, Self::User { admin: true, .. })
    }

    /// True if `visibility` alone, without any membership, lets this viewer in.
    #[must_use]
    pub const fn sees(self, visibility: Visibility) -> bool {
        match (visibility, self) {
            (Visibility::Public, _) => true,
            (Visibility::Internal, Self::User { admin, external, .. }) => admin || !external,
            (Visibility::Private, Self::User { admin, .. }) => admin,
            (Visibility::Internal | Visibility::Private, Self::Anonymous) => false,
        }
    }
}

/// The standing of a viewer towards one project or group: who it is and the effective access level there, direct,
/// inherited or through a share, expired ones left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Who asks.
    pub viewer: Viewer,
    /// The highest level that any unexpired membership or share gives; `None` for strangers.
    pub level: Option<AccessLevel>,
}

impl Standing {
    /// True if the caller has at least `level` here. Administrators have every level everywhere.
    #[must_use]
    pub fn at_least(&self, level: AccessLevel) -> bool {
        self.viewer.is_admin() || self.level.is_some_and(|own| own >= level)
    }

    /// True if the caller may know that something of this visibility exists.
    #[must_use]
    pub fn sees(&self, visibility: Visibility) -> bool {
        self.viewer.sees(visibility) || self.level.is_some()
    }

    /// True if the caller may ask to become a member of something of this visibility: who has no access but what the visibility
    /// gives to all users.
    #[must_use]
    pub fn may_request_access(&self, visibility: Visibility) -> bool {
        let has_account = self.viewer.user().is_some() && !self.viewer.is_admin();
        has_account && self.level.is_none() && self.viewer.sees(visibility)
    }
}
