//! Making, changing and removing feature flags.

use std::collections::BTreeMap;

use tenon_domain::feature_flag::{FeatureFlag, Scope, Strategy, StrategyKind};
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::id::{FeatureFlagId, FlagScopeId, FlagStrategyId, UserListId};
use tenon_domain::patch::Patch;
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_storage::feature_flag;
use tenon_storage::{StoreError, UniqueKey};

use super::{FlagView, find, view};
use crate::core::app::Command;
use crate::core::error::{AppError, Missing};
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;
use crate::shared::hook_event::feature_flag_event::record_feature_flag;

/// The fields of a flag in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct FlagChange {
    /// Its name.
    pub name: Option<String>,
    /// A text about it.
    pub description: Patch<String>,
    /// False if it is off for everybody.
    pub active: Option<bool>,
    /// Changes of its strategies. Those that it does not name stay.
    pub strategies: Vec<StrategyChange>,
}

/// A new strategy, or a change of one.
#[derive(Debug, Clone, Default)]
pub struct StrategyChange {
    /// The strategy; `None` for a new one.
    pub id: Option<FlagStrategyId>,
    /// True if it is removed.
    pub is_removed: bool,
    /// Its kind.
    pub kind: Option<StrategyKind>,
    /// Its parameters, by name; an empty list leaves those of the same kind as they are.
    pub parameters: BTreeMap<String, String>,
    /// The list of users that it names.
    pub user_list: Option<UserListId>,
    /// Changes of its scopes. Those that it does not name stay.
    pub scopes: Vec<ScopeChange>,
}

/// A new scope, or a change of one.
#[derive(Debug, Clone, Default)]
pub struct ScopeChange {
    /// The scope; `None` for a new one.
    pub id: Option<FlagScopeId>,
    /// True if it is removed.
    pub is_removed: bool,
    /// A name of environments, in which `*` stands for any text.
    pub environment: Option<String>,
}

impl FlagChange {
    /// Applies the change. 404 if it names a strategy or scope that is not there.
    fn apply(self, flag: &mut FeatureFlag) -> Result<(), AppError> {
        flag.name = self.name.unwrap_or_else(|| flag.name.clone());
        flag.description = self.description.apply(flag.description.take());
        flag.active = self.active.unwrap_or(flag.active);
        for change in self.strategies {
            match change.id {
                None if change.is_removed => {}
                None => {
                    let kind = change.kind.ok_or_else(|| AppError::invalid("strategies.name", "is invalid"))?;
                    let (id, parameters) = (FlagStrategyId::new(0), BTreeMap::new());
                    let mut new = Strategy { id, kind, parameters, user_list: None, scopes: Vec::new() };
                    change.apply(&mut new)?;
                    flag.strategies.push(new);
                }
                Some(id) if change.is_removed => {
                    let count = flag.strategies.len();
                    flag.strategies.retain(|strategy| strategy.id != id);
                    known_if(flag.strategies.len() < count)?;
                }
                Some(id) => {
                    let found = flag.strategies.iter_mut().find(|strategy| strategy.id == id);
                    change.apply(found.ok_or(AppError::NotFound(Missing::Record))?)?;
                }
            }
        }
        Ok(())
    }
}

impl StrategyChange {
    fn apply(self, strategy: &mut Strategy) -> Result<(), AppError> {
        let kind = self.kind.unwrap_or(strategy.kind);
        if kind != strategy.kind || !self.parameters.is_empty() {
            strategy.parameters = self.parameters;
        }
        strategy.kind = kind;
        strategy.user_list = match kind {
            StrategyKind::UserList => self.user_list.or(strategy.user_list),
            StrategyKind::Default
            | StrategyKind::GradualRolloutUserId
            | StrategyKind::UserWithId
            | StrategyKind::FlexibleRollout => None,
        };
        for change in self.scopes {
            match change.id {
                None if change.is_removed => {}
                None => {
                    let environment = change.environment.unwrap_or_default();
                    strategy.scopes.push(Scope { id: FlagScopeId::new(0), environment });
                }
                Some(id) if change.is_removed => {
                    let count = strategy.scopes.len();
                    strategy.scopes.retain(|scope| scope.id != id);
                    known_if(strategy.scopes.len() < count)?;
                }
                Some(id) => {
                    let found = strategy.scopes.iter_mut().find(|scope| scope.id == id);
                    let scope = found.ok_or(AppError::NotFound(Missing::Record))?;
                    scope.environment = change.environment.unwrap_or_else(|| scope.environment.clone());
                }
            }
        }
        Ok(())
    }
}

/// 404 for a part that is not there.
fn known_if(is_there: bool) -> Result<(), AppError> {
    if is_there { Ok(()) } else { Err(AppError::NotFound(Missing::Record)) }
}

/// Refuses a flag whose fields are wrong, or that names a list of another project.
fn check(command: &mut Command<'_>, flag: &FeatureFlag) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    flag.check(&mut errors);
    errors.into_result()?;
    for list in flag.strategies.iter().filter_map(|strategy| strategy.user_list) {
        if feature_flag::user_list_of_id(&mut command.tx, flag.project, list)?.is_none() {
            return Err(AppError::invalid("strategies.user_list", "must belong to the same project"));
        }
    }
    Ok(())
}

fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::FeatureFlagName) => AppError::invalid("name", TAKEN),
        other => other.into(),
    }
}

/// Makes a flag, which is on unless the request says otherwise.
pub fn create(command: &mut Command<'_>, project: &Reference, change: FlagChange) -> Result<FlagView, AppError> {
    let home = command.query().project(project, ProjectAction::ManageFeatureFlags)?;
    let id = home.project.id;
    let mut new = FeatureFlag {
        id: FeatureFlagId::new(0),
        project: id,
        name: String::new(),
        description: None,
        active: true,
        strategies: Vec::new(),
        created_at: command.now,
        updated_at: command.now,
    };
    change.apply(&mut new)?;
    check(command, &new)?;
    let count = feature_flag::count(&mut command.tx, id, None)?;
    check_number(count, command.app.limits().contents.feature_flags, "A project", "feature flags")?;
    feature_flag::insert(&mut command.tx, &new).map_err(taken)?;
    let made = find(&mut command.query(), &home, &new.name)?;
    view(&mut command.query(), made)
}

/// Changes a flag. Hooks learn if it is switched on or off.
pub fn edit(
    command: &mut Command<'_>,
    project: &Reference,
    name: &str,
    change: FlagChange,
) -> Result<FlagView, AppError> {
    let home = command.query().project(project, ProjectAction::ManageFeatureFlags)?;
    let before = find(&mut command.query(), &home, name)?;
    let mut after = before.clone();
    change.apply(&mut after)?;
    check(command, &after)?;
    if after != before {
        after.updated_at = command.now;
        feature_flag::update(&mut command.tx, &before, &after).map_err(taken)?;
    }
    if after.active != before.active {
        record_feature_flag(command, &after)?;
    }
    let saved = find(&mut command.query(), &home, &after.name)?;
    view(&mut command.query(), saved)
}

/// Removes a flag with its strategies.
pub fn delete(
    command: &mut Command<'_>,
    project: &Reference,
    name: &str,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = command.query().project(project, ProjectAction::ManageFeatureFlags)?;
    let gone = find(&mut command.query(), &home, name)?;
    check_unmodified(gone.updated_at, unmodified_since)?;
    Ok(feature_flag::delete(&mut command.tx, gone.id)?)
}
