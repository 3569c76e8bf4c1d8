//! Lists of users for strategies of feature flags.

use tenon_domain::container::Container;
use tenon_domain::feature_flag::UserList;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::id::{Iid, UserListId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::FeatureFlagRefusal;
use tenon_domain::time::Timestamp;
use tenon_storage::feature_flag;
use tenon_storage::iid::{self, Counted};
use tenon_storage::{StoreError, UniqueKey};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::authorization::AuthorizedProject;
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;

/// The fields of a list in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct UserListChange {
    /// Its name.
    pub name: Option<String>,
    /// The users, separated by commas.
    pub users: Option<String>,
}

impl UserListChange {
    fn apply(self, list: &mut UserList) -> Result<(), AppError> {
        list.name = self.name.unwrap_or_else(|| list.name.clone());
        list.users = self.users.unwrap_or_else(|| list.users.clone());
        let mut errors = FieldErrors::default();
        list.check(&mut errors);
        Ok(errors.into_result()?)
    }
}

/// The lists of a project, the oldest first: all, or those whose name contains a text, whatever the case.
pub fn user_lists(
    query: &mut Query<'_>,
    project: &Reference,
    search: Option<&str>,
    page: PageRequest,
) -> Result<Page<UserList>, AppError> {
    let home = query.project(project, ProjectAction::ReadFeatureFlags)?;
    Ok(feature_flag::user_lists(&mut query.tx, home.project.id, search, page)?)
}

/// One list.
pub fn show_user_list(query: &mut Query<'_>, project: &Reference, iid: Iid) -> Result<UserList, AppError> {
    let home = query.project(project, ProjectAction::ReadFeatureFlags)?;
    find(query, &home, iid)
}

fn find(query: &mut Query<'_>, home: &AuthorizedProject, iid: Iid) -> Result<UserList, AppError> {
    feature_flag::find_user_list(&mut query.tx, home.project.id, iid)?.ok_or(AppError::NotFound(Missing::Record))
}

fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::UserListName) => AppError::invalid("name", TAKEN),
        other => other.into(),
    }
}

/// Makes a list.
pub fn create_user_list(
    command: &mut Command<'_>,
    project: &Reference,
    change: UserListChange,
) -> Result<UserList, AppError> {
    let id = command.query().project(project, ProjectAction::ManageFeatureFlags)?.project.id;
    let mut new = UserList {
        id: UserListId::new(0),
        project: id,
        iid: Iid::new(0),
        name: String::new(),
        users: String::new(),
        created_at: command.now,
        updated_at: command.now,
    };
    change.apply(&mut new)?;
    let count = feature_flag::count_user_lists(&mut command.tx, id)?;
    check_number(count, command.app.limits().contents.user_lists, "A project", "lists of users")?;
    new.iid = iid::next(&mut command.tx, Container::Project(id), Counted::UserList)?;
    new.id = feature_flag::insert_user_list(&mut command.tx, &new).map_err(taken)?;
    Ok(new)
}

/// Changes a list.
pub fn edit_user_list(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    change: UserListChange,
) -> Result<UserList, AppError> {
    let home = command.query().project(project, ProjectAction::ManageFeatureFlags)?;
    let before = find(&mut command.query(), &home, iid)?;
    let mut after = before.clone();
    change.apply(&mut after)?;
    if after != before {
        after.updated_at = command.now;
        feature_flag::update_user_list(&mut command.tx, &after).map_err(taken)?;
    }
    Ok(after)
}

/// Removes a list. Refused while a strategy names it.
pub fn delete_user_list(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = command.query().project(project, ProjectAction::ManageFeatureFlags)?;
    let gone = find(&mut command.query(), &home, iid)?;
    check_unmodified(gone.updated_at, unmodified_since)?;
    if feature_flag::is_user_list_used(&mut command.tx, gone.id)? {
        return Err(FeatureFlagRefusal::ListInUse.into());
    }
    Ok(feature_flag::delete_user_list(&mut command.tx, gone.id)?)
}
