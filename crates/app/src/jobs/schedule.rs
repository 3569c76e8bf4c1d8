//! Work that comes with time: once an hour, however many processes there are.

use serde::{Deserialize, Serialize};
use tenon_domain::time::Timestamp;
use tenon_storage::job::Queue;

use super::handler::{Job, RowJob, enqueue_at};
use crate::core::app::{App, Command};
use crate::core::error::AppError;

/// Asks for the work of one hour, and for the next hour.
#[derive(Serialize, Deserialize)]
pub(crate) struct Hourly {
    /// The number of the hour since 1970.
    hour: i64,
}

impl Job for Hourly {
    const KIND: &'static str = "hourly";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for Hourly {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        (command.app.registry().hourly)(command)?;
        // Hours in which no server ran are not made up for.
        ask_for_next(command)
    }
}

/// Asks for what is to be done each hour from the next full hour on. It may be asked for any number of times.
pub fn start_schedule(app: &App) -> Result<(), AppError> {
    app.command(ask_for_next)
}

fn ask_for_next(command: &mut Command<'_>) -> Result<(), AppError> {
    let hour = hour(command.now) + 1;
    let at = Timestamp::from_timestamp(hour * 3600, 0).unwrap_or(command.now);
    enqueue_at(command, &Hourly { hour }, at)
}

/// The number of the hour that a moment lies in.
fn hour(at: Timestamp) -> i64 {
    at.timestamp().div_euclid(3600)
}
