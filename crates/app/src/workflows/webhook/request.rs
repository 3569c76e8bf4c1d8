//! One attempt to send a delivery: the request, and what is recorded of it.

use std::time::Instant;

use serde_json::{Map, Value, json};
use tenon_auth::webhook_signature;
use tenon_domain::hook::{Hook, Outcome, Trigger};
use tenon_domain::id::ServiceId;
use tenon_domain::time::Timestamp;
use tenon_outbound::http::{Answer, Post, SendError};
use tenon_storage::hook::{Attempt, Target};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::workflows::integration::{self, Called};

/// The headers that no other host than that of the hook gets.
const SECRET: &[&str] = &[TOKEN, SIGNATURE];
const TOKEN: &str = "X-Gitlab-Token";
const SIGNATURE: &str = "webhook-signature";
/// The text in the log in place of a secret.
const REDACTED: &str = "[REDACTED]";

/// The message to one receiver.
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
pub(super) async fn send(
    app: &App,
    target: &Target,
    local_allowed: bool,
    message: &Message<'_>,
) -> Result<(Outcome, Attempt), AppError> {
    let at = app.now();
    let token = match target.sealed_token.as_deref().map(|sealed| app.vault().open(sealed)).transpose() {
        Ok(token) => token,
        Err(error) => {
            tracing::error!(hook.id = %target.hook.id, %error, "the token of a hook cannot be read");
            let error = Some("the token of this hook cannot be read: set it again".to_owned());
            let attempt = Attempt { url: target.hook.url.clone(), error, at: Some(at), ..Attempt::default() };
            return Ok((Outcome::Unanswered, attempt));
        }
    };
    let request = Post {
        url: target.hook.url.clone(),
        headers: headers(app.base_url(), &target.hook, token.as_deref(), message, at),
        secret: SECRET,
        body: message.body.to_owned(),
        local_allowed,
        verify: target.hook.enable_ssl_verification,
    };
    let begun = Instant::now();
    let outbound = app.outbound()?;
    // An administrator has named it, which its receiver has not done for what it redirects to.
    let is_trusted = target.hook.project.is_none() && app.known_settings().local.from_system_hooks;
    let answer = if is_trusted { outbound.post_to_trusted(&request).await } else { outbound.post(&request).await };
    let duration_micros = i64::try_from(begun.elapsed().as_micros()).unwrap_or(i64::MAX);
    let attempt = Attempt {
        url: request.url.clone(),
        request_headers: logged(&request.headers),
        duration_micros,
        at: Some(at),
        response_headers: "{}".to_owned(),
        ..Attempt::default()
    };
    Ok(with_answer(attempt, answer))
}

/// Hands an event to a service.
///
/// # Errors
/// As [`send`].
pub(super) async fn send_to_service(
    app: &App,
    service: ServiceId,
    local_allowed: bool,
    trigger: Trigger,
    body: &str,
) -> Result<(Outcome, Attempt), AppError> {
    let (at, begun) = (app.now(), Instant::now());
    let called = integration::call(app, service, local_allowed, trigger, body).await?;
    let attempt = Attempt {
        request_headers: "{}".to_owned(),
        response_headers: "{}".to_owned(),
        duration_micros: i64::try_from(begun.elapsed().as_micros()).unwrap_or(i64::MAX),
        at: Some(at),
        ..Attempt::default()
    };
    Ok(match called {
        Called::Done => (Outcome::Accepted, attempt),
        Called::Answered(url, answer) => with_answer(Attempt { url, ..attempt }, answer),
    })
}

fn with_answer(attempt: Attempt, answer: Result<Answer, SendError>) -> (Outcome, Attempt) {
    match answer {
        Ok(answer) => {
            let retry_after = answer.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
            let retry_after = retry_after.map(|(_, value)| value.as_str());
            let outcome = Outcome::of_answer(answer.status, retry_after, attempt.at.unwrap_or_default());
            let headers: Map<String, Value> =
                answer.headers.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
            let attempt = Attempt {
                response_status: Some(answer.status.into()),
                response_headers: Value::Object(headers).to_string(),
                response_body: answer.body,
                ..attempt
            };
            (outcome, attempt)
        }
        Err(error) => {
            let outcome = match &error {
                SendError::Timeout(_) | SendError::Failed(_) => Outcome::Unanswered,
                SendError::Blocked { .. } | SendError::Redirects | SendError::Invalid(_) => Outcome::Refused,
            };
            (outcome, Attempt { error: Some(error.to_string()), ..attempt })
        }
    }
}

/// The headers that receivers of this API look for, and those of the Standard Webhooks specification.
fn headers(
    instance: &str,
    hook: &Hook,
    token: Option<&str>,
    message: &Message<'_>,
    at: Timestamp,
) -> Vec<(&'static str, String)> {
    let event = if hook.project.is_some() { message.trigger.header() } else { Trigger::System.header() };
    let seconds = at.timestamp();
    let mut headers = vec![
        ("X-Gitlab-Event", event.to_owned()),
        ("X-Gitlab-Event-UUID", message.event.to_owned()),
        ("X-Gitlab-Webhook-UUID", message.delivery.to_owned()),
        ("X-Gitlab-Instance", instance.to_owned()),
        ("Idempotency-Key", message.delivery.to_owned()),
        ("webhook-id", message.delivery.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
    ];
    if let Some(token) = token {
        headers.push((TOKEN, token.to_owned()));
        headers.push((SIGNATURE, webhook_signature(token, message.delivery, seconds, message.body)));
    }
    headers
}

fn logged(headers: &[(&'static str, String)]) -> String {
    let shown = |(name, value): &(&'static str, String)| {
        let value = if SECRET.contains(name) { REDACTED } else { value.as_str() };
        ((*name).to_owned(), json!(value))
    };
    let content_type = ("Content-Type".to_owned(), json!("application/json"));
    Value::Object(std::iter::once(content_type).chain(headers.iter().map(shown)).collect()).to_string()
}
