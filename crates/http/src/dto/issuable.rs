//! What issues and merge requests show alike.

use serde::Serialize;
use tenon_app::issuable::{LabelDetail, TimeStats};
use tenon_domain::issuable::Issuable;
use utoipa::ToSchema;

/// The labels: their names, or more where more was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum LabelsDto {
    /// Only the names.
    Names(Vec<String>),
    /// With their colours.
    Details(Vec<LabelDetailDto>),
}

/// A label.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabelDetailDto {
    id: i64,
    name: String,
    color: String,
    description: Option<String>,
    description_html: String,
    text_color: &'static str,
}

/// How long something takes, in seconds and as people read it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimeStatsDto {
    pub(crate) time_estimate: i64,
    pub(crate) total_time_spent: i64,
    pub(crate) human_time_estimate: Option<String>,
    pub(crate) human_total_time_spent: Option<String>,
}

/// How much of the task list in the description is ticked.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TasksDto {
    count: i64,
    completed_count: i64,
}

/// How texts name it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReferencesDto {
    short: String,
    relative: String,
    full: String,
}

impl LabelsDto {
    /// The names, unless there is more.
    pub(crate) fn new(names: Vec<String>, details: Option<Vec<LabelDetail>>) -> Self {
        match details {
            Some(details) => Self::Details(details.into_iter().map(Into::into).collect()),
            None => Self::Names(names),
        }
    }
}

impl ReferencesDto {
    /// How an issuable of the project of this path is named.
    pub(crate) fn new(of: &Issuable, project_path: &str) -> Self {
        let short = of.short_reference();
        Self { relative: short.clone(), full: of.full_reference(project_path), short }
    }
}

impl From<(i64, i64)> for TasksDto {
    fn from((count, completed_count): (i64, i64)) -> Self {
        Self { count, completed_count }
    }
}

impl From<LabelDetail> for LabelDetailDto {
    fn from(label: LabelDetail) -> Self {
        Self {
            id: label.id.get(),
            name: label.name,
            color: label.color,
            description: label.description,
            description_html: label.description_html,
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
