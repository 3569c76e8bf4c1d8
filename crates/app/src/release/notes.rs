//! Releases as the release notes of a tag.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::ProjectAction;
use tenon_domain::release::{self as rules, Release};
use tenon_storage::release;

use crate::access::Reference;
use crate::app::App;
use crate::context::Command;
use crate::error::{AppError, Missing};
use crate::identity::Identity;
use crate::repository::tag;

/// Writes the release notes of a tag that is there; 409 where it has some.
pub async fn create_notes(
    app: &App,
    identity: &Identity,
    project: Reference,
    tag: String,
    description: String,
) -> Result<Release, AppError> {
    tag_must_exist(app, identity, project.clone(), tag.clone()).await?;
    app.write(identity, move |command| {
        let id = command.query().project(&project, ProjectAction::Push)?.project.id;
        check_notes(&description)?;
        if release::find(&mut command.tx, id, &tag)?.is_some() {
            return Err(AppError::Conflict("Release already exists".to_owned()));
        }
        let mut release = Release::new(id, tag, description, command.now);
        release.author = command.actor();
        release::insert(&mut command.tx, &release)?;
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
        let id = command.query().project(&project, ProjectAction::Push)?.project.id;
        check_notes(&description)?;
        let missing = AppError::NotFound(Missing::Verbatim("Release does not exist"));
        let mut release = release::find(&mut command.tx, id, &tag)?.ok_or(missing)?;
        release.description = description;
        release.updated_at = command.now;
        release::update(&mut command.tx, &release)?;
        Ok(release)
    })
    .await
}

/// Writes the release notes of a new tag. A tag of that name may have had some before it was gone.
pub(crate) fn put_notes(
    command: &mut Command<'_>,
    project: ProjectId,
    tag: &str,
    description: String,
    author: UserId,
) -> Result<(), AppError> {
    let now = command.now;
    if let Some(mut known) = release::find(&mut command.tx, project, tag)? {
        known.description = description;
        known.updated_at = now;
        return Ok(release::update(&mut command.tx, &known)?);
    }
    let mut release = Release::new(project, tag.to_owned(), description, now);
    release.author = Some(author);
    Ok(release::insert(&mut command.tx, &release)?)
}

/// Refuses release notes that are too long.
pub(crate) fn check_notes(description: &str) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    rules::check_description(&mut errors, description);
    errors.into_result().map_err(|errors| refused(&errors))
}

/// What is wrong with a release, as one text: `Validation failed: Name is too long (maximum is 255 characters)`.
pub(super) fn refused(errors: &FieldErrors) -> AppError {
    let texts = errors.iter().flat_map(|(field, messages)| {
        let mut letters = field.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        let field: String = first.into_iter().chain(letters).collect();
        messages.iter().map(move |message| format!("{field} {message}"))
    });
    AppError::Refused(format!("Validation failed: {}", texts.collect::<Vec<_>>().join(", ")))
}

/// Fails where a project has no tag of that name.
pub(super) async fn tag_must_exist(
    app: &App,
    identity: &Identity,
    project: Reference,
    name: String,
) -> Result<(), AppError> {
    app.writable(identity, project.clone()).await?;
    match tag(app, identity, project, name).await {
        Ok(_) => Ok(()),
        Err(AppError::NotFound(Missing::Named("Tag"))) => {
            Err(AppError::NotFound(Missing::Verbatim("Tag does not exist")))
        }
        Err(other) => Err(other),
    }
}
