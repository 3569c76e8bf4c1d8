//! Removing memberships and shares whose last day is over, and invitations that have ended. Their access has ended without it.

use serde::{Deserialize, Serialize};
use tenon_storage::invitation;
use tenon_storage::job::Queue;
use tenon_storage::member::{self, Ending};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::{Job, RowJob, enqueue};
use crate::shared::access::ended_access::{self, Progress};

/// Removes them, a batch of memberships at once if hooks learn of each.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PurgeExpiredAccess {}

impl Job for PurgeExpiredAccess {
    const KIND: &'static str = "purge_expired_access";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for PurgeExpiredAccess {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        let (now, today) = (command.now, command.now.date_naive());
        invitation::purge(&mut command.tx, now)?;
        if !member::any_expired(&mut command.tx, today)? {
            return Ok(());
        }
        if ended_access::is_heard(command)?
            && ended_access::end_some(command, Ending::Expired(today))? == Progress::More
        {
            return enqueue(command, &self);
        }
        member::purge_expired(&mut command.tx, today)?;
        Ok(())
    }
}
