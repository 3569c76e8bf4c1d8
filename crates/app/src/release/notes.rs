//! Releases as the release notes of a tag.

use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::RELEASES;
use tenon_domain::refusal::ReleaseRefusal;
use tenon_domain::release::Release;
use tenon_storage::release;

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::tag::tag;
use crate::shared::hook_event::release_event::record_release;
use crate::shared::views::release_notes::check_notes;

/// Writes the release notes of a tag that is there; 409 if it has some.
pub async fn create_notes(
    app: &App,
    identity: &Identity,
    project: Reference,
    tag: String,
    description: String,
) -> Result<Release, AppError> {
    tag_must_exist(app, identity, project.clone(), tag.clone()).await?;
    app.write(identity, move |command| {
        let id = command.query().project_part(&project, ProjectAction::Push, &RELEASES)?.project.id;
        check_notes(&description)?;
        if release::find(&mut command.tx, id, &tag)?.is_some() {
            return Err(ReleaseRefusal::Exists.into());
        }
        let mut release = Release::new(id, tag, description, command.now);
        release.author = command.actor();
        release::insert(&mut command.tx, &release)?;
        record_release(command, &release, "create")?;
        Ok(release)
    })
    .await
}

/// Changes the release notes of a tag.
pub async fn edit_notes(
    app: &App,
    identity: &Identity,
    project: Reference,
    tag: String,
    description: String,
) -> Result<Release, AppError> {
    tag_must_exist(app, identity, project.clone(), tag.clone()).await?;
    app.write(identity, move |command| {
        let id = command.query().project_part(&project, ProjectAction::Push, &RELEASES)?.project.id;
        check_notes(&description)?;
        let missing = AppError::NotFound(Missing::Release);
        let mut release = release::find(&mut command.tx, id, &tag)?.ok_or(missing)?;
        release.description = description;
        release.updated_at = command.now;
        release::update(&mut command.tx, &release)?;
        record_release(command, &release, "update")?;
        Ok(release)
    })
    .await
}

/// Fails if a project has no tag of that name.
pub(super) async fn tag_must_exist(
    app: &App,
    identity: &Identity,
    project: Reference,
    name: String,
) -> Result<(), AppError> {
    app.writable(identity, project.clone()).await?;
    match tag(app, identity, project, name).await {
        Ok(_) => Ok(()),
        Err(AppError::NotFound(Missing::Tag)) => Err(AppError::NotFound(Missing::TagOfRelease)),
        Err(other) => Err(other),
    }
}
