//! Threads for work that blocks, with a bounded queue in front.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use tokio::sync::oneshot;

use crate::error::AppError;

/// Something to be done on a thread of a lane.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// A few threads that take work in order. What does not fit into the queue is refused at once: a server that is too
/// slow should say so, not collect requests.
pub(crate) struct Lane<W = Task> {
    tasks: Sender<W>,
}

impl<W: Send + 'static> Lane<W> {
    /// `threads` threads called `name`, with room for `waiting` tasks in front of them. Each hands the next task to `serve`,
    /// with the queue, from which it may take more. The threads end when the lane is gone and the
    /// queue is empty.
    pub(crate) fn serving(
        name: &str,
        threads: u32,
        waiting: usize,
        serve: impl Fn(W, &Receiver<W>) + Clone + Send + 'static,
    ) -> Result<Self, std::io::Error> {
        let (tasks, queue) = bounded::<W>(waiting);
        for number in 0..threads {
            let (queue, serve) = (queue.clone(), serve.clone());
            std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || {
                for task in &queue {
                    serve(task, &queue);
                }
            })?;
        }
        Ok(Self { tasks })
    }

    /// Queues a task and waits for what it answers. A full queue is [`AppError::Busy`].
    pub(crate) async fn queue<T>(
        &self,
        task: W,
        answer: oneshot::Receiver<Result<T, AppError>>,
    ) -> Result<T, AppError> {
        match self.tasks.try_send(task) {
            Ok(()) => answer.await.unwrap_or_else(|_gone| Err(AppError::internal("a lane dropped its task"))),
            Err(TrySendError::Full(_)) => Err(AppError::Busy { retry_after: 1 }),
            Err(TrySendError::Disconnected(_)) => Err(AppError::internal("a lane has ended")),
        }
    }
}

/// The outcome of `work`; a panic is [`AppError::Internal`], and costs neither the thread nor anybody else's request.
pub(crate) fn outcome_of<T>(work: impl FnOnce() -> Result<T, AppError>) -> Result<T, AppError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_panic| Err(AppError::internal("a use case panicked")))
}

impl Lane {
    /// A lane whose threads do one task after the other.
    pub(crate) fn new(name: &str, threads: u32, waiting: usize) -> Result<Self, std::io::Error> {
        Self::serving(name, threads, waiting, |task, _queue| task())
    }

    /// Runs `work` on one of the threads. A full queue is [`AppError::Busy`]; a panic is [`AppError::Internal`].
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        let task = Box::new(move || {
            // Who has gone meanwhile is not worked for.
            if !answer.is_closed() {
                drop(answer.send(outcome_of(work)));
            }
        });
        self.queue(task, result).await
    }
}
