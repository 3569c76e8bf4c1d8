//! The mails that services send: one to each recipient that a maintainer has named.

use serde::{Deserialize, Serialize};
use tenon_auth::digest;
use tenon_domain::id::{HookEventId, ServiceId};
use tenon_domain::service::{Definition, mailboxes};
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_outbound::mail::Mail;
use tenon_storage::hook::{self, RenderedEvent};
use tenon_storage::job::Queue;
use tenon_storage::{ReadTx, service};

use super::letter::Letter;
use super::settings::Settings;
use super::{load, pipeline_mail, push_mail};
use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::mail::{AGAIN_AFTER, Sent};
use crate::jobs::{AsyncJob, Job, enqueue, enqueue_at};
use crate::workflows::notification::unsubscribe::{self, address_digest};

/// Bytes of a mail beside its text.
const HEAD: usize = 16 << 10;
/// The end of a text that was cut.
const REST: &str = "The rest of this message is available online.\n";
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
    /// The digests of the only addresses that still wait: at first those that were counted, so that settings that
    /// change later add none. All of the service if there are none, as in jobs of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    only: Vec<String>,
}

impl SendServiceMail {
    /// For the addresses of these digests.
    pub(super) fn new(service: ServiceId, event: HookEventId, only: Vec<String>, now: Timestamp) -> Self {
        Self { service: service.get(), event: event.get(), since: now.timestamp_micros(), after: None, only }
    }
}

impl Job for SendServiceMail {
    const KIND: &'static str = "send_service_mail";
    const QUEUE: Queue = Queue::Mail;

    fn dedup_key(&self) -> Option<String> {
        let only = if self.only.is_empty() { String::new() } else { digest(&self.only.join(" ")) };
        Some(format!("{} {} {} {only}", self.service, self.event, self.after.as_deref().unwrap_or_default()))
    }
}

impl AsyncJob for SendServiceMail {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let Some(settings) = app.query(|query| load(query, ServiceId::new(self.service)))? else {
            return Ok(());
        };
        let event = app.database().read(|tx| hook::rendered_event(tx, HookEventId::new(self.event)))?;
        let Some(event) = event else { return Ok(()) };
        let mut waiting = app.database().read(|tx| recipients(tx, &settings))?;
        waiting.retain(|(digest, _)| {
            self.after.as_ref().is_none_or(|after| digest > after)
                && (self.only.is_empty() || self.only.contains(digest))
        });
        if waiting.is_empty() {
            return Ok(());
        }
        let Some(letter) = letter(app, &settings, &event)? else { return Ok(()) };
        let since = Timestamp::from_timestamp_micros(self.since).unwrap_or_default();
        let mut failed = Vec::new();
        let mut is_usable = true;
        for (digest, address) in waiting.iter().take(BATCH) {
            let sent = if is_usable {
                app.try_mail_of(&self.mail(app, &letter, (digest, address), event.at)?, since)
            } else {
                Sent::AllLater
            };
            is_usable = sent != Sent::AllLater;
            if sent != Sent::Done {
                failed.push(digest.clone());
            }
        }
        if failed.len() == waiting.len() {
            return Err(AppError::Busy { retry_after: AGAIN_AFTER });
        }
        let last = waiting.iter().take(BATCH).next_back().map(|(digest, _)| digest.clone());
        app.command(|command| {
            // Mails that were sent are not sent again: the one job goes on with the next addresses, the other tries
            // those that failed.
            if waiting.len() > BATCH {
                enqueue(command, &Self { after: last, only: self.only.clone(), ..self })?;
            }
            if !failed.is_empty() {
                let at = command.now + TimeDelta::seconds(AGAIN_AFTER.into());
                enqueue_at(command, &Self { after: None, only: failed, ..self }, at)?;
            }
            Ok(())
        })
    }
}

