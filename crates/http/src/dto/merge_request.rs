//! Merge requests as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::merge_request::{MergeRequestView, Single};
use tenon_app::pipeline::{HeadPipeline, PipelineView};
use tenon_domain::issuable::State;
use tenon_domain::merge_request::{DiffRefs, MergeStatus};
use utoipa::ToSchema;

use super::issuable::{LabelDetailDto, LabelsDto, ReferencesDto, TasksDto, TimeStatsDto};
use super::milestone::MilestoneDto;
use super::pipeline::{PipelineDetailDto, PipelineDto};
use super::user::UserRefDto;

/// A merge request in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ListedDto {
    /// With the fields of `view=simple`.
    Simple(SimpleDto),
    /// With all fields.
    Full(Box<MergeRequestDto>),
}

/// The fields of `view=simple`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SimpleDto {
    id: i64,
    iid: i64,
    project_id: i64,
    title: String,
    description: Option<String>,
    state: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    web_url: String,
}

/// A merge request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MergeRequestDto {
    id: i64,
    iid: i64,
    /// The same as `target_project_id`.
    project_id: i64,
    title: String,
    description: Option<String>,
    /// `opened`, `closed`, `locked` or `merged`.
    state: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    merged_by: Option<UserRefDto>,
    /// The user who merged it, or who set it to be merged automatically.
    merge_user: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    merged_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    merge_after: Option<DateTime<Utc>>,
    closed_by: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    closed_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    prepared_at: DateTime<Utc>,
    target_branch: String,
    source_branch: String,
    /// Null after the fork was deleted.
    source_project_id: Option<i64>,
    target_project_id: i64,
    user_notes_count: i64,
    upvotes: i64,
    downvotes: i64,
    author: Option<UserRefDto>,
    assignees: Vec<UserRefDto>,
    /// The first of `assignees`.
    assignee: Option<UserRefDto>,
    reviewers: Vec<UserRefDto>,
    labels: LabelsDto,
    /// The same as `labels`, if `with_labels_details` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    label_details: Option<Vec<LabelDetailDto>>,
    milestone: Option<MilestoneDto>,
    draft: bool,
    /// The same as `draft`.
    work_in_progress: bool,
    merge_when_pipeline_succeeds: bool,
    /// The result of the check for conflicts: `can_be_merged`, `cannot_be_merged`, or `unchecked` before the check.
    merge_status: &'static str,
    /// The reason why the merge request cannot be merged, or `mergeable`.
    detailed_merge_status: &'static str,
    has_conflicts: bool,
    /// True if no unresolved discussion blocks the merge: always true if the project does not require resolved
    /// discussions.
    blocking_discussions_resolved: bool,
    /// The head commit.
    sha: Option<String>,
    merge_commit_sha: Option<String>,
    squash_commit_sha: Option<String>,
    discussion_locked: Option<bool>,
    should_remove_source_branch: Option<bool>,
    force_remove_source_branch: bool,
    allow_collaboration: bool,
    /// Deprecated: the same as `allow_collaboration`.
    allow_maintainer_to_push: bool,
    /// The same as `references.relative`.
    reference: String,
    references: ReferencesDto,
    web_url: String,
    time_stats: TimeStatsDto,
    task_completion_status: TasksDto,
    /// Always false: merge requests are not imported.
    imported: bool,
    /// Always `none`.
    imported_from: &'static str,
    squash: bool,
    /// The minimum number of approvals by any user; null if the rules of the project alone say so.
    approvals_before_merge: Option<i64>,
    /// True if its commits become one: its own wish, unless the project decides.
    squash_on_merge: bool,
    #[serde(flatten)]
    single: Option<SingleDto>,
    /// On request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rebase_in_progress: Option<bool>,
}

/// The fields of single merge requests.
#[derive(Debug, Serialize, ToSchema)]
struct SingleDto {
    subscribed: bool,
    /// The number of files, as text; `1000+` if there are more.
    changes_count: Option<String>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    first_deployed_to_production_at: Option<DateTime<Utc>>,
    #[serde(flatten)]
    builds: Option<BuildsDto>,
    diff_refs: Option<DiffRefsDto>,
    merge_error: Option<String>,
    first_contribution: bool,
    user: MergerDto,
    #[serde(skip_serializing_if = "Option::is_none")]
    diverged_commits_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title_html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description_html: Option<String>,
}

/// Pipelines, for callers who may see them.
#[derive(Debug, Default, Serialize, ToSchema)]
struct BuildsDto {
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    latest_build_started_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    latest_build_finished_at: Option<DateTime<Utc>>,
    pipeline: Option<PipelineDto>,
    head_pipeline: Option<PipelineDetailDto>,
}

/// The commits of the diff.
#[derive(Debug, Serialize, ToSchema)]
struct DiffRefsDto {
    #[serde(rename = "base_sha")]
    base: String,
    #[serde(rename = "head_sha")]
    head: String,
    #[serde(rename = "start_sha")]
    start: String,
}

/// Permissions of the caller.
#[derive(Debug, Serialize, ToSchema)]
struct MergerDto {
    can_merge: bool,
}

/// The most files that are counted.
const MAX_CHANGES: i64 = 1000;

/// The number of changed files; none if no file has changed.
pub(crate) fn changes_count(diff: &DiffRefs) -> Option<String> {
    match diff.changes_count {
        0 => None,
        count if count > MAX_CHANGES => Some(format!("{MAX_CHANGES}+")),
        count => Some(count.to_string()),
    }
}

impl ListedDto {
    /// With all fields.
    pub(crate) fn full(view: MergeRequestView) -> Self {
        Self::Full(Box::new(view.into()))
    }

