//! The JSON that issues and merge requests share.

use serde::Serialize;
use tenon_app::issuable::{LabelDetail, TimeStats};
use tenon_domain::issuable::Issuable;
use utoipa::ToSchema;

/// The labels: names, or details if `with_labels_details` is set.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum LabelsDto {
    /// Names.
    Names(Vec<String>),
    /// Details.
    Details(Vec<LabelDetailDto>),
}

/// A label.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct LabelDetailDto {
    id: i64,
    name: String,
    color: String,
    description: Option<String>,
    description_html: String,
    text_color: &'static str,
}

/// Estimate and time spent, in seconds and as text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimeStatsDto {
    pub(crate) time_estimate: i64,
    pub(crate) total_time_spent: i64,
    pub(crate) human_time_estimate: Option<String>,
    pub(crate) human_total_time_spent: Option<String>,
}

/// The completed tasks of the task list in the description.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TasksDto {
    count: i64,
    completed_count: i64,
}

/// The references with which texts link to it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReferencesDto {
    short: String,
    relative: String,
    full: String,
}

impl LabelsDto {
    /// The details if there are any, else the names.
    pub(crate) fn new(names: Vec<String>, details: Option<Vec<LabelDetail>>) -> Self {
        match details {
            Some(details) => Self::Details(details.into_iter().map(Into::into).collect()),
            None => Self::Names(names),
        }
    }

    /// The details, if these are details.
    pub(crate) fn details(&self) -> Option<Vec<LabelDetailDto>> {
        match self {
            Self::Details(details) => Some(details.clone()),
            Self::Names(_) => None,
        }
    }
}

impl ReferencesDto {
    /// The references to an issue or merge request of the project with this path.
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
