//! Stopping environments, and removing those that were stopped.

use tenon_domain::environment::{Environment, EnvironmentState};
use tenon_domain::id::EnvironmentId;
use tenon_domain::project::ProjectAction;
use tenon_domain::time::{Days, Timestamp};
use tenon_storage::environment;

use super::{EnvironmentView, find, view};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// The most environments that one request stops.
const MAX_STOPPED: i64 = 1_000;
/// The most environments that one request removes.
const MAX_REMOVED: i64 = 1_000;
/// Removed unless a request says how many.
const REMOVED: i64 = 100;
/// Days since an environment was made, unless a request names a moment.
const DAYS: u64 = 30;

/// Stops an environment. Nothing changes if it is stopped already.
pub fn stop(command: &mut Command<'_>, project: &Reference, id: EnvironmentId) -> Result<EnvironmentView, AppError> {
    let home = command.query().project(project, ProjectAction::ManageEnvironments)?;
    let mut found = find(&mut command.query(), &home, id)?;
    stop_one(command, &mut found)?;
    view(&mut command.query(), &home, found)
}

fn stop_one(command: &mut Command<'_>, found: &mut Environment) -> Result<(), AppError> {
    if found.state != EnvironmentState::Stopped {
        found.state = EnvironmentState::Stopped;
        found.updated_at = command.now;
        environment::update(&mut command.tx, found)?;
    }
    Ok(())
}

/// Stops the environments of a project that were changed and deployed to only before a moment. That has to be a week ago at
/// least, and ten years ago at most.
pub fn stop_stale(command: &mut Command<'_>, project: &Reference, before: Timestamp) -> Result<(), AppError> {
    let home = command.query().project(project, ProjectAction::ManageEnvironments)?;
    let (week, years) = (Days::new(7), Days::new(3_652));
    let latest = command.now.checked_sub_days(week).unwrap_or(command.now);
    let earliest = command.now.checked_sub_days(years).unwrap_or(command.now);
    if before > latest || before < earliest {
        return Err(AppError::invalid("before", "must be between ten years ago and one week ago"));
    }
    let stale = environment::stale(&mut command.tx, home.project.id, before, MAX_STOPPED)?;
    let ids: Vec<EnvironmentId> = stale.iter().map(|found| found.id).collect();
    Ok(environment::stop_all(&mut command.tx, &ids, command.now)?)
}

/// A request to remove stopped environments whose names have a folder, such as `review/fix`.
#[derive(Debug, Clone, Default)]
pub struct Cleanup {
    /// Those that were made before this moment; 30 days ago by default.
    pub before: Option<Timestamp>,
    /// So many at most, 1,000 in any case; 100 by default.
    pub limit: Option<i64>,
    /// True if they are only named.
    pub is_dry: bool,
}

/// Removes stopped environments, and returns them as they were.
pub fn delete_stopped(
    command: &mut Command<'_>,
    project: &Reference,
    request: &Cleanup,
) -> Result<Vec<Environment>, AppError> {
    let home = command.query().project(project, ProjectAction::ManageEnvironments)?;
    let usual = command.now.checked_sub_days(Days::new(DAYS)).unwrap_or(command.now);
    let limit = request.limit.unwrap_or(REMOVED).clamp(0, MAX_REMOVED);
    let before = request.before.unwrap_or(usual);
    let found = environment::stopped_in_folders(&mut command.tx, home.project.id, before, limit)?;
    if !request.is_dry {
        let ids: Vec<EnvironmentId> = found.iter().map(|gone| gone.id).collect();
        environment::delete_all(&mut command.tx, &ids)?;
    }
    Ok(found)
}
