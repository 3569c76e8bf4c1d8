//! Worker pools: threads for work that blocks, shared fairly between clients.

mod queue;
mod shape;
mod spent_time;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;

use self::queue::Queue;
pub(crate) use self::shape::Shape;
use crate::core::error::AppError;
use crate::core::spending::client::Client;

/// Work for a thread of a pool.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// Threads for the tasks of clients. The client that has lately spent least time on them comes first, and threads are kept free for
/// those that have spent little: a client with many long tasks hardly delays one with a few short ones. A task that does not
/// fit into the queue is refused at once.
pub(crate) struct WorkerPool<W = Task>(Arc<Shared<W>>);

struct Shared<W> {
    shape: Shape,
    queue: Mutex<Queue<W>>,
    changed: Condvar,
}

/// More tasks for a thread that can do several at once. Each client is charged for its own tasks.
pub(crate) struct Backlog<'a, W> {
    shared: &'a Shared<W>,
    /// The client of the task that runs, and the moment at which it began.
    current: Cell<(Client, Instant)>,
}

impl<W> Backlog<'_, W> {
    /// The next task of the client that comes first; `None` if none waits.
    pub(crate) fn next(&self) -> Option<W> {
        let mut queue = self.shared.lock();
        let now = self.charge(&mut queue);
        let (client, task) = queue.take(now)?;
        self.current.set((client, now));
        Some(task)
    }

    /// Charges the client of the task that has run until now, and returns the moment.
    fn charge(&self, queue: &mut Queue<W>) -> Instant {
        let ((client, begun), now) = (self.current.get(), Instant::now());
        queue.charge(client, now.saturating_duration_since(begun), now);
        self.current.set((client, now));
        now
    }
}

impl<W> Shared<W> {
    fn lock(&self) -> MutexGuard<'_, Queue<W>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a task that may run now; `None` when the pool has ended and the queue is empty.
    fn claim(&self) -> Option<(Client, W)> {
        let mut queue = self.lock();
        loop {
            if let Some((client, task)) = queue.take_for_thread(&self.shape, Instant::now()) {
                queue.started(client);
                return Some((client, task));
            }
            if queue.is_closed && queue.total == 0 {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the work of a thread, which it began for this client.
    fn finished(&self, client: Client, backlog: &Backlog<'_, W>) {
        let mut queue = self.lock();
        backlog.charge(&mut queue);
        queue.ended(client);
        if queue.is_closed {
            self.changed.notify_all();
        }
    }
}

impl<W: Send + 'static> WorkerPool<W> {
    /// Starts the threads. Each hands its next task to `serve`, with the backlog, from which it may take more. The
    /// threads end when the pool is dropped and the queue is empty.
    pub(crate) fn serving(
        shape: Shape,
        serve: impl Fn(W, &Backlog<'_, W>) + Clone + Send + 'static,
    ) -> Result<Self, std::io::Error> {
        let shared = Arc::new(Shared { shape, queue: Mutex::new(Queue::new()), changed: Condvar::new() });
        for number in 0..shape.threads {
            let (shared, serve) = (Arc::clone(&shared), serve.clone());
            std::thread::Builder::new().name(format!("{}-{number}", shape.name)).spawn(move || {
                give_way(shape.niceness);
                while let Some((client, task)) = shared.claim() {
                    let backlog = Backlog { shared: &shared, current: Cell::new((client, Instant::now())) };
                    serve(task, &backlog);
                    shared.finished(client, &backlog);
                }
            })?;
        }
        Ok(Self(shared))
    }

    /// Queues a task and waits for its answer. [`AppError::Busy`] where the queue is full for this client.
    pub(crate) async fn queue<T>(
        &self,
        client: Client,
        task: W,
        answer: oneshot::Receiver<Result<T, AppError>>,
    ) -> Result<T, AppError> {
        self.add(client, task)?;
        answer.await.unwrap_or_else(|_dropped| Err(AppError::internal("a pool dropped its task")))
    }

    /// As [`WorkerPool::queue`], for a task that leaves the queue when its answer is not waited for any more.
    async fn queue_while_wanted<T>(
        &self,
        client: Client,
        task: W,
        answer: oneshot::Receiver<Result<T, AppError>>,
    ) -> Result<T, AppError> {
        let number = self.add(client, task)?;
        let _wanted = Wanted { pool: &self.0, client, number };
        answer.await.unwrap_or_else(|_dropped| Err(AppError::internal("a pool dropped its task")))
    }

    fn add(&self, client: Client, task: W) -> Result<u64, AppError> {
        let number = self.0.lock().add(client, task, &self.0.shape).ok_or(AppError::Busy { retry_after: 1 })?;
        self.0.changed.notify_one();
        Ok(number)
    }
}

/// Takes a task out of its queue when it is dropped: the client has its answer, or has gone.
struct Wanted<'a, W> {
    pool: &'a Shared<W>,
    client: Client,
    number: u64,
}

impl<W> Drop for Wanted<'_, W> {
    fn drop(&mut self) {
        let withdrawn = self.pool.lock().withdraw(self.client, self.number);
        // The values that it holds are dropped when the queue is free for others.
        drop(withdrawn);
    }
}

impl<W> WorkerPool<W> {
    /// The number of tasks that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.0.lock().total
    }
}

