//! Feature flags of projects, and lists of users for their strategies.

mod change;
mod user_list;

use std::collections::HashMap;

use tenon_domain::feature_flag::{FeatureFlag, UserList};
use tenon_domain::id::UserListId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_storage::feature_flag;

pub use change::{FlagChange, ScopeChange, StrategyChange, create, delete, edit};
pub use user_list::{UserListChange, create_user_list, delete_user_list, edit_user_list, show_user_list, user_lists};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::authorization::AuthorizedProject;
use crate::policy::reference::Reference;

/// A flag with the lists of users that its strategies name.
#[derive(Debug, Clone)]
pub struct FlagView {
    /// The flag.
    pub flag: FeatureFlag,
    /// The lists, by id.
    pub lists: HashMap<UserListId, UserList>,
}

/// The flags of a project, by name: all, those that are on, or those that are off.
pub fn list(
    query: &mut Query<'_>,
    project: &Reference,
    active: Option<bool>,
    page: PageRequest,
) -> Result<Page<FlagView>, AppError> {
    let home = query.project(project, ProjectAction::ReadFeatureFlags)?;
    let found = feature_flag::list(&mut query.tx, home.project.id, active, page)?;
    Ok(Page { items: views(query, found.items)?, total: found.total, request: found.request })
}

/// One flag.
pub fn show(query: &mut Query<'_>, project: &Reference, name: &str) -> Result<FlagView, AppError> {
    let home = query.project(project, ProjectAction::ReadFeatureFlags)?;
    let found = find(query, &home, name)?;
    view(query, found)
}

fn find(query: &mut Query<'_>, home: &AuthorizedProject, name: &str) -> Result<FeatureFlag, AppError> {
    feature_flag::find(&mut query.tx, home.project.id, name)?.ok_or(AppError::NotFound(Missing::Record))
}

fn view(query: &mut Query<'_>, flag: FeatureFlag) -> Result<FlagView, AppError> {
    views(query, vec![flag])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

fn views(query: &mut Query<'_>, flags: Vec<FeatureFlag>) -> Result<Vec<FlagView>, AppError> {
    let of = |flag: &FeatureFlag| flag.strategies.iter().filter_map(|strategy| strategy.user_list).collect::<Vec<_>>();
    let ids: Vec<UserListId> = flags.iter().flat_map(of).collect();
    let lists = feature_flag::user_lists_by_ids(&mut query.tx, &ids)?;
    let view = |flag: FeatureFlag| FlagView {
        lists: of(&flag).into_iter().filter_map(|id| Some((id, lists.get(&id)?.clone()))).collect(),
        flag,
    };
    Ok(flags.into_iter().map(view).collect())
}
