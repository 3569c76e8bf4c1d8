//! Sending the deliveries of one hook, in the order of their events.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tenon_domain::hook::{DeliveryState, Outcome, Trigger, fails_for_long, next_attempt, pause};
use tenon_domain::id::{HookId, UserId};
use tenon_storage::hook::{self, Attempt, Delivery, Target};
use tenon_storage::job::Queue;

use super::announce::AnnounceFailingHook;
use super::request::{Message, send, send_to_service};
use super::retry::RetryDelivery;
use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job, enqueue, enqueue_at};
use crate::workflows::integration;

/// Deliveries whose ends are written together.
const BATCH: i64 = 32;
/// How long attempts wait until they are recorded. What a crash leaves unrecorded is sent once more.
const RECORDED_AFTER: Duration = Duration::from_millis(500);
/// How long one job sends, until other hooks get their turn.
const TURN: Duration = Duration::from_secs(20);

/// Sends what waits for one hook. The queue runs only one such job for a hook at a time, so that events arrive in order.
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

impl AsyncJob for DeliverToHook {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let (id, begun) = (HookId::new(self.hook), Instant::now());
        loop {
            let Some(Pending { target, local_allowed, deliveries }) = pending(app, id)? else { return Ok(()) };
            if let Some(until) = target.paused_until.filter(|until| *until > app.now()) {
                return app.command(|command| enqueue_at(command, &self, until));
            }
            if deliveries.is_empty() {
                return Ok(());
            }
            if begun.elapsed() > TURN {
                return app.command(|command| enqueue(command, &self));
            }
            let (mut attempts, mut failed) = (Vec::new(), None);
            let batch_begun = Instant::now();
            for delivery in deliveries {
                let (outcome, attempt) = match attempt(app, &target, local_allowed, &delivery).await {
                    Ok(made) => made,
                    // What was sent before is not sent again for it.
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                };
                attempts.push((delivery, outcome, attempt));
                let is_paused = outcome == Outcome::Unanswered || outcome.asked_pause().is_some();
                if is_paused || batch_begun.elapsed() > RECORDED_AFTER {
                    break;
                }
            }
            app.command(|command| {
                for (delivery, outcome, attempt) in &attempts {
                    record(command, delivery, *outcome, attempt, self.owner)?;
                }
                Ok(())
            })?;
            if let Some(error) = failed {
                return Err(error);
            }
        }
    }
}

/// What waits for a hook.
struct Pending {
    target: Target,
    local_allowed: bool,
    deliveries: Vec<Delivery>,
}

fn pending(app: &App, id: HookId) -> Result<Option<Pending>, AppError> {
    app.query(|query| {
        let Some(target) = hook::target(&mut query.tx, id)? else { return Ok(None) };
        let local_allowed = query.settings()?.allow_local_requests_from_hooks_and_services;
        let deliveries = hook::waiting(&mut query.tx, id, BATCH)?;
        Ok(Some(Pending { target, local_allowed, deliveries }))
    })
}

/// Sends one delivery.
pub(super) async fn attempt(
    app: &App,
    target: &Target,
    local_allowed: bool,
    delivery: &Delivery,
) -> Result<(Outcome, Attempt), AppError> {
    let body = app.database().read(|tx| hook::event_body(tx, delivery.event))?.unwrap_or_default();
    let trigger = delivery.trigger.unwrap_or(Trigger::System);
    if let Some(service) = target.service {
        return send_to_service(app, service, local_allowed, trigger, &body).await;
    }
    let message = Message { event: &delivery.event_uuid, delivery: &delivery.uuid, trigger, body: &body };
    send(app, target, local_allowed, &message).await
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

/// Records how the receiver of a hook is doing. That it fails for long is announced once, until it has recovered.
fn record_health(command: &mut Command<'_>, before: &Target, outcome: Outcome) -> Result<(), AppError> {
    let now = command.now;
    let failing_since = match outcome {
        Outcome::Accepted => None,
        Outcome::Refused | Outcome::NotNow(_) | Outcome::Unanswered => before.failing_since.or(Some(now)),
    };
    let unanswered = if outcome == Outcome::Unanswered { before.unanswered + 1 } else { 0 };
    let own = (unanswered > 0).then(|| now + pause(unanswered, command.app.jitter()));
    let paused_until = own.or(outcome.asked_pause().map(|pause| now + pause));
    let mut after = Target { unanswered, failing_since, paused_until, ..before.clone() };
    match failing_since {
        None => after.failure_announced = false,
        Some(since) if fails_for_long(now, since) && !before.failure_announced && command.app.sends_mail() => {
            after.failure_announced = true;
            enqueue(command, &AnnounceFailingHook { hook: before.hook.id.get(), since: since.timestamp_micros() })?;
        }
        Some(_) => {}
    }
    if after != *before {
        hook::set_health(&mut command.tx, &after)?;
    }
    Ok(())
}
