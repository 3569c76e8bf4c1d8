//! Mail to administrators about accounts that wait for their approval.

use serde::{Deserialize, Serialize};
use tenon_domain::event::Event;
use tenon_domain::id::UserId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_domain::user::UserState;
use tenon_outbound::mail::Mail;
use tenon_storage::job::Queue;
use tenon_storage::user;

use super::compose::address;
use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::mail;
use crate::jobs::{AsyncJob, Job, RowJob, enqueue, enqueue_at};

/// Accounts that are made within this time are announced together, so that many of them cost an administrator few mails.
const TOGETHER: TimeDelta = TimeDelta::minutes(5);
/// Accounts that a mail names.
const MAX_NAMED: i64 = 20;

/// Asks for the announcement of an account that its user has made, if it waits.
pub(super) fn announce(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let Some(id) = event.user else { return Ok(()) };
    let waits = user::find(&mut command.tx, id)?.is_some_and(|user| user.state == UserState::Pending);
    if !waits {
        return Ok(());
    }
    enqueue_at(command, &AnnounceWaitingAccounts { since: event.at.timestamp_micros() }, event.at + TOGETHER)
}

/// Asks for a mail to each administrator.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnnounceWaitingAccounts {
    /// When the first of the accounts was made, in microseconds since 1970.
    since: i64,
}

impl Job for AnnounceWaitingAccounts {
    const KIND: &'static str = "announce_waiting_accounts";
    const QUEUE: Queue = Queue::Short;

    fn dedup_key(&self) -> Option<String> {
        Some(String::new())
    }
}

impl RowJob for AnnounceWaitingAccounts {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        let most = i64::try_from(command.app.limits().mail.recipients).unwrap_or(i64::MAX);
        for admin in user::admins(&mut command.tx, most)? {
            enqueue(command, &SendWaitingAccounts { since: self.since, user: admin.get() })?;
        }
        Ok(())
    }
}

/// Sends the mail to one of them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendWaitingAccounts {
    since: i64,
    user: i64,
}

impl Job for SendWaitingAccounts {
    const KIND: &'static str = "send_waiting_accounts";
    const QUEUE: Queue = Queue::Mail;
}

impl AsyncJob for SendWaitingAccounts {
    async fn run(self, app: &App) -> Result<(), AppError> {
        // Other administrators may have been quicker, or this one is none any more.
        app.mail_to(UserId::new(self.user), self.since(), |query| self.mail(query))
    }
}

impl SendWaitingAccounts {
    fn since(&self) -> Timestamp {
        Timestamp::from_timestamp_micros(self.since).unwrap_or_default()
    }

    fn mail(&self, query: &mut Query<'_>) -> Result<Option<Mail>, AppError> {
        query.administrators_only()?;
        let reader = query.user()?.clone();
        let Some(to) = address(query, &reader)? else { return Ok(None) };
        // One more than are named says that there are more.
        let waiting = user::waiting_for_approval(&mut query.tx, self.since(), MAX_NAMED + 1)?;
        let Some(first) = waiting.first() else { return Ok(None) };
        let base = query.app.base_url();
        let most = usize::try_from(MAX_NAMED).unwrap_or(usize::MAX);
        let named: String =
            waiting.iter().take(most).map(|user| format!("    @{} (id {})\n", user.username, user.id)).collect();
        let more = if waiting.len() > most { "    and more\n" } else { "" };
        let subject = match waiting.len() {
            1 => format!("@{} is waiting for approval on {}", first.username, mail::host(base)),
            _ => format!("Accounts are waiting for approval on {}", mail::host(base)),
        };
        let text = format!(
            "These users signed up on {base} and are waiting for an administrator's approval:\n\n{named}{more}\n\
             Approve or reject them: {base}/admin/users?filter=pending\n",
        );
        let id = query.app.mail_id(&format!("waiting_accounts_{}_{}", reader.id, self.since));
        Ok(Some(mail::plain(&to, subject, id, text, self.since())))
    }
}
