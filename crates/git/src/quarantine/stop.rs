//! The end of a check of a push before all of it is read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::entries::Unreadable;
use crate::error::GitError;
use crate::push::PushRefusal;

/// The reason why a check ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The push is refused, for a reason that its pusher reads.
    Refused(String),
    /// It could not be checked.
    Failed(GitError),
}

impl From<GitError> for Stop {
    fn from(error: GitError) -> Self {
        Self::Failed(error)
    }
}

impl From<PushRefusal> for Stop {
    fn from(refusal: PushRefusal) -> Self {
        Self::Refused(refusal.to_string())
    }
}

impl From<Unreadable> for Stop {
    fn from(Unreadable: Unreadable) -> Self {
        Self::Refused("A directory of this push cannot be read.".to_owned())
    }
}

/// The values that the threads of one check share.
#[derive(Debug)]
pub(super) struct Shared {
    /// Files that the rest of the push may change.
    pub(super) files_left: AtomicU64,
    /// True if one of them has found a reason to refuse the push.
    pub(super) has_stopped: AtomicBool,
    pub(super) deadline: Instant,
}

impl Shared {
    /// The same outcome. If it refuses the push, the other threads end.
    pub(super) fn stopping(&self, outcome: Result<(), Stop>) -> Result<(), Stop> {
        if outcome.is_err() {
            self.has_stopped.store(true, Ordering::Relaxed);
        }
        outcome
    }
}
