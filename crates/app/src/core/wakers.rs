//! Waking runners as soon as there is something to do.

use tenon_storage::job::Queue;
use tokio::sync::Notify;

/// The wakers on which the runners of this process sleep. A call while no runner of the queue sleeps is kept for the
/// next one that does.
#[derive(Debug, Default)]
pub(crate) struct Wakers {
    short: Notify,
    git: Notify,
    forks: Notify,
    imports: Notify,
    maintenance: Notify,
    hooks: Notify,
    mail: Notify,
}

impl Wakers {
    /// Wakes one runner of this queue.
    pub(crate) fn wake(&self, queue: Queue) {
        self.of(queue).notify_one();
    }

    /// Waits until a runner of this queue is woken.
    pub(crate) async fn woken(&self, queue: Queue) {
        self.of(queue).notified().await;
    }

    const fn of(&self, queue: Queue) -> &Notify {
        match queue {
            Queue::Short => &self.short,
            Queue::Git => &self.git,
            Queue::Forks => &self.forks,
            Queue::Imports => &self.imports,
            Queue::Maintenance => &self.maintenance,
            Queue::Hooks => &self.hooks,
            Queue::Mail => &self.mail,
        }
    }
}
