//! Issues as JSON (specification 2, Issue; reference: issues-merge-requests-projects, sections 3.1 and 12.2).

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::issue::{IssueView, LabelDetail, TimeStats};
use tenon_domain::id::IssuableId;
use tenon_domain::issuable::State;
use utoipa::ToSchema;

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

/// The labels of an issue: their names, or more where more was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum LabelsDto {
    /// Only the names.
    Names(Vec<String>),
    /// With their colours.
    Details(Vec<LabelDetailDto>),
}

/// A label of an issue.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabelDetailDto {
    id: i64,
    name: String,
    color: String,
    description: Option<String>,
    text_color: &'static str,
}

/// How long something takes, in seconds and as people read it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimeStatsDto {
    time_estimate: i64,
    total_time_spent: i64,
    human_time_estimate: Option<String>,
    human_total_time_spent: Option<String>,
}

/// How much of the task list in the description is ticked.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TasksDto {
    count: i64,
    completed_count: i64,
}

/// How texts name an issue.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReferencesDto {
    short: String,
    relative: String,
    full: String,
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
    pub(crate) fn listed(view: IssueView) -> Self {
        let issue = view.issue;
        let short = issue.short_reference();
        let closed_at = match issue.state {
            State::Closed { at, .. } => at,
            State::Opened | State::Locked | State::Merged => None,
        };
        let assignees: Vec<UserRefDto> = view.assignees.into_iter().map(Into::into).collect();
        let (count, completed_count) = view.tasks;
        Self {
            id: issue.id.get(),
            iid: issue.iid.get(),
            project_id: issue.project.get(),
            references: ReferencesDto {
                relative: short.clone(),
                full: issue.full_reference(&view.project_path),
                short,
            },
            state: issue.state.as_str(),
            created_at: issue.created_at,
            updated_at: issue.updated_at,
            closed_at,
            closed_by: view.closed_by.map(Into::into),
            labels: match view.label_details {
                Some(details) => LabelsDto::Details(details.into_iter().map(Into::into).collect()),
                None => LabelsDto::Names(view.labels),
            },
            milestone: view.milestone.map(MilestoneDto::of_issue),
            assignee: assignees.first().cloned(),
            assignees,
            author: view.author.map(Into::into),
            kind: "ISSUE",
            user_notes_count: issue.user_notes_count,
            merge_requests_count: 0,
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
            task_completion_status: TasksDto { count, completed_count },
            has_tasks: count > 0,
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
    pub(crate) fn single(view: IssueView) -> Self {
        let links = IssueLinksDto {
            notes: format!("{}/notes", view.api_url),
            award_emoji: format!("{}/award_emoji", view.api_url),
            itself: view.api_url.clone(),
            project: view.project_api_url.clone(),
        };
        Self { links: Some(links), ..Self::listed(view) }
    }
}

impl From<LabelDetail> for LabelDetailDto {
    fn from(label: LabelDetail) -> Self {
        Self {
            id: label.id.get(),
            name: label.name,
            color: label.color,
            description: label.description,
            text_color: label.text_color,
        }
    }
}

impl From<TimeStats> for TimeStatsDto {
    fn from(stats: TimeStats) -> Self {
        Self {
            time_estimate: stats.time_estimate,
            total_time_spent: stats.total_time_spent,
            human_time_estimate: stats.human_time_estimate,
            human_total_time_spent: stats.human_total_time_spent,
        }
    }
}
