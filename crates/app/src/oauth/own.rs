//! Applications that users register for themselves. Their owners and administrators see and change them.

use tenon_auth::Secret;
use tenon_domain::event::EventKind;
use tenon_domain::id::{ApplicationId, UserId};
use tenon_domain::oauth::{self, Application, ApplicationAction, ClientKind, PlainHttp};
use tenon_domain::page::{Page, PageRequest};
use tenon_storage::oauth::application;

use super::application::{APPLICATION, NewApplication, check_fields, emit, find, plain_http, register, registration};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Judge as _};

/// The fields of an application that its owner sets.
#[derive(Debug, Clone)]
pub struct ApplicationFields {
    /// Its name for users.
    pub name: String,
    /// The addresses that it may be redirected to, separated by white space.
    pub redirect_uri: String,
    /// The names of the scopes that it may be granted, separated by spaces.
    pub scopes: String,
    /// Confidential if it can keep a secret.
    pub kind: ClientKind,
}

/// True if the caller may have applications: all users, unless the settings leave it to administrators.
pub fn may_have_own(query: &mut Query<'_>) -> Result<bool, AppError> {
    match own(query) {
        Ok(_) => Ok(true),
        Err(AppError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The caller, who may have applications. 404 if the settings leave that to administrators.
fn own(query: &mut Query<'_>) -> Result<UserId, AppError> {
    let registration = registration(query)?;
    oauth::decide(query.viewer(), ApplicationAction::Own(registration)).judge(APPLICATION)?;
    Ok(query.user()?.id)
}

/// One page of the caller's own applications, by id.
pub fn list_own(query: &mut Query<'_>, page: PageRequest) -> Result<Page<Application>, AppError> {
    let owner = own(query)?;
    Ok(application::of_owner(&mut query.tx, owner, page)?)
}

/// An application, for its owner and for administrators; 404 for others.
pub fn show(query: &mut Query<'_>, id: ApplicationId) -> Result<Application, AppError> {
    find(query, id)
}

/// Registers an application of the caller, which asks users for their consent. Its secret is in the answer and nowhere
/// else. Fails with the problems of the fields, and if the caller has as many as a user may have.
pub fn create_own(command: &mut Command<'_>, fields: ApplicationFields) -> Result<(Application, Secret), AppError> {
    let owner = own(&mut command.query())?;
    let ApplicationFields { name, redirect_uri, scopes, kind } = fields;
    register(command, NewApplication { name, redirect_uri, scopes, kind, trusted: false }, Some(owner))
}

/// Changes an application. Grants of the past stay. Fails with the problems of the fields; 404 for all but its owner
/// and administrators.
pub fn change(
    command: &mut Command<'_>,
    id: ApplicationId,
    fields: ApplicationFields,
) -> Result<Application, AppError> {
    let found = find(&mut command.query(), id)?;
    // The addresses that an administrator has registered stay when the owner changes another field.
    let is_kept = fields.redirect_uri == found.redirect_uri;
    let http = if is_kept { PlainHttp::Anywhere } else { plain_http(&mut command.query()) };
    let scopes = check_fields(&fields.name, &fields.redirect_uri, &fields.scopes, http)?;
    let ApplicationFields { name, redirect_uri, kind, .. } = fields;
    let unchanged =
        (&found.name, &found.redirect_uri, &found.scopes, found.kind) == (&name, &redirect_uri, &scopes, kind);
    if unchanged {
        return Ok(found);
    }
    let changed = Application { name, redirect_uri, scopes, kind, updated_at: command.now, ..found };
    application::update(&mut command.tx, &changed)?;
    emit(command, EventKind::ApplicationUpdated, &changed)?;
    Ok(changed)
}
