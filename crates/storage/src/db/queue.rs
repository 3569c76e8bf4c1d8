//! The queues that jobs wait in, each with runners of its own.

use std::sync::atomic::{AtomicU8, Ordering};

/// The queues in which jobs wait. The names are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// For what only changes rows or files, in seconds at most.
    Short,
    /// For what starts processes of Git.
    Git,
    /// For copies of repositories on this server.
    Forks,
    /// For copies of repositories from other servers.
    Imports,
    /// For what keeps repositories quick to read.
    Maintenance,
    /// For what hooks receive.
    Hooks,
    /// For mail.
    Mail,
}

impl Queue {
    /// All queues.
    pub const ALL: [Self; 7] =
        [Self::Short, Self::Git, Self::Forks, Self::Imports, Self::Maintenance, Self::Hooks, Self::Mail];

    /// Its name in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Git => "git",
            Self::Forks => "forks",
            Self::Imports => "imports",
            Self::Maintenance => "maintenance",
            Self::Hooks => "hooks",
            Self::Mail => "mail",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::Short => 1,
            Self::Git => 2,
            Self::Forks => 4,
            Self::Imports => 8,
            Self::Maintenance => 16,
            Self::Hooks => 32,
            Self::Mail => 64,
        }
    }
}

/// Stands beside the bits of the queues for events.
const EVENTS: u8 = 128;

/// The queues that a transaction puts something into, and whether it appends events.
#[derive(Debug, Default)]
pub(crate) struct QueueSet(AtomicU8);

impl QueueSet {
    pub(crate) fn insert(&self, queue: Queue) {
        self.0.fetch_or(queue.bit(), Ordering::Relaxed);
    }

    pub(crate) fn note_events(&self) {
        self.0.fetch_or(EVENTS, Ordering::Relaxed);
    }

    pub(crate) fn has_events(&self) -> bool {
        self.0.load(Ordering::Relaxed) & EVENTS != 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed) & !EVENTS == 0
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Queue> {
        let bits = self.0.load(Ordering::Relaxed);
        Queue::ALL.into_iter().filter(move |queue| bits & queue.bit() != 0)
    }
}
