//! Hooks of the whole server.

use tenon_app::hook::{self, DeliveryFilter, HookChange, HookSource};
use tenon_app::identity::Guard;
use tenon_app::webhook;
use tenon_domain::hook::{Holder, Trigger};
use tenon_domain::id::{HookDeliveryId, HookId};
use tenon_edge::error::ApiError;

use super::{EventsParams, ListParams, flags, status_filter};
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
    /// The optional parameters of a hook of the whole server.
    pub(crate) struct DetailParams {
        /// The name of the hook.
        name: Option<String>,
        /// The description of the hook.
        description: Option<String>,
        /// A secret that is sent with each delivery and never shown; empty for none.
        token: Option<String>,
        events: ServerFlags,
        /// The branches of pushes, with `*` for any text; empty for all.
        push_events_branch_filter: Option<String>,
        /// True if the certificate of the receiver is verified; true by default for a new hook.
        enable_ssl_verification: Option<bool>,
    }
}

params! {
    /// A new hook.
    pub(crate) struct CreateParams {
        /// The URL of deliveries.
        url: String,
        details: DetailParams,
    }
}

params! {
    /// Changes of a hook.
    pub(crate) struct EditParams {
        /// The URL of deliveries.
        url: Option<String>,
        details: DetailParams,
    }
}

impl DetailParams {
    fn with(self, url: Option<String>) -> HookChange {
        HookChange {
            url,
            name: self.name,
            description: self.description,
            token: self.token,
            events: self.events.0,
            push_events_branch_filter: self.push_events_branch_filter,
            enable_ssl_verification: self.enable_ssl_verification,
        }
    }
}

fn id(caller: &Caller) -> Result<HookId, ApiError> {
    caller.path_i64("hook_id").map(HookId::new)
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<SystemHookDto>, ApiError> {
    let page = caller.read(move |query| hook::list(query, &HookSource::Server, params.paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<SystemHookDto>, ApiError> {
    let id = id(&call)?;
    let found = call.read(move |query| hook::show(query, &HookSource::Server, id)).await?;
    Ok(Json(found.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<SystemHookDto>, ApiError> {
    let change = params.details.with(Some(params.url));
    let stored = caller.write(move |command| hook::create(command, &HookSource::Server, &change)).await?;
    Ok(Created(stored.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<SystemHookDto>, ApiError> {
    let (id, change) = (id(&caller)?, params.details.with(params.url));
    let stored = caller.write(move |command| hook::edit(command, &HookSource::Server, id, &change)).await?;
    Ok(Json(stored.into()))
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
