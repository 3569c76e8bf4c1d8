//! Work that comes with time: once an hour, however many processes there are.

use tenon_domain::time::Timestamp;

use super::work::{Work, enqueue, enqueue_at};
use crate::app::App;
use crate::context::Command;
use crate::error::AppError;

/// Asks for what is to be done each hour from the next full hour on. It may be asked for any number of times.
pub fn start_schedule(app: &App) -> Result<(), AppError> {
    app.command(|command| {
        let next = hour(command.now) + 1;
        ask(command, next)
    })
}

/// Asks for the work of one hour, and for the next hour. Idempotent: the same work waits only once.
pub(super) fn tick(command: &mut Command<'_>) -> Result<(), AppError> {
    enqueue(command, &Work::LookAfterRepositories { after: 0 })?;
    enqueue(command, &Work::SweepArchives)?;
    // Hours in which no server ran are not made up for.
    let next = hour(command.now) + 1;
    ask(command, next)
}

fn ask(command: &mut Command<'_>, hour: i64) -> Result<(), AppError> {
    let at = Timestamp::from_timestamp(hour * 3600, 0).unwrap_or(command.now);
    enqueue_at(command, &Work::Hourly { hour }, at)
}

/// The number of the hour that a moment lies in.
fn hour(at: Timestamp) -> i64 {
    at.timestamp().div_euclid(3600)
}
