//! Issues as JSON (specification 2, Issue; reference: issues-merge-requests-projects, sections 3.1 and 12.2).

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::issuable::IssuableView;
use tenon_domain::id::IssuableId;
use tenon_domain::issuable::State;
use utoipa::ToSchema;

use crate::issuable::{LabelsDto, ReferencesDto, TasksDto, TimeStatsDto};
use crate::milestone::MilestoneDto;
use crate::user::UserRefDto;

/// An issue.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IssueDto {
    id: i64,
    iid: i64,
    project_id: i64,
    title: String,
    description: Option<String>,
    /// `opened` or `closed`.
    state: &'static str,
    #[serde(serialize_with = "crate::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::json_time::moment")]
    updated_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::json_time::optional")]
    closed_at: Option<DateTime<Utc>>,
    closed_by: Option<UserRefDto>,
    labels: LabelsDto,
    milestone: Option<MilestoneDto>,
    assignees: Vec<UserRefDto>,
    author: Option<UserRefDto>,
    /// There is one type, under two names.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Deprecated: the first of `assignees`.
    assignee: Option<UserRefDto>,
    user_notes_count: i64,
    /// Merge requests that close it, as far as the caller may see them.
    merge_requests_count: i64,
    upvotes: i64,
    downvotes: i64,
    due_date: Option<NaiveDate>,
    confidential: bool,
    /// Null until somebody says whether it is.
    discussion_locked: Option<bool>,
    issue_type: &'static str,
    web_url: String,
    time_stats: TimeStatsDto,
    task_completion_status: TasksDto,
    /// Whether the description is a task list.
    has_tasks: bool,
    weight: Option<i64>,
    blocking_issues_count: i64,
    references: ReferencesDto,
    severity: &'static str,
    /// The issue that continues this one.
    moved_to_id: Option<i64>,
    /// Whether the caller is told of changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    subscribed: Option<bool>,
    #[serde(rename = "_links", skip_serializing_if = "Option::is_none")]
    links: Option<IssueLinksDto>,
}

/// Where more about an issue is found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IssueLinksDto {
    #[serde(rename = "self")]
    itself: String,
    notes: String,
    award_emoji: String,
    project: String,
}

impl IssueDto {
    /// The JSON of an issue in a list.
    pub(crate) fn listed(view: IssuableView) -> Self {
        let issue = view.issuable;
        let closed_at = match issue.state {
            State::Closed { at, .. } => at,
            State::Opened | State::Locked | State::Merged => None,
        };
        let assignees: Vec<UserRefDto> = view.assignees.into_iter().map(Into::into).collect();
        Self {
            id: issue.id.get(),
            iid: issue.iid.get(),
            project_id: issue.project.get(),
            references: ReferencesDto::new(&issue, &view.project_path),
            state: issue.state.as_str(),
            created_at: issue.created_at,
            updated_at: issue.updated_at,
            closed_at,
            closed_by: view.closed_by.map(Into::into),
            labels: LabelsDto::new(view.labels, view.label_details),
            milestone: view.milestone.map(MilestoneDto::of_issue),
            assignee: assignees.first().cloned(),
            assignees,
            author: view.author.map(Into::into),
            kind: "ISSUE",
            user_notes_count: issue.user_notes_count,
            merge_requests_count: view.merge_requests_count,
            upvotes: issue.upvotes,
            downvotes: issue.downvotes,
            due_date: issue.due_date,
            confidential: issue.confidential,
            discussion_locked: issue.discussion_locked,
            issue_type: "issue",
            web_url: view.web_url,
            time_stats: TimeStatsDto {
                time_estimate: issue.time_estimate,
                total_time_spent: issue.total_time_spent,
                human_time_estimate: view.human_time_estimate,
                human_total_time_spent: view.human_total_time_spent,
            },
            has_tasks: view.tasks.0 > 0,
            task_completion_status: view.tasks.into(),
            weight: None,
            blocking_issues_count: 0,
            severity: "UNKNOWN",
            moved_to_id: view.moved_to.map(IssuableId::get),
            subscribed: view.subscribed,
            links: None,
            title: issue.title,
            description: issue.description,
        }
    }

    /// The JSON of an issue by itself.
    pub(crate) fn single(view: IssuableView) -> Self {
        let links = IssueLinksDto {
            notes: format!("{}/notes", view.api_url),
            award_emoji: format!("{}/award_emoji", view.api_url),
            itself: view.api_url.clone(),
            project: view.project_api_url.clone(),
        };
        Self { links: Some(links), ..Self::listed(view) }
    }
}
