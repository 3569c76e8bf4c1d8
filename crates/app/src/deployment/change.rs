//! Reporting, changing and removing deployments.

use tenon_domain::container::Container;
use tenon_domain::deployment::{Deployment, DeploymentStatus};
use tenon_domain::environment::EnvironmentState;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{DeploymentId, Iid};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::DeploymentRefusal;
use tenon_domain::time::Timestamp;
use tenon_git::{BranchName, TagName};
use tenon_storage::iid::{self, Counted};
use tenon_storage::{deployment, environment};

use super::{DeploymentView, find, view};
use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;
use crate::repository::read::context::RepositoryContext;
use crate::shared::environments::make;
use crate::shared::hook_event::deployment_event::record_deployment;

/// A report of a deployment.
#[derive(Debug, Clone)]
pub struct NewDeployment {
    /// The name of the environment, which is made if there is none of it.
    pub environment: String,
    /// A name of the commit.
    pub sha: String,
    /// The branch or tag.
    pub ref_name: String,
    /// True if that is a tag.
    pub tag: bool,
    /// The state.
    pub status: DeploymentStatus,
}

/// The text about a commit that is not there. Clients compare it.
const NO_COMMIT: &str = "The commit does not exist";
/// The text about a branch or tag that is not there. Clients compare it.
const NO_REF: &str = "The branch or tag does not exist";

/// Records a deployment. A successful one makes its environment available.
pub async fn create(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: NewDeployment,
) -> Result<DeploymentView, AppError> {
    let reference = project.clone();
    let code = app.read(identity, move |query| query.code(&reference, ProjectAction::Deploy)).await?;
    let (request, sha) = app.read_git(move || commit_of(&code, &request).map(|sha| (request, sha))).await?;
    app.write(identity, move |command| insert(command, &project, request, sha)).await
}

/// The id of the commit of a report. Fails if the commit, or its branch or tag, is not there.
fn commit_of(code: &RepositoryContext, request: &NewDeployment) -> Result<String, AppError> {
    let mut errors = FieldErrors::default();
    let commit = code.commit_named(Some(&request.sha))?;
    errors.require(commit.is_some(), "sha", NO_COMMIT);
    errors.require(has_ref(code, request)?, "ref", NO_REF);
    errors.into_result()?;
    commit.map(|commit| commit.to_string()).ok_or_else(|| AppError::invalid("sha", NO_COMMIT))
}

fn has_ref(code: &RepositoryContext, request: &NewDeployment) -> Result<bool, AppError> {
    if !code.repository.exists() {
        return Ok(false);
    }
    let name = if request.tag {
        TagName::parse(&request.ref_name).ok().map(|name| name.full())
    } else {
        BranchName::parse(&request.ref_name).ok().map(|name| name.full())
    };
    match name {
        None => Ok(false),
        Some(name) => Ok(code.repository.ref_target(&name)?.is_some()),
    }
}

fn insert(
    command: &mut Command<'_>,
    project: &Reference,
    request: NewDeployment,
    sha: String,
) -> Result<DeploymentView, AppError> {
    let home = command.query().project(project, ProjectAction::Deploy)?;
    let id = home.project.id;
    let count = deployment::count(&mut command.tx, id)?;
    check_number(count, command.app.limits().contents.deployments, "A project", "deployments")?;
    let environment = match environment::find_named(&mut command.tx, id, &request.environment)? {
        Some(found) => found,
        None => make(command, id, request.environment, |_new| {})?,
    };
    let mut new = Deployment {
        id: DeploymentId::new(0),
        project: id,
        iid: Iid::new(0),
        environment: environment.id,
        ref_name: request.ref_name,
        tag: request.tag,
        sha,
        user: command.actor(),
        status: request.status,
        created_at: command.now,
        updated_at: command.now,
        finished_at: None,
    };
    new.come_into(request.status, command.now);
    new.iid = iid::next(&mut command.tx, Container::Project(id), Counted::Deployment)?;
    new.id = deployment::insert(&mut command.tx, &new)?;
    follow(command, &new)?;
    view(&mut command.query(), new)
}

/// Brings a deployment into another state.
pub fn update(
    command: &mut Command<'_>,
    project: &Reference,
    id: DeploymentId,
    status: DeploymentStatus,
) -> Result<DeploymentView, AppError> {
    let home = command.query().project(project, ProjectAction::Deploy)?;
    let mut found = find(&mut command.query(), &home, id)?;
    found.status.check_move(status).map_err(|refused| AppError::invalid("status", refused.to_string()))?;
    found.come_into(status, command.now);
    deployment::update(&mut command.tx, &found)?;
    follow(command, &found)?;
    view(&mut command.query(), found)
}

/// Acts on the state of a deployment: a successful one makes its environment available, and hooks learn of each.
fn follow(command: &mut Command<'_>, of: &Deployment) -> Result<(), AppError> {
    let found = environment::find(&mut command.tx, of.project, of.environment)?;
    if let Some(mut environment) = found
        && of.status == DeploymentStatus::Success
        && environment.state == EnvironmentState::Stopped
    {
        environment.state = EnvironmentState::Available;
        environment.updated_at = command.now;
        environment::update(&mut command.tx, &environment)?;
    }
    record_deployment(command, of)
}

/// Removes a deployment. Refused for one that is under way, and for the newest successful one of its environment.
pub fn delete(
    command: &mut Command<'_>,
    project: &Reference,
    id: DeploymentId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = command.query().project(project, ProjectAction::ManageEnvironments)?;
    let gone = find(&mut command.query(), &home, id)?;
    check_unmodified(gone.updated_at, unmodified_since)?;
    if !gone.status.is_final() {
        return Err(DeploymentRefusal::Running.into());
    }
    let current = deployment::last_success(&mut command.tx, gone.project, gone.environment, None)?;
    if current.is_some_and(|current| current.id == gone.id) {
        return Err(DeploymentRefusal::Current.into());
    }
    Ok(deployment::delete(&mut command.tx, gone.id)?)
}
