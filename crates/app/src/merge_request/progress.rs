//! How far the caller has read the changes of a merge request: files viewed, and the version up to which they have looked.

use std::collections::HashMap;

use tenon_domain::file_path::FilePath;
use tenon_domain::id::VersionId;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::merge_request::Version;
use tenon_domain::refusal::MergeRequestRefusal;
use tenon_storage::merge_request;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::IssuableReference;

/// The longest path of a file, and the longest digest of its changes, in bytes.
const MAX_PATH: usize = 4096;
const MAX_DIGEST: usize = 64;

/// The caller's progress in reading a merge request.
#[derive(Debug, Clone, Default)]
pub struct ReviewProgress {
    /// The digest of the changes of each file that they have viewed, by the stored form of its path.
    pub viewed: HashMap<String, String>,
    /// The version up to which they have looked.
    pub seen: Option<Version>,
}

/// The caller's progress; nothing for callers without an account.
pub fn progress(query: &mut Query<'_>, of: &IssuableReference) -> Result<ReviewProgress, AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    let Some(user) = query.viewer().user() else { return Ok(ReviewProgress::default()) };
    let id = found.issuable.id;
    let viewed = merge_request::viewed_files(&mut query.tx, id, user)?;
    let seen = match merge_request::seen_version(&mut query.tx, id, user)? {
        Some(version) => merge_request::version(&mut query.tx, id, version)?,
        None => None,
    };
    Ok(ReviewProgress { viewed, seen })
}

/// The caller has viewed the file of this path, in the stored form, whose changes have this digest, or has not. It counts as viewed
/// as long as its changes have the digest.
pub fn set_viewed(
    command: &mut Command<'_>,
    of: &IssuableReference,
    path: &str,
    digest: &str,
    is_viewed: bool,
) -> Result<(), AppError> {
    let found = command.query().merge_request(of, IssuableAction::Read)?;
    let (user, id) = (command.user()?.id, found.issuable.id);
    if !is_viewed {
        return Ok(merge_request::delete_viewed_file(&mut command.tx, id, user, path)?);
    }
    if path.is_empty() || FilePath::from_stored(path).bytes().len() > MAX_PATH {
        return Err(AppError::invalid("path", "is invalid"));
    }
    if digest.is_empty() || digest.len() > MAX_DIGEST || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(AppError::invalid("digest", "is invalid"));
    }
    merge_request::insert_viewed_file(&mut command.tx, id, user, path, digest)?;
    let (viewed, most) =
        (merge_request::count_viewed_files(&mut command.tx, id, user)?, command.app.limits().people.viewed_files);
    if usize::try_from(viewed).is_ok_and(|viewed| viewed > most) {
        return Err(MergeRequestRefusal::TooManyViewed(most).into());
    }
    Ok(())
}

/// The caller has seen the changes up to this version, or up to a later one as before. 404 if it is none of the merge
/// request's.
pub fn mark_seen(command: &mut Command<'_>, of: &IssuableReference, version: VersionId) -> Result<(), AppError> {
    let found = command.query().merge_request(of, IssuableAction::Read)?;
    let (user, id) = (command.user()?.id, found.issuable.id);
    merge_request::version(&mut command.tx, id, version)?.ok_or(AppError::NotFound(Missing::Record))?;
    // Versions are numbered as they come.
    if merge_request::seen_version(&mut command.tx, id, user)?.is_none_or(|seen| seen < version) {
        merge_request::set_seen_version(&mut command.tx, id, user, version)?;
    }
    Ok(())
}
