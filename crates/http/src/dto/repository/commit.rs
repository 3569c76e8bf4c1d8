//! Commits, diffs and comparisons as JSON.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::repository::{
    CommentView, CommitDetail, CommitView, ComparisonView, ContainingRef, ContributorView, FileDifference, PipelineRef,
};
use tenon_domain::repository::trailers;
use utoipa::ToSchema;

use crate::dto::user::UserRefDto;

/// A commit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommitDto {
    /// 40 hexadecimal digits.
    id: String,
    /// The first eight digits of `id`.
    short_id: String,
    /// The same as `committed_date`.
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    parent_ids: Vec<String>,
    /// The first line of the message, shortened if it is long.
    title: String,
    message: String,
    author_name: String,
    author_email: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    authored_date: DateTime<Utc>,
    committer_name: String,
    committer_email: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    committed_date: DateTime<Utc>,
    web_url: String,
    /// The trailers of the message, such as `Signed-off-by`: the last value of each key. Lists of commits have them on request, a
    /// single commit always; elsewhere they are empty.
    trailers: BTreeMap<String, String>,
    /// All values of the trailers by key.
    extended_trailers: BTreeMap<String, Vec<String>>,
    /// On request.
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<CommitStatsDto>,
}

/// The choice to show the trailers of a message. The fields are there in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trailers {
    /// They are read.
    Read,
    /// The fields are empty.
    Omitted,
}

impl CommitDto {
    /// A commit with the fields of its trailers.
    pub(crate) fn with_trailers(commit: CommitView, wanted: Trailers) -> Self {
        let found = match wanted {
            Trailers::Read => trailers(&commit.message),
            Trailers::Omitted => Vec::new(),
        };
        let mut extended: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (key, value) in &found {
            extended.entry(key.clone()).or_default().push(value.clone());
        }
        Self { trailers: found.into_iter().collect(), extended_trailers: extended, ..commit.into() }
    }
}

/// The number of lines that a commit adds and removes.
#[derive(Debug, Serialize, ToSchema)]
struct CommitStatsDto {
    additions: u64,
    deletions: u64,
    total: u64,
}

/// A commit with details.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommitDetailDto {
    #[serde(flatten)]
    commit: CommitDto,
    /// The state of its latest pipeline.
    status: Option<&'static str>,
    last_pipeline: Option<PipelineRefDto>,
    project_id: i64,
}

/// A pipeline, in brief.
#[derive(Debug, Serialize, ToSchema)]
struct PipelineRefDto {
    id: i64,
    sha: String,
    #[serde(rename = "ref")]
    ref_name: String,
    status: &'static str,
    web_url: String,
}

/// The diff of a file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiffDto {
    /// The unified diff from the first `@@`; empty if it is too large, or if only the name or the mode differs.
    diff: String,
    new_path: String,
    old_path: String,
    /// In octal digits; `0` for a new file.
    a_mode: String,
    /// In octal digits; `0` for a deleted file.
    b_mode: String,
    new_file: bool,
    renamed_file: bool,
    deleted_file: bool,
}

impl From<CommitView> for CommitDto {
    fn from(commit: CommitView) -> Self {
        Self {
            id: commit.id,
            short_id: commit.short_id,
            created_at: commit.committer.at,
            parent_ids: commit.parent_ids,
            title: commit.title,
            message: commit.message,
            author_name: commit.author.name,
            author_email: commit.author.email,
            authored_date: commit.author.at,
            committer_name: commit.committer.name,
            committer_email: commit.committer.email,
            committed_date: commit.committer.at,
            web_url: commit.web_url,
            trailers: BTreeMap::new(),
            extended_trailers: BTreeMap::new(),
            stats: commit.stats.map(|(additions, deletions)| CommitStatsDto {
                additions,
                deletions,
                total: additions.saturating_add(deletions),
            }),
        }
    }
}

impl From<CommitDetail> for CommitDetailDto {
    fn from(detail: CommitDetail) -> Self {
        Self {
            commit: CommitDto::with_trailers(detail.commit, Trailers::Read),
            status: detail.last_pipeline.as_ref().map(|pipeline| pipeline.status.as_str()),
            last_pipeline: detail.last_pipeline.map(Into::into),
            project_id: detail.project.get(),
        }
    }
}

impl From<PipelineRef> for PipelineRefDto {
    fn from(pipeline: PipelineRef) -> Self {
        Self {
            id: pipeline.id.get(),
            sha: pipeline.sha,
            ref_name: pipeline.ref_name,
            status: pipeline.status.as_str(),
            web_url: pipeline.web_url,
        }
    }
}

impl From<FileDifference> for DiffDto {
    fn from(difference: FileDifference) -> Self {
        Self {
            diff: difference.diff,
            new_path: difference.new_path.to_string(),
            old_path: difference.old_path.to_string(),
            a_mode: difference.a_mode,
            b_mode: difference.b_mode,
            new_file: difference.new_file,
            renamed_file: difference.renamed_file,
            deleted_file: difference.deleted_file,
        }
    }
}

/// A comment on a commit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommitCommentDto {
    note: String,
    /// Null for a comment on the whole commit, like the next two.
    path: Option<String>,
    line: Option<i64>,
    line_type: Option<&'static str>,
    author: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
}

impl From<CommentView> for CommitCommentDto {
    fn from(view: CommentView) -> Self {
        let line = view.line.as_ref();
        Self {
            path: line.map(|line| line.path.clone()),
            line: line.map(|line| line.line),
            line_type: line.map(|line| if line.is_new { "new" } else { "old" }),
            note: view.note,
            author: view.author.map(Into::into),
            created_at: view.created_at,
        }
    }
}

/// A branch or tag that contains a commit.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ContainingRefDto {
    /// `branch` or `tag`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) name: String,
}

impl From<ContainingRef> for ContainingRefDto {
    fn from(found: ContainingRef) -> Self {
        Self { kind: if found.is_tag { "tag" } else { "branch" }, name: found.name }
    }
}

/// An author of commits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContributorDto {
    name: String,
    email: String,
    commits: i64,
    /// Not counted: always 0.
    additions: i64,
    /// Not counted: always 0.
    deletions: i64,
}

impl From<ContributorView> for ContributorDto {
    fn from(view: ContributorView) -> Self {
        Self { name: view.name, email: view.email, commits: view.commits, additions: 0, deletions: 0 }
    }
}

/// The difference between two revisions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ComparisonDto {
    /// The last of `commits`.
    commit: Option<CommitDto>,
    /// The oldest first.
    commits: Vec<CommitDto>,
    diffs: Vec<DiffDto>,
    /// True if diffs were left out.
    compare_timeout: bool,
    /// True if both sides are the same commit.
    compare_same_ref: bool,
}

impl From<ComparisonView> for ComparisonDto {
    fn from(view: ComparisonView) -> Self {
        Self {
            commit: view.commits.last().cloned().map(Into::into),
            commits: view.commits.into_iter().map(Into::into).collect(),
            diffs: view.diffs.into_iter().map(Into::into).collect(),
            compare_timeout: view.overflow,
            compare_same_ref: view.same,
        }
    }
}
