//! The release notes of tags.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::refusal::ReleaseRefusal;
use tenon_domain::release::{self as rules, Release};
use tenon_storage::release;

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::shared::hook_event::release_event::record_release;

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
        release::update(&mut command.tx, &known)?;
        return record_release(command, &known, "update");
    }
    let mut release = Release::new(project, tag.to_owned(), description, now);
    release.author = Some(author);
    release::insert(&mut command.tx, &release)?;
    record_release(command, &release, "create")
}

/// Refuses release notes that are too long.
pub(crate) fn check_notes(description: &str) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    rules::check_description(&mut errors, description);
    errors.into_result().map_err(|errors| refused(&errors))
}

/// The problems of a release, as one text: `Validation failed: Name is too long (maximum is 255 characters)`.
/// `Validation failed: Name is too long (maximum is 255 characters)`.
pub(crate) fn refused(errors: &FieldErrors) -> AppError {
    ReleaseRefusal::Invalid(errors.clone()).into()
}
