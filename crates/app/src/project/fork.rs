//! Forks.

use tenon_auth::Secret;
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::group::GroupAction;
use tenon_domain::group::setting::NO_FORKING_OUTSIDE;
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::ProjectId;
use tenon_domain::member::Member;
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::project::setting::{
    ANALYTICS, FORKING, ISSUES, JOBS, MERGE_REQUESTS, MR_DEFAULT_TARGET_SELF, RELEASES, REPOSITORY,
};
use tenon_domain::project::{Features, Import, Project, ProjectAction};
use tenon_domain::refusal::ProjectRefusal;
use tenon_domain::settings::{Value, Values};
use tenon_domain::visibility::Visibility;
use tenon_storage::project::{self, NewProject};
use tenon_storage::{member, namespace};

use super::create::{check, check_free, check_limit, limit_as_field, taken};
use super::show::one;
use crate::core::app::Command;
use crate::core::error::{AppError, Attempt, Missing};
use crate::jobs::enqueue;
use crate::policy::reference::Reference;
use crate::repository::import::PopulateFork;
use crate::shared::access::system_event::{self, Membership};
use crate::shared::views::project_view::{Detail, ProjectView};

/// A request for a fork.
#[derive(Debug, Clone, Default)]
pub struct ForkProject {
    /// The namespace in which it will live; the caller's own namespace if absent.
    pub namespace: Option<Reference>,
    /// Another display name.
    pub name: Option<String>,
    /// Another path.
    pub path: Option<String>,
    /// A lower visibility.
    pub visibility: Option<Visibility>,
    /// Another description.
    pub description: Option<String>,
    /// The only branch that is copied; all if absent.
    pub branch: Option<String>,
    /// True if new merge requests of the fork target the fork itself.
    pub targets_itself: Option<bool>,
}

/// Forks a project: the fork is there at once, its repository a little later.
pub fn fork(command: &mut Command<'_>, source: &Reference, request: ForkProject) -> Result<ProjectView, AppError> {
    let mut query = command.query();
    let found = query.project(source, ProjectAction::Read)?;
    if !found.may(ProjectAction::ReadCode) || !found.has(&FORKING) {
        return Err(conflict("forked_from_project_id", "is forbidden"));
    }
    let owner = query.user()?.clone();
    let home = home(command, request.namespace)?;
    check_place(command, &found.namespace, &home)?;
    check_limit(command, &home).map_err(|error| conflicting(limit_as_field(error)))?;
    let settings = command.query().settings()?;
    let source = found.project;
    let roof = if home.kind == NamespaceKind::Group { home.visibility } else { Visibility::Public };
    let mut visibility = source.visibility.min(roof).min(request.visibility.unwrap_or(Visibility::Public));
    while settings.restricts(visibility) && visibility > Visibility::Private && !command.viewer().is_admin() {
        visibility = if visibility == Visibility::Public { Visibility::Internal } else { Visibility::Private };
    }
    let mut settings = Values::default();
    // A part that is for members only must not be open in a fork.
    for part in [&ISSUES, &MERGE_REQUESTS, &REPOSITORY, &JOBS, &RELEASES, &FORKING, &ANALYTICS] {
        settings.set(part, source.settings.of(part).into_owned());
    }
    settings.set(&MR_DEFAULT_TARGET_SELF, Value::Switch(request.targets_itself.unwrap_or(false)));
    let branch = request.branch.filter(|branch| !branch.is_empty());
    let fork = Project {
        id: ProjectId::new(0),
        namespace: home.id,
        creator: Some(owner.id),
        name: request.name.filter(|name| !name.is_empty()).unwrap_or_else(|| source.name.clone()),
        path: request.path.filter(|path| !path.is_empty()).unwrap_or_else(|| source.path.clone()),
        description: request.description.or_else(|| source.description.clone()),
        visibility,
        archived: false,
        default_branch: None,
        unborn_branch: source.default_branch.as_ref().unwrap_or(&source.unborn_branch).clone(),
        avatar: None,
        ci_config_path: None,
        merge_method: source.merge_method,
        features: Features { shared_runners_enabled: source.features.shared_runners_enabled, ..Features::default() },
        settings,
        forked_from: Some(source.id),
        import: Import::Scheduled,
        imported_from: None,
        star_count: 0,
        forks_count: 0,
        open_issues_count: 0,
        last_activity_at: command.now,
        created_at: command.now,
        updated_at: command.now,
    };
    check(&fork, &home, false).into_result()?;
    check_free(command, &fork, &home).map_err(conflicting)?;
    let id = store(command, &fork, &home)?;
    project::count_fork(&mut command.tx, source.id, 1)?;
    enqueue(command, &PopulateFork { project: id.get(), branch })?;
    let mut query = command.query();
    let placed = project::find_placed(&mut query.tx, id)?.ok_or(AppError::NotFound(Missing::Project))?;
    one(&mut query, placed, Detail { for_editor: true, ..Detail::default() })
}

