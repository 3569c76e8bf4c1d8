//! Making, changing and removing milestones.

use tenon_domain::container::Container;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::GroupAction;
use tenon_domain::id::{Iid, MilestoneId};
use tenon_domain::milestone::{self as rules, Milestone, MilestoneEvent, MilestoneState};
use tenon_domain::patch::Patch;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::MilestoneRefusal;
use tenon_domain::time::{Date, Timestamp};
use tenon_domain::transition::Transition;
use tenon_storage::iid::{self, Counted};
use tenon_storage::{StoreError, UniqueKey, milestone};

use crate::core::app::Command;
use crate::core::error::{AppError, Attempt};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::{check_number, container_word};
use crate::policy::reference::Reference;
use crate::shared::files::upload_address::led;
use crate::shared::hook_event::milestone_event::record_milestone;
use crate::shared::issuable::milestones::{MilestoneView, in_home, one};

/// A request for a new milestone.
#[derive(Debug, Clone, Default)]
pub struct CreateMilestone {
    /// Its title.
    pub title: String,
    /// Markdown.
    pub description: Option<String>,
    /// First day.
    pub start_date: Option<Date>,
    /// Last day.
    pub due_date: Option<Date>,
}

/// A request to change a milestone.
#[derive(Debug, Clone, Default)]
pub struct EditMilestone {
    /// Another title.
    pub title: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Another first day, or none.
    pub start_date: Patch<Date>,
    /// Another last day, or none.
    pub due_date: Patch<Date>,
    /// Close it, or make it active again.
    pub state_event: Option<MilestoneEvent>,
}

const TITLE_TAKEN: &str = "already being used for another group or project milestone.";

/// Makes a milestone; developers and above.
pub fn create(
    command: &mut Command<'_>,
    of: &ContainerReference,
    request: CreateMilestone,
) -> Result<MilestoneView, AppError> {
    let container = container(command, of)?;
    let mut new = Milestone {
        id: MilestoneId::new(0),
        iid: Iid::new(0),
        container,
        title: request.title.trim().to_owned(),
        description: request.description.unwrap_or_default(),
        state: MilestoneState::Active,
        start_date: request.start_date,
        due_date: request.due_date,
        created_at: command.now,
        updated_at: command.now,
    };
    check(command, &new, Attempt::CreateMilestone)?;
    check_room(command, container)?;
    new.iid = iid::next(&mut command.tx, container, Counted::Milestone)?;
    new.id = milestone::insert(&mut command.tx, &new).map_err(|error| title_taken(error, Attempt::CreateMilestone))?;
    emit_event(command, EventKind::MilestoneCreated, &new)?;
    record_milestone(command, &new, "create")?;
    one(&mut command.query(), new)
}

/// Changes a milestone.
pub fn edit(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: MilestoneId,
    request: EditMilestone,
) -> Result<MilestoneView, AppError> {
    let container = container(command, of)?;
    let before = in_home(&mut command.query(), container, id)?;
    let mut after = before.clone();
    if let Some(title) = &request.title {
        title.trim().clone_into(&mut after.title);
    }
    after.description = request.description.unwrap_or(after.description);
    after.start_date = request.start_date.apply(after.start_date);
    after.due_date = request.due_date.apply(after.due_date);
    let (mut kind, mut action) = (EventKind::MilestoneUpdated, None);
    if let Some(event) = request.state_event
        && let Transition::Moved(state) = after.state.apply(event, command.now)
    {
        after.state = state;
        (kind, action) = match event {
            MilestoneEvent::Close => (EventKind::MilestoneClosed, Some("close")),
            MilestoneEvent::Activate => (EventKind::MilestoneActivated, Some("reopen")),
        };
    }
    check(command, &after, Attempt::UpdateMilestone)?;
    if after != before {
        after.updated_at = command.now;
        milestone::update(&mut command.tx, &after).map_err(|error| title_taken(error, Attempt::UpdateMilestone))?;
        emit_event(command, kind, &after)?;
        if let Some(action) = action {
            record_milestone(command, &after, action)?;
        }
    }
    one(&mut command.query(), after)
}

/// Removes a milestone; what had it has none.
pub fn delete(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: MilestoneId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let container = container(command, of)?;
    let gone = in_home(&mut command.query(), container, id)?;
    check_unmodified(gone.updated_at, unmodified_since)?;
    milestone::delete(&mut command.tx, id)?;
    emit_event(command, EventKind::MilestoneDeleted, &gone)
}

/// Makes a project's milestone one of its group, which replaces those of the same title of all projects there.
pub fn promote(command: &mut Command<'_>, project: &Reference, id: MilestoneId) -> Result<MilestoneView, AppError> {
    let found = command.query().project(project, ProjectAction::ManageMilestones)?;
    if found.namespace.owner.is_some() {
        return Err(MilestoneRefusal::Personal.into());
    }
    let group = found.namespace.id;
    command.query().group(&Reference::Id(group.get()), GroupAction::ManageMilestones)?;
    let mut promoted = in_home(&mut command.query(), Container::Project(found.project.id), id)?;
    check_room(command, Container::Group(group))?;
    // Texts of groups have no uploads: those of this one stay where they are.
    let links = command.app.links();
    let project = links.without_host(&links.project_by_id(found.project.id));
    promoted.description = led(&promoted.description, &project);
    promoted.container = Container::Group(group);
    promoted.iid = iid::next(&mut command.tx, promoted.container, Counted::Milestone)?;
    promoted.updated_at = command.now;
    milestone::update(&mut command.tx, &promoted).map_err(|error| title_taken(error, Attempt::UpdateMilestone))?;
    let namesakes = milestone::namesakes_below(&mut command.tx, group, &promoted.title)?;
    for namesake in namesakes.into_iter().filter(|namesake| *namesake != id) {
        milestone::merge(&mut command.tx, namesake, id)?;
    }
    emit_event(command, EventKind::MilestoneUpdated, &promoted)?;
    one(&mut command.query(), promoted)
}

/// Refuses one more milestone than a project or a group may have.
fn check_room(command: &mut Command<'_>, container: Container) -> Result<(), AppError> {
    let count = milestone::count(&mut command.tx, container)?;
    check_number(count, command.app.limits().contents.milestones, container_word(container), "milestones")
}

fn container(command: &mut Command<'_>, of: &ContainerReference) -> Result<Container, AppError> {
    let home = AuthorizedContainer::find(
        &mut command.query(),
        of,
        ProjectAction::ManageMilestones,
        GroupAction::ManageMilestones,
    )?;
    Ok(home.container())
}

/// Refuses what cannot be; the text is the one that clients of this API know.
fn check(command: &mut Command<'_>, milestone: &Milestone, attempt: Attempt) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    rules::check(&mut errors, milestone);
    let except = Some(milestone.id);
    if milestone::title_is_taken(&mut command.tx, milestone.container, &milestone.title, except)? {
        errors.add("title", TITLE_TAKEN);
    }
    errors.into_result().map_err(|errors| AppError::Rejected(attempt, errors))
}

fn title_taken(error: StoreError, attempt: Attempt) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::MilestoneTitle) => AppError::rejected(attempt, "title", TITLE_TAKEN),
        other => other.into(),
    }
}

fn emit_event(command: &mut Command<'_>, kind: EventKind, milestone: &Milestone) -> Result<(), AppError> {
    let event: Event = command.event(kind).container(milestone.container).milestone(milestone.id);
    let event = event.detail(milestone.title.clone());
    command.append(&event)
}
