//! Issues that a merge request closes, as JSON.

use serde::Serialize;
use tenon_app::merge_request::ClosedIssue;
use utoipa::ToSchema;

use super::issue::IssueDto;

/// An issue that is closed when a merge request is merged.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ClosedIssueDto {
    /// One of this server.
    Own(Box<IssueDto>),
    /// One of the tracker that the project uses.
    External(ExternalIssueDto),
}

/// An issue of another program.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExternalIssueDto {
    /// Its name there, as `ABC-12` or `12`.
    id: String,
    title: String,
}

impl From<ClosedIssue> for ClosedIssueDto {
    fn from(issue: ClosedIssue) -> Self {
        match issue {
            ClosedIssue::Own(view) => Self::Own(Box::new(IssueDto::listed(view))),
            ClosedIssue::External(id) => Self::External(ExternalIssueDto { title: format!("External Issue {id}"), id }),
        }
    }
}
