//! Sending one delivery again that its receiver could not take.

use tenon_domain::hook::DeliveryState;
use tenon_domain::id::HookDeliveryId;
use tenon_storage::hook;

use super::attempt::{RetryDelivery, attempt, record};
use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, enqueue_at};

impl AsyncJob for RetryDelivery {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let found = app.query(|query| {
            let delivery = hook::find_delivery(&mut query.tx, HookDeliveryId::new(self.delivery))?;
            let Some(delivery) = delivery.filter(|found| found.state == DeliveryState::Retrying) else {
                return Ok(None);
            };
            let target = hook::target(&mut query.tx, delivery.hook)?;
            Ok(target.map(|target| (delivery, target)))
        })?;
        let Some((delivery, target)) = found else { return Ok(()) };
        if target.is_disabled(app.now()) {
            return Ok(());
        }
        if let Some(until) = target.hook.health.paused_until.filter(|until| *until > app.now()) {
            return app.command(|command| enqueue_at(command, &self, until));
        }
        let (outcome, attempt) = attempt(app, &target, &delivery).await?;
        app.command(|command| record(command, &delivery, outcome, &attempt, self.owner).map(drop))
    }
}
