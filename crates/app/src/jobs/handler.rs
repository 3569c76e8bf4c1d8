//! Kinds of jobs, and how one is put into its queue. The queue knows no resource: each resource has its own kinds, and
//! `crate::registry` lists them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;
use tenon_storage::job::{self, NewJob, Queue};

use crate::core::app::{App, Command, Handler, Run};
use crate::core::error::AppError;

/// A piece of work of one kind. A value of it is stored as JSON together with the name of the kind: changing either
/// needs a migration or a second name.
///
/// Every kind is idempotent: it removes what is there, or finds out anew what is so, and does nothing if nothing is.
pub(crate) trait Job: Serialize + DeserializeOwned + 'static {
    /// The stored name. It stays when the type is renamed: jobs of older versions may wait in the queue.
    const KIND: &'static str;
    /// The queue in which such jobs wait: slow jobs keep no others waiting.
    const QUEUE: Queue;

    /// The key that deduplicates it while it waits, if that is less than all of it.
    fn dedup_key(&self) -> Option<String> {
        None
    }

    /// The user whose turn it takes, if it names that user; else it is the one who asks for it.
    fn charged_to(&self) -> Option<UserId> {
        None
    }

    /// Records for users that the job has failed for the last time. The log says so in any case.
    fn give_up(self, _command: &mut Command<'_>) -> Result<(), AppError> {
        Ok(())
    }
}

/// A job that only changes a few rows: several such share a transaction.
pub(crate) trait RowJob: Job {
    /// Does the work in the transaction of `command`.
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError>;
}

/// A job that takes transactions of its own, or none.
pub(crate) trait AsyncJob: Job {
    /// Does the work, on a thread of its own that it may block. [`AppError::Busy`] means that it could not be done
    /// now: it is tried again later, however often.
    async fn run(self, app: &App) -> Result<(), AppError>;
}

impl Handler {
    /// The handler of jobs that only change rows.
    pub(crate) const fn of_rows<J: RowJob>() -> Self {
        Self::of::<J>(Run::Rows(|payload, command| read::<J>(payload)?.run(command)))
    }

    /// The handler of other jobs.
    pub(crate) const fn of_async<J: AsyncJob>() -> Self {
        Self::of::<J>(Run::Blocking(|payload, app, runtime| runtime.block_on(read::<J>(payload)?.run(app))))
    }

    const fn of<J: Job>(run: Run) -> Self {
        Self {
            kind: J::KIND,
            run,
            give_up: |payload, command| read::<J>(payload)?.give_up(command),
            enqueue: |payload, command| enqueue(command, &read::<J>(payload)?),
        }
    }
}

/// Puts a job in its queue, in the transaction of `command`. The same job waits only once; if it is being run, it is
/// run once more. It takes the turn of the user whom it names, or who asks for it.
pub(crate) fn enqueue<J: Job>(command: &mut Command<'_>, job: &J) -> Result<(), AppError> {
    let now = command.now;
    enqueue_at(command, job, now)
}

/// As [`enqueue`], to be run from `at` on. If the same job waits already, it stays with its time.
pub(crate) fn enqueue_at<J: Job>(command: &mut Command<'_>, job: &J, at: Timestamp) -> Result<(), AppError> {
    let payload = written(job)?;
    let new = NewJob {
        kind: J::KIND,
        payload: &payload,
        dedup_key: &key_of(job, &payload),
        queue: J::QUEUE,
        user: job.charged_to().or(command.actor()).or(command.app.charged_user()),
        run_at: at,
        now: command.now,
    };
    Ok(job::enqueue(&mut command.tx, &new)?)
}

/// As [`enqueue`]. If the same job waits for a later moment, it is run now.
pub(crate) fn enqueue_now<J: Job>(command: &mut Command<'_>, job: &J) -> Result<(), AppError> {
    enqueue(command, job)?;
    let (key, now) = (key_of(job, &written(job)?), command.now);
    Ok(job::hasten(&mut command.tx, J::QUEUE, &key, now)?)
}

/// The key that deduplicates a job while it waits.
fn key_of<J: Job>(job: &J, payload: &str) -> String {
    job.dedup_key().map_or_else(|| payload.to_owned(), |key| format!("{} {key}", J::KIND))
}

/// A job as it is stored: with its kind, so that payloads of two kinds are never the same.
#[derive(Serialize)]
struct Stored<'a, J> {
    kind: &'static str,
    #[serde(flatten)]
    job: &'a J,
}

fn written<J: Job>(job: &J) -> Result<String, AppError> {
    serde_json::to_string(&Stored { kind: J::KIND, job }).map_err(AppError::internal)
}

fn read<J: Job>(payload: &str) -> Result<J, AppError> {
    serde_json::from_str(payload).map_err(AppError::internal)
}

/// The kind of a stored payload.
#[derive(Deserialize)]
pub(super) struct KindOf {
    pub(super) kind: String,
}
