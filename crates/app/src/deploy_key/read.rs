//! Reading deploy keys.

use tenon_domain::deploy_key::{DeployKey, EnabledKey};
use tenon_domain::id::DeployKeyId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_storage::deploy_key;

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;

/// Checks that the caller may look after a project's deploy keys at all: asked before anything else of a request is.
pub fn permit(query: &mut Query<'_>, project: &Reference) -> Result<(), AppError> {
    query.project(project, ProjectAction::ManageDeployKeys).map(|_found| ())
}

/// All deploy keys of the server, by id. Administrators only, which is the route's guard.
pub fn list_all(query: &mut Query<'_>, page: PageRequest) -> Result<Page<DeployKey>, AppError> {
    Ok(deploy_key::list(&mut query.tx, page)?)
}

/// The deploy keys of a project, by id; maintainers only.
pub fn list(query: &mut Query<'_>, project: &Reference, page: PageRequest) -> Result<Page<EnabledKey>, AppError> {
    let project = query.project(project, ProjectAction::ManageDeployKeys)?.project.id;
    Ok(deploy_key::list_of(&mut query.tx, project, page)?)
}

/// One deploy key of a project.
pub fn show(query: &mut Query<'_>, project: &Reference, id: DeployKeyId) -> Result<EnabledKey, AppError> {
    let project = query.project(project, ProjectAction::ManageDeployKeys)?.project.id;
    deploy_key::find_of(&mut query.tx, project, id)?.ok_or(AppError::NotFound(Missing::Record))
}
