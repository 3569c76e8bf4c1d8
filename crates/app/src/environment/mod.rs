//! Environments of projects: reading them.

mod change;
mod stop;

use tenon_domain::deployment::Deployment;
use tenon_domain::environment::{Environment, EnvironmentState};
use tenon_domain::id::EnvironmentId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_storage::deployment;
use tenon_storage::environment::{self, EnvironmentFilter};
use tenon_storage::project::ProjectWithNamespace;

pub use change::{EnvironmentChange, create, delete, edit};
pub use stop::{Cleanup, delete_stopped, stop, stop_stale};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::authorization::AuthorizedProject;
use crate::policy::reference::Reference;
use crate::shared::views::deployments::{DeploymentView, views};
use crate::shared::views::project_view::{ProjectBrief, brief_of};

/// An environment as lists show it.
#[derive(Debug, Clone)]
pub struct EnvironmentView {
    /// The environment.
    pub environment: Environment,
    /// The project that it belongs to.
    pub project: ProjectBrief,
}

/// An environment as an answer about it alone shows it.
#[derive(Debug, Clone)]
pub struct EnvironmentDetail {
    /// The environment.
    pub environment: Environment,
    /// The newest successful deployment.
    pub last_deployment: Option<DeploymentView>,
    /// True if the caller may change it.
    pub may_manage: bool,
}

/// A request for environments.
#[derive(Debug, Clone, Default)]
pub struct ListEnvironments {
    /// The one of this name.
    pub name: Option<String>,
    /// Those whose name contains this, whatever the case.
    pub search: Option<String>,
    /// Those in this state; `None` inside if no environment can be in it.
    pub state: Option<Option<EnvironmentState>>,
    /// Which page.
    pub page: PageRequest,
}

/// The environments of a project, the oldest first.
pub fn list(
    query: &mut Query<'_>,
    project: &Reference,
    request: ListEnvironments,
) -> Result<Page<EnvironmentView>, AppError> {
    let home = query.project(project, ProjectAction::ReadEnvironments)?;
    let found = rows(query, &home, request)?;
    let shown = shown(query, &home)?;
    Ok(found.map(|environment| EnvironmentView { environment, project: shown.clone() }))
}

fn rows(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    request: ListEnvironments,
) -> Result<Page<Environment>, AppError> {
    let state = match request.state {
        Some(None) => return Ok(Page::empty(request.page)),
        Some(state) => state,
        None => None,
    };
    let filter = EnvironmentFilter {
        name: request.name,
        search: request.search,
        state,
        ..EnvironmentFilter::of(home.project.id)
    };
    Ok(environment::list(&mut query.tx, &filter, request.page)?)
}

/// Environments as the page of a project lists them.
#[derive(Debug, Clone)]
pub struct EnvironmentsPage {
    /// The environments in one state, each with its newest successful deployment.
    pub environments: Page<(Environment, Option<Deployment>)>,
    /// How many are available.
    pub available: i64,
    /// How many are stopped.
    pub stopped: i64,
    /// True if the caller may make environments.
    pub may_deploy: bool,
}

/// The environments of a project in one state, the oldest first, for its page.
pub fn page(
    query: &mut Query<'_>,
    project: &Reference,
    state: EnvironmentState,
    page: PageRequest,
) -> Result<EnvironmentsPage, AppError> {
    let home = query.project(project, ProjectAction::ReadEnvironments)?;
    let request = ListEnvironments { state: Some(Some(state)), page, ..ListEnvironments::default() };
    let found = rows(query, &home, request)?;
    let ids: Vec<EnvironmentId> = found.items.iter().map(|environment| environment.id).collect();
    let mut last = deployment::last_successes(&mut query.tx, &ids)?;
    let mut count = |state| {
        let filter = EnvironmentFilter { state: Some(state), ..EnvironmentFilter::of(home.project.id) };
        environment::count(&mut query.tx, &filter)
    };
    Ok(EnvironmentsPage {
        available: count(EnvironmentState::Available)?,
        stopped: count(EnvironmentState::Stopped)?,
        may_deploy: home.may(ProjectAction::Deploy),
        environments: found.map(|environment| {
            let deployment = last.remove(&environment.id);
            (environment, deployment)
        }),
    })
}

/// One environment.
pub fn show(query: &mut Query<'_>, project: &Reference, id: EnvironmentId) -> Result<EnvironmentDetail, AppError> {
    let home = query.project(project, ProjectAction::ReadEnvironments)?;
    let environment = find(query, &home, id)?;
    detail(query, &home, environment)
}

fn detail(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    environment: Environment,
) -> Result<EnvironmentDetail, AppError> {
    let last = deployment::last_success(&mut query.tx, home.project.id, environment.id, None)?;
    let last_deployment = views(query, last.into_iter().collect())?.pop();
    Ok(EnvironmentDetail { environment, last_deployment, may_manage: home.may(ProjectAction::ManageEnvironments) })
}

fn find(query: &mut Query<'_>, home: &AuthorizedProject, id: EnvironmentId) -> Result<Environment, AppError> {
    environment::find(&mut query.tx, home.project.id, id)?.ok_or(AppError::NotFound(Missing::Record))
}

fn view(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    environment: Environment,
) -> Result<EnvironmentView, AppError> {
    Ok(EnvironmentView { environment, project: shown(query, home)? })
}

fn shown(query: &mut Query<'_>, home: &AuthorizedProject) -> Result<ProjectBrief, AppError> {
    brief_of(query, ProjectWithNamespace { project: home.project.clone(), home: home.namespace.clone() })
}
