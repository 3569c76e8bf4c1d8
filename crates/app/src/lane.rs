//! Threads for work that blocks, with a bounded queue in front.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Sender, TrySendError, bounded};
use tokio::sync::oneshot;

use crate::error::AppError;

type Task = Box<dyn FnOnce() + Send>;

/// A few threads that take work in order. What does not fit into the queue is refused at once: a server that is too
/// slow should say so, not collect requests.
#[derive(Clone)]
pub(crate) struct Lane {
    tasks: Sender<Task>,
}

impl Lane {
    /// `threads` threads called `name`, with room for `waiting` tasks in front of them. The threads end when the last
    /// clone of the lane is gone and the queue is empty.
    pub(crate) fn new(name: &str, threads: u32, waiting: usize) -> Result<Self, std::io::Error> {
        let (tasks, queue) = bounded::<Task>(waiting);
        for number in 0..threads {
            let queue = queue.clone();
            std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || {
                for task in queue {
                    task();
                }
            })?;
        }
        Ok(Self { tasks })
    }

    /// Runs `work` on one of the threads. A full queue is [`AppError::Busy`]; a panic is [`AppError::Internal`], and
    /// costs neither the thread nor anybody else's request.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        let task = Box::new(move || {
            let outcome = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|_panic| Err(AppError::internal("a use case panicked")));
            // The client may have gone: then nobody waits for the answer.
            drop(answer.send(outcome));
        });
        match self.tasks.try_send(task) {
            Ok(()) => result.await.unwrap_or_else(|_gone| Err(AppError::internal("a lane dropped its task"))),
            Err(TrySendError::Full(_)) => Err(AppError::Busy { retry_after: 1 }),
            Err(TrySendError::Disconnected(_)) => Err(AppError::internal("a lane has ended")),
        }
    }
}
