//! Issues as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::issuable::{IssuableView, Sender, StateCounts};
use tenon_app::issue::{LinkView, LinkedIssue};
use tenon_domain::id::IssuableId;
use tenon_domain::issuable::State;
use utoipa::ToSchema;

use super::issuable::{LabelDetailDto, LabelsDto, ReferencesDto, TasksDto, TimeStatsDto};
use super::milestone::MilestoneDto;
use super::user::UserRefDto;

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
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    closed_at: Option<DateTime<Utc>>,
    closed_by: Option<UserRefDto>,
    labels: LabelsDto,
    /// The same as `labels`, if `with_labels_details` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    label_details: Option<Vec<LabelDetailDto>>,
    milestone: Option<MilestoneDto>,
    assignees: Vec<UserRefDto>,
    author: Option<UserRefDto>,
    /// `issue_type` in capitals.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Deprecated: the first of `assignees`.
    assignee: Option<UserRefDto>,
    user_notes_count: i64,
    /// The number of merge requests that close it and that the caller may see.
    merge_requests_count: i64,
    upvotes: i64,
    downvotes: i64,
    due_date: Option<NaiveDate>,
    confidential: bool,
    /// Null until it is set.
    discussion_locked: Option<bool>,
    /// `issue`, `incident`, `test_case` or `task`.
    issue_type: &'static str,
    web_url: String,
    time_stats: TimeStatsDto,
    task_completion_status: TasksDto,
    /// True if the description contains a task list.
    has_tasks: bool,
    weight: Option<i64>,
    blocking_issues_count: i64,
    references: ReferencesDto,
    severity: &'static str,
    /// The issue that this one was moved to.
    moved_to_id: Option<i64>,
    /// True if the caller is subscribed to the issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    subscribed: Option<bool>,
    #[serde(rename = "_links", skip_serializing_if = "Option::is_none")]
    links: Option<IssueLinksDto>,
}

/// API URLs of related resources.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IssueLinksDto {
    #[serde(rename = "self")]
    itself: String,
    notes: String,
    award_emoji: String,
    project: String,
}

impl IssueDto {
    /// An issue in a list.
    pub(crate) fn listed(view: IssuableView) -> Self {
        let issue = view.issuable;
        let closed_at = match issue.state {
            State::Closed { at, .. } => at,
            State::Opened | State::Locked | State::Merged => None,
        };
        let labels = LabelsDto::new(view.labels, view.label_details);
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
            label_details: labels.details(),
            labels,
            milestone: view.milestone.map(MilestoneDto::of_issue),
            assignee: assignees.first().cloned(),
            assignees,
            author: view.author.map(Into::into),
            kind: issue.issue_type.upper_case(),
            user_notes_count: issue.user_notes_count,
            merge_requests_count: view.merge_requests_count,
            upvotes: issue.upvotes,
            downvotes: issue.downvotes,
            due_date: issue.due_date,
            confidential: issue.confidential,
            discussion_locked: issue.discussion_locked,
            issue_type: issue.issue_type.as_str(),
            web_url: view.web_url,
            time_stats: TimeStatsDto {
                time_estimate: issue.time_estimate,
                total_time_spent: issue.total_time_spent,
                human_time_estimate: view.human_time_estimate,
                human_total_time_spent: view.human_total_time_spent,
            },
            has_tasks: view.tasks.0 > 0,
            task_completion_status: view.tasks.into(),
            weight: issue.weight,
            blocking_issues_count: 0,
            severity: "UNKNOWN",
            moved_to_id: view.moved_to.map(IssuableId::get),
            subscribed: view.subscribed,
            links: None,
            title: issue.title,
            description: issue.description,
        }
    }

    /// A single issue.
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

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IssueStatisticsDto {
    statistics: IssueCountsDto,
}

/// The counts of issues.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IssueCountsDto {
    counts: IssueStatesDto,
}

/// The number of issues in each state.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IssueStatesDto {
    all: i64,
    closed: i64,
    opened: i64,
}

impl From<StateCounts> for IssueStatisticsDto {
    fn from(counts: StateCounts) -> Self {
        let counts = IssueStatesDto { all: counts.all, closed: counts.closed, opened: counts.opened };
        Self { statistics: IssueCountsDto { counts } }
    }
}

/// The client that sent something.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SenderDto {
    user_agent: Option<String>,
    ip_address: Option<String>,
    /// Always false: there is no spam filter.
    spamfilter_submitted: bool,
    /// The same under the name that newer clients read.
    akismet_submitted: bool,
}

impl From<Sender> for SenderDto {
    fn from(sender: Sender) -> Self {
        Self {
            user_agent: sender.user_agent,
            ip_address: sender.ip_address,
            spamfilter_submitted: false,
            akismet_submitted: false,
        }
    }
}

/// A linked issue.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LinkedIssueDto {
    #[serde(flatten)]
    issue: IssueDto,
    issue_link_id: i64,
    /// The type of the link, seen from the requested issue.
    link_type: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    link_created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    link_updated_at: DateTime<Utc>,
}

/// Both ends of a link.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LinkDto {
    source_issue: IssueDto,
    target_issue: IssueDto,
    /// The type of the link.
    link_type: &'static str,
}

impl From<LinkedIssue> for LinkedIssueDto {
    fn from(linked: LinkedIssue) -> Self {
        Self {
            issue: IssueDto::listed(linked.issue),
            issue_link_id: linked.link.get(),
            link_type: linked.kind.as_str(),
            link_created_at: linked.created_at,
            link_updated_at: linked.updated_at,
        }
    }
}

impl From<LinkView> for LinkDto {
    fn from(link: LinkView) -> Self {
        Self {
            source_issue: IssueDto::single(link.source),
            target_issue: IssueDto::single(link.target),
            link_type: link.kind.as_str(),
        }
    }
}
