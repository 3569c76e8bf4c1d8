//! Group commit: writes that wait for the same turn are made durable together. Each is still all or nothing by itself,
//! and none is answered before it is on the disk (docs/adr/0007).

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenon_storage::{Database, StoreError, WriteTx};
use tokio::sync::oneshot;

use crate::core::error::AppError;
use crate::core::spending::client::Client;
use crate::core::spending::worker_pool::{Backlog, Shape, WorkerPool, outcome_of};
use crate::core::spending::write_turn::{Priority, WriteTurns};

/// The pool of threads that write.
pub(crate) struct Writers(WorkerPool<Box<dyn Write>>);

/// The most writes that are committed together, and how old a transaction may be that takes one more: others than
/// these wait for the database too.
const MOST: usize = 64;
const OLDEST: Duration = Duration::from_millis(10);

impl Writers {
    /// A pool of this shape, which has a thread for each writer of the database.
    pub(crate) fn new(database: &Database, turns: Arc<WriteTurns>, shape: Shape) -> Result<Self, std::io::Error> {
        let database = database.clone();
        let serve = move |first, backlog: &Backlog<'_, _>| {
            let _turn = turns.take(Priority::Normal);
            commit_together(&database, first, || backlog.next());
        };
        Ok(Self(WorkerPool::serving(shape, serve)?))
    }

    /// The number of writes that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.0.waiting()
    }

    /// Runs `work` in a transaction. Its changes are committed if it returns `Ok`. A refusal is undone, and so is what
    /// is [`AppError::DiskFull`]. So is what is [`AppError::Busy`], as with a full queue, unless the connection was
    /// lost during the commit: then it is not known whether that has happened. [`AppError::Internal`] is a panic, which
    /// is undone as well.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce(&mut WriteTx<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        self.0.queue(client, Box::new(Pending { stage: Stage::Waiting(work), answer }), result).await
    }
}

/// A write on its way.
trait Write: Send {
    /// Does it, and returns whether what it wrote is to be kept.
    fn run(&mut self, tx: &mut WriteTx<'_>) -> Result<(), Undone>;

    /// True if it found the disk full.
    fn found_disk_full(&self) -> bool;

    /// Answers, now that the transaction has come to this end. `is_first` is whether it saw no changes of others.
    fn answer(self: Box<Self>, end: End, is_first: bool);
}

/// The outcome of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Committed,
    /// It was undone, or its commit failed, which may have happened all the same.
    Failed,
    /// It was undone, because the disk is full.
    DiskFull,
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

    fn found_disk_full(&self) -> bool {
        matches!(self.stage, Stage::Done(Err(AppError::DiskFull)))
    }

    fn answer(self: Box<Self>, end: End, is_first: bool) {
        let outcome = match (self.stage, end) {
            (Stage::Done(outcome), End::Committed) => outcome,
            (Stage::Done(Err(refusal)), _) if is_first => Err(refusal),
            (Stage::Done(_) | Stage::Waiting(_) | Stage::Running, End::DiskFull) => Err(AppError::DiskFull),
            // A refusal may be due to what another command wrote, and that was not kept either.
            (Stage::Done(_) | Stage::Waiting(_) | Stage::Running, _) => Err(AppError::Busy { retry_after: 1 }),
        };
        // The client may have disconnected: then the answer is dropped.
        drop(self.answer.send(outcome));
    }
}

