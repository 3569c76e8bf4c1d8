//! Editing projects.

use tenon_domain::avatar::Avatar;
use tenon_domain::event::EventKind;
use tenon_domain::hook::SystemEvent;
use tenon_domain::patch::Patch;
use tenon_domain::project::setting::{ISSUES, MERGE_REQUESTS, REPOSITORY};
use tenon_domain::project::{Import, Project, ProjectAction, check_tags, clean_tags, visibility_above_source};
use tenon_storage::project::{self, ProjectWithNamespace};
use tenon_storage::repository;

use super::create::{ProjectSettings, check, check_default_branch, check_free, taken};
use super::mirror;
use super::show::one;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::jobs::enqueue;
use crate::policy::reference::Reference;
use crate::repository::import::{schedule_import, without_credentials};
use crate::repository::refresh::RefreshRepository;
use crate::shared::access::revocation::{RevocationScope, enqueue_revocation, enqueue_revocation_with_forks};
use crate::shared::access::system_event;
use crate::shared::approvals::require_approvals;
use crate::shared::views::project_view::{Detail, ProjectView};

/// A request to change a project.
#[derive(Debug, Clone, Default)]
pub struct EditProject {
    /// A new display name.
    pub name: Option<String>,
    /// A new path.
    pub path: Option<String>,
    /// Which branch clones start from; before there are branches, which is to be the first one.
    pub default_branch: Option<String>,
    /// A picture that has been stored, or none.
    pub avatar: Patch<Avatar>,
    /// Everything else.
    pub settings: ProjectSettings,
}

/// Changes a project. Maintainers may change everything but name and visibility, which belong to owners.
pub fn edit(command: &mut Command<'_>, reference: &Reference, request: EditProject) -> Result<ProjectView, AppError> {
    let mut query = command.query();
    let found = query.project(reference, ProjectAction::Edit)?;
    let owners_business =
        request.name.as_ref().is_some_and(|name| !name.is_empty()) || request.settings.visibility.is_some();
    if owners_business && !found.may(ProjectAction::Administer) {
        return Err(AppError::Forbidden);
    }
    let application = query.settings()?;
    let before = found.project;
    let home = found.namespace;
    let mut after = before.clone();
    request.settings.apply(&mut after);
    after.name = request.name.unwrap_or(after.name);
    after.path = request.path.unwrap_or(after.path);
    after.visibility = request.settings.visibility.unwrap_or(after.visibility);
    after.avatar = request.avatar.apply(after.avatar);
    after.updated_at = command.now;
    let visibility_changes = after.visibility != before.visibility;
    let restricted = visibility_changes && application.restricts(after.visibility) && !command.viewer().is_admin();
    let mut errors = check(&after, &home, restricted);
    if let Some(message) = above_source(command, &after)? {
        errors.add("visibility_level", message);
    }
    // A client sends back the address that it has read. That is no import, and is
    // allowed even if the settings allow none.
    let import_url = if request.settings.names_import_source(before.imported_from.as_deref()) {
        None
    } else {
        request.settings.import_source(command.app, &mut errors, &application)?.map(ToOwned::to_owned)
    };
    let mirror = mirror::plan(command, &before, &request.settings.mirror, import_url.as_deref(), &mut errors)?;
    if let Some(url) = &import_url {
        after.imported_from = without_credentials(url);
    }
    // A repository with commits is not filled a second time: it may only follow another one from now on.
    let is_empty = before.default_branch.is_none();
    errors.require(
        is_empty || import_url.is_none() || mirror.is_enabled(),
        "import_url",
        "is not possible for a project that has commits",
    );
    let import_url = import_url.filter(|_| is_empty);
    if import_url.is_some() {
        after.import = Import::Scheduled;
    }
    let branch = request.default_branch.filter(|branch| !branch.is_empty());
    if let Some(branch) = branch.clone().filter(|branch| before.head_branch() != Some(branch.as_str())) {
        // While it is filled from elsewhere there is none that could be named.
        if before.default_branch.is_none() && before.head_branch().is_some() {
            check_default_branch(&mut errors, Some(&branch));
            after.unborn_branch = branch;
        } else if repository::stored_ref(&mut command.tx, before.id, &format!("refs/heads/{branch}"))?.is_some() {
            after.default_branch = Some(branch);
        } else {
            errors.add("base", format!("Could not change HEAD: branch '{branch}' does not exist"));
        }
    }
    let tags = request.settings.tag_list.map(clean_tags);
    check_tags(&mut errors, tags.as_deref().unwrap_or_default());
    errors.into_result()?;
    if after.name != before.name || after.path != before.path {
        check_free(command, &after, &home)?;
    }
    project::update(&mut command.tx, &after).map_err(taken)?;
    if after.path != before.path {
        project::relocate(&mut command.tx, &after, &home).map_err(taken)?;
    }
    if let Some(tags) = &tags {
        project::set_tags(&mut command.tx, after.id, tags)?;
    }
    if after.visibility < before.visibility {
        let forks = project::lower_forks(&mut command.tx, after.id, after.visibility)?;
        enqueue_revocation_with_forks(command, after.id, &forks)?;
    } else if [&ISSUES, &MERGE_REQUESTS, &REPOSITORY]
        .into_iter()
        .any(|part| after.visibility_of(part) < before.visibility_of(part))
    {
        enqueue_revocation(command, RevocationScope::Project(after.id.get()))?;
    }
    if after.head_branch() != before.head_branch() && import_url.is_none() {
        // HEAD, languages and readme follow.
        enqueue(command, &RefreshRepository { project: after.id.get() })?;
    }
    if let Some(url) = import_url {
        schedule_import(command, after.id, &url, branch)?;
    }
    mirror::store(command, after.id, mirror)?;
    require_approvals(command, after.id, request.settings.approvals_before_merge)?;
    crate::shared::files::avatar::discard_replaced(command, before.avatar.as_ref(), after.avatar.as_ref())?;
    let is_changed = tags.is_some() || Project { updated_at: before.updated_at, ..after.clone() } != before;
    if after.path != before.path {
        let old = home.path_of(&before.path);
        system_event::of_project(command, SystemEvent::ProjectRename, &after, &home, Some(&old))?;
    } else if is_changed {
        system_event::of_project(command, SystemEvent::ProjectUpdate, &after, &home, None)?;
    }
    let event = command.event(EventKind::ProjectUpdated).project(after.id).namespace(after.namespace);
    command.append(&event)?;
    let mut query = command.query();
    one(&mut query, ProjectWithNamespace { project: after, home }, Detail { for_editor: true, ..Detail::default() })
}

/// The message for a fork that would be more open than what it was forked from.
fn above_source(command: &mut Command<'_>, fork: &Project) -> Result<Option<String>, AppError> {
    let Some(source) = fork.forked_from else { return Ok(None) };
    let source = project::find(&mut command.tx, source)?;
    Ok(source.and_then(|source| visibility_above_source(fork.visibility, source.visibility)))
}
