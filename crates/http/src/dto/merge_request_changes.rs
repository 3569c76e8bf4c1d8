//! The changes and versions of a merge request as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::merge_request::{Changes, VersionDetail};
use tenon_domain::merge_request::Version;
use utoipa::ToSchema;

use super::merge_request::MergeRequestDto;
use super::merge_request::changes_count;
use super::repository::{CommitDto, DiffDto};

/// A merge request with its diffs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangesDto {
    #[serde(flatten)]
    merge_request: MergeRequestDto,
    changes: Vec<DiffDto>,
    /// True if diffs were left out.
    overflow: bool,
}

/// A version of a merge request: its state after a push.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MergeRequestVersionDto {
    id: i64,
    head_commit_sha: String,
    base_commit_sha: String,
    start_commit_sha: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    merge_request_id: i64,
    /// `collected`, `overflow` or `empty`.
    state: &'static str,
    real_size: Option<String>,
    /// The patch ID; null if the patch is empty or too large.
    patch_id_sha: Option<String>,
}

/// A version of a merge request with its commits and diffs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionDetailDto {
    #[serde(flatten)]
    version: MergeRequestVersionDto,
    commits: Vec<CommitDto>,
    diffs: Vec<DiffDto>,
}

impl From<Changes> for ChangesDto {
    fn from(changes: Changes) -> Self {
        Self {
            merge_request: changes.view.into(),
            changes: changes.files.into_iter().map(Into::into).collect(),
            overflow: changes.overflow,
        }
    }
}

impl From<Version> for MergeRequestVersionDto {
    fn from(version: Version) -> Self {
        let state = match (version.diff.overflow, version.diff.changes_count) {
            (true, _) => "overflow",
            (false, 0) => "empty",
            (false, _) => "collected",
        };
        Self {
            id: version.id.get(),
            state,
            real_size: changes_count(&version.diff),
            head_commit_sha: version.diff.head,
            base_commit_sha: version.diff.base,
            start_commit_sha: version.diff.start,
            created_at: version.created_at,
            merge_request_id: version.of.get(),
            patch_id_sha: version.patch_id,
        }
    }
}

impl From<VersionDetail> for VersionDetailDto {
    fn from(detail: VersionDetail) -> Self {
        Self {
            version: detail.version.into(),
            commits: detail.commits.into_iter().map(Into::into).collect(),
            diffs: detail.files.into_iter().map(Into::into).collect(),
        }
    }
}
