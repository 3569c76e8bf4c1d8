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

    /// Runs `work` on one of the threads, also where the client has gone meanwhile: it may be the second step of what was
    /// begun. A full queue is [`AppError::Busy`]; a panic is [`AppError::Internal`].
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        self.queue(Box::new(move || drop(answer.send(outcome_of(work)))), result).await
    }

    /// The same for work that only yields an answer: it is passed over where nobody waits for that any longer.
    pub(crate) async fn answer<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        let task = move || {
            if !answer.is_closed() {
                drop(answer.send(outcome_of(work)));
            }
        };
        self.queue(Box::new(task), result).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn an_answer_that_nobody_waits_for_is_not_worked_out() {
        let lane = Lane::new("test", 1, 8).unwrap();
        let done = Arc::new(AtomicU32::new(0));
        let count = |by: u32| {
            let done = Arc::clone(&done);
            move || Ok(done.fetch_add(by, Ordering::SeqCst))
        };
        // The only thread is kept busy until both have been given up.
        let (go, gate) = crossbeam_channel::bounded::<()>(0);
        let busy = lane.run(move || gate.recv().map_err(|_gone| AppError::internal("nobody lets it go")));
        let (answer, step) = (lane.answer(count(1)), lane.run(count(10)));
        {
            let mut all = Box::pin(async { tokio::join!(busy, answer, step) });
            // Queued, and then given up.
            assert!(polled_once(all.as_mut()).await.is_none());
        }
        go.send(()).unwrap();
        // Whoever comes last is served last.
        assert_eq!(lane.run(count(0)).await.unwrap(), 10);
    }

    /// The outcome of one poll.
    async fn polled_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        std::future::poll_fn(|context| match future.as_mut().poll(context) {
            std::task::Poll::Ready(outcome) => std::task::Poll::Ready(Some(outcome)),
            std::task::Poll::Pending => std::task::Poll::Ready(None),
        })
        .await
    }
}
