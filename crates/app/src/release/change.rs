//! Changing and removing releases. The tag stays.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::patch::Patch;
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::RELEASES;
use tenon_domain::refusal::ReleaseRefusal;
use tenon_domain::release::{self as rules, Release};
use tenon_domain::time::Timestamp;
use tenon_storage::release;

use super::create::milestones;
use super::notes::tag_must_exist;
use super::view::{ReleaseView, views, with_commit};
use crate::core::app::{App, Command};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;
use crate::repository::read::context::RepositoryContext;
use crate::shared::hook_event::release_event::record_release;
use crate::shared::views::release_notes::refused;

/// A request to change a release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditRelease {
    /// Another name; cleared, the name of its tag.
    pub name: Patch<String>,
    /// Another description.
    pub description: Patch<String>,
    /// Another moment from which on it is released.
    pub released_at: Option<Timestamp>,
    /// The titles of all its milestones.
    pub milestones: Option<Vec<String>>,
}

/// Changes a release.
pub async fn edit(
    app: &App,
    identity: &Identity,
    project: Reference,
    tag: String,
    request: EditRelease,
) -> Result<ReleaseView, AppError> {
    changed(app, identity, project, tag, move |command, code, mut release| {
        if request == EditRelease::default() {
            return Err(ReleaseRefusal::NoChanges.into());
        }
        match request.name {
            Patch::Absent => {}
            Patch::Clear => release.name = None,
            Patch::Set(name) => release.rename(&name),
        }
        if request.description.is_given() {
            release.description = request.description.apply(None).unwrap_or_default();
        }
        release.released_at = request.released_at.unwrap_or(release.released_at);
        release.updated_at = command.now;
        let mut errors = FieldErrors::default();
        rules::check(&mut errors, &release);
        errors.into_result().map_err(|errors| refused(&errors))?;
        if let Some(titles) = &request.milestones {
            let milestones = milestones(&mut command.query(), code.project.id, titles)?;
            release::set_milestones(&mut command.tx, code.project.id, &release.tag_name, &milestones)?;
        }
        release::update(&mut command.tx, &release)?;
        record_release(command, &release, "update")?;
        views(&mut command.query(), code, vec![release], false)
    })
    .await
}

/// Removes a release with its links, and returns it as it was. Its tag stays.
pub async fn delete(
    app: &App,
    identity: &Identity,
    project: Reference,
    tag: String,
    unmodified_since: Option<Timestamp>,
) -> Result<ReleaseView, AppError> {
    changed(app, identity, project, tag, move |command, code, release| {
        check_unmodified(release.updated_at, unmodified_since)?;
        let tag = release.tag_name.clone();
        record_release(command, &release, "delete")?;
        let view = views(&mut command.query(), code, vec![release], false)?;
        release::delete(&mut command.tx, code.project.id, &tag)?;
        Ok(view)
    })
    .await
}

/// Runs a change of the release of a tag. The tag may be gone; the text of the 404 differs only if there is no release.
async fn changed(
    app: &App,
    identity: &Identity,
    project: Reference,
    tag: String,
    work: impl FnOnce(&mut Command<'_>, &RepositoryContext, Release) -> Result<Vec<ReleaseView>, AppError> + Send + 'static,
) -> Result<ReleaseView, AppError> {
    let (reference, name) = (project.clone(), tag.clone());
    let outcome = app
        .write(identity, move |command| {
            command.query().project_part(&reference, ProjectAction::Push, &RELEASES)?;
            let code = command.query().code(&reference, ProjectAction::Push)?;
            let Some(found) = release::find(&mut command.tx, code.project.id, &name)? else { return Ok(None) };
            let view = work(command, &code, found)?;
            Ok(Some((code, view)))
        })
        .await?;
    let Some((code, view)) = outcome else {
        tag_must_exist(app, identity, project, tag).await?;
        return Err(AppError::NotFound(Missing::Release));
    };
    with_commit(app, code, view).await
}