/// Refuses a fork outside the group in which the forks of its projects have to stay.
fn check_place(command: &mut Command<'_>, source: &Namespace, home: &Namespace) -> Result<(), AppError> {
    let inherited = tenon_storage::group::inherited_settings(&mut command.tx, source.id)?;
    let Some(group) = inherited.nearest_on(&NO_FORKING_OUTSIDE) else { return Ok(()) };
    if namespace::is_within(&mut command.tx, home.id, group)? {
        return Ok(());
    }
    Err(conflict("forked_from_project_id", "is forbidden outside its group"))
}

/// An obstacle to a fork is a conflict.
fn conflicting(error: AppError) -> AppError {
    match error {
        AppError::Invalid(errors) => AppError::Rejected(Attempt::Fork, errors),
        other => other,
    }
}

fn home(command: &mut Command<'_>, asked: Option<Reference>) -> Result<Namespace, AppError> {
    let missing = || AppError::NotFound(Missing::TargetNamespace);
    match asked {
        None => {
            let user = command.user()?.id;
            namespace::of_user(&mut command.tx, user)?.ok_or_else(missing)
        }
        Some(reference) => {
            command.query().namespace(&reference, GroupAction::CreateProject).map_err(|error| match error {
                AppError::Forbidden | AppError::NotFound(_) => missing(),
                other => other,
            })
        }
    }
}

fn store(command: &mut Command<'_>, fork: &Project, home: &Namespace) -> Result<ProjectId, AppError> {
    let token = Secret::generate(command.app.entropy());
    let sealed = command.app.vault().seal(command.app.entropy(), token.expose()).map_err(AppError::internal)?;
    let new = NewProject { project: fork, namespace: home, tags: &[], sealed_runners_token: &sealed };
    let id = project::insert(&mut command.tx, &new).map_err(taken)?;
    system_event::of_project(command, SystemEvent::ProjectCreate, &Project { id, ..fork.clone() }, home, None)?;
    if let Some(owner) = home.owner {
        let membership = Member {
            container: Container::Project(id),
            user: owner,
            level: AccessLevel::Maintainer,
            expires_at: None,
            created_at: command.now,
            created_by: command.viewer().user(),
            updated_at: command.now,
        };
        member::insert(&mut command.tx, &membership)?;
        system_event::of_member(command, Membership::Begun, &membership)?;
    }
    let event = command.event(EventKind::ProjectCreated).project(id).namespace(home.id);
    command.append(&event)?;
    Ok(id)
}

/// Records that a project is a fork of another, for maintainers of both.
pub fn relate(command: &mut Command<'_>, fork: &Reference, source: &Reference) -> Result<ProjectView, AppError> {
    let mut query = command.query();
    let found = query.project(fork, ProjectAction::Edit)?;
    let source = query.project(source, ProjectAction::Read)?;
    if found.project.forked_from.is_some() {
        return Err(ProjectRefusal::AlreadyForked.into());
    }
    if !source.may(ProjectAction::ReadCode) || source.project.id == found.project.id {
        return Err(AppError::NotFound(Missing::Project));
    }
    let changed = Project { forked_from: Some(source.project.id), updated_at: command.now, ..found.project };
    project::update(&mut command.tx, &changed)?;
    project::count_fork(&mut command.tx, source.project.id, 1)?;
    let mut query = command.query();
    let placed = project::find_placed(&mut query.tx, changed.id)?.ok_or(AppError::NotFound(Missing::Project))?;
    one(&mut query, placed, Detail::default())
}

/// Forgets of what a project is a fork, and closes what it offers to others; yields whether it was one. Owners only.
pub fn unrelate(command: &mut Command<'_>, fork: &Reference) -> Result<bool, AppError> {
    let found = command.query().project(fork, ProjectAction::Administer)?;
    let Some(source) = found.project.forked_from else { return Ok(false) };
    let changed = Project { forked_from: None, updated_at: command.now, ..found.project };
    project::update(&mut command.tx, &changed)?;
    project::count_fork(&mut command.tx, source, -1)?;
    crate::shared::issuable::merge_requests::close_elsewhere(command, changed.id)?;
    Ok(true)
}

fn conflict(field: &str, message: &str) -> AppError {
    AppError::rejected(Attempt::Fork, field, message)
}
