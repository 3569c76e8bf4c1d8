//! Sending the deliveries of one hook, in the order of their events.

use std::time::{Duration, Instant};

use tenon_domain::id::HookId;
use tenon_storage::hook::{self, Delivery, Target};

use super::attempt::{DeliverToHook, attempt, record};
use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, enqueue, enqueue_at};

/// Deliveries whose ends are written together.
const BATCH: i64 = 32;
/// How long attempts wait until they are recorded. Deliveries that a crash leaves unrecorded are sent once more.
const RECORDED_AFTER: Duration = Duration::from_millis(500);
/// How long one job sends, until other hooks get their turn.
const TURN: Duration = Duration::from_secs(20);

impl AsyncJob for DeliverToHook {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let (id, begun) = (HookId::new(self.hook), Instant::now());
        loop {
            let Some(Pending { target, deliveries }) = pending(app, id)? else { return Ok(()) };
            if target.is_disabled(app.now()) {
                return Ok(());
            }
            if let Some(until) = target.hook.health.paused_until.filter(|until| *until > app.now()) {
                return app.command(|command| enqueue_at(command, &self, until));
            }
            if deliveries.is_empty() {
                return Ok(());
            }
            if begun.elapsed() > TURN {
                return app.command(|command| enqueue(command, &self));
            }
            let (mut attempts, mut failed, mut health) = (Vec::new(), None, target.hook.health);
            let batch_begun = Instant::now();
            for delivery in deliveries {
                let (outcome, attempt) = match attempt(app, &target, &delivery).await {
                    Ok(made) => made,
                    // Deliveries that were sent before are not sent again for it.
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                };
                attempts.push((delivery, outcome, attempt));
                health = health.after(outcome, app.now(), 0);
                if health.paused_until.is_some() || batch_begun.elapsed() > RECORDED_AFTER {
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

/// The pending events of a hook.
struct Pending {
    target: Target,
    deliveries: Vec<Delivery>,
}

fn pending(app: &App, id: HookId) -> Result<Option<Pending>, AppError> {
    app.query(|query| {
        let Some(target) = hook::target(&mut query.tx, id)? else { return Ok(None) };
        let deliveries = hook::waiting(&mut query.tx, id, BATCH)?;
        Ok(Some(Pending { target, deliveries }))
    })
}