impl SendServiceMail {
    fn mail(&self, app: &App, letter: &Letter, (digest, to): (&str, &str), at: Timestamp) -> Result<Mail, AppError> {
        let key = unsubscribe::key_of_service(app, ServiceId::new(self.service), digest)?;
        let unsubscribe = format!("{}/-/sent_notifications/{key}/unsubscribe", app.base_url());
        Ok(Mail {
            to: to.to_owned(),
            from_name: letter.from_name.clone(),
            from_address: letter.from_address.clone(),
            subject: letter.subject.clone(),
            message_id: app.mail_id(&format!("service_{}_{}", self.service, self.event)),
            in_reply_to: None,
            headers: vec![
                ("X-GitLab-Project-Path", letter.project.clone()),
                ("Auto-Submitted", "auto-generated".to_owned()),
                ("List-Unsubscribe", format!("<{unsubscribe}>")),
                ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()),
            ],
            text: format!("{}\n-- \nUnsubscribe from these emails: {unsubscribe}\n", letter.text),
            html: None,
            at: at.into(),
        })
    }
}

/// The addresses of a service with their digests, each once, in the order of these; without those that want no more mail of
/// it. Addresses that differ only in upper and lower case are one.
pub(super) fn recipients(tx: &mut ReadTx<'_>, settings: &Settings) -> Result<Vec<(String, String)>, AppError> {
    let found = mailboxes(settings.text("recipients").unwrap_or_default()).unwrap_or_default();
    let mut all: Vec<(String, String)> =
        found.into_iter().map(|address| (address_digest(address), address.to_owned())).collect();
    all.sort();
    all.dedup_by(|next, kept| next.0 == kept.0);
    let digests: Vec<String> = all.iter().map(|(digest, _)| digest.clone()).collect();
    let without = service::suppressed(tx, settings.id, &digests)?;
    all.retain(|(digest, _)| !without.contains(digest));
    Ok(all)
}

/// True if services of this kind send mail.
pub(super) fn is_sent_by(definition: &Definition) -> bool {
    matches!(definition.slug, "emails-on-push" | "pipelines-email")
}

fn letter(app: &App, settings: &Settings, event: &RenderedEvent) -> Result<Option<Letter>, AppError> {
    let body = serde_json::from_str(&event.body).map_err(AppError::internal)?;
    let letter = match settings.definition.slug {
        "emails-on-push" => push_mail::letter(app, settings, event.actor, &body)?,
        "pipelines-email" => pipeline_mail::letter(&body),
        _ => None,
    };
    let most = usize::try_from(app.limits().mail.message).unwrap_or(usize::MAX).saturating_sub(HEAD);
    Ok(letter.map(|letter| Letter { text: cut(letter.text, most), ..letter }))
}

/// As much of a text as has `most` bytes if it is encoded as quoted-printable (RFC 2045), in whole lines.
fn cut(text: String, most: usize) -> String {
    // A line has 76 characters at most, of which the last says that it goes on: three bytes for each 73.
    let most = most / 24 * 23;
    let (mut bytes, mut end) = (0_usize, 0);
    for line in text.split_inclusive('\n') {
        // The break has two bytes, and a blank before it is encoded.
        bytes += line.chars().map(encoded).sum::<usize>() + 3;
        if bytes > most {
            let kept = text.get(..end).unwrap_or_default();
            return format!("{kept}\n{REST}");
        }
        end += line.len();
    }
    text
}

/// The bytes of a character in quoted-printable.
const fn encoded(c: char) -> usize {
    match c {
        '=' => 3,
        ' '..='~' | '\t' => 1,
        _ => 3 * c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use tenon_outbound::mail::Mailer;

    use super::*;
    use crate::core::mail::plain;

    #[test]
    fn what_is_too_long_where_it_is_encoded_is_cut_in_whole_lines() {
        assert_eq!(cut("short\n".to_owned(), 100), "short\n");
        for line in ["\u{fc}\u{fc}\u{fc}=\n", "plain text\n", "\n", " \n", &format!("{}\n", "\u{20ac}".repeat(100))] {
            let text = cut(line.repeat(10_000), 10_000);
            assert!(text.ends_with(REST), "{line}");
            let mail = plain("a@example.com", String::new(), "1@example.com".to_owned(), text, Timestamp::default());
            let from = "Tenon <tenon@example.org>".parse().unwrap();
            let folder = tempfile::tempdir().unwrap();
            let route = format!("file:{}", folder.path().display()).parse().unwrap();
            Mailer::new(route, from, "localhost").unwrap().send(&mail, 10_000 + 500).unwrap();
        }
    }
}
