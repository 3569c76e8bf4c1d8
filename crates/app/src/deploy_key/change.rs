//! Adding, changing and removing deploy keys of a project.

use tenon_auth::parse_ssh_key;
use tenon_domain::access::AccessLevel;
use tenon_domain::deploy_key::{DeployKey, EnabledKey};
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::{DeployKeyId, ProjectId};
use tenon_domain::project::ProjectAction;
use tenon_domain::ssh_key::{Fingerprint, PublicKey, check};
use tenon_domain::time::Timestamp;
use tenon_storage::{deploy_key, ssh_key};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;
use crate::shared::access::system_event::{self, Key};

/// A missing key, if it is asked for by hand.
const MISSING: AppError = AppError::NotFound(Missing::DeployKey);
/// Projects of a key that are asked whether the caller belongs to one.
const ASKED: i64 = 100;

/// A key that is about to be added. It is read when this is made, which keeps that out of the transaction.
#[derive(Debug, Clone)]
pub struct NewDeployKey {
    title: String,
    text: String,
    public: Option<PublicKey>,
    can_push: bool,
    expires_at: Option<Timestamp>,
}

impl NewDeployKey {
    /// Reads `text`. Its problems are reported by [`create`]. From `expires_at` on the key opens nothing.
    #[must_use]
    pub fn new(title: String, text: String, can_push: bool, expires_at: Option<Timestamp>) -> Self {
        Self { public: parse_ssh_key(&text), title, text, can_push, expires_at }
    }
}

/// The fields of a key in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct EditDeployKey {
    /// Its title in all projects.
    pub title: Option<String>,
    /// True if it opens this project for pushes.
    pub can_push: Option<bool>,
}

/// Opens a project with a key. One that opens it already stays as it is, and one that opens another project of the
/// caller's is used here as well. Fails with the problems of the key, and if an account has it, or a project that the
/// caller does not belong to.
pub fn create(command: &mut Command<'_>, project: &Reference, new: NewDeployKey) -> Result<EnabledKey, AppError> {
    let mut query = command.query();
    let project = query.project(project, ProjectAction::ManageDeployKeys)?.project.id;
    if let Some(public) = &new.public
        && let Some(known) = known(&mut query, public)?
    {
        if let Some(enabled) = deploy_key::find_of(&mut query.tx, project, known.id)? {
            return Ok(enabled);
        }
        if is_reachable(&mut query, known.id)? {
            return open(command, project, known, new.can_push);
        }
    }
    let restrictions = query.settings()?.key_restrictions;
    let mut errors = check(&new.title, &new.text, new.public.as_ref(), &restrictions);
    if new.expires_at.is_some_and(|end| end <= query.now) {
        errors.add("expires_at", "must be in the future");
    }
    if let Some(public) = &new.public
        && (ssh_key::exists(&mut query.tx, public)? || deploy_key::exists(&mut query.tx, public)?)
    {
        errors.add("fingerprint", TAKEN);
    }
    nested(&errors).into_result()?;
    // A key that could not be read has been refused.
    let Some(public) = new.public else { return Err(FieldErrors::of("deploy_key.key", "is invalid").into()) };
    let owner = command.query().user()?.id;
    let mut key = DeployKey {
        id: DeployKeyId::new(0),
        owner: Some(owner),
        title: new.title,
        text: public.text.clone(),
        md5: public.md5.clone(),
        sha256: public.sha256.clone(),
        expires_at: new.expires_at,
        created_at: command.now,
    };
    key.id = deploy_key::insert(&mut command.tx, &key, &public)?;
    system_event::of_key(command, SystemEvent::KeyCreate, named(&key))?;
    open(command, project, key, new.can_push)
}

/// Opens a project with a key that opens another one of the caller's, for fetches only.
pub fn enable(command: &mut Command<'_>, project: &Reference, id: DeployKeyId) -> Result<DeployKey, AppError> {
    let mut query = command.query();
    let project = query.project(project, ProjectAction::ManageDeployKeys)?.project.id;
    if let Some(enabled) = deploy_key::find_of(&mut query.tx, project, id)? {
        return Ok(enabled.key);
    }
    let key = deploy_key::find(&mut query.tx, id)?.ok_or(MISSING)?;
    if !is_reachable(&mut query, id)? {
        return Err(MISSING);
    }
    open(command, project, key, false).map(|enabled| enabled.key)
}

