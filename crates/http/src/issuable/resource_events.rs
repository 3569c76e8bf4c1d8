//! Resource events: the recorded changes of labels, milestone and state.

use tenon_app::identity::Guard;
use tenon_app::issuable::{self, ChangeKind};
use tenon_domain::id::ResourceEventId;
use tenon_edge::error::ApiError;

use super::{both, reference};
use crate::dto::resource_event::ResourceEventDto;
use crate::endpoint::{Call, Json, Paged, Routes};
use crate::params::Paging;

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
