//! The issue or merge request that a path names, and the paths below both.

use tenon_app::error::AppError;
use tenon_app::issuable::IssuableReference;
use tenon_domain::issuable::IssuableKind;

use super::list::list_of;
use crate::context::project::ProjectRequest;

/// The paths below an issue and below a merge request, for pages that both have.
macro_rules! both {
    ($below:literal) => {
        [concat!("/issues/{iid}", $below), concat!("/merge_requests/{iid}", $below)]
    };
}
pub(crate) use both;

/// The kind that a path is about.
pub(crate) fn kind_of(asked: &ProjectRequest) -> IssuableKind {
    if asked.pattern.starts_with("/merge_requests") { IssuableKind::MergeRequest } else { IssuableKind::Issue }
}

/// The issue or merge request that a path names. 404 if its number is invalid.
pub(crate) fn reference(asked: &ProjectRequest) -> Result<IssuableReference, AppError> {
    Ok(IssuableReference { kind: kind_of(asked), project: asked.project.clone(), iid: asked.iid()? })
}

/// The address of the page of an issue or merge request, below its project.
pub(crate) fn page_of(asked: &ProjectRequest) -> String {
    format!("/{}/{}", list_of(kind_of(asked)), asked.segment("iid"))
}