/// Changes a key of a project: its title everywhere, its rights here.
pub fn edit(
    command: &mut Command<'_>,
    project: &Reference,
    id: DeployKeyId,
    change: EditDeployKey,
) -> Result<EnabledKey, AppError> {
    let mut query = command.query();
    let project = query.project(project, ProjectAction::ManageDeployKeys)?.project.id;
    let mut enabled = deploy_key::find_of(&mut query.tx, project, id)?.ok_or(AppError::NotFound(Missing::Record))?;
    if let Some(title) = change.title {
        let mut errors = FieldErrors::default();
        errors.present("deploy_key.title", &title);
        errors.at_most(255, "deploy_key.title", &title);
        errors.into_result()?;
        enabled.key.title = title;
    }
    enabled.can_push = change.can_push.unwrap_or(enabled.can_push);
    deploy_key::update(&mut command.tx, project, &enabled)?;
    record(command, EventKind::DeployKeyUpdated, project, id)?;
    Ok(enabled)
}

/// Closes a project to a key. One that opens no other project is removed.
pub fn delete(
    command: &mut Command<'_>,
    project: &Reference,
    id: DeployKeyId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let mut query = command.query();
    let project = query.project(project, ProjectAction::ManageDeployKeys)?.project.id;
    let enabled = deploy_key::find_of(&mut query.tx, project, id)?.ok_or(MISSING)?;
    check_unmodified(enabled.key.created_at, unmodified_since)?;
    deploy_key::disable(&mut command.tx, project, id)?;
    if deploy_key::find(&mut command.tx, id)?.is_none() {
        system_event::of_key(command, SystemEvent::KeyDestroy, named(&enabled.key))?;
    }
    record(command, EventKind::DeployKeyDisabled, project, id)
}

fn open(command: &mut Command<'_>, project: ProjectId, key: DeployKey, can_push: bool) -> Result<EnabledKey, AppError> {
    let most = command.app.limits().accounts.deploy_keys;
    if usize::try_from(deploy_key::count_of(&mut command.tx, project)?).is_ok_and(|count| count >= most) {
        return Err(AppError::invalid("base", format!("A project has at most {most} deploy keys")));
    }
    deploy_key::enable(&mut command.tx, project, key.id, can_push)?;
    record(command, EventKind::DeployKeyEnabled, project, key.id)?;
    Ok(EnabledKey { key, can_push })
}

/// The deploy key that this is already.
fn known(query: &mut Query<'_>, public: &PublicKey) -> Result<Option<DeployKey>, AppError> {
    Ok(deploy_key::find_by_fingerprint(&mut query.tx, &Fingerprint::Sha256(public.sha256.clone()))?)
}

/// True if the caller may use a key elsewhere: administrators any, others those of projects that they are members of.
fn is_reachable(query: &mut Query<'_>, id: DeployKeyId) -> Result<bool, AppError> {
    if query.is_admin() {
        return Ok(true);
    }
    for project in deploy_key::projects_of(&mut query.tx, id, ASKED)? {
        let found = query.project_with_standing(&Reference::Id(project.get()))?;
        if found.is_some_and(|found| found.standing.at_least(AccessLevel::Guest)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn named(key: &DeployKey) -> Key<'_> {
    Key { id: key.id.get(), text: &key.text, username: None, created_at: key.created_at }
}

/// The problems of a key, under the names of a key within a project.
fn nested(errors: &FieldErrors) -> FieldErrors {
    let mut all = FieldErrors::default();
    for (field, messages) in errors.iter() {
        for message in messages {
            all.add(&format!("deploy_key.{field}"), message.clone());
        }
    }
    all
}

fn record(command: &mut Command<'_>, kind: EventKind, project: ProjectId, id: DeployKeyId) -> Result<(), AppError> {
    let event = command.event(kind).project(project).detail(id.to_string());
    command.append(&event)
}
