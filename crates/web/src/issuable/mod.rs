//! What the pages of issues and of merge requests have in common.

pub(crate) mod across;
pub(crate) mod by_id;
pub(crate) mod change;
pub(crate) mod excerpt;
pub(crate) mod filter;
pub(crate) mod form;
pub(crate) mod list;
pub(crate) mod note;
pub(crate) mod parts;
pub(crate) mod side;
pub(crate) mod talk;
pub(crate) mod template;

use tenon_app::error::AppError;
use tenon_app::issuable::IssuableReference;
use tenon_domain::issuable::IssuableKind;

use crate::project::Asked;

/// The paths below an issue and below a merge request, for what both have.
macro_rules! both {
    ($below:literal) => {
        [concat!("/issues/{iid}", $below), concat!("/merge_requests/{iid}", $below)]
    };
}
pub(crate) use both;

/// Which of the two a path is about.
pub(crate) fn kind_of(asked: &Asked) -> IssuableKind {
    if asked.pattern.starts_with("/merge_requests") { IssuableKind::MergeRequest } else { IssuableKind::Issue }
}

/// The issue or merge request that a path names. 404 where its number is none.
pub(crate) fn reference(asked: &Asked) -> Result<IssuableReference, AppError> {
    Ok(IssuableReference { kind: kind_of(asked), project: asked.project.clone(), iid: asked.iid()? })
}
