//! Recorded changes of labels, milestone and state as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::issuable::{ChangeView, ResourceEventView};
use tenon_domain::label::Label;
use utoipa::ToSchema;

use super::milestone::MilestoneDto;
use super::user::UserRefDto;

/// A resource event: a recorded change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResourceEventDto {
    id: i64,
    user: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// The type of the changed resource.
    resource_type: &'static str,
    resource_id: i64,
    #[serde(flatten)]
    change: ChangeDto,
}

/// The change that the event records.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ChangeDto {
    /// A label.
    Label {
        /// Null after it was deleted.
        label: Option<LabelRefDto>,
        /// `add` or `remove`.
        action: &'static str,
    },
    /// The milestone.
    Milestone {
        /// Null after it was deleted.
        milestone: Option<MilestoneDto>,
        /// `add` or `remove`.
        action: &'static str,
    },
    /// The state.
    State {
        /// The new state.
        state: String,
    },
}

/// A label in a resource event.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabelRefDto {
    id: i64,
    name: String,
    color: String,
    description: Option<String>,
}

impl From<Label> for LabelRefDto {
    fn from(label: Label) -> Self {
        Self { id: label.id.get(), name: label.name, color: label.color, description: label.description }
    }
}

impl From<ChangeView> for ChangeDto {
    fn from(change: ChangeView) -> Self {
        let action = |added| if added { "add" } else { "remove" };
        match change {
            ChangeView::Label { label, added } => Self::Label { label: label.map(Into::into), action: action(added) },
            ChangeView::Milestone { milestone, added } => {
                Self::Milestone { milestone: milestone.map(|view| (*view).into()), action: action(added) }
            }
            ChangeView::State(state) => Self::State { state },
        }
    }
}

impl From<ResourceEventView> for ResourceEventDto {
    fn from(event: ResourceEventView) -> Self {
        Self {
            id: event.id.get(),
            user: event.user.map(Into::into),
            created_at: event.created_at,
            resource_type: event.kind.type_name(),
            resource_id: event.issuable.get(),
            change: event.change.into(),
        }
    }
}
