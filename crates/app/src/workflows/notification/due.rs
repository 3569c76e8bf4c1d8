//! Reminders of issues that are due tomorrow.

use serde::{Deserialize, Serialize};
use tenon_domain::id::IssuableId;
use tenon_domain::time::Days;
use tenon_storage::issuable;
use tenon_storage::job::Queue;

use super::occasion::Occasion;
use super::{Happened, NotifyOfEvent};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::{Job, RowJob, enqueue};

/// Issues for which mails are asked for in one transaction.
const BATCH: usize = 100;

/// Asks for the mails about the open issues that are due tomorrow, once for each issue and day.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RemindOfDueIssues {
    /// The issue up to which mails are asked for already.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<i64>,
}

impl Job for RemindOfDueIssues {
    const KIND: &'static str = "remind_of_due_issues";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for RemindOfDueIssues {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        let Some(tomorrow) = command.today().checked_add_days(Days::new(1)) else { return Ok(()) };
        let most = i64::try_from(BATCH).unwrap_or(i64::MAX);
        let found = issuable::due_without_reminder(&mut command.tx, tomorrow, self.after.map(IssuableId::new), most)?;
        let ids: Vec<IssuableId> = found.iter().map(|(issue, _)| *issue).collect();
        issuable::mark_reminded(&mut command.tx, &ids, tomorrow)?;
        for (issue, author) in &found {
            let happened = Happened {
                occasion: Occasion::Due.as_str().to_owned(),
                issuable: IssuableId::get(*issue),
                note: None,
                actor: None,
                at: command.now.timestamp_micros(),
                detail: None,
                charged: Some(author.get()),
            };
            enqueue(command, &NotifyOfEvent { happened })?;
        }
        if found.len() == BATCH {
            enqueue(command, &Self { after: ids.last().map(|id| id.get()) })?;
        }
        Ok(())
    }
}
