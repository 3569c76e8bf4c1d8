//! Giving a job to what waits for one: a job that was given up leaves its deliveries behind.

use serde::{Deserialize, Serialize};
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::time::TimeDelta;
use tenon_storage::hook;
use tenon_storage::job::Queue;

use super::attempt::{DeliverToHook, RetryDelivery};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::{Job, RowJob, enqueue};
use crate::shared::hook_event::record::RenderHookEvents;

/// Of each kind, so many are given a job at once; the others an hour later.
const BATCH: i64 = 500;
/// After this time without an attempt, a delivery that is to be sent again has no job: its pauses are shorter.
const FORGOTTEN_AFTER: TimeDelta = TimeDelta::hours(4);

/// Gives jobs to events without bodies and to deliveries that wait. Those that have one keep it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ResumeDeliveries {}

impl Job for ResumeDeliveries {
    const KIND: &'static str = "resume_deliveries";
    const QUEUE: Queue = Queue::Short;
}

impl RowJob for ResumeDeliveries {
    fn run(self, command: &mut Command<'_>) -> Result<(), AppError> {
        for project in hook::projects_with_unrendered_events(&mut command.tx, BATCH)? {
            enqueue(command, &RenderHookEvents { project: project.map(ProjectId::get) })?;
        }
        for (hook, owner) in hook::hooks_with_waiting_deliveries(&mut command.tx, BATCH)? {
            enqueue(command, &DeliverToHook { hook: hook.get(), owner: owner.map(UserId::get) })?;
        }
        let before = command.now - FORGOTTEN_AFTER;
        for (delivery, owner) in hook::forgotten_retries(&mut command.tx, before, BATCH)? {
            enqueue(command, &RetryDelivery { delivery: delivery.get(), owner: owner.map(UserId::get) })?;
        }
        Ok(())
    }
}
