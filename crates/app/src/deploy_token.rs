//! Deploy tokens of projects and groups. `workflows/transport` accepts them.

use tenon_auth::{Secret, digest};
use tenon_domain::deploy_token::{DeployScope, DeployToken};
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::GroupAction;
use tenon_domain::id::DeployTokenId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::{Date, Timestamp};
use tenon_storage::deploy_token;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Attempt, Missing};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::{check_number, container_word};

/// A deploy token as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployTokenView {
    /// The token.
    pub token: DeployToken,
    /// True if its last day is over.
    pub expired: bool,
    /// Its secret, only when it was just made.
    pub secret: Option<Secret>,
}

/// A request for a new deploy token.
#[derive(Debug, Clone)]
pub struct CreateDeployToken {
    /// Its maker's name for it.
    pub name: String,
    /// The uses that it allows.
    pub scopes: Vec<DeployScope>,
    /// The last day on which it works.
    pub expires_at: Option<Date>,
    /// The user name that comes with it; an empty one is none.
    pub username: Option<String>,
}

fn readable(query: &mut Query<'_>, of: &ContainerReference) -> Result<AuthorizedContainer, AppError> {
    AuthorizedContainer::find(query, of, ProjectAction::ManageDeployTokens, GroupAction::ReadDeployTokens)
}

fn changeable(query: &mut Query<'_>, of: &ContainerReference) -> Result<AuthorizedContainer, AppError> {
    AuthorizedContainer::find(query, of, ProjectAction::ManageDeployTokens, GroupAction::Administer)
}

fn view(token: DeployToken, today: Date) -> DeployTokenView {
    DeployTokenView { expired: token.is_expired(today), token, secret: None }
}

/// All deploy tokens of the server, by id; administrators only. `active` asks for those that work today, or the others.
pub fn list_all(
    query: &mut Query<'_>,
    active: Option<bool>,
    page: PageRequest,
) -> Result<Page<DeployTokenView>, AppError> {
    if !query.is_admin() {
        return Err(AppError::Forbidden);
    }
    let today = query.today();
    let found = deploy_token::list(&mut query.tx, None, active, today, page)?;
    Ok(found.map(|token| view(token, today)))
}

/// The deploy tokens of a project or group, by id. `active` asks for those that work today, or the others.
pub fn list(
    query: &mut Query<'_>,
    of: &ContainerReference,
    active: Option<bool>,
    page: PageRequest,
) -> Result<Page<DeployTokenView>, AppError> {
    let (container, today) = (readable(query, of)?.container(), query.today());
    let found = deploy_token::list(&mut query.tx, Some(container), active, today, page)?;
    Ok(found.map(|token| view(token, today)))
}

/// One deploy token of a project or group.
pub fn show(query: &mut Query<'_>, of: &ContainerReference, id: DeployTokenId) -> Result<DeployTokenView, AppError> {
    let home = readable(query, of)?;
    let today = query.today();
    Ok(view(find(query, &home, id)?, today))
}

/// Makes a deploy token. Its secret is in the answer, and nowhere else.
pub fn create(
    command: &mut Command<'_>,
    of: &ContainerReference,
    request: CreateDeployToken,
) -> Result<DeployTokenView, AppError> {
    let container = changeable(&mut command.query(), of)?.container();
    let scopes = DeployScope::ALL.iter().copied().filter(|scope| request.scopes.contains(scope)).collect();
    let mut token = DeployToken {
        id: DeployTokenId::new(0),
        container,
        name: request.name,
        chosen_username: request.username.filter(|name| !name.is_empty()),
        scopes,
        expires_at: request.expires_at,
        created_at: command.now,
    };
    let mut errors = FieldErrors::default();
    token.check(&mut errors);
    errors.into_result().map_err(|errors| AppError::Rejected(Attempt::CreateDeployToken, errors))?;
    let count = deploy_token::count(&mut command.tx, container)?;
    check_number(count, command.app.limits().contents.deploy_tokens, container_word(container), "deploy tokens")?;
    let secret = Secret::generate(command.app.entropy());
    token.id = deploy_token::insert(&mut command.tx, &token, &digest(secret.expose()))?;
    record(command, EventKind::DeployTokenCreated, &token)?;
    Ok(DeployTokenView { secret: Some(secret), ..view(token, command.today()) })
}

/// Removes a deploy token: it opens nothing any more.
pub fn delete(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: DeployTokenId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = changeable(&mut command.query(), of)?;
    let gone = find(&mut command.query(), &home, id)?;
    check_unmodified(gone.created_at, unmodified_since)?;
    deploy_token::delete(&mut command.tx, gone.id)?;
    record(command, EventKind::DeployTokenDeleted, &gone)
}

fn find(query: &mut Query<'_>, home: &AuthorizedContainer, id: DeployTokenId) -> Result<DeployToken, AppError> {
    deploy_token::find(&mut query.tx, home.container(), id)?.ok_or(AppError::NotFound(Missing::Record))
}

fn record(command: &mut Command<'_>, kind: EventKind, token: &DeployToken) -> Result<(), AppError> {
    let event = command.event(kind).container(token.container).detail(token.id.to_string());
    command.append(&event)
}
