//! Changes of labels, milestone and state, one by one (reference: issues-merge-requests-projects, section 10.8).

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::identity::Guard;
use tenon_app::issuable::{self, ChangeKind, ChangeView, ResourceEventView};
use tenon_domain::id::ResourceEventId;
use tenon_domain::label::Label;
use utoipa::ToSchema;

use super::{both, reference};
use crate::call::Call;
use crate::error::ApiError;
use crate::milestone::MilestoneDto;
use crate::params::Paging;
use crate::reply::{Json, Paged};
use crate::routes::Routes;
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
            resource_type: event.kind.type_name(),
            resource_id: event.issuable.get(),
            change: event.change.into(),
        }
    }
}

pub(super) fn routes(api: &mut Routes) {
    api.tag("Resource events");
    let lists = [
        (both!("/resource_label_events"), both!("/resource_label_events/{event_id:int}"), ChangeKind::Label),
        (
            both!("/resource_milestone_events"),
            both!("/resource_milestone_events/{event_id:int}"),
            ChangeKind::Milestone,
        ),
        (both!("/resource_state_events"), both!("/resource_state_events/{event_id:int}"), ChangeKind::State),
    ];
    for (all, one, kind) in lists {
        for path in all {
            api.get(path, Guard::SignedIn, move |call| list(call, kind), "What changed.");
        }
        for path in one {
            api.get(path, Guard::SignedIn, move |call| show(call, kind), "One change.");
        }
    }
}

async fn list(Call { caller, params }: Call<Paging>, kind: ChangeKind) -> Result<Paged<ResourceEventDto>, ApiError> {
    let (of, page) = (reference(&caller)?, params.into());
    let page = caller.read(move |query| issuable::resource_events(query, &of, kind, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(caller: Call<()>, kind: ChangeKind) -> Result<Json<ResourceEventDto>, ApiError> {
    let (of, id) = (reference(&caller)?, ResourceEventId::new(caller.path_i64("event_id")?));
    let event = caller.read(move |query| issuable::resource_event(query, &of, kind, id)).await?;
    Ok(Json(event.into()))
}
