//! Deployments: other programs report that a commit is brought to an environment.

mod change;

use tenon_domain::deployment::{Deployment, DeploymentStatus};
use tenon_domain::id::{DeploymentId, EnvironmentId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::DeploymentRefusal;
use tenon_domain::time::Timestamp;
use tenon_storage::deployment::{self, DeploymentFilter};
use tenon_storage::environment;

pub use change::{NewDeployment, create, delete, update};
pub use tenon_storage::deployment::DeploymentOrder;

pub use crate::shared::views::deployments::DeploymentView;

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::authorization::AuthorizedProject;
use crate::policy::reference::Reference;
use crate::shared::views::deployments::views;

/// A request for deployments.
#[derive(Debug, Clone, Default)]
pub struct ListDeployments {
    /// Those of the environment of this name.
    pub environment: Option<String>,
    /// Those in this state; `None` inside if no deployment can be in it.
    pub status: Option<Option<DeploymentStatus>>,
    /// Those that were changed from this moment on.
    pub updated_after: Option<Timestamp>,
    /// Those that were changed up to this moment.
    pub updated_before: Option<Timestamp>,
    /// Those that ended from this moment on.
    pub finished_after: Option<Timestamp>,
    /// Those that ended up to this moment.
    pub finished_before: Option<Timestamp>,
    /// The order of the list.
    pub order_by: DeploymentOrder,
    /// Falling instead of rising.
    pub descending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The deployments of a project. A filter by the moment of the last change needs the order by that moment.
pub fn list(
    query: &mut Query<'_>,
    project: &Reference,
    request: ListDeployments,
) -> Result<Page<DeploymentView>, AppError> {
    let home = query.project(project, ProjectAction::ReadEnvironments)?;
    let filters_updates = request.updated_after.is_some() || request.updated_before.is_some();
    if filters_updates && request.order_by != DeploymentOrder::UpdatedAt {
        return Err(DeploymentRefusal::UnpairedFilter.into());
    }
    let nothing = Page::empty(request.page);
    let environment = match &request.environment {
        None => None,
        Some(name) => match environment::find_named(&mut query.tx, home.project.id, name)? {
            None => return Ok(nothing),
            Some(found) => Some(found.id),
        },
    };
    let status = match request.status {
        Some(None) => return Ok(nothing),
        Some(status) => status,
        None => None,
    };
    let filter = DeploymentFilter {
        environment,
        status,
        updated_after: request.updated_after,
        updated_before: request.updated_before,
        finished_after: request.finished_after,
        finished_before: request.finished_before,
        ..DeploymentFilter::of(home.project.id)
    };
    viewed(query, &filter, request.order_by, request.descending, request.page)
}

fn viewed(
    query: &mut Query<'_>,
    filter: &DeploymentFilter,
    order: DeploymentOrder,
    descending: bool,
    page: PageRequest,
) -> Result<Page<DeploymentView>, AppError> {
    let found = deployment::list(&mut query.tx, filter, order, descending, page)?;
    Ok(Page { items: views(query, found.items)?, total: found.total, request: found.request })
}

/// The deployments to one environment, the newest first.
pub fn of_environment(
    query: &mut Query<'_>,
    project: &Reference,
    environment: EnvironmentId,
    page: PageRequest,
) -> Result<Page<DeploymentView>, AppError> {
    let home = query.project(project, ProjectAction::ReadEnvironments)?;
    let filter = DeploymentFilter { environment: Some(environment), ..DeploymentFilter::of(home.project.id) };
    viewed(query, &filter, DeploymentOrder::Id, true, page)
}

/// One deployment.
pub fn show(query: &mut Query<'_>, project: &Reference, id: DeploymentId) -> Result<DeploymentView, AppError> {
    let home = query.project(project, ProjectAction::ReadEnvironments)?;
    let found = find(query, &home, id)?;
    view(query, found)
}

fn find(query: &mut Query<'_>, home: &AuthorizedProject, id: DeploymentId) -> Result<Deployment, AppError> {
    deployment::find(&mut query.tx, home.project.id, id)?.ok_or(AppError::NotFound(Missing::Record))
}

fn view(query: &mut Query<'_>, deployment: Deployment) -> Result<DeploymentView, AppError> {
    views(query, vec![deployment])?.pop().ok_or(AppError::NotFound(Missing::Record))
}
