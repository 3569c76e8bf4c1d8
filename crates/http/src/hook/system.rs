//! Hooks of the whole server.

use tenon_app::hook::{self, DeliveryFilter, HookChange, HookSource};
use tenon_app::identity::Guard;
use tenon_app::webhook;
use tenon_domain::hook::{Holder, Trigger};
use tenon_domain::id::{HookDeliveryId, HookId};
use tenon_edge::error::ApiError;

use super::{DetailParams, EventsParams, ListParams, flags, status_filter};
use crate::dto::hook::{HookEventDto, ResentDto, SampleEventDto, SystemHookDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::params;
use crate::params::switches::switches;

pub(super) fn routes(api: &mut Routes) {
    let guard = Guard::Administrator;
    api.tag("System hooks")
        .get("/hooks", guard, list, "The hooks of the whole server; administrators only.")
        .get("/hooks/{hook_id:int}", guard, show, "One hook of the whole server; administrators only.")
        .post("/hooks", guard, create, "Adds a hook of the whole server; administrators only.")
        .put("/hooks/{hook_id:int}", guard, edit, "Changes a hook of the whole server; administrators only.")
        .delete("/hooks/{hook_id:int}", guard, delete, "Removes a hook of the whole server; administrators only.")
        .post(
            "/hooks/{hook_id:int}",
            guard,
            test,
            "Sends an example of an event to a hook of the whole server; administrators only.",
        )
        .get(
            "/hooks/{hook_id:int}/events",
            guard,
            events,
            "What a hook of the whole server was sent in the last days, newest first; administrators only.",
        )
        .post(
            "/hooks/{hook_id:int}/events/{hook_event_id:int}/resend",
            guard,
            resend,
            "Sends an event to a hook of the whole server again; administrators only.",
        );
}

switches! {
    /// The events that a hook of the whole server receives.
    pub(crate) struct ServerFlags(Trigger) = flags(Holder::Server);
}

params! {
    /// A new hook.
    pub(crate) struct CreateParams {
        /// The URL of deliveries.
        url: String,
        events: ServerFlags,
        details: DetailParams,
    }
}

params! {
    /// Changes of a hook.
    pub(crate) struct EditParams {
        /// The URL of deliveries.
        url: Option<String>,
        events: ServerFlags,
        details: DetailParams,
    }
}

fn id(caller: &Caller) -> Result<HookId, ApiError> {
    caller.path_i64("hook_id").map(HookId::new)
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<SystemHookDto>, ApiError> {
    let page = caller.read(move |query| hook::list(query, &HookSource::Server, params.paging.into())).await?;
    let now = caller.app().now();
    Ok(Paged(page.map(|hook| SystemHookDto::new(hook, now))))
}

async fn show(call: Call<()>) -> Result<Json<SystemHookDto>, ApiError> {
    let id = id(&call)?;
    let found = call.read(move |query| hook::show(query, &HookSource::Server, id)).await?;
    Ok(Json(SystemHookDto::new(found, call.app().now())))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<SystemHookDto>, ApiError> {
    let change = HookChange { url: Some(params.url), events: params.events.0, ..params.details.into() };
    let stored = caller.write(move |command| hook::create(command, &HookSource::Server, &change)).await?;
    Ok(Created(SystemHookDto::new(stored, caller.app().now())))
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<SystemHookDto>, ApiError> {
    let change = HookChange { url: params.url, events: params.events.0, ..params.details.into() };
    let id = id(&caller)?;
    let stored = caller.write(move |command| hook::edit(command, &HookSource::Server, id, &change)).await?;
    Ok(Json(SystemHookDto::new(stored, caller.app().now())))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (id, since) = (id(&call)?, call.head().unmodified_since);
    call.write(move |command| hook::delete(command, &HookSource::Server, id, since)).await?;
    Ok(NoContent)
}

async fn test(call: Call<()>) -> Result<Created<SampleEventDto>, ApiError> {
    let (outcome, example) = webhook::test_system(call.app(), call.identity(), id(&call)?).await?;
    if !outcome.accepted {
        return Err(ApiError::unprocessable(&outcome.answer));
    }
    Ok(Created(SampleEventDto(example)))
}

async fn events(Call { caller, params }: Call<EventsParams>) -> Result<Paged<HookEventDto>, ApiError> {
    let id = id(&caller)?;
    let filter = params.status.as_deref().map_or(Ok(DeliveryFilter::default()), status_filter)?;
    let paging = params.paging;
    let page =
        caller.read(move |query| hook::deliveries(query, &HookSource::Server, id, filter, paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn resend(call: Call<()>) -> Result<Created<ResentDto>, ApiError> {
    let (id, delivery) = (id(&call)?, call.path_i64("hook_event_id").map(HookDeliveryId::new)?);
    let status = webhook::resend(call.app(), call.identity(), HookSource::Server, id, delivery).await?;
    Ok(Created(ResentDto::new(status)))
}
