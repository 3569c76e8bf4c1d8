//! Who was found to call for Git.

use tenon_domain::id::{DeployKeyId, UserId};
use tenon_domain::user::User;

use crate::core::push_sessions::Pusher;

/// Who calls, and what the credential is good for.
pub(super) struct Known {
    pub(super) who: Who,
    pub(super) may_fetch: bool,
    pub(super) may_push: bool,
}

/// A user, or the holder of a key that opens projects by itself.
pub(super) enum Who {
    User(Box<User>),
    DeployKey { id: DeployKeyId, owner: Option<UserId> },
}

impl Known {
    pub(super) const fn user(&self) -> Option<&User> {
        match &self.who {
            Who::User(user) => Some(user),
            Who::DeployKey { .. } => None,
        }
    }

    pub(super) const fn pusher(&self) -> Pusher {
        match &self.who {
            Who::User(user) => Pusher::User(user.id),
            Who::DeployKey { id, owner } => Pusher::DeployKey { id: *id, owner: *owner },
        }
    }
}
