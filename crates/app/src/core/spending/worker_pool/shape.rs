//! The size of a worker pool.

use tenon_domain::limits::ConnectionLimits;

/// How large a pool is, and how much of it one client may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// The name of its threads.
    pub(crate) name: &'static str,
    /// Threads.
    pub(crate) threads: usize,
    /// Threads that work for one client at once.
    pub(crate) per_client: usize,
    /// Threads that work for anonymous clients at once, all together.
    pub(crate) anonymous: usize,
    /// Threads that only clients get which have lately spent far less than the others (`Queue::is_light`).
    pub(crate) reserved: usize,
    /// Tasks that wait. Anonymous clients fill at most half of that.
    pub(crate) waiting: usize,
    /// Tasks of one client that wait.
    pub(crate) waiting_per_client: usize,
    /// By how much the operating system prefers other threads over these, from 0 to 19. Processes that a thread starts
    /// inherit it.
    pub(crate) niceness: i32,
}

impl Shape {
    /// A pool for short tasks: a client may have all threads but one, since each is free again soon.
    pub(crate) fn short(name: &'static str, threads: usize, waiting: usize, waiting_per_client: usize) -> Self {
        let threads = threads.max(1);
        let most = threads.saturating_sub(1).max(1);
        // Of two threads, one that is kept free would cost half of what the pool can do.
        let reserved = usize::from(threads > 2);
        Self { name, threads, per_client: most, anonymous: most, reserved, waiting, waiting_per_client, niceness: 0 }
    }

    /// A pool for tasks that may take long: a client has half of the threads, and so have all anonymous clients
    /// together.
    pub(crate) fn long(name: &'static str, threads: usize, waiting: usize, waiting_per_client: usize) -> Self {
        let half = (threads / 2).max(1);
        Self { per_client: half, anonymous: half, ..Self::short(name, threads, waiting, waiting_per_client) }
    }

    /// A pool for what tells users from strangers. All its clients are networks, of which each has half of the threads. A
    /// connection has one request at a time, so that the limits of connections are those of its queue.
    pub(crate) fn for_strangers(name: &'static str, threads: usize, limits: &ConnectionLimits) -> Self {
        let (all, each) = (limits.all.saturating_mul(2), limits.per_network);
        Self { anonymous: threads.max(1), ..Self::long(name, threads, all, each) }
    }
}
