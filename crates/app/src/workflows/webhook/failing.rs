//! The administrators' view of hooks whose receivers fail, and of services that may send no more mail.

use tenon_domain::hook::{DeliveryState, Health};
use tenon_domain::id::{HookId, ProjectId};
use tenon_domain::time::Timestamp;
use tenon_storage::{hook, project, service};

pub use tenon_storage::service::DroppedMails;

use super::deliver::DeliverToHook;
use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::enqueue;

/// A hook whose last attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingHook {
    /// Its id.
    pub id: HookId,
    /// Its project; `None` for one of the whole server.
    pub project: Option<ProjectId>,
    /// The address to which it sends.
    pub url: String,
    /// When the first attempt failed after which none succeeded.
    pub failing_since: Option<Timestamp>,
    /// Deliveries that have not been answered.
    pub waiting: i64,
    /// Deliveries that are sent again later.
    pub retrying: i64,
    /// Deliveries that were given up.
    pub parked: i64,
}

/// The hooks that fail, those that fail for the longest first, `limit` at most.
pub fn failing(app: &App, limit: i64) -> Result<Vec<FailingHook>, AppError> {
    app.database().read(|tx| {
        let targets = hook::failing(tx, limit)?;
        let ids: Vec<HookId> = targets.iter().map(|target| target.hook.id).collect();
        let counts = hook::count_open(tx, &ids)?;
        let found = targets.into_iter().map(|target| {
            let id = target.hook.id;
            let count = |state| counts.get(&(id, state)).copied().unwrap_or_default();
            FailingHook {
                id,
                project: target.hook.project,
                url: target.hook.url,
                failing_since: target.hook.health.failing_since,
                waiting: count(DeliveryState::Waiting),
                retrying: count(DeliveryState::Retrying),
                parked: count(DeliveryState::Parked),
            }
        });
        Ok(found.collect())
    })
}

/// The services of which mails were not sent within the last day because a budget was spent, `limit` at most.
pub fn dropped_mails(app: &App, limit: i64) -> Result<Vec<DroppedMails>, AppError> {
    let now = app.now();
    Ok(app.database().read(|tx| service::dropped_mails(tx, now, limit))?)
}

/// Has what was parked for a hook sent again, in its order; returns how many deliveries that are. Each is tried for one more day.
/// A hook that was disabled is called again.
pub fn resend_parked(app: &App, hook: i64) -> Result<usize, AppError> {
    app.command(|command| {
        let (id, now) = (HookId::new(hook), command.now);
        let Some(target) = hook::target(&mut command.tx, id)? else { return Ok(0) };
        let count = hook::unpark(&mut command.tx, id, now)?;
        if target.is_disabled(now) {
            hook::set_health(&mut command.tx, id, Health::default(), target.failure_announced)?;
        }
        let owner = match target.hook.project {
            Some(id) => project::find(&mut command.tx, id)?.and_then(|project| project.creator),
            None => None,
        };
        enqueue(command, &DeliverToHook { hook, owner: owner.map(tenon_domain::id::UserId::get) })?;
        Ok(count)
    })
}
