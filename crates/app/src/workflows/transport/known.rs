//! Who was found to call for Git.

use tenon_domain::container::Container;
use tenon_domain::id::{DeployKeyId, UserId};
use tenon_domain::user::User;

use crate::core::push_sessions::Pusher;

/// Who calls, and what the credential is good for.
pub(crate) struct Known {
    pub(crate) who: Who,
    pub(crate) may_fetch: bool,
    pub(crate) may_push: bool,
}

/// A user, or the holder of a key or token that opens projects by itself.
pub(crate) enum Who {
    User(Box<User>),
    DeployKey {
        id: DeployKeyId,
        owner: Option<UserId>,
    },
    /// The token opens this project, or all projects below this group.
    DeployToken {
        opens: Container,
    },
}

impl Known {
    pub(crate) const fn user(&self) -> Option<&User> {
        match &self.who {
            Who::User(user) => Some(user),
            Who::DeployKey { .. } | Who::DeployToken { .. } => None,
        }
    }

    /// Who pushes; `None` if it cannot be a push.
    pub(crate) const fn pusher(&self) -> Option<Pusher> {
        match &self.who {
            Who::User(user) => Some(Pusher::User(user.id)),
            Who::DeployKey { id, owner } => Some(Pusher::DeployKey { id: *id, owner: *owner }),
            Who::DeployToken { .. } => None,
        }
    }
}
