//! Making, changing and removing labels.

use tenon_domain::container::Container;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::GroupAction;
use tenon_domain::id::LabelId;
use tenon_domain::label::{Label, check_name, clean_name, parse_color};
use tenon_domain::patch::Patch;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::LabelRefusal;
use tenon_storage::label::{self, LabelSet};
use tenon_storage::{StoreError, UniqueKey};

use super::view::{LabelView, one};
use super::{LabelReference, find};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::quota::{check_number, container_word};
use crate::policy::reference::Reference;

/// A request for a new label.
#[derive(Debug, Clone)]
pub struct CreateLabel {
    /// Its name.
    pub name: String,
    /// `#rgb`, `#rrggbb` or a CSS name.
    pub color: String,
    /// Its description.
    pub description: Option<String>,
    /// True if it is not offered.
    pub archived: bool,
    /// Its rank in the project.
    pub priority: Option<i64>,
}

/// A request to change a label.
#[derive(Debug, Clone, Default)]
pub struct EditLabel {
    /// Another name.
    pub new_name: Option<String>,
    /// Another colour.
    pub color: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// True if it is offered no more.
    pub archived: Option<bool>,
    /// Another rank in the project, or none.
    pub priority: Patch<i64>,
}

/// Makes a label; 409 if one of that name exists here or above.
pub fn create(command: &mut Command<'_>, of: &ContainerReference, request: CreateLabel) -> Result<LabelView, AppError> {
    let home = home(command, of)?;
    let mut new = Label {
        id: LabelId::new(0),
        container: home.container(),
        name: clean_name(&request.name),
        color: request.color,
        description: request.description,
        archived: request.archived,
    };
    check(&mut new, request.priority)?;
    let set = LabelSet { container: new.container, with_ancestors: true };
    if !label::named(&mut command.tx, set, std::slice::from_ref(&new.name))?.is_empty() {
        return Err(taken());
    }
    check_room(command, new.container)?;
    let now = command.now;
    new.id = label::insert(&mut command.tx, &new, now).map_err(name_taken)?;
    if let Container::Project(project) = new.container {
        label::set_priority(&mut command.tx, project, new.id, request.priority)?;
    }
    emit_event(command, EventKind::LabelCreated, &new)?;
    one(&mut command.query(), &home, new)
}

/// Changes a label of the project's or group's own. A project may rank labels of its groups as well.
pub fn edit(
    command: &mut Command<'_>,
    of: &ContainerReference,
    reference: &LabelReference,
    request: EditLabel,
) -> Result<LabelView, AppError> {
    let home = home(command, of)?;
    let changes_label = request.new_name.is_some()
        || request.color.is_some()
        || request.description.is_some()
        || request.archived.is_some();
    let ranks = home.container().project().is_some() && request.priority.is_given();
    let set = LabelSet { container: home.container(), with_ancestors: ranks && !changes_label };
    let mut changed = find(&mut command.query(), set, reference)?;
    if !changes_label && !ranks {
        return one(&mut command.query(), &home, changed);
    }
    if changes_label {
        let old_name = changed.name.clone();
        if let Some(name) = &request.new_name {
            changed.name = clean_name(name);
        }
        changed.color = request.color.unwrap_or(changed.color);
        changed.description = request.description.or(changed.description);
        changed.archived = request.archived.unwrap_or(changed.archived);
        let priority = if let Patch::Set(priority) = request.priority { Some(priority) } else { None };
        check(&mut changed, priority)?;
        if changed.name != old_name {
            let above = LabelSet { container: changed.container, with_ancestors: true };
            if !label::named(&mut command.tx, above, std::slice::from_ref(&changed.name))?.is_empty() {
                return Err(taken());
            }
        }
        let now = command.now;
        label::update(&mut command.tx, &changed, now).map_err(name_taken)?;
    }
    if let Container::Project(project) = home.container() {
        match request.priority {
            Patch::Absent => {}
            Patch::Clear => label::set_priority(&mut command.tx, project, changed.id, None)?,
            Patch::Set(priority) => {
                check(&mut changed.clone(), Some(priority))?;
                label::set_priority(&mut command.tx, project, changed.id, Some(priority))?;
            }
        }
    }
    emit_event(command, EventKind::LabelUpdated, &changed)?;
    one(&mut command.query(), &home, changed)
}