impl<W> Drop for WorkerPool<W> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}

/// Lets other threads have the processor first. Linux keeps the niceness of each thread; elsewhere it would be that of
/// the whole server.
fn give_way(niceness: i32) {
    #[cfg(target_os = "linux")]
    if niceness > 0
        && let Err(error) = rustix::process::setpriority_process(None, niceness)
    {
        tracing::debug!(%error, "the priority of a thread could not be lowered");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

/// The outcome of `work`; a panic is [`AppError::Internal`] and ends neither the thread nor another request.
pub(crate) fn outcome_of<T>(work: impl FnOnce() -> Result<T, AppError>) -> Result<T, AppError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_panic| Err(AppError::internal("a use case panicked")))
}

impl WorkerPool {
    /// A pool whose threads do one task after the other.
    pub(crate) fn new(shape: Shape) -> Result<Self, std::io::Error> {
        Self::serving(shape, |task, _backlog| task())
    }

    /// Runs `work` to its end, also where the client has disconnected: it may be the second step of what was begun.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        self.queue(client, Box::new(move || drop(answer.send(outcome_of(work)))), result).await
    }

    /// The same for work that has no effect but its answer: it leaves the queue when the client has disconnected.
    pub(crate) async fn answer<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        let task = move || {
            if !answer.is_closed() {
                drop(answer.send(outcome_of(work)));
            }
        };
        self.queue_while_wanted(client, Box::new(task), result).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tenon_domain::id::UserId;

    use super::*;

    const ANN: Client = Client::User(UserId::new(1));

    fn shape(threads: usize) -> Shape {
        Shape::long("test", threads, 64, 32)
    }

    #[tokio::test]
    async fn work_does_not_start_for_a_client_that_has_disconnected() {
        let pool = WorkerPool::new(shape(1)).unwrap();
        let done = Arc::new(AtomicU32::new(0));
        let count = |by: u32| {
            let done = Arc::clone(&done);
            move || Ok(done.fetch_add(by, Ordering::SeqCst))
        };
        // The only thread is kept busy until both have been dropped.
        let (go, gate) = std::sync::mpsc::channel::<()>();
        let busy = pool.run(ANN, move || gate.recv().map_err(|_gone| AppError::internal("the test ended")));
        let (answer, step) = (pool.answer(ANN, count(1)), pool.run(ANN, count(10)));
        {
            let mut all = Box::pin(async { tokio::join!(busy, answer, step) });
            assert!(futures_util::poll!(&mut all).is_pending());
            assert!(pool.waiting() >= 2, "the thread may have claimed the first");
        }
        assert!(pool.waiting() <= 2, "of three, one has left the queue");
        go.send(()).unwrap();
        pool.run(ANN, || Ok(())).await.unwrap();
        assert_eq!(done.load(Ordering::SeqCst), 10);
    }

    #[tokio::test]
    async fn a_panic_costs_one_answer() {
        let pool = WorkerPool::new(shape(1)).unwrap();
        let outcome = pool.run::<()>(ANN, || panic!("a test's panic")).await;
        assert!(matches!(outcome, Err(AppError::Internal(_))));
        assert!(pool.run(ANN, || Ok(1)).await.is_ok_and(|one| one == 1));
    }
}
