//! One attempt to send a delivery: the request, and what is recorded of it.

use std::borrow::Cow;
use std::time::Instant;

use serde_json::{Map, Value, json};
use tenon_auth::webhook_signature;
use tenon_domain::hook::{Hook, Outcome, Trigger};
use tenon_domain::id::ServiceId;
use tenon_domain::time::Timestamp;
use tenon_outbound::http::{Answer, Header, Post, SendError};
use tenon_storage::hook::{Attempt, Target};

use super::secrets::{REDACTED, Secrets};
use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::local_requests::is_listed;
use crate::shared::hook_event::template::Template;
use crate::workflows::integration::{self, Called};

const TOKEN: &str = "X-Gitlab-Token";
const SIGNATURE: &str = "webhook-signature";

/// The message to one receiver.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    /// The name of the event, which all its receivers get.
    pub(super) event: &'a str,
    /// The name of the delivery, the same on every attempt.
    pub(super) delivery: &'a str,
    pub(super) trigger: Trigger,
    pub(super) body: &'a str,
}

/// Sends a message to the receiver of a hook.
///
/// # Errors
/// A failure because the server itself cannot send. A missing answer is an [`Outcome`].
pub(super) async fn send(app: &App, target: &Target, message: &Message<'_>) -> Result<(Outcome, Attempt), AppError> {
    let at = app.now();
    let unsent = |outcome, error: &str| {
        let (url, error) = (target.hook.url.clone(), Some(error.to_owned()));
        Ok((outcome, Attempt { url, error, at: Some(at), ..Attempt::default() }))
    };
    let secrets = match Secrets::open(app, target) {
        Ok(secrets) => secrets,
        Err(error) => {
            tracing::error!(hook.id = %target.hook.id, %error, "the secrets of a hook cannot be read");
            return unsent(Outcome::Unanswered, "the secrets of this hook cannot be read: set them again");
        }
    };
    let Some(body) = body(app, target, message.body) else {
        return unsent(Outcome::Refused, "the template of this hook makes too much of this event");
    };
    let local = &app.known_settings().local;
    let request = Post {
        url: secrets.address.clone(),
        headers: headers(app.base_url(), &target.hook, &secrets, &Message { body: &body, ..*message }, at),
        body: body.into_owned(),
        local_allowed: local.from_hooks,
        verify: target.hook.enable_ssl_verification,
    };
    let begun = Instant::now();
    let outbound = app.outbound()?;
    // An administrator has named it, but not what its receiver redirects to.
    let is_of_server = target.hook.project.is_none() && local.from_system_hooks;
    // The address with the values of its variables decides.
    let is_trusted = is_of_server || is_listed(local, &request.url);
    let answer = if is_trusted { outbound.post_to_trusted(&request).await } else { outbound.post(&request).await };
    let duration_micros = i64::try_from(begun.elapsed().as_micros()).unwrap_or(i64::MAX);
    let attempt = Attempt {
        url: target.hook.url.clone(),
        request_headers: logged(&request.headers),
        duration_micros,
        at: Some(at),
        response_headers: "{}".to_owned(),
        ..Attempt::default()
    };
    let answer = match answer {
        // The values of variables may be a part of that address.
        Err(SendError::Blocked { .. }) if !target.hook.url_variables.is_empty() => {
            Err(SendError::Blocked { url: target.hook.url.clone() })
        }
        other => other,
    };
    Ok(with_answer(attempt, answer, |text| secrets.hidden_in(&text)))
}

/// The body that is sent for an event: by the template of the hook, if it has one. `None` if that is too long.
fn body<'a>(app: &App, target: &Target, event: &'a str) -> Option<Cow<'a, str>> {
    let Some(template) = &target.hook.custom_webhook_template else { return Some(Cow::Borrowed(event)) };
    let most = usize::try_from(app.limits().hooks.body).unwrap_or(usize::MAX);
    let made = Template::parse(template).ok()?.render(&serde_json::from_str(event).ok()?, most).ok()?;
    Some(Cow::Owned(made))
}

