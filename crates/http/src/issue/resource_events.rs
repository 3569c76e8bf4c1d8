//! Changes of labels, milestone and state, one by one (reference: issues-merge-requests-projects, section 10.8).

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::issue::{self, ChangeKind, ChangeView, ResourceEventView};
use tenon_domain::id::ResourceEventId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::label::Label;
use utoipa::ToSchema;

use super::{IssueParams, PagedIssueParams, project};
use crate::call::Call;
use crate::error::ApiError;
use crate::milestone::MilestoneDto;
use crate::reply::{Json, Paged};
use crate::user::UserRefDto;

/// A recorded change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResourceEventDto {
    id: i64,
    user: Option<UserRefDto>,
    #[serde(serialize_with = "crate::json_time::moment")]
    created_at: DateTime<Utc>,
    /// What it is a change of.
    resource_type: &'static str,
    resource_id: i64,
    #[serde(flatten)]
    change: ChangeDto,
}

/// What changed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ChangeDto {
    /// A label.
    Label {
        /// Null once it is gone.
        label: Option<LabelRefDto>,
        /// `add` or `remove`.
        action: &'static str,
    },
    /// The milestone.
    Milestone {
        /// Null once it is gone.
        milestone: Option<MilestoneDto>,
        /// `add` or `remove`.
        action: &'static str,
    },
    /// The state.
    State {
        /// What it became.
        state: String,
    },
}

/// A label, where one is named.
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
            resource_type: IssuableKind::Issue.type_name(),
            resource_id: event.issuable.get(),
            change: event.change.into(),
        }
    }
}

pub(super) async fn list(
    Call { caller, params }: Call<PagedIssueParams>,
    kind: ChangeKind,
) -> Result<Paged<ResourceEventDto>, ApiError> {
    let (project, iid, page) = (project(&caller), params.issue.iid(), params.paging.into());
    let page = caller.read(move |query| issue::resource_events(query, &project, iid, kind, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn show(
    Call { caller, params }: Call<IssueParams>,
    kind: ChangeKind,
) -> Result<Json<ResourceEventDto>, ApiError> {
    let (project, id) = (project(&caller), ResourceEventId::new(caller.path_i64("event_id")?));
    let event = caller.read(move |query| issue::resource_event(query, &project, params.iid(), kind, id)).await?;
    Ok(Json(event.into()))
}
