//! Setting mirrors up, and asking for their updates.

use tenon_domain::access::AccessLevel;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::mirror::{Mirror, MirrorChanges, MirrorStatus};
use tenon_domain::project::{Project, ProjectAction};
use tenon_domain::refusal::ProjectRefusal;
use tenon_domain::user::User;
use tenon_storage::{project, user};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::authorization::standing_of;
use crate::policy::reference::Reference;
use crate::repository::mirror::schedule_update;

/// A mirror as its maintainers see it.
#[derive(Debug, Clone)]
pub struct MirrorView {
    /// The mirror.
    pub mirror: Mirror,
    /// The address of the other repository, without credentials.
    pub url: Option<String>,
}

/// A change of a mirror that was found to be allowed, and is not stored yet.
pub(super) struct PlannedMirror {
    before: Mirror,
    after: Mirror,
    /// True if it follows another repository than before.
    is_elsewhere: bool,
}

impl PlannedMirror {
    /// True if the project is to be a mirror.
    pub(super) const fn is_enabled(&self) -> bool {
        self.after.enabled
    }
}

/// Plans the change of a project's mirror. `url` is another address that the request names, and has been checked. Notes what is
/// wrong with it in `errors`. 403 if the settings let only administrators set mirrors up.
pub(super) fn plan(
    command: &mut Command<'_>,
    of: &Project,
    changes: &MirrorChanges,
    url: Option<&str>,
    errors: &mut FieldErrors,
) -> Result<PlannedMirror, AppError> {
    let before = project::mirror(&mut command.tx, of.id)?.unwrap_or_else(|| Mirror::none(of.id));
    let mut after = before.clone();
    after.apply(changes);
    after.check(errors);
    let begins = after.enabled && !before.enabled;
    // The address that the repository was imported from has lost its credentials.
    let known = of.imported_from.as_deref().filter(|_| begins && before.sealed_url.is_none());
    if let Some(url) = url.or(known).filter(|_| after.enabled) {
        let sealed = command.app.vault().seal(command.app.entropy(), url).map_err(AppError::internal)?;
        after.sealed_url = Some(sealed);
    }
    if !after.enabled {
        after.sealed_url = None;
    }
    let is_elsewhere = begins || (after.enabled && url.is_some());
    errors.require(!after.enabled || after.sealed_url.is_some(), "import_url", "can't be blank for a mirror");
    after.user = match changes.user {
        Some(user) if may_count_for(command, of, user)? => Some(user),
        Some(user) if before.user == Some(user) && !is_elsewhere => Some(user),
        Some(_) => {
            errors.add("mirror_user_id", "is not you, or is no maintainer of the project");
            before.user
        }
        // No user chooses what moves in the name of another.
        None if is_elsewhere => command.actor(),
        None => before.user,
    };
    let may = !after.enabled || after == before || command.viewer().is_admin();
    if !may && !command.query().settings()?.mirror_available {
        return Err(AppError::Forbidden);
    }
    Ok(PlannedMirror { before, after, is_elsewhere })
}

/// True if branches may move in the name of a user as the caller wishes: the caller, or any maintainer if an administrator asks.
fn may_count_for(command: &mut Command<'_>, of: &Project, id: UserId) -> Result<bool, AppError> {
    if command.actor() == Some(id) {
        return Ok(true);
    }
    if !command.viewer().is_admin() {
        return Ok(false);
    }
    let Some(account) = user::find(&mut command.tx, id)?.filter(User::may_act) else { return Ok(false) };
    let Some(placed) = project::find_placed(&mut command.tx, of.id)? else { return Ok(false) };
    let today = command.today();
    Ok(standing_of(&mut command.tx, account.viewer(), &placed, today)?.at_least(AccessLevel::Maintainer))
}

/// Stores what was planned for a project. A mirror that follows another repository is updated at once.
pub(super) fn store(command: &mut Command<'_>, id: ProjectId, planned: PlannedMirror) -> Result<(), AppError> {
    let PlannedMirror { before, after, is_elsewhere } = planned;
    let mut mirror = Mirror { project: id, ..after };
    if is_elsewhere {
        mirror = Mirror { status: MirrorStatus::None, last_error: None, succeeded_at: None, ..mirror };
        return schedule_update(command, mirror).map(drop);
    }
    if mirror == (Mirror { project: id, ..before }) {
        return Ok(());
    }
    Ok(project::set_mirror(&mut command.tx, &mirror)?)
}

/// Asks for an update of a project's mirror now. Fails with 400 if the project is no mirror, and with 403 if it is archived.
pub fn update_mirror(command: &mut Command<'_>, reference: &Reference) -> Result<MirrorView, AppError> {
    let found = command.query().project(reference, ProjectAction::Edit)?.project;
    let mirror = enabled(&mut command.query(), &found)?;
    if found.archived {
        return Err(AppError::Forbidden);
    }
    Ok(MirrorView { mirror: schedule_update(command, mirror)?, url: found.imported_from })
}

/// The mirror of a project, also if it is switched off.
pub fn mirror_settings(query: &mut Query<'_>, reference: &Reference) -> Result<MirrorView, AppError> {
    let found = query.project(reference, ProjectAction::Edit)?.project;
    let mirror = project::mirror(&mut query.tx, found.id)?.unwrap_or_else(|| Mirror::none(found.id));
    Ok(MirrorView { mirror, url: found.imported_from })
}

/// The mirror that a page about a project names, for those who may edit the project.
pub(super) fn shown(query: &mut Query<'_>, of: &Project) -> Result<Option<MirrorView>, AppError> {
    let found = project::mirror(&mut query.tx, of.id)?.filter(|mirror| mirror.enabled);
    Ok(found.map(|mirror| MirrorView { mirror, url: of.imported_from.clone() }))
}

/// The state of a project's mirror. Fails with 400 if the project is no mirror.
pub fn mirror(query: &mut Query<'_>, reference: &Reference) -> Result<MirrorView, AppError> {
    let found = query.project(reference, ProjectAction::Edit)?.project;
    Ok(MirrorView { mirror: enabled(query, &found)?, url: found.imported_from })
}

fn enabled(query: &mut Query<'_>, of: &Project) -> Result<Mirror, AppError> {
    let found = project::mirror(&mut query.tx, of.id)?.filter(|mirror| mirror.enabled);
    found.ok_or_else(|| ProjectRefusal::NotMirrored.into())
}