/// Hands an event to a service.
///
/// # Errors
/// As [`send`].
pub(super) async fn send_to_service(
    app: &App,
    service: ServiceId,
    trigger: Trigger,
    body: &str,
) -> Result<(Outcome, Attempt), AppError> {
    let (at, begun) = (app.now(), Instant::now());
    let called = integration::call(app, service, trigger, body).await?;
    let attempt = Attempt {
        request_headers: "{}".to_owned(),
        response_headers: "{}".to_owned(),
        duration_micros: i64::try_from(begun.elapsed().as_micros()).unwrap_or(i64::MAX),
        at: Some(at),
        ..Attempt::default()
    };
    Ok(match called {
        Called::Done => (Outcome::Accepted, attempt),
        Called::Answered(url, answer) => with_answer(Attempt { url, ..attempt }, answer, |text| text),
    })
}

/// The outcome of an attempt. The log has the texts of the receiver as `hide` returns them.
fn with_answer(
    attempt: Attempt,
    answer: Result<Answer, SendError>,
    hide: impl Fn(String) -> String,
) -> (Outcome, Attempt) {
    match answer {
        Ok(answer) => {
            let retry_after = answer.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
            let retry_after = retry_after.map(|(_, value)| value.as_str());
            let outcome = Outcome::of_answer(answer.status, retry_after, attempt.at.unwrap_or_default());
            let headers: Map<String, Value> =
                answer.headers.into_iter().map(|(name, value)| (name, Value::String(hide(value)))).collect();
            let attempt = Attempt {
                response_status: Some(answer.status.into()),
                response_headers: Value::Object(headers).to_string(),
                response_body: hide(answer.body),
                ..attempt
            };
            (outcome, attempt)
        }
        Err(error) => {
            let outcome = match &error {
                SendError::Timeout(_) | SendError::Failed(_) => Outcome::Unanswered,
                SendError::Blocked { .. } | SendError::Redirects | SendError::Invalid(_) => Outcome::Refused,
            };
            (outcome, Attempt { error: Some(hide(error.to_string())), ..attempt })
        }
    }
}

/// The headers that receivers of this API look for, those of the Standard Webhooks specification, and those of the hook.
fn headers(instance: &str, hook: &Hook, secrets: &Secrets, message: &Message<'_>, at: Timestamp) -> Vec<Header> {
    let event = if hook.project.is_some() { message.trigger.header() } else { Trigger::System.header() };
    let seconds = at.timestamp();
    let public = [
        ("X-Gitlab-Event", event.to_owned()),
        ("X-Gitlab-Event-UUID", message.event.to_owned()),
        ("X-Gitlab-Webhook-UUID", message.delivery.to_owned()),
        ("X-Gitlab-Instance", instance.to_owned()),
        ("Idempotency-Key", message.delivery.to_owned()),
        ("webhook-id", message.delivery.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
    ];
    let header = |is_secret| move |(name, value): (&str, String)| Header { name: name.to_owned(), value, is_secret };
    let of_token = secrets.token.iter().flat_map(|token| {
        let signature = webhook_signature(token, message.delivery, seconds, message.body);
        [(TOKEN, token.clone()), (SIGNATURE, signature)]
    });
    let own = secrets.headers.iter().map(|(name, value)| (name.as_str(), value.clone()));
    own.map(header(true)).chain(public.map(header(false))).chain(of_token.map(header(true))).collect()
}

fn logged(headers: &[Header]) -> String {
    let shown = |header: &Header| {
        let value = if header.is_secret { REDACTED } else { header.value.as_str() };
        (header.name.clone(), json!(value))
    };
    let content_type = ("Content-Type".to_owned(), json!("application/json"));
    Value::Object(std::iter::once(content_type).chain(headers.iter().map(shown)).collect()).to_string()
}
