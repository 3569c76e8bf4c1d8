//! Labels as JSON.

use serde::Serialize;
use tenon_app::label::LabelView;
use tenon_domain::label::text_color;
use utoipa::ToSchema;

/// A label. The counts include what the caller may see.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabelDto {
    id: i64,
    name: String,
    /// `#RRGGBB`.
    color: String,
    /// A text colour with enough contrast.
    text_color: &'static str,
    description: Option<String>,
    /// The description as HTML; empty if there is none.
    description_html: String,
    open_issues_count: i64,
    closed_issues_count: i64,
    open_merge_requests_count: i64,
    /// True if the caller is subscribed to the label.
    subscribed: bool,
    /// The priority in the project.
    priority: Option<i64>,
    /// True if the label belongs to a project, false if it belongs to a group.
    is_project_label: bool,
    /// True if it is no longer offered for use.
    archived: bool,
}

impl From<LabelView> for LabelDto {
    fn from(view: LabelView) -> Self {
        let label = view.label;
        Self {
            id: label.id.get(),
            text_color: text_color(&label.color),
            name: label.name,
            color: label.color,
            description: label.description,
            archived: label.archived,
            description_html: view.description_html,
            open_issues_count: view.open_issues,
            closed_issues_count: view.closed_issues,
            open_merge_requests_count: view.open_merge_requests,
            subscribed: view.subscribed,
            priority: view.priority,
            is_project_label: view.is_project_label,
        }
    }
}
