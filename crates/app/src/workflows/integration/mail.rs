//! The mails that services send: one to each recipient that a maintainer has named.

use serde::{Deserialize, Serialize};
use tenon_auth::digest;
use tenon_domain::id::{HookEventId, ServiceId, UserId};
use tenon_domain::service::mailboxes;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_outbound::mail::Mail;
use tenon_storage::hook::{self, RenderedEvent};
use tenon_storage::job::Queue;

use super::settings::Settings;
use super::{load, pipeline_mail, push_mail};
use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job, enqueue, enqueue_at};

/// Mails that one job sends before others get their turn.
const BATCH: usize = 20;

/// Sends the mails of one service about one event, in the order of the digests of their addresses: so a job need not hold an
/// address to know which of them were sent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendServiceMail {
    service: i64,
    event: i64,
    /// When it was asked for, in microseconds since 1970.
    since: i64,
    /// The digest of the last address to which it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

impl SendServiceMail {
    pub(super) fn new(service: ServiceId, event: HookEventId, now: Timestamp) -> Self {
        Self { service: service.get(), event: event.get(), since: now.timestamp_micros(), after: None }
    }
}

impl Job for SendServiceMail {
    const KIND: &'static str = "send_service_mail";
    const QUEUE: Queue = Queue::Mail;

    fn dedup_key(&self) -> Option<String> {
        Some(format!("{} {} {}", self.service, self.event, self.after.as_deref().unwrap_or_default()))
    }
}

/// What all recipients get.
pub(super) struct Letter {
    pub(super) subject: String,
    pub(super) text: String,
    /// Who it is from.
    pub(super) from_name: Option<String>,
    pub(super) from_address: Option<String>,
    /// The project, as headers name it.
    pub(super) project: String,
}

impl AsyncJob for SendServiceMail {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let Some(settings) = load(app, ServiceId::new(self.service))? else { return Ok(()) };
        let event = app.database().read(|tx| hook::rendered_event(tx, HookEventId::new(self.event)))?;
        let Some(event) = event else { return Ok(()) };
        let mut waiting = recipients(&settings);
        waiting.retain(|(digest, _)| self.after.as_ref().is_none_or(|after| digest > after));
        if waiting.is_empty() {
            return Ok(());
        }
        let Some(letter) = letter(app, &settings, &event)? else { return Ok(()) };
        let since = Timestamp::from_timestamp_micros(self.since).unwrap_or_default();
        let mut sent = None;
        for (digest, address) in waiting.iter().take(BATCH) {
            match app.send_mail_of(&self.mail(app, &letter, address, event.at), since) {
                Ok(()) => sent = Some(digest.clone()),
                // What was sent is not sent again: another job goes on from here, later.
                Err(AppError::Busy { retry_after }) if sent.is_some() => {
                    let at = app.now() + TimeDelta::seconds(retry_after.into());
                    let rest = Self { after: sent, ..self };
                    return app.command(|command| enqueue_at(command, &rest, at));
                }
                Err(error) => return Err(error),
            }
        }
        if waiting.len() > BATCH {
            let rest = Self { after: sent, ..self };
            return app.command(|command| enqueue(command, &rest));
        }
        Ok(())
    }
}

impl SendServiceMail {
    fn mail(&self, app: &App, letter: &Letter, to: &str, at: Timestamp) -> Mail {
        Mail {
            to: to.to_owned(),
            from_name: letter.from_name.clone(),
            from_address: letter.from_address.clone(),
            subject: letter.subject.clone(),
            message_id: app.mail_id(&format!("service_{}_{}", self.service, self.event)),
            in_reply_to: None,
            headers: vec![
                ("X-GitLab-Project-Path", letter.project.clone()),
                ("Auto-Submitted", "auto-generated".to_owned()),
            ],
            text: letter.text.clone(),
            html: None,
            at: at.into(),
        }
    }
}

/// The addresses of a service with their digests, each once, in the order of these.
pub(super) fn recipients(settings: &Settings) -> Vec<(String, String)> {
    let found = mailboxes(settings.text("recipients").unwrap_or_default()).unwrap_or_default();
    let mut all: Vec<(String, String)> =
        found.into_iter().map(|address| (digest(address), address.to_owned())).collect();
    all.sort();
    all.dedup();
    all
}

fn letter(app: &App, settings: &Settings, event: &RenderedEvent) -> Result<Option<Letter>, AppError> {
    let body = serde_json::from_str(&event.body).map_err(AppError::internal)?;
    match settings.definition.slug {
        "emails-on-push" => push_mail::letter(app, settings, event.actor, &body),
        "pipelines-email" => Ok(pipeline_mail::letter(&body)),
        _ => Ok(None),
    }
}

/// The address of a user, if mail from there is mail from this server's own domain.
pub(super) fn own_address(app: &App, user: Option<UserId>) -> Result<Option<String>, AppError> {
    let Some(id) = user else { return Ok(None) };
    let found = app.database().read(|tx| tenon_storage::user::find(tx, id))?;
    let confirmed = found.filter(|user| user.confirmed_at.is_some()).map(|user| user.email);
    let host = crate::core::mail::host(app.base_url()).to_ascii_lowercase();
    Ok(confirmed.filter(|address| is_of_domain(address, &host)))
}

/// Whether the domain of an address is `host`, or one above it.
fn is_of_domain(address: &str, host: &str) -> bool {
    let Some((_, domain)) = address.rsplit_once('@') else { return false };
    let domain = domain.to_ascii_lowercase();
    domain == host || (domain.contains('.') && host.ends_with(&format!(".{domain}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_servers_own_domain_are_senders() {
        for (address, want) in [
            ("ada@git.example.org", true),
            ("ada@EXAMPLE.org", true),
            ("ada@org", false),
            ("ada@other.example.org", false),
            ("ada@ample.org", false),
            ("ada", false),
        ] {
            assert_eq!(is_of_domain(address, "git.example.org"), want, "{address}");
        }
    }
}