/// Does `first` and the writes that `next` yields in one transaction.
fn commit_together(database: &Database, first: Box<dyn Write>, next: impl Fn() -> Option<Box<dyn Write>>) {
    let mut taken = vec![first];
    let committed = database.write(|tx| {
        let begun = Instant::now();
        // Nothing is before the first one: to undo it is to undo everything.
        if let Some(first) = taken.last_mut() {
            first.run(tx)?;
        }
        while taken.len() < MOST && begun.elapsed() < OLDEST {
            let Some(write) = next() else { break };
            taken.push(write);
            let Some(write) = taken.last_mut() else { break };
            match tx.attempt(|tx| write.run(tx)) {
                Ok(()) | Err(Undone::Refused) => {}
                Err(failed) => return Err(failed),
            }
        }
        Ok(())
    });
    let end = match &committed {
        Ok(()) => End::Committed,
        Err(Undone::Failed(StoreError::DiskFull(_))) => End::DiskFull,
        // On a full disk SQLite may undo all of it, after which there is no savepoint to go back to.
        Err(_) if taken.iter().any(|write| write.found_disk_full()) => End::DiskFull,
        Err(_) => End::Failed,
    };
    if let Err(Undone::Failed(error)) = &committed {
        tracing::error!(%error, writes = taken.len(), "a transaction was not committed");
    }
    for (place, write) in taken.into_iter().enumerate() {
        write.answer(end, place == 0);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::VecDeque;

    use tenon_storage::Options;
    use tenon_testkit::{Backend, TestDatabase};

    use super::*;

    type Answer = oneshot::Receiver<Result<u8, AppError>>;

    fn pending(outcome: Result<u8, AppError>) -> (Box<dyn Write>, Answer) {
        let (answer, result) = oneshot::channel();
        let work = move |_: &mut WriteTx<'_>| outcome;
        (Box::new(Pending { stage: Stage::Waiting(work), answer }), result)
    }

    /// A write during which the database fails.
    struct Failing {
        finds_disk_full: bool,
    }

    impl Write for Failing {
        fn run(&mut self, _: &mut WriteTx<'_>) -> Result<(), Undone> {
            Err(Undone::Failed(StoreError::Reference))
        }

        fn found_disk_full(&self) -> bool {
            self.finds_disk_full
        }

        fn answer(self: Box<Self>, end: End, _: bool) {
            assert_eq!(end, if self.finds_disk_full { End::DiskFull } else { End::Failed });
        }
    }

    fn database() -> (TestDatabase, Database) {
        let place = TestDatabase::new(Backend::Sqlite);
        let database = Database::open(Options::new(place.url().clone())).unwrap();
        (place, database)
    }

    #[test]
    fn no_result_of_a_failed_transaction_is_returned() {
        let (_place, database) = database();
        let (first, mut first_answer) = pending(Ok(1));
        let (refused, mut refused_answer) = pending(Err(AppError::Forbidden));
        let (behind, mut behind_answer) = pending(Ok(3));
        let failing = Box::new(Failing { finds_disk_full: false });
        let queue = RefCell::new(VecDeque::from([refused, failing, behind]));
        let next = || queue.borrow_mut().pop_front();
        commit_together(&database, first, next);
        assert!(matches!(first_answer.try_recv(), Ok(Err(AppError::Busy { .. }))));
        assert!(matches!(refused_answer.try_recv(), Ok(Err(AppError::Busy { .. }))));
        assert!(behind_answer.try_recv().is_err(), "it waits for the next turn");
        let behind = queue.borrow_mut().pop_front().unwrap();
        commit_together(&database, behind, next);
        assert!(matches!(behind_answer.try_recv(), Ok(Ok(3))));
    }

    #[test]
    fn a_full_disk_is_the_answer_to_all_that_it_undoes() {
        let (_place, database) = database();
        let (first, mut first_answer) = pending(Ok(1));
        let (second, mut second_answer) = pending(Ok(2));
        let failing = Box::new(Failing { finds_disk_full: true });
        let queue = RefCell::new(VecDeque::from([second, failing]));
        commit_together(&database, first, || queue.borrow_mut().pop_front());
        for answer in [&mut first_answer, &mut second_answer] {
            assert!(matches!(answer.try_recv(), Ok(Err(AppError::DiskFull))));
        }
    }

    #[test]
    fn a_refusal_of_the_first_is_its_own() {
        let (_place, database) = database();
        let (first, mut answer) = pending(Err(AppError::Forbidden));
        commit_together(&database, first, || None);
        assert!(matches!(answer.try_recv(), Ok(Err(AppError::Forbidden))));
    }
}
