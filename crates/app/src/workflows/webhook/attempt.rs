//! One attempt to send a delivery, and what follows from its outcome.

use serde::{Deserialize, Serialize};
use tenon_domain::hook::{DeliveryState, Outcome, Trigger, fails_for_long, next_attempt};
use tenon_domain::id::UserId;
use tenon_storage::hook::{self, Attempt, Delivery, Target};
use tenon_storage::job::Queue;

use super::announce::AnnounceFailingHook;
use super::request::{Message, send, send_to_service};
use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::jobs::{Job, enqueue, enqueue_at};
use crate::workflows::integration;

/// Sends what waits for one hook (`webhook/deliver.rs`). The queue runs only one such job for a hook at a time, so that events arrive in order.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeliverToHook {
    pub(crate) hook: i64,
    /// The user against whom the calls are counted.
    pub(crate) owner: Option<i64>,
}

impl Job for DeliverToHook {
    const KIND: &'static str = "deliver_to_hook";
    const QUEUE: Queue = Queue::Hooks;

    fn dedup_key(&self) -> Option<String> {
        Some(self.hook.to_string())
    }

    fn charged_to(&self) -> Option<UserId> {
        self.owner.map(UserId::new)
    }
}

/// Asks for a delivery to be sent again (`webhook/retry.rs`). It does nothing if that has been delivered or parked
/// since.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RetryDelivery {
    pub(crate) delivery: i64,
    /// The user against whom the call is counted.
    pub(crate) owner: Option<i64>,
}

impl Job for RetryDelivery {
    const KIND: &'static str = "retry_delivery";
    const QUEUE: Queue = Queue::Hooks;

    fn dedup_key(&self) -> Option<String> {
        Some(self.delivery.to_string())
    }

    fn charged_to(&self) -> Option<UserId> {
        self.owner.map(UserId::new)
    }
}

/// Sends one delivery.
pub(super) async fn attempt(app: &App, target: &Target, delivery: &Delivery) -> Result<(Outcome, Attempt), AppError> {
    let body = app.database().read(|tx| hook::event_body(tx, delivery.event))?.unwrap_or_default();
    let trigger = delivery.trigger.unwrap_or(Trigger::System);
    if let Some(service) = target.service {
        return send_to_service(app, service, trigger, &body).await;
    }
    let message = Message { event: &delivery.event_uuid, delivery: &delivery.uuid, trigger, body: &body };
    send(app, target, &message).await
}

/// Records an attempt, what follows from it for the delivery, and how the receiver is doing.
pub(super) fn record(
    command: &mut Command<'_>,
    delivery: &Delivery,
    outcome: Outcome,
    attempt: &Attempt,
    owner: Option<i64>,
) -> Result<DeliveryState, AppError> {
    let now = command.now;
    // As it is now: a user may have sent it again in the meantime.
    let Some(delivery) = hook::find_delivery(&mut command.tx, delivery.id)? else { return Ok(delivery.state) };
    let attempts = delivery.attempts + 1;
    let state = delivery.state.after(outcome, attempts, now - delivery.created_at);
    let Some(target) = hook::target(&mut command.tx, delivery.hook)? else { return Ok(state) };
    let mut attempt = attempt.clone();
    if let (Outcome::Accepted, Some(service)) = (outcome, target.service) {
        let unsent = integration::accepted(command, service, delivery.event)?;
        attempt.error = unsent.map(str::to_owned);
    }
    hook::record_attempt(&mut command.tx, delivery.id, state, attempts, &attempt)?;
    if state == DeliveryState::Retrying {
        let asked = outcome.asked_pause().map(|pause| now + pause);
        let at = next_attempt(now, attempts, command.app.jitter()).max(asked.unwrap_or(now));
        enqueue_at(command, &RetryDelivery { delivery: delivery.id.get(), owner }, at)?;
    }
    if state == DeliveryState::Parked && delivery.state != DeliveryState::Parked {
        let why = if outcome == Outcome::Refused { "its receiver refused it" } else { "it failed for a day" };
        tracing::warn!(hook.id = %delivery.hook, delivery.id = %delivery.id, why, "a delivery is parked");
    }
    record_health(command, &target, outcome)?;
    Ok(state)
}

/// Records how the receiver of a hook is doing. That it fails for long is announced once, until it has recovered. A hook that was
/// disabled is called again once its receiver has accepted something.
pub(super) fn record_health(command: &mut Command<'_>, before: &Target, outcome: Outcome) -> Result<(), AppError> {
    let (now, id) = (command.now, before.hook.id);
    let health = before.hook.health.after(outcome, now, command.app.jitter());
    let is_announced = match health.failing_since {
        None => false,
        Some(since) if fails_for_long(now, since) && !before.failure_announced && command.app.sends_mail() => {
            enqueue(command, &AnnounceFailingHook { hook: id.get(), since: since.timestamp_micros() })?;
            true
        }
        Some(_) => before.failure_announced,
    };
    if (health, is_announced) != (before.hook.health, before.failure_announced) {
        hook::set_health(&mut command.tx, id, health, is_announced)?;
    }
    if outcome == Outcome::Accepted && before.is_disabled(now) {
        enqueue(command, &DeliverToHook { hook: id.get(), owner: None })?;
    }
    Ok(())
}
