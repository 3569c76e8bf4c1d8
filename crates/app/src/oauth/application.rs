//! Registering applications of the server, which only administrators may; secrets and removal of all applications.

use tenon_auth::{Secret, digest};
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{BLANK, FieldErrors};
use tenon_domain::id::{ApplicationId, UserId};
use tenon_domain::oauth::{self, Application, ApplicationAction, ClientKind, PlainHttp, Registration};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::token::Scopes;
use tenon_storage::oauth::application;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Judge as _, Missing};

/// An application that is to be registered.
#[derive(Debug, Clone)]
pub struct NewApplication {
    /// Its name for users.
    pub name: String,
    /// The addresses that it may be redirected to, separated by white space.
    pub redirect_uri: String,
    /// The names of the scopes that it may be granted, separated by spaces.
    pub scopes: String,
    /// Confidential if it can keep a secret.
    pub kind: ClientKind,
    /// True if users are not asked for their consent.
    pub trusted: bool,
}

pub(super) const APPLICATION: Missing = Missing::Application;

fn check(query: &Query<'_>) -> Result<(), AppError> {
    oauth::decide(query.viewer(), ApplicationAction::Administer).judge(APPLICATION)
}

/// The permission of users to have applications of their own.
pub(super) fn registration(query: &mut Query<'_>) -> Result<Registration, AppError> {
    Ok(if query.settings()?.user_oauth_applications { Registration::Open } else { Registration::Closed })
}

/// An application that the caller may manage; another's is answered as missing.
pub(super) fn find(query: &mut Query<'_>, id: ApplicationId) -> Result<Application, AppError> {
    let found = application::find(&mut query.tx, id)?.ok_or(AppError::NotFound(APPLICATION))?;
    let registration = registration(query)?;
    oauth::decide(query.viewer(), ApplicationAction::Manage(registration, found.owner)).judge(APPLICATION)?;
    Ok(found)
}

/// One page of all applications, by id.
pub fn list(query: &mut Query<'_>, page: PageRequest) -> Result<Page<Application>, AppError> {
    check(query)?;
    Ok(application::list(&mut query.tx, page)?)
}

/// Registers an application of the server. Its secret is in the answer and nowhere else.
pub fn create(command: &mut Command<'_>, new: NewApplication) -> Result<(Application, Secret), AppError> {
    check(&command.query())?;
    register(command, new, None)
}

/// Stores an application of `owner`, if it has fewer than it may have.
pub(super) fn register(
    command: &mut Command<'_>,
    new: NewApplication,
    owner: Option<UserId>,
) -> Result<(Application, Secret), AppError> {
    let http = plain_http(&mut command.query());
    let scopes = check_fields(&new.name, &new.redirect_uri, &new.scopes, http)?;
    let limits = &command.app.limits().oauth;
    let most = if owner.is_some() { limits.applications_per_user } else { limits.applications };
    if application::count_of(&mut command.tx, owner)? >= i64::try_from(most).unwrap_or(i64::MAX) {
        return Err(AppError::invalid("base", format!("There may be no more than {most} applications.")));
    }
    let entropy = command.app.entropy();
    let (uid, secret) = (Secret::generate_long_hex(entropy), Secret::generate_long_hex(entropy));
    let mut made = Application {
        id: ApplicationId::new(0),
        uid: uid.expose().to_owned(),
        owner,
        name: new.name,
        redirect_uri: new.redirect_uri,
        scopes,
        kind: new.kind,
        trusted: new.trusted,
        created_at: command.now,
        updated_at: command.now,
    };
    made.id = application::insert(&mut command.tx, &made, &digest(secret.expose()))?;
    emit(command, EventKind::ApplicationCreated, &made)?;
    Ok((made, secret))
}

/// The machines whose addresses the caller may register without encryption.
pub fn plain_http(query: &mut Query<'_>) -> PlainHttp {
    PlainHttp::of(query.viewer().is_admin(), query.app.base_url())
}

pub(super) fn check_fields(name: &str, redirect_uri: &str, scopes: &str, http: PlainHttp) -> Result<Scopes, AppError> {
    let mut errors = FieldErrors::default();
    oauth::check_application(&mut errors, name, redirect_uri, http);
    let scopes = Scopes::parse(scopes);
    match &scopes {
        Ok(scopes) => errors.require(!scopes.is_empty(), "scopes", BLANK),
        Err(_unknown) => errors.add("scopes", "doesn't match configured on the server."),
    }
    errors.into_result()?;
    Ok(scopes.unwrap_or_default())
}

/// Gives an application a new secret, which is in the answer and nowhere else. The old one proves nothing any more; tokens
/// stay.
pub fn renew_secret(command: &mut Command<'_>, id: ApplicationId) -> Result<(Application, Secret), AppError> {
    let found = find(&mut command.query(), id)?;
    let secret = Secret::generate_long_hex(command.app.entropy());
    let now = command.now;
    application::set_secret(&mut command.tx, id, &digest(secret.expose()), now)?;
    emit(command, EventKind::ApplicationSecretRenewed, &found)?;
    Ok((found, secret))
}

/// Removes an application. Its grants and tokens end with it.
pub fn delete(command: &mut Command<'_>, id: ApplicationId) -> Result<(), AppError> {
    let found = find(&mut command.query(), id)?;
    application::delete(&mut command.tx, id)?;
    emit(command, EventKind::ApplicationDeleted, &found)
}

pub(super) fn emit(command: &mut Command<'_>, kind: EventKind, application: &Application) -> Result<(), AppError> {
    let mut event = command.event(kind);
    event.detail = Some(application.uid.clone());
    command.append(&event)
}
