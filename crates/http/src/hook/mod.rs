//! Hooks of projects and of the whole server.

mod named_values;
mod system;

use tenon_app::Reference;
use tenon_app::hook::{self, DeliveryFilter, HookChange, HookSource, NamedChange};
use tenon_app::identity::Guard;
use tenon_app::webhook;
use tenon_domain::hook::{BranchFilterStrategy, FLAGS, Flag, Holder, Initial, Trigger};
use tenon_domain::id::{HookDeliveryId, HookId};
use tenon_edge::error::ApiError;

use crate::dto::hook::{HookDto, HookEventDto, MessageDto, ResentDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::switches::{Switch, switches};
use crate::params::{Deferred, Each, Paging, params};

pub(crate) fn routes(api: &mut Routes) {
    system::routes(api);
    named_values::routes(api);
    api.tag("Project hooks")
        .get("/projects/{id}/hooks", Guard::SignedIn, list, "The hooks of a project.")
        .get("/projects/{id}/hooks/{hook_id:int}", Guard::SignedIn, show, "One hook of a project.")
        .post("/projects/{id}/hooks", Guard::SignedIn, create, "Adds a hook to a project.")
        .put("/projects/{id}/hooks/{hook_id:int}", Guard::SignedIn, edit, "Changes a hook of a project.")
        .delete("/projects/{id}/hooks/{hook_id:int}", Guard::SignedIn, delete, "Removes a hook of a project.")
        .get(
            "/projects/{id}/hooks/{hook_id:int}/events",
            Guard::SignedIn,
            events,
            "What a hook of a project was sent in the last days, newest first.",
        )
        .post(
            "/projects/{id}/hooks/{hook_id:int}/events/{hook_event_id:int}/resend",
            Guard::SignedIn,
            resend,
            "Sends an event to a hook of a project again.",
        )
        .post(
            "/projects/{id}/hooks/{hook_id:int}/test/{trigger}",
            Guard::SignedIn,
            test,
            "Sends an event to a hook of a project that is made of what the project has.",
        );
}

/// The flags of hooks as parameters: those that requests can set for such a hook.
fn flags(of: Holder) -> impl Iterator<Item = Switch<Trigger>> {
    FLAGS.iter().filter_map(move |flag| {
        let initial = match (flag.initial(of), of) {
            (Initial::On, _) => "; yes by default for a new hook.",
            (Initial::Off | Initial::Unset, Holder::Project) => ".",
            (Initial::Off | Initial::Unset, Holder::Server) => "; no by default for a new hook.",
            (Initial::Fixed, _) => return None,
        };
        Some(Switch { key: flag.trigger, names: flag.names.to_vec(), meaning: format!("{}{initial}", flag.meaning) })
    })
}

switches! {
    /// The events that a hook of a project receives.
    pub(crate) struct ProjectFlags(Trigger) = flags(Holder::Project);
}

params! {
    /// A secret of a hook that has a name.
    pub(crate) struct NamedValueParams {
        /// Its name: letters and digits, with single `.`, `-` or `_` between them.
        key: String,
        /// Its value, which is never shown.
        value: String,
    }
}

params! {
    /// The settings that hooks of projects and of the whole server have, beside the address and the flags.
    pub(crate) struct DetailParams {
        /// The name of the hook.
        name: Option<String>,
        /// The description of the hook.
        description: Option<String>,
        /// The branches of pushes; empty for all.
        push_events_branch_filter: Option<String>,
        /// How that filter is read: `*` stands for any text, or a regular expression, or not at all; `wildcard` by default.
        branch_filter_strategy: Option<BranchFilterStrategy>,
        /// True if the certificate of the receiver is verified; true by default for a new hook.
        enable_ssl_verification: Option<bool>,
        /// A secret that is sent with each delivery and never shown; empty for none.
        token: Option<String>,
        /// Headers that are sent with each delivery. Others stay; an empty list removes all.
        custom_headers: Option<Each<NamedValueParams>>,
        /// Variables, whose values stand for `{key}` in the URL. Others stay; an empty list removes all.
        url_variables: Option<Each<NamedValueParams>>,
        /// JSON that is sent in place of the event, with `{{field.path}}` for its fields; empty for none.
        custom_webhook_template: Option<String>,
    }
}

params! {
    /// The settings of a hook.
    pub(crate) struct HookParams {
        /// The URL of deliveries; always required.
        url: String,
        events: ProjectFlags,
        details: DetailParams,
    }
}

params! {
    /// The page.
    pub(crate) struct ListParams {
        paging: Paging,
    }
}

params! {
    /// Filters of deliveries, and the page.
    pub(crate) struct EventsParams {
        /// The status of the response, such as 200, or `successful` (2xx), `client_failure` (4xx) or `server_failure`
        /// (5xx).
        status: Option<String>,
        paging: Paging,
    }
}

impl From<DetailParams> for HookChange {
    fn from(params: DetailParams) -> Self {
        let pairs = |values: Option<Each<NamedValueParams>>| NamedChange {
            set: values.map(|values| values.0.into_iter().map(|value| (value.key, value.value)).collect()),
            removed: Vec::new(),
        };
        Self {
            name: params.name,
            description: params.description,
            token: params.token,
            custom_headers: pairs(params.custom_headers),
            url_variables: pairs(params.url_variables),
            custom_webhook_template: params.custom_webhook_template,
            push_events_branch_filter: params.push_events_branch_filter,
            branch_filter_strategy: params.branch_filter_strategy,
            enable_ssl_verification: params.enable_ssl_verification,
            ..Self::default()
        }
    }
}

impl From<HookParams> for HookChange {
    fn from(params: HookParams) -> Self {
        Self { url: Some(params.url), events: params.events.0, ..params.details.into() }
    }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

fn source(caller: &Caller) -> HookSource {
    HookSource::Project(project(caller))
}

fn hook_id(caller: &Caller) -> Result<HookId, ApiError> {
    caller.path_i64("hook_id").map(HookId::new)
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<HookDto>, ApiError> {
    let source = source(&caller);
    let page = caller.read(move |query| hook::list(query, &source, params.paging.into())).await?;
    let now = caller.app().now();
    Ok(Paged(page.map(|hook| HookDto::new(hook, now))))
}

async fn show(call: Call<()>) -> Result<Json<HookDto>, ApiError> {
    let (source, id) = (source(&call), hook_id(&call)?);
    let found = call.read(move |query| hook::show(query, &source, id)).await?;
    Ok(Json(HookDto::new(found, call.app().now())))
}

async fn create(Call { caller, params }: Call<Deferred<HookParams>>) -> Result<Created<HookDto>, ApiError> {
    let source = source(&caller);
    let change = readable(&caller, params).await?;
    let stored = caller.write(move |command| hook::create(command, &source, &change)).await?;
    Ok(Created(HookDto::new(stored, caller.app().now())))
}

async fn edit(Call { caller, params }: Call<Deferred<HookParams>>) -> Result<Json<HookDto>, ApiError> {
    let (source, id) = (source(&caller), hook_id(&caller)?);
    let change = readable(&caller, params).await?;
    let stored = caller.write(move |command| hook::edit(command, &source, id, &change)).await?;
    Ok(Json(HookDto::new(stored, caller.app().now())))
}

/// The parameters. Their problems are shown only to callers who may manage hooks: all others get that refusal first.
async fn readable(caller: &Caller, params: Deferred<HookParams>) -> Result<HookChange, ApiError> {
    match params.0 {
        Ok(params) => Ok(params.into()),
        Err(problem) => {
            let source = source(caller);
            caller.read(move |query| hook::permit(query, &source)).await?;
            Err(problem)
        }
    }
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (source, id, since) = (source(&call), hook_id(&call)?, call.head().unmodified_since);
    call.write(move |command| hook::delete(command, &source, id, since)).await?;
    Ok(NoContent)
}

async fn events(Call { caller, params }: Call<EventsParams>) -> Result<Paged<HookEventDto>, ApiError> {
    let (source, id) = (source(&caller), hook_id(&caller)?);
    let filter = params.status.as_deref().map_or(Ok(DeliveryFilter::default()), status_filter)?;
    let page = caller.read(move |query| hook::deliveries(query, &source, id, filter, params.paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

fn status_filter(text: &str) -> Result<DeliveryFilter, ApiError> {
    let status = match text {
        "successful" => Some((200, 299)),
        "client_failure" => Some((400, 499)),
        "server_failure" => Some((500, 599)),
        code => code.parse().ok().filter(|code| (100..600).contains(code)).map(|code: i64| (code, code)),
    };
    let invalid = || ApiError::parameters("status does not have a valid value");
    Ok(DeliveryFilter { status: Some(status.ok_or_else(invalid)?) })
}

async fn resend(call: Call<()>) -> Result<Created<ResentDto>, ApiError> {
    let (source, id) = (source(&call), hook_id(&call)?);
    let delivery = call.path_i64("hook_event_id").map(HookDeliveryId::new)?;
    let status = webhook::resend(call.app(), call.identity(), source, id, delivery).await?;
    Ok(Created(ResentDto::new(status)))
}

async fn test(call: Call<()>) -> Result<Created<MessageDto>, ApiError> {
    let (project, id) = (project(&call), hook_id(&call)?);
    let Some(flag) = Flag::named(call.path("trigger")).filter(|flag| flag.initial(Holder::Project) != Initial::Fixed)
    else {
        let source = source(&call);
        call.read(move |query| hook::show(query, &source, id)).await?;
        return Err(ApiError::parameters("trigger does not have a valid value"));
    };
    let outcome = webhook::test(call.app(), call.identity(), project, id, flag.trigger).await?;
    if !outcome.accepted {
        return Err(ApiError::unprocessable(&outcome.answer));
    }
    Ok(Created(MessageDto { message: "201 Created" }))
}
