//! Making, changing and removing environments.

use tenon_domain::environment::{AutoStop, Environment, Tier};
use tenon_domain::field_errors::TAKEN;
use tenon_domain::id::EnvironmentId;
use tenon_domain::patch::Patch;
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_storage::environment;
use tenon_storage::{StoreError, UniqueKey};

use super::{EnvironmentView, find, view};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;
use crate::shared::environments::{check, make};

/// The fields of an environment in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct EnvironmentChange {
    /// Its name.
    pub name: Option<String>,
    /// The address at which it is found; an empty one is none.
    pub external_url: Patch<String>,
    /// A text about it.
    pub description: Patch<String>,
    /// Its purpose; guessed from the name of a new one.
    pub tier: Option<Tier>,
    /// When it is stopped by itself.
    pub auto_stop: Option<AutoStop>,
}

impl EnvironmentChange {
    fn apply(self, environment: &mut Environment) {
        environment.name = self.name.unwrap_or_else(|| environment.name.clone());
        environment.external_url =
            self.external_url.apply(environment.external_url.take()).filter(|address| !address.is_empty());
        environment.description =
            self.description.apply(environment.description.take()).filter(|text| !text.is_empty());
        environment.tier = self.tier.unwrap_or(environment.tier);
        environment.auto_stop = self.auto_stop.unwrap_or(environment.auto_stop);
    }
}

/// Makes an environment, which is available.
pub fn create(
    command: &mut Command<'_>,
    project: &Reference,
    change: EnvironmentChange,
) -> Result<EnvironmentView, AppError> {
    let home = command.query().project(project, ProjectAction::Deploy)?;
    let name = change.name.clone().unwrap_or_default();
    let made = make(command, home.project.id, name, |environment| change.apply(environment))?;
    view(&mut command.query(), &home, made)
}

/// Changes an environment. Its slug stays.
pub fn edit(
    command: &mut Command<'_>,
    project: &Reference,
    id: EnvironmentId,
    change: EnvironmentChange,
) -> Result<EnvironmentView, AppError> {
    let home = command.query().project(project, ProjectAction::ManageEnvironments)?;
    let before = find(&mut command.query(), &home, id)?;
    let mut after = before.clone();
    change.apply(&mut after);
    check(&after)?;
    if after != before {
        after.updated_at = command.now;
        environment::update(&mut command.tx, &after).map_err(|error| match error {
            StoreError::Unique(UniqueKey::EnvironmentName) => AppError::invalid("name", TAKEN),
            other => other.into(),
        })?;
    }
    view(&mut command.query(), &home, after)
}

/// Removes an environment with its deployments.
pub fn delete(
    command: &mut Command<'_>,
    project: &Reference,
    id: EnvironmentId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = command.query().project(project, ProjectAction::ManageEnvironments)?;
    let gone = find(&mut command.query(), &home, id)?;
    check_unmodified(gone.updated_at, unmodified_since)?;
    Ok(environment::delete(&mut command.tx, gone.id)?)
}
