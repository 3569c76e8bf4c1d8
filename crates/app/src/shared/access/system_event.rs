//! The events for hooks of the whole server: accounts, keys, groups, projects and members.
//!
//! Each event is captured as it is sent, in the transaction in which it happens: who and what it names may be gone a
//! moment later. If no such hook is, that is one statement. They all are events of the whole server, also those of one
//! project, and so they come in the order in which they happened.

use serde_json::{Map, Value, json};
use tenon_domain::container::Container;
use tenon_domain::hook::{SystemEvent, Trigger};
use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_domain::member::Member;
use tenon_domain::namespace::Namespace;
use tenon_domain::project::Project;
use tenon_domain::time::Timestamp;
use tenon_domain::user::User;
use tenon_storage::{namespace, project, user};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::shared::hook_event::record::{self as hook_event, Captured};

/// The change of a membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Membership {
    Begun,
    Changed,
    Ended,
}

/// A key, as an event names it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key<'a> {
    pub(crate) id: i64,
    /// Type and key, as in OpenSSH.
    pub(crate) text: &'a str,
    /// Whose key it is; `None` for a deploy key.
    pub(crate) username: Option<&'a str>,
    pub(crate) created_at: Timestamp,
}

fn record(
    command: &mut Command<'_>,
    event: SystemEvent,
    fields: impl FnOnce(&mut Command<'_>) -> Result<Value, AppError>,
) -> Result<(), AppError> {
    let actor = command.actor();
    hook_event::record(command, None, Trigger::System, actor, |command| {
        let mut body = Map::new();
        body.insert("event_name".to_owned(), json!(event.as_str()));
        if let Value::Object(fields) = fields(command)? {
            body.extend(fields);
        }
        Ok(Captured::System { body })
    })
}

/// A moment, as these events have it.
fn moment(at: Timestamp) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// Adds a field that is there only sometimes.
fn insert(fields: &mut Value, name: &str, value: Option<&str>) {
    if let (Value::Object(fields), Some(value)) = (fields, value) {
        fields.insert(name.to_owned(), json!(value));
    }
}

/// Records what became of a project in `home`; `old_path` is its full path before, if that has changed.
pub(crate) fn of_project(
    command: &mut Command<'_>,
    event: SystemEvent,
    of: &Project,
    home: &Namespace,
    old_path: Option<&str>,
) -> Result<(), AppError> {
    record(command, event, |command| {
        let (owner_name, owner_email) = owner(command, home)?;
        let mut fields = json!({
            "created_at": moment(of.created_at),
            "updated_at": moment(of.updated_at),
            "name": of.name,
            "path": of.path,
            "path_with_namespace": home.path_of(&of.path),
            "project_id": of.id.get(),
            "owner_name": owner_name,
            "owner_email": owner_email,
            "project_visibility": of.visibility.as_str(),
        });
        insert(&mut fields, "old_path_with_namespace", old_path);
        Ok(fields)
    })
}

/// Name and address of whom a namespace belongs to; a group has no address.
fn owner(command: &mut Command<'_>, home: &Namespace) -> Result<(String, String), AppError> {
    let Some(id) = home.owner else { return Ok((home.name.clone(), String::new())) };
    let found = user::by_ids(&mut command.tx, &[id])?.remove(&id);
    Ok(found.map(|user| (user.name, user.email)).unwrap_or_default())
}

/// Records what became of a group; `old_path` is its full path before, if that has changed.
pub(crate) fn of_group(
    command: &mut Command<'_>,
    event: SystemEvent,
    of: &Namespace,
    old_path: Option<&str>,
) -> Result<(), AppError> {
    record(command, event, |command| {
        let (created_at, updated_at) = namespace::times(&mut command.tx, of.id)?.unwrap_or((command.now, command.now));
        let mut fields = json!({
            "created_at": moment(created_at),
            "updated_at": moment(updated_at),
            "name": of.name,
            "path": of.path,
            "full_path": of.full_path,
            "group_id": of.id.get(),
            "owner_name": null,
            "owner_email": null,
        });
        insert(&mut fields, "old_path", old_path.map(|path| path.rsplit('/').next().unwrap_or_default()));
        insert(&mut fields, "old_full_path", old_path);
        Ok(fields)
    })
}

/// Records what became of an account; `old_username` is its user name before, if that has changed.
pub(crate) fn of_user(
    command: &mut Command<'_>,
    event: SystemEvent,
    of: &User,
    old_username: Option<&str>,
) -> Result<(), AppError> {
    record(command, event, |_command| {
        let mut fields = json!({
            "created_at": moment(of.created_at),
            "updated_at": moment(of.updated_at),
            "name": of.name,
            "email": of.email,
            "user_id": of.id.get(),
            "username": of.username,
        });
        insert(&mut fields, "old_username", old_username);
        let state = (event == SystemEvent::UserFailedLogin).then(|| of.state.as_str());
        insert(&mut fields, "state", state);
        Ok(fields)
    })
}

/// Records what became of a key.
pub(crate) fn of_key(command: &mut Command<'_>, event: SystemEvent, key: Key<'_>) -> Result<(), AppError> {
    record(command, event, |_command| {
        let at = moment(key.created_at);
        let mut fields = json!({ "created_at": at, "updated_at": at, "key": key.text, "id": key.id });
        insert(&mut fields, "username", key.username);
        Ok(fields)
    })
}

/// Records what became of a membership.
pub(crate) fn of_member(command: &mut Command<'_>, what: Membership, of: &Member) -> Result<(), AppError> {
    let event = match (what, of.container) {
        (Membership::Begun, Container::Project(_)) => SystemEvent::UserAddToTeam,
        (Membership::Changed, Container::Project(_)) => SystemEvent::UserUpdateForTeam,
        (Membership::Ended, Container::Project(_)) => SystemEvent::UserRemoveFromTeam,
        (Membership::Begun, Container::Group(_)) => SystemEvent::UserAddToGroup,
        (Membership::Changed, Container::Group(_)) => SystemEvent::UserUpdateForGroup,
        (Membership::Ended, Container::Group(_)) => SystemEvent::UserRemoveFromGroup,
    };
    record(command, event, |command| {
        let place = match of.container {
            Container::Project(id) => team(command, id, of)?,
            Container::Group(id) => group(command, id, of)?,
        };
        let found = user::by_ids(&mut command.tx, &[of.user])?.remove(&of.user);
        let mut fields = json!({
            "created_at": moment(of.created_at),
            "updated_at": moment(of.updated_at),
            "user_id": of.user.get(),
            "user_name": found.as_ref().map(|user| user.name.as_str()),
            "user_username": found.as_ref().map(|user| user.username.as_str()),
            "user_email": found.as_ref().map(|user| user.email.as_str()),
        });
        if let (Value::Object(fields), Value::Object(place)) = (&mut fields, place) {
            fields.extend(place);
        }
        Ok(fields)
    })
}

fn team(command: &mut Command<'_>, id: ProjectId, of: &Member) -> Result<Value, AppError> {
    let found = project::find_placed(&mut command.tx, id)?;
    let (project, home) = found.map(|found| (found.project, found.home)).unzip();
    let path = project.as_ref().zip(home.as_ref()).map(|(project, home)| home.path_of(&project.path));
    Ok(json!({
        "project_name": project.as_ref().map(|project| project.name.as_str()),
        "project_path": project.as_ref().map(|project| project.path.as_str()),
        "project_path_with_namespace": path,
        "project_id": id.get(),
        "access_level": of.level.name(),
        "project_visibility": project.as_ref().map(|project| project.visibility.as_str()),
    }))
}

fn group(command: &mut Command<'_>, id: NamespaceId, of: &Member) -> Result<Value, AppError> {
    let found = namespace::find(&mut command.tx, id)?;
    Ok(json!({
        "group_name": found.as_ref().map(|group| group.name.as_str()),
        "group_path": found.as_ref().map(|group| group.path.as_str()),
        "group_id": id.get(),
        "group_access": of.level.name(),
    }))
}
