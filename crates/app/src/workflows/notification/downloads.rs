//! Mail about users who download very many projects, to administrators or to users whom the settings name.

use serde::{Deserialize, Serialize};
use tenon_domain::event::Event;
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;
use tenon_domain::user::UserState;
use tenon_outbound::mail::Mail;
use tenon_storage::job::Queue;
use tenon_storage::user;

use super::compose::address;
use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::mail;
use crate::jobs::{AsyncJob, Job, enqueue};

/// Asks for a mail to each user who is to know.
pub(super) fn announce(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let Some(downloader) = event.user else { return Ok(()) };
    let most = command.app.limits().mail.recipients;
    let mut readers = command.query().settings()?.downloads.alerted.clone();
    if readers.is_empty() {
        readers = user::admins(&mut command.tx, i64::try_from(most).unwrap_or(i64::MAX))?;
    }
    for reader in readers.into_iter().take(most) {
        let at = event.at.timestamp_micros();
        enqueue(command, &SendDownloadAlert { downloader: downloader.get(), at, reader: reader.get() })?;
    }
    Ok(())
}

/// Sends the mail to one of them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendDownloadAlert {
    /// The user who has downloaded so much.
    downloader: i64,
    /// In microseconds since 1970.
    at: i64,
    reader: i64,
}

impl Job for SendDownloadAlert {
    const KIND: &'static str = "send_download_alert";
    const QUEUE: Queue = Queue::Mail;
}

impl AsyncJob for SendDownloadAlert {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let at = Timestamp::from_timestamp_micros(self.at).unwrap_or_default();
        // Either of the two accounts may be gone by now.
        app.mail_to(UserId::new(self.reader), at, |query| self.mail(query, at))
    }
}

impl SendDownloadAlert {
    fn mail(&self, query: &mut Query<'_>, at: Timestamp) -> Result<Option<Mail>, AppError> {
        let reader = query.user()?.clone();
        let Some(to) = address(query, &reader)? else { return Ok(None) };
        let Some(found) = user::find(&mut query.tx, UserId::new(self.downloader))? else { return Ok(None) };
        // The limit may be another one by now: then it is not named.
        let limit = query.settings()?.downloads.limit;
        let limit = limit.map(|limit| format!(" than {} in {} seconds", limit.projects, limit.within.as_secs()));
        let banned = if found.state == UserState::Banned { " The account is banned." } else { "" };
        let base = query.app.base_url();
        let subject = format!("@{} has downloaded many projects on {}", found.username, mail::host(base));
        let text = format!(
            "The user @{} (id {}) has downloaded more different projects{}.{banned}\n\n{base}/{}\n",
            found.username,
            found.id,
            limit.unwrap_or_default(),
            found.username,
        );
        let id = query.app.mail_id(&format!("downloads_{}_{}_{}", found.id, reader.id, self.at));
        Ok(Some(mail::plain(&to, subject, id, text, at)))
    }
}
