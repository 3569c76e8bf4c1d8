//! Removing old events of hooks, with their deliveries, and what was counted of the mails of services.

use serde::{Deserialize, Serialize};
use tenon_domain::time::TimeDelta;
use tenon_storage::job::Queue;
use tenon_storage::{hook, service};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::{Job, RowJob, enqueue};

/// Events that are removed in one transaction.
const BATCH: usize = 200;

/// Numbers that count for longer than a day are not asked for.
const COUNTED_FOR: TimeDelta = TimeDelta::days(2);

/// Removes the events that are older than `hooks.kept_days`, and old counts of mails.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PurgeHookEvents {}

impl Job for PurgeHookEvents {
    const KIND: &'static str = "purge_hook_events";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for PurgeHookEvents {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        let days = i64::try_from(command.app.limits().hooks.kept_days).unwrap_or(i64::MAX);
        let before = command.now - TimeDelta::try_days(days).unwrap_or(TimeDelta::MAX);
        let most = i64::try_from(BATCH).unwrap_or(i64::MAX);
        service::purge_mail_counts(&mut command.tx, command.now - COUNTED_FOR)?;
        if hook::purge_events(&mut command.tx, before, most)? == BATCH {
            enqueue(command, &self)?;
        }
        Ok(())
    }
}
