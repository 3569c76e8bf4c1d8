//! Milestones as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::milestone::MilestoneView;
use tenon_domain::id::{NamespaceId, ProjectId};
use utoipa::ToSchema;

/// A milestone.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MilestoneDto {
    id: i64,
    iid: i64,
    /// For a milestone of a project.
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<i64>,
    /// For a milestone of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<i64>,
    title: String,
    description: String,
    /// `active` or `closed`.
    state: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    /// Only within an issue.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "crate::dto::json_time::nested")]
    #[expect(clippy::option_option, reason = "left out, null and a moment are three answers")]
    closed_at: Option<Option<DateTime<Utc>>>,
    due_date: Option<NaiveDate>,
    start_date: Option<NaiveDate>,
    /// True if the milestone is active and its due date has passed.
    expired: bool,
    web_url: String,
}

impl From<MilestoneView> for MilestoneDto {
    fn from(view: MilestoneView) -> Self {
        let milestone = view.milestone;
        Self {
            id: milestone.id.get(),
            iid: milestone.iid.get(),
            project_id: milestone.container.project().map(ProjectId::get),
            group_id: milestone.container.group().map(NamespaceId::get),
            title: milestone.title,
            description: milestone.description,
            state: milestone.state.as_str(),
            created_at: milestone.created_at,
            updated_at: milestone.updated_at,
            closed_at: None,
            due_date: milestone.due_date,
            start_date: milestone.start_date,
            expired: view.expired,
            web_url: view.web_url,
        }
    }
}

impl MilestoneDto {
    /// The milestone of an issue.
    pub(crate) fn of_issue(view: MilestoneView) -> Self {
        Self { closed_at: Some(view.milestone.state.closed_at()), ..view.into() }
    }
}
