//! The pushes that are under way: how a hook that calls back is known to belong to one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tenon_domain::id::{ProjectId, UserId};

/// A push under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Push {
    /// Into which project.
    pub(crate) project: ProjectId,
    /// By whom.
    pub(crate) user: UserId,
    /// The path under which the client knows the project, where it has another one now.
    pub(crate) former_path: Option<String>,
}

/// All pushes of this process, each under a random name that only its hooks know.
#[derive(Debug, Default)]
pub(crate) struct Pushes(Mutex<HashMap<String, Push>>);

impl Pushes {
    /// Begins a push under this name. It ends when what comes back is dropped.
    pub(crate) fn begin(self: &Arc<Self>, id: String, push: Push) -> Running {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), push);
        Running { pushes: Arc::clone(self), id }
    }

    /// The push of that name.
    pub(crate) fn find(&self, id: &str) -> Option<Push> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Whether somebody pushes into a project.
    pub(crate) fn is_under_way(&self, project: ProjectId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().any(|push| push.project == project)
    }
}

/// A push that goes on as long as this is kept.
#[derive(Debug)]
pub struct Running {
    pushes: Arc<Pushes>,
    id: String,
}

impl Running {
    /// The name that its hooks know.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.pushes.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
