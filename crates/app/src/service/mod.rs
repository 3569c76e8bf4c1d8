//! Services of projects: what they are connected to. The events sent to them are in `workflows/integration`.

mod properties;
mod receiver;

use tenon_domain::id::{ProjectId, ServiceId};
use tenon_domain::patch::Patch;
use tenon_domain::project::ProjectAction;
use tenon_domain::service::{Definition, FieldKind, Properties, Property, Service, ServiceEvent, ServiceEvents};
use tenon_domain::time::Timestamp;
use tenon_storage::service::{self, StoredService};

use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;

/// A service as answers show it.
#[derive(Debug, Clone)]
pub struct ServiceView {
    /// Its kind.
    pub definition: &'static Definition,
    /// Its name for people.
    pub title: String,
    /// The service; `None` if the project never had one of this kind.
    pub service: Option<Service>,
    /// The settings that are shown, and what they are set to. None if there is no service.
    pub properties: Vec<(&'static str, Option<Property>)>,
}

/// The fields of a service in a request.
#[derive(Debug, Clone, Default)]
pub struct ServiceChange {
    /// The settings that it names.
    pub properties: Vec<(&'static str, Patch<Property>)>,
    /// The flags that it names.
    pub events: Vec<(ServiceEvent, bool)>,
}

/// All settings of a service, also the secret ones: for what calls it.
pub(crate) fn open(app: &App, stored: &StoredService) -> Result<Properties, AppError> {
    properties::open(app, stored)
}

/// Checks that the caller may look after a project's services at all: asked before anything else of a request is.
pub fn permit(query: &mut Query<'_>, project: &Reference) -> Result<(), AppError> {
    managed(query, project).map(|_project| ())
}

fn managed(query: &mut Query<'_>, project: &Reference) -> Result<ProjectId, AppError> {
    Ok(query.project(project, ProjectAction::ManageServices)?.project.id)
}

/// The services of a project that are in use, without their settings.
pub fn list(query: &mut Query<'_>, project: &Reference) -> Result<Vec<ServiceView>, AppError> {
    let project = managed(query, project)?;
    let found = service::active(&mut query.tx, project)?;
    found.into_iter().map(|stored| view(query, stored)).collect()
}

/// The service of this kind. If the project never had one, it is one without settings that wants everything.
pub fn show(
    query: &mut Query<'_>,
    project: &Reference,
    definition: &'static Definition,
) -> Result<ServiceView, AppError> {
    let project = managed(query, project)?;
    match service::find(&mut query.tx, project, definition)? {
        Some(stored) => view(query, stored),
        None => {
            Ok(ServiceView { definition, title: definition.title.to_owned(), service: None, properties: Vec::new() })
        }
    }
}

/// As [`show`]; missing if the project never had one.
pub fn show_known(
    query: &mut Query<'_>,
    project: &Reference,
    definition: &'static Definition,
) -> Result<ServiceView, AppError> {
    let found = show(query, project, definition)?;
    if found.service.is_none() {
        return Err(AppError::NotFound(Missing::Service));
    }
    Ok(found)
}

/// Puts a service into use, with these settings. Those that the request does not name stay, but no secret outlives a
/// change of the address that it was given for. Fails with the problems of the settings.
pub fn save(
    command: &mut Command<'_>,
    project: &Reference,
    definition: &'static Definition,
    change: ServiceChange,
) -> Result<ServiceView, AppError> {
    let mut query = command.query();
    let project = managed(&mut query, project)?;
    let settings = query.settings()?;
    if !settings.admits_service(definition.slug) {
        return Err(AppError::invalid("base", "This integration is not allowed by the application settings."));
    }
    let local_allowed = settings.local.from_hooks;
    let known = service::find(&mut query.tx, project, definition)?;
    let before = known.as_ref().map(|stored| properties::open(query.app, stored)).transpose()?.unwrap_or_default();
    let after = changed(definition, before, change.properties);
    let may_call = |url: &str| command.app.may_call(url, local_allowed);
    properties::check(definition, &after, &may_call, &command.app.limits().services)?;

    let mut service = known.as_ref().map_or_else(
        || Service {
            id: ServiceId::new(0),
            project,
            definition,
            active: true,
            events: ServiceEvents::default(),
            created_at: command.now,
            updated_at: command.now,
        },
        |stored| stored.service.clone(),
    );
    service.active = true;
    service.updated_at = command.now;
    for (event, on) in change.events {
        service.events.set(event, on);
    }
    let mut stored = properties::seal(command.app, service, &after)?;
    if known.is_some() {
        service::update(&mut command.tx, &stored)?;
    } else {
        stored.service.id = service::insert(&mut command.tx, &stored)?;
    }
    receiver::sync(command, &stored.service)?;
    view(&command.query(), stored)
}

/// Puts a service out of use and forgets its settings. The project is remembered to have had it.
pub fn delete(
    command: &mut Command<'_>,
    project: &Reference,
    definition: &'static Definition,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let mut query = command.query();
    let project = managed(&mut query, project)?;
    let Some(stored) = service::find(&mut query.tx, project, definition)? else { return Ok(()) };
    check_unmodified(stored.service.updated_at, unmodified_since)?;
    let service = Service { active: false, updated_at: command.now, ..stored.service };
    let stored = properties::seal(command.app, service, &Properties::new())?;
    service::update(&mut command.tx, &stored)?;
    receiver::sync(command, &stored.service)
}

/// As [`delete`]; missing if the project never had one.
pub fn delete_known(
    command: &mut Command<'_>,
    project: &Reference,
    definition: &'static Definition,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    show_known(&mut command.query(), project, definition)?;
    delete(command, project, definition, unmodified_since)
}

/// The settings after a change.
fn changed(
    definition: &'static Definition,
    before: Properties,
    change: Vec<(&'static str, Patch<Property>)>,
) -> Properties {
    let mut after = before.clone();
    let mut named = Vec::with_capacity(change.len());
    for (name, patch) in change {
        if patch.is_given() {
            named.push(name);
        }
        match patch {
            Patch::Absent => {}
            Patch::Clear => drop(after.remove(name)),
            Patch::Set(value) => drop(after.insert(name.to_owned(), value)),
        }
    }
    let addresses = definition.fields.iter().filter(|field| field.is_address());
    if addresses.clone().any(|field| before.get(field.name) != after.get(field.name)) {
        // Who only may change the address must not have the old secret sent to the new one.
        for secret in definition.fields.iter().filter(|field| field.is_secret() && !named.contains(&field.name)) {
            after.remove(secret.name);
        }
    }
    for field in definition.fields {
        if let FieldKind::Flag(Some(default)) = field.kind {
            after.entry(field.name.to_owned()).or_insert(Property::Flag(default));
        }
    }
    after
}

fn view(query: &Query<'_>, stored: StoredService) -> Result<ServiceView, AppError> {
    let definition = stored.service.definition;
    let mut settings = properties::open(query.app, &stored)?;
    let own_title = settings.get("title").filter(|_| definition.field("title").is_some_and(|field| field.listed));
    let title = match own_title {
        Some(Property::Text(title)) if !title.is_empty() => title.clone(),
        _ => definition.title.to_owned(),
    };
    let shown = definition.fields.iter().filter(|field| field.is_shown());
    let properties = shown.map(|field| (field.name, settings.remove(field.name))).collect();
    Ok(ServiceView { definition, title, service: Some(stored.service), properties })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Property {
        Property::Text(text.to_owned())
    }

    #[test]
    fn a_secret_does_not_outlive_the_address_that_it_was_given_for() {
        let jira = Definition::find("jira").unwrap();
        let before: Properties = [("url", "https://a.example/"), ("password", "p"), ("username", "u")]
            .map(|(name, is)| (name.to_owned(), text(is)))
            .into();
        let set = |name, value: &str| (name, Patch::Set(text(value)));
        let kept = changed(jira, before.clone(), vec![set("username", "v"), set("url", "https://a.example/")]);
        assert_eq!(kept.get("password"), Some(&text("p")));
        let moved = changed(jira, before.clone(), vec![set("api_url", "https://b.example/")]);
        assert_eq!((moved.get("password"), moved.get("username")), (None, Some(&text("u"))));
        let given = changed(jira, before, vec![set("url", "https://b.example/"), set("password", "q")]);
        assert_eq!(given.get("password"), Some(&text("q")));
    }
}