/// Removes a label from everything that carries it, and for good.
pub fn delete(command: &mut Command<'_>, of: &ContainerReference, reference: &LabelReference) -> Result<(), AppError> {
    let home = home(command, of)?;
    let set = LabelSet { container: home.container(), with_ancestors: false };
    let gone = find(&mut command.query(), set, reference)?;
    label::delete(&mut command.tx, gone.id)?;
    emit_event(command, EventKind::LabelDeleted, &gone)
}

/// Makes a project's label one of its group, which replaces the labels of the same name of all projects there.
pub fn promote(
    command: &mut Command<'_>,
    project: &Reference,
    reference: &LabelReference,
) -> Result<LabelView, AppError> {
    let of = ContainerReference::Project(project.clone());
    let home = home(command, &of)?;
    let own = LabelSet { container: home.container(), with_ancestors: false };
    let mut promoted = find(&mut command.query(), own, reference)?;
    let AuthorizedContainer::Project(found) = &home else { return Err(AppError::Forbidden) };
    if found.namespace.owner.is_some() {
        return Err(LabelRefusal::Personal.into());
    }
    let group = found.namespace.id;
    command.query().group(&Reference::Id(group.get()), GroupAction::ManageLabels)?;
    let in_group = LabelSet { container: Container::Group(group), with_ancestors: true };
    let existing = label::named(&mut command.tx, in_group, std::slice::from_ref(&promoted.name))?;
    let into = if let Some(existing) = existing.into_iter().next() {
        existing
    } else {
        check_room(command, Container::Group(group))?;
        promoted.container = Container::Group(group);
        let now = command.now;
        label::update(&mut command.tx, &promoted, now).map_err(name_taken)?;
        promoted.clone()
    };
    let namesakes = label::namesakes_below(&mut command.tx, group, &into.name)?;
    for namesake in namesakes.into_iter().filter(|id| *id != into.id) {
        label::merge(&mut command.tx, namesake, into.id)?;
    }
    emit_event(command, EventKind::LabelUpdated, &into)?;
    one(&mut command.query(), &home, into)
}

fn home(command: &mut Command<'_>, of: &ContainerReference) -> Result<AuthorizedContainer, AppError> {
    AuthorizedContainer::find(&mut command.query(), of, ProjectAction::ManageLabels, GroupAction::ManageLabels)
}

/// Refuses one more label than a project or a group may have.
fn check_room(command: &mut Command<'_>, container: Container) -> Result<(), AppError> {
    let count = label::count(&mut command.tx, container)?;
    check_number(count, command.app.limits().contents.labels, container_word(container), "labels")
}

fn check(label: &mut Label, priority: Option<i64>) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    check_name(&mut errors, &label.name);
    match parse_color(&label.color) {
        Some(color) => label.color = color,
        None => errors.add("color", "must be a valid color code"),
    }
    errors.at_most(tenon_domain::issuable::MAX_TEXT, "description", label.description.as_deref().unwrap_or_default());
    errors.require(priority.is_none_or(|rank| rank >= 0), "priority", "must be greater than or equal to 0");
    Ok(errors.into_result()?)
}

fn taken() -> AppError {
    LabelRefusal::Taken.into()
}

fn name_taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::LabelName) => taken(),
        other => other.into(),
    }
}

fn emit_event(command: &mut Command<'_>, kind: EventKind, label: &Label) -> Result<(), AppError> {
    let event: Event = command.event(kind).container(label.container).detail(label.id.to_string());
    command.append(&event)
}