    /// With the fields of `view=simple`.
    pub(crate) fn simple(view: MergeRequestView) -> Self {
        Self::Simple(view.into())
    }
}

impl From<MergeRequestView> for SimpleDto {
    fn from(view: MergeRequestView) -> Self {
        let of = view.of.issuable;
        Self {
            id: of.id.get(),
            iid: of.iid.get(),
            project_id: of.project.get(),
            title: of.title,
            description: of.description,
            state: of.state.as_str(),
            created_at: of.created_at,
            updated_at: of.updated_at,
            web_url: view.of.web_url,
        }
    }
}

impl From<MergeRequestView> for MergeRequestDto {
    fn from(view: MergeRequestView) -> Self {
        let (shared, request) = (view.of, view.request);
        let of = shared.issuable;
        let (closed_at, closed_by) = match of.state {
            State::Closed { at, .. } => (at, shared.closed_by.map(Into::into)),
            State::Opened | State::Locked | State::Merged => (None, None),
        };
        let assignees: Vec<UserRefDto> = shared.assignees.into_iter().map(Into::into).collect();
        let labels = LabelsDto::new(shared.labels, shared.label_details);
        let merged_by: Option<UserRefDto> = view.merged_by.map(Into::into);
        let references = ReferencesDto::new(&of, &shared.project_path);
        let has_conflicts = request.merge_status == MergeStatus::CannotBeMerged && request.has_commits();
        let merged = request.merged;
        Self {
            id: of.id.get(),
            iid: of.iid.get(),
            project_id: of.project.get(),
            state: of.state.as_str(),
            created_at: of.created_at,
            updated_at: of.updated_at,
            merge_user: merged_by.clone().or(view.auto_merge_by.map(Into::into)),
            merged_by,
            merged_at: merged.as_ref().map(|merged| merged.at),
            merge_after: None,
            closed_by,
            closed_at,
            prepared_at: of.created_at,
            source_project_id: request.source_project.map(tenon_domain::id::ProjectId::get),
            target_project_id: of.project.get(),
            user_notes_count: of.user_notes_count,
            upvotes: of.upvotes,
            downvotes: of.downvotes,
            author: shared.author.map(Into::into),
            assignee: assignees.first().cloned(),
            assignees,
            reviewers: view.reviewers.into_iter().map(Into::into).collect(),
            label_details: labels.details(),
            labels,
            milestone: shared.milestone.map(MilestoneDto::of_issue),
            draft: request.draft,
            work_in_progress: request.draft,
            merge_when_pipeline_succeeds: request.auto_merge.is_some(),
            merge_status: request.merge_status.as_str(),
            detailed_merge_status: view.readiness,
            has_conflicts,
            blocking_discussions_resolved: view.discussions_resolved,
            single: view.single.map(|single| SingleDto {
                subscribed: shared.subscribed.unwrap_or(false),
                changes_count: request.diff.as_ref().and_then(changes_count),
                diff_refs: request.diff.clone().map(Into::into),
                merge_error: request.merge_error.clone(),
                ..SingleDto::from(*single)
            }),
            sha: request.diff.map(|diff| diff.head),
            squash_commit_sha: merged.as_ref().and_then(|merged| merged.squash_commit.clone()),
            merge_commit_sha: merged.and_then(|merged| merged.commit),
            discussion_locked: of.discussion_locked,
            should_remove_source_branch: request.should_remove_source_branch,
            force_remove_source_branch: request.force_remove_source_branch,
            allow_collaboration: request.allow_collaboration,
            allow_maintainer_to_push: request.allow_collaboration,
            reference: of.short_reference(),
            references,
            web_url: shared.web_url,
            time_stats: TimeStatsDto {
                time_estimate: of.time_estimate,
                total_time_spent: of.total_time_spent,
                human_time_estimate: shared.human_time_estimate,
                human_total_time_spent: shared.human_total_time_spent,
            },
            task_completion_status: shared.tasks.into(),
            squash: request.squash,
            approvals_before_merge: request.approvals_before_merge,
            imported: false,
            imported_from: "none",
            squash_on_merge: view.squash_option.on_merge(request.squash),
            target_branch: request.target_branch,
            source_branch: request.source_branch,
            title: of.title,
            description: of.description,
            rebase_in_progress: None,
        }
    }
}

impl From<Single> for SingleDto {
    fn from(single: Single) -> Self {
        Self {
            subscribed: false,
            changes_count: None,
            first_deployed_to_production_at: None,
            builds: match single.pipeline {
                HeadPipeline::Hidden => None,
                HeadPipeline::Missing => Some(BuildsDto::default()),
                HeadPipeline::Shown(view) => Some((*view).into()),
            },
            diff_refs: None,
            merge_error: None,
            first_contribution: false,
            user: MergerDto { can_merge: single.can_merge },
            diverged_commits_count: single.diverged,
            title_html: single.title_html,
            description_html: single.description_html,
        }
    }
}

impl From<PipelineView> for BuildsDto {
    fn from(view: PipelineView) -> Self {
        Self {
            latest_build_started_at: view.pipeline.started_at,
            latest_build_finished_at: view.pipeline.finished_at,
            pipeline: Some(view.clone().into()),
            head_pipeline: Some(view.into()),
        }
    }
}

impl From<DiffRefs> for DiffRefsDto {
    fn from(diff: DiffRefs) -> Self {
        Self { base: diff.base, head: diff.head, start: diff.start }
    }
}

/// Confirmation that the automatic merge was cancelled.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CancelledDto {
    pub(crate) status: &'static str,
}

/// Confirmation of a rebase.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RebaseDto {
    pub(crate) rebase_in_progress: bool,
}

/// The commit that a merge would create.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MergeRefDto {
    pub(crate) commit_id: String,
}
