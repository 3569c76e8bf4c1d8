//! The pushes that are under way: how a hook that calls back is known to belong to one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use tenon_domain::id::{DeployKeyId, ProjectId, UserId};
use tenon_domain::settings::GitAccess;
use tenon_git::RepositoryKind;

/// A push under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PushSession {
    /// Into which project.
    pub(crate) project: ProjectId,
    /// Into which of its repositories.
    pub(crate) kind: RepositoryKind,
    /// Who pushes.
    pub(crate) pusher: Pusher,
    /// Over which protocol.
    pub(crate) over: GitAccess,
    /// The path under which the client knows the project, if it has another one now.
    pub(crate) former_path: Option<String>,
    /// Threads that may unpack and check what it brings.
    pub(crate) threads: usize,
}

/// Who pushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pusher {
    /// A user, with the rights of the account.
    User(UserId),
    /// The holder of a deploy key, for whom nothing but the key speaks.
    DeployKey {
        id: DeployKeyId,
        /// Whose contribution it is: the account that has added the key, if it is there and active.
        owner: Option<UserId>,
    },
    /// The update of a mirror, for which nothing speaks but the project's own settings.
    Mirror {
        /// Whose contribution it is.
        user: UserId,
    },
}

impl Pusher {
    /// Whose contribution the push is.
    pub(crate) const fn author(self) -> Option<UserId> {
        match self {
            Self::User(user) | Self::Mirror { user } => Some(user),
            Self::DeployKey { owner, .. } => owner,
        }
    }

    /// The user whose rights count.
    pub(crate) const fn user(self) -> Option<UserId> {
        match self {
            Self::User(user) => Some(user),
            Self::DeployKey { .. } | Self::Mirror { .. } => None,
        }
    }
}

/// All pushes of this process, each under a random name that only its hooks know.
#[derive(Debug, Default)]
pub(crate) struct PushSessions {
    running: Mutex<HashMap<String, PushSession>>,
    /// Projects that pushes have made and who made them, until the message to the pusher. A push that never comes
    /// leaves its project here: the oldest are dropped.
    new: Mutex<BTreeMap<ProjectId, UserId>>,
}

/// The most projects that wait for their first push.
const MAX_NEW: usize = 1000;

impl PushSessions {
    /// Begins a push under this name. It ends when the returned value is dropped.
    pub(crate) fn begin(self: &Arc<Self>, id: String, push: PushSession) -> Running {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), push);
        Running { pushes: Arc::clone(self), id }
    }

    /// The push of that name.
    pub(crate) fn find(&self, id: &str) -> Option<PushSession> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Remembers that a project was made for the push of a user.
    pub(crate) fn remember_new(&self, project: ProjectId, user: UserId) {
        let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        new.insert(project, user);
        if new.len() > MAX_NEW {
            new.pop_first();
        }
    }

    /// True if the project of a push was created for it, and the pusher has had no message about that.
    pub(crate) fn take_new(&self, push: &PushSession) -> bool {
        let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = push.pusher.user().is_some_and(|user| new.get(&push.project) == Some(&user));
        if is_new {
            new.remove(&push.project);
        }
        is_new
    }

    /// True if a push into a project is under way.
    pub(crate) fn is_under_way(&self, project: ProjectId) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).values().any(|push| push.project == project)
    }
}

/// A push that goes on as long as this is kept.
#[derive(Debug)]
pub struct Running {
    pushes: Arc<PushSessions>,
    id: String,
}

impl Running {
    /// The name that its hooks know.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Says how many threads may check what it brings.
    pub(crate) fn set_threads(&self, threads: usize) {
        let mut running = self.pushes.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(push) = running.get_mut(&self.id) {
            push.threads = threads;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.pushes.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
