//! Mail about what happens to issues and merge requests, and to accounts (`account.rs`). An event asks for one job, which finds out who is to hear of it and asks for
//! a job for each of them; that one reads what happened with the rights that the user has then, and sends the mail. So access is
//! checked when a mail is sent, a mail that fails is tried again by itself, and no job holds what a text says.

mod access_request;
mod account;
mod approval;
mod compose;
mod downloads;
mod due;
mod occasion;
mod recipients;
mod text;
pub(in crate::workflows) mod unsubscribe;

use serde::{Deserialize, Serialize};
use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::{IssuableId, NoteId, UserId};
use tenon_domain::time::Timestamp;
use tenon_storage::job::Queue;
use tenon_storage::service;

use crate::core::app::{App, Command, Reaction};
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job, enqueue};
use crate::shared::issuable::edit_detail::EditDetail;

pub(crate) use access_request::SendAccessRequestMail;
pub(crate) use account::{NotifyMembers, SendAccountMail};
pub(crate) use approval::{AnnounceWaitingAccounts, SendWaitingAccounts};
pub(crate) use compose::address;
pub(crate) use downloads::SendDownloadAlert;
pub(crate) use due::RemindOfDueIssues;
use occasion::Occasion;
pub use tenon_storage::service::Suppression;
pub use unsubscribe::{is_key, is_key_of_service, remove_suppressions, suppressions, unsubscribe};

/// The reaction to an event if the server sends mail.
pub(crate) fn reaction(kind: EventKind) -> Option<Reaction> {
    match kind {
        EventKind::UserDownloadedMany => Some(downloads::announce),
        EventKind::AccessRequested | EventKind::AccessDenied => Some(access_request::notify),
        _ if Occasion::of(kind).is_some() => Some(notify),
        _ => account::reaction(kind),
    }
}

fn notify(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let (Some(occasion), Some(issuable)) = (Occasion::of(event.kind), event.issuable) else { return Ok(()) };
    if !occasion.is_mailed(&EditDetail::parse(event.detail.as_deref())) {
        return Ok(());
    }
    let happened = Happened {
        occasion: occasion.as_str().to_owned(),
        issuable: issuable.get(),
        note: event.note.map(NoteId::get),
        actor: event.actor.map(UserId::get),
        at: event.at.timestamp_micros(),
        detail: event.detail.clone(),
        charged: None,
    };
    enqueue(command, &NotifyOfEvent { happened })
}

/// The event, as jobs carry it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Happened {
    occasion: String,
    issuable: i64,
    note: Option<i64>,
    actor: Option<i64>,
    /// In microseconds since 1970.
    at: i64,
    /// The changes of an edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// The user against whom the mails are counted if no user has made it happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    charged: Option<i64>,
}

impl Happened {
    /// When it happened.
    fn at(&self) -> Timestamp {
        Timestamp::from_timestamp_micros(self.at).unwrap_or_default()
    }

    /// The occasion. `None` if another version of this program has queued the job.
    fn occasion(&self) -> Option<Occasion> {
        Occasion::parse(&self.occasion)
    }

    const fn issuable(&self) -> IssuableId {
        IssuableId::new(self.issuable)
    }

    fn note(&self) -> Option<NoteId> {
        self.note.map(NoteId::new)
    }

    fn actor(&self) -> Option<UserId> {
        self.actor.map(UserId::new)
    }

    fn charged_to(&self) -> Option<UserId> {
        self.actor.or(self.charged).map(UserId::new)
    }

    /// The changes of an edit.
    fn edit(&self) -> EditDetail {
        EditDetail::parse(self.detail.as_deref())
    }
}

/// Finds out who is to hear of an event, and asks for their mails.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NotifyOfEvent {
    #[serde(flatten)]
    happened: Happened,
}

impl Job for NotifyOfEvent {
    const KIND: &'static str = "notify_of_event";
    const QUEUE: Queue = Queue::Mail;

    fn charged_to(&self) -> Option<UserId> {
        self.happened.charged_to()
    }
}

impl AsyncJob for NotifyOfEvent {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let found = app.query(|query| recipients::of(query, &self.happened))?;
        if found.is_empty() {
            return Ok(());
        }
        // All of them or none: if this job runs again, it has asked for nothing yet, or for everything.
        app.command(|command| {
            let room = room(command, self.happened.charged_to(), found.len())?;
            for (user, reason) in found.iter().take(room) {
                let happened = self.happened.clone();
                enqueue(command, &SendNotification { happened, user: user.get(), reason: reason.map(str::to_owned) })?;
            }
            Ok(())
        })
    }
}

/// How many of so many mails the budget of the user who has caused them has room for. All are counted.
fn room(command: &mut Command<'_>, by: Option<UserId>, mails: usize) -> Result<usize, AppError> {
    let Some(by) = by else { return Ok(mails) };
    let (now, tx) = (command.now, &mut command.tx);
    let sent = usize::try_from(service::mails_to_users(tx, by, now)?).unwrap_or(usize::MAX);
    let room = mails.min(command.app.limits().mail.per_user.saturating_sub(sent));
    let [sent, dropped] = [room, mails - room].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    service::count_mails(tx, Some(by), None, now, (sent, dropped))?;
    if dropped > 0 {
        tracing::warn!(user.id = %by, dropped, "mails to users are not sent: the budget of who has caused them is spent");
    }
    Ok(room)
}

/// Sends one mail to one user.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendNotification {
    #[serde(flatten)]
    happened: Happened,
    user: i64,
    /// Why the user gets it, as the header says.
    reason: Option<String>,
}

impl Job for SendNotification {
    const KIND: &'static str = "send_notification";
    const QUEUE: Queue = Queue::Mail;

    fn charged_to(&self) -> Option<UserId> {
        self.happened.charged_to()
    }
}

impl AsyncJob for SendNotification {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let reason = self.reason.as_deref();
        app.mail_to(UserId::new(self.user), self.happened.at(), |query| compose::mail(query, &self.happened, reason))
    }
}
