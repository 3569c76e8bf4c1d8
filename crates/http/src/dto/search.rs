//! Results of a search as JSON.

use serde::Serialize;
use tenon_app::search::BlobHit;
use utoipa::ToSchema;

use super::issue::IssueDto;
use super::merge_request::MergeRequestDto;
use super::milestone::MilestoneDto;
use super::note::NoteDto;
use super::project::ProjectDto;
use super::repository::CommitDetailDto;
use super::snippet::SnippetDto;
use super::user::UserDto;

/// A match in a file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BlobHitDto {
    /// The path without its extension.
    basename: String,
    /// The matching line with the lines around it.
    data: String,
    /// The path.
    filename: String,
    /// Always null.
    id: Option<String>,
    /// The branch.
    r#ref: String,
    /// The number of the first line in `data`.
    startline: u64,
    project_id: i64,
}

impl From<BlobHit> for BlobHitDto {
    fn from(hit: BlobHit) -> Self {
        let path = hit.path.to_string();
        let (folder, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(folder, name)| (folder, name));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
        Self {
            basename: if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") },
            data: hit.data,
            filename: path,
            id: None,
            r#ref: hit.branch,
            startline: hit.start_line,
            project_id: hit.project.get(),
        }
    }
}

/// A result; its type depends on the scope.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum HitDto {
    /// A project.
    Project(Box<ProjectDto>),
    /// An issue.
    Issue(Box<IssueDto>),
    /// A merge request.
    MergeRequest(Box<MergeRequestDto>),
    /// A snippet.
    Snippet(Box<SnippetDto>),
    /// A milestone.
    Milestone(Box<MilestoneDto>),
    /// A user.
    User(Box<UserDto>),
    /// A comment.
    Note(Box<NoteDto>),
    /// A commit.
    Commit(Box<CommitDetailDto>),
    /// A match in a file.
    Blob(BlobHitDto),
}
