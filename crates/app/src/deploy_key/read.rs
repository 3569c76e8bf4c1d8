//! Reading deploy keys.

use std::collections::HashMap;

use tenon_domain::deploy_key::{DeployKey, EnabledKey};
use tenon_domain::id::{DeployKeyId, ProjectId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::{deploy_key, project};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;

/// Checks that the caller may look after a project's deploy keys at all: asked before anything else of a request is.
pub fn permit(query: &mut Query<'_>, project: &Reference) -> Result<(), AppError> {
    query.project(project, ProjectAction::ManageDeployKeys).map(|_found| ())
}

/// The most projects that a page of keys names.
const NAMED: i64 = 1_000;

/// A deploy key with the projects that it opens.
#[derive(Debug, Clone)]
pub struct KeyWithProjects {
    /// The key.
    pub key: DeployKey,
    /// Those that it opens for pushes as well.
    pub writable: Vec<ProjectWithNamespace>,
    /// Those that it opens for fetches only.
    pub readonly: Vec<ProjectWithNamespace>,
}

/// All deploy keys of the server, by id, with the projects that they open: the first thousand of a page. Administrators only,
/// which is the route's guard.
pub fn list_all(query: &mut Query<'_>, page: PageRequest) -> Result<Page<KeyWithProjects>, AppError> {
    let found = deploy_key::list(&mut query.tx, page)?;
    let ids: Vec<DeployKeyId> = found.items.iter().map(|key| key.id).collect();
    let opened = deploy_key::opened_by(&mut query.tx, &ids, NAMED)?;
    let projects: Vec<ProjectId> = opened.iter().map(|(_, project, _)| *project).collect();
    let projects = project::by_ids(&mut query.tx, &projects)?;
    let projects: HashMap<ProjectId, ProjectWithNamespace> =
        projects.into_iter().map(|placed| (placed.project.id, placed)).collect();
    Ok(found.map(|key| {
        let of = |wanted| {
            let own = opened.iter().filter(|(id, _, can_push)| *id == key.id && *can_push == wanted);
            own.filter_map(|(_, project, _)| projects.get(project).cloned()).collect()
        };
        KeyWithProjects { writable: of(true), readonly: of(false), key }
    }))
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
