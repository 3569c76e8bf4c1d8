//! The handling of events by services. Each that is sent events has a receiver among the hooks (`service/receiver.rs`),
//! so that its deliveries are made, ordered, retried and parked as those of hooks; here is what is sent in place of the
//! body.

mod chat;
mod irker;
mod letter;
mod mail;
mod message;
mod pipeline_mail;
mod push_mail;
mod settings;

use serde_json::Value;
use tenon_domain::hook::Trigger;
use tenon_domain::id::{HookEventId, ProjectId, ServiceId};
use tenon_domain::repository::{ProtectionKind, Protections};
use tenon_outbound::http::{Answer, Post, SendError};
use tenon_storage::service::MailsSent;
use tenon_storage::{ReadTx, hook, repository, service};
use url::Url;

use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::jobs::enqueue;

use chat::Chat;
pub(crate) use mail::SendServiceMail;
use settings::Settings;

/// The outcome of an event at a service.
pub(in crate::workflows) enum Called {
    /// The service does not want it, or a job does the rest.
    Done,
    /// Another server was called, which is named without what is secret of its address.
    Answered(String, Result<Answer, SendError>),
}

/// Hands an event to a service.
///
/// # Errors
/// A failure of this server itself. That another one did not answer is none.
pub(in crate::workflows) async fn call(
    app: &App,
    service: ServiceId,
    trigger: Trigger,
    body: &str,
) -> Result<Called, AppError> {
    let Some(settings) = app.query(|query| load(query, service))? else { return Ok(Called::Done) };
    let local_allowed = app.known_settings().local.from_hooks;
    let body: Value = serde_json::from_str(body).map_err(AppError::internal)?;
    let is_protected = |branch: &str| app.query(|query| is_protected(&mut query.tx, settings.project, branch));
    if !settings.wants(&body, is_protected)? {
        return Ok(Called::Done);
    }
    if settings.definition.slug == "irker" {
        return send_lines(app, &settings, local_allowed, &body).await;
    }
    let Some(chat) = Chat::of(settings.definition.slug) else {
        // Mail is asked for when this is recorded ([`accepted`]).
        return Ok(Called::Done);
    };
    let most = app.limits().services.chat_text;
    let (Some(url), Some(message)) = (settings.text("webhook"), chat.body(&settings, trigger, most, &body)) else {
        return Ok(Called::Done);
    };
    let request =
        Post { url: url.to_owned(), headers: Vec::new(), body: message.to_string(), local_allowed, verify: true };
    let answer = app.outbound()?.post(&request).await;
    Ok(Called::Answered(origin(url), answer.map_err(|error| without_url(error, url))))
}

/// Does what follows from an event that a service was handed, in the transaction that records that: a service that
/// sends mail has it sent once, however often it is called. Returns why nothing is sent, if a budget is spent. Mails
/// count against the user who made it happen; what no user answers for counts against the service only.
pub(in crate::workflows) fn accepted(
    command: &mut Command<'_>,
    service: ServiceId,
    event: HookEventId,
) -> Result<Option<&'static str>, AppError> {
    if !command.app.sends_mail() {
        return Ok(None);
    }
    let Some(settings) = load(&mut command.query(), service)?.filter(|settings| mail::is_sent_by(settings.definition))
    else {
        return Ok(None);
    };
    let (app, now, tx) = (command.app, command.now, &mut command.tx);
    let Some(rendered) = hook::rendered_event(tx, event)? else { return Ok(None) };
    let body: Value = serde_json::from_str(&rendered.body).map_err(AppError::internal)?;
    if !settings.wants(&body, |branch| is_protected(tx, settings.project, branch))? {
        return Ok(None);
    }
    let recipients: Vec<String> = mail::recipients(tx, &settings)?.into_iter().map(|(digest, _)| digest).collect();
    let mails = i64::try_from(recipients.len()).unwrap_or(i64::MAX);
    if mails == 0 {
        return Ok(None);
    }
    let user = rendered.actor;
    let spent = budget_spent(app, service::mails_sent(tx, user, service, now)?, mails);
    let counted = if spent.is_some() { (0, mails) } else { (mails, 0) };
    service::count_mails(tx, user, Some(service), now, counted)?;
    match spent {
        Some(_) => tracing::warn!(service.id = %service, mails, "mails of a service are not sent: a budget is spent"),
        None => enqueue(command, &SendServiceMail::new(service, event, recipients, now))?,
    }
    Ok(spent)
}

/// Which budget has no room for so many mails more.
fn budget_spent(app: &App, sent: MailsSent, mails: i64) -> Option<&'static str> {
    let limits = &app.limits().services;
    let exceeds = |sent: i64, most: usize| i64::try_from(most).is_ok_and(|most| sent.saturating_add(mails) > most);
    if exceeds(sent.by_service, limits.mails) {
        return Some("no mail was sent: the service has sent as many within a day as it may (services.mails)");
    }
    let by_user = exceeds(sent.by_user, limits.mails_per_user);
    by_user.then_some("no mail was sent: its user has caused as many within a day as one may (services.mails_per_user)")
}

/// The settings of a service that is in use, and that projects may use.
fn load(query: &mut Query<'_>, id: ServiceId) -> Result<Option<Settings>, AppError> {
    let in_force = query.settings()?;
    let may_run = |slug| in_force.admits_service(slug);
    let found = service::by_id(&mut query.tx, id)?;
    let stored = found.filter(|stored| stored.service.active && may_run(stored.service.definition.slug));
    let Some(stored) = stored else { return Ok(None) };
    let properties = crate::service::open(query.app, &stored)?;
    Ok(Some(Settings { id, project: stored.service.project, definition: stored.service.definition, properties }))
}

fn is_protected(tx: &mut ReadTx<'_>, project: ProjectId, branch: &str) -> Result<bool, AppError> {
    let rules = repository::rules(tx, project)?;
    Ok(Protections::covering(&rules, ProtectionKind::Branch, branch).is_protected())
}

async fn send_lines(app: &App, settings: &Settings, local_allowed: bool, body: &Value) -> Result<Called, AppError> {
    let Some(lines) = irker::lines(settings, body) else { return Ok(Called::Done) };
    let (host, port) = irker::gateway(settings);
    let sent = app.outbound()?.send_text(host, port, &lines, local_allowed).await;
    Ok(match sent {
        Ok(()) => Called::Done,
        Err(error) => Called::Answered(format!("{host}:{port}"), Err(error)),
    })
}

/// Scheme and host of an address: to know the rest is enough to write there.
fn origin(url: &str) -> String {
    Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

/// The same failure, without the address.
fn without_url(error: SendError, url: &str) -> SendError {
    match error {
        SendError::Blocked { .. } => SendError::Blocked { url: origin(url) },
        SendError::Failed(text) => SendError::Failed(text.replace(url, &origin(url))),
        other @ (SendError::Redirects | SendError::Timeout(_) | SendError::Invalid(_)) => other,
    }
}
