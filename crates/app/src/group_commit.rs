//! Group commit: writes that wait for the same turn are made durable together. Each is still all or nothing by itself, and
//! none is answered before it is on the disk (docs/adr/0007).

use crossbeam_channel::Receiver;
use tenon_storage::{Database, StoreError, WriteTx};
use tokio::sync::oneshot;

use crate::error::AppError;
use crate::lane::{Lane, outcome_of};

/// The lane of those who write.
pub(crate) struct Writers(Lane<Box<dyn Write>>);

/// The most writes that are committed together.
const MOST: usize = 64;

impl Writers {
    /// As many threads as the database has writers, with room for `waiting` writes in front of them.
    pub(crate) fn new(database: &Database, waiting: usize) -> Result<Self, std::io::Error> {
        let (threads, database) = (database.writers(), database.clone());
        let serve = move |first, queue: &Receiver<_>| commit_together(&database, first, queue);
        Ok(Self(Lane::serving("write", threads, waiting, serve)?))
    }

    /// Runs `work` in a transaction. What it returns is known to be committed if it is `Ok`, and undone otherwise. A full
    /// queue is [`AppError::Busy`]; a panic is [`AppError::Internal`].
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriteTx<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        self.0.queue(Box::new(Pending { stage: Stage::Waiting(work), answer }), result).await
    }
}

/// A write on its way.
trait Write: Send {
    /// Does it, and tells whether what it wrote is wanted.
    fn run(&mut self, tx: &mut WriteTx<'_>) -> Result<(), Undone>;

    /// Answers, now that the transaction was committed or was not.
    fn answer(self: Box<Self>, is_committed: bool);
}

/// Why what was written is not kept.
enum Undone {
    /// The use case refused, and has its own answer.
    Refused,
    /// The database failed, and with it everything in the transaction.
    Failed(StoreError),
}

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

struct Pending<W, T> {
    stage: Stage<W, T>,
    answer: oneshot::Sender<Result<T, AppError>>,
}

enum Stage<W, T> {
    Waiting(W),
    Running,
    Done(Result<T, AppError>),
}

impl<T: Send, W: FnOnce(&mut WriteTx<'_>) -> Result<T, AppError> + Send> Write for Pending<W, T> {
    fn run(&mut self, tx: &mut WriteTx<'_>) -> Result<(), Undone> {
        let Stage::Waiting(work) = std::mem::replace(&mut self.stage, Stage::Running) else { return Ok(()) };
        let outcome = outcome_of(|| work(tx));
        let kept = if outcome.is_ok() { Ok(()) } else { Err(Undone::Refused) };
        self.stage = Stage::Done(outcome);
        kept
    }

    fn answer(self: Box<Self>, is_committed: bool) {
        let outcome = match self.stage {
            Stage::Done(Err(refusal)) => Err(refusal),
            Stage::Done(Ok(value)) if is_committed => Ok(value),
            Stage::Done(Ok(_)) | Stage::Waiting(_) | Stage::Running => Err(AppError::Busy { retry_after: 1 }),
        };
        // The client may have gone: then nobody waits for the answer.
        drop(self.answer.send(outcome));
    }
}

/// Does `first`, and what waits behind it, in one transaction.
fn commit_together(database: &Database, first: Box<dyn Write>, queue: &Receiver<Box<dyn Write>>) {
    let mut taken = vec![first];
    let committed = database.write(|tx| {
        // Nothing is before the first one: to undo it is to undo everything.
        if let Some(first) = taken.last_mut() {
            first.run(tx)?;
        }
        for write in queue.try_iter().take(MOST - 1) {
            taken.push(write);
            let Some(write) = taken.last_mut() else { break };
            match tx.attempt(|tx| write.run(tx)) {
                Ok(()) | Err(Undone::Refused) => {}
                Err(failed) => return Err(failed),
            }
        }
        Ok(())
    });
    if let Err(Undone::Failed(error)) = &committed {
        tracing::error!(%error, writes = taken.len(), "a transaction was not committed");
    }
    for write in taken {
        write.answer(committed.is_ok());
    }
}
