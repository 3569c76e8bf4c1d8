//! Hooks as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use tenon_app::hook::DeliveryView;
use tenon_domain::hook::{FLAGS, Flag, Holder, Hook, HookEvents, Initial, NamedValue, Trigger};
use tenon_domain::id::ProjectId;
use tenon_domain::time::Timestamp;
use utoipa::ToSchema;

use super::switches::{SwitchTable, SwitchesDto};

/// The flags of hooks of projects. Those that such hooks cannot have are false.
pub(crate) struct OfProject;

/// The events that a hook of a project receives.
type HookEventsDto = SwitchesDto<OfProject>;

impl SwitchTable for OfProject {
    const NAME: &'static str = "HookEventsDto";
    const MEANING: &'static str = "Which events a webhook of a project receives. Null for what was never set.";

    fn names() -> Vec<(&'static str, bool)> {
        let is_unset = |flag: &Flag| flag.initial(Holder::Project) == Initial::Unset;
        FLAGS.iter().map(|flag| (flag.name(), is_unset(flag))).collect()
    }
}

/// The flags of hooks of the whole server.
pub(crate) struct OfServer;

/// The events that a hook of the whole server receives.
type SystemHookEventsDto = SwitchesDto<OfServer>;

impl SwitchTable for OfServer {
    const NAME: &'static str = "SystemHookEventsDto";
    const MEANING: &'static str = "Which events a webhook of the whole server receives.";

    fn names() -> Vec<(&'static str, bool)> {
        let known = FLAGS.iter().filter(|flag| flag.initial(Holder::Server) != Initial::Fixed);
        known.map(|flag| (flag.name(), false)).collect()
    }
}

fn flag(events: &HookEvents, name: &str) -> Option<bool> {
    events.get(Flag::named(name)?.trigger)
}

/// The settings that webhooks of projects and of the whole server have, beside the address and the flags.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HookDetailDto {
    name: String,
    description: String,
    /// Null or empty for all branches.
    push_events_branch_filter: Option<String>,
    /// How that filter is read: `wildcard`, `regex` or `all_branches`.
    branch_filter_strategy: &'static str,
    enable_ssl_verification: bool,
    /// `executable`, `temporarily_disabled` if it failed several times in a row, or `disabled` if it has failed for long.
    alert_status: &'static str,
    /// When a hook that is temporarily disabled is called again.
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    disabled_until: Option<DateTime<Utc>>,
    /// The headers that are sent with each delivery, without their values.
    custom_headers: Vec<NamedValueDto>,
    /// The variables of the URL, without their values.
    url_variables: Vec<NamedValueDto>,
    /// JSON that is sent in place of each event; null if the event itself is sent.
    custom_webhook_template: Option<String>,
}

/// A named secret of a webhook, without its value.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamedValueDto {
    key: String,
}

fn keys(values: Vec<NamedValue>) -> Vec<NamedValueDto> {
    values.into_iter().map(|value| NamedValueDto { key: value.key }).collect()
}

impl HookDetailDto {
    fn new(hook: Hook, now: Timestamp) -> Self {
        Self {
            name: hook.name,
            description: hook.description,
            push_events_branch_filter: hook.push_events_branch_filter,
            branch_filter_strategy: hook.branch_filter_strategy.as_str(),
            enable_ssl_verification: hook.enable_ssl_verification,
            alert_status: hook.health.status(now).as_str(),
            disabled_until: hook.health.disabled_until(now),
            custom_headers: keys(hook.custom_headers),
            url_variables: keys(hook.url_variables),
            custom_webhook_template: hook.custom_webhook_template,
        }
    }
}

/// A webhook of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HookDto {
    id: i64,
    url: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// Null for a hook of the whole server.
    project_id: Option<i64>,
    #[serde(flatten)]
    events: HookEventsDto,
    #[serde(flatten)]
    details: HookDetailDto,
}

impl HookDto {
    /// A hook at this moment.
    pub(crate) fn new(mut hook: Hook, now: Timestamp) -> Self {
        Self {
            id: hook.id.get(),
            url: std::mem::take(&mut hook.url),
            created_at: hook.created_at,
            project_id: hook.project.map(ProjectId::get),
            events: HookEventsDto::of(|name| flag(&hook.events, name)),
            details: HookDetailDto::new(hook, now),
        }
    }
}

/// A webhook of the whole server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SystemHookDto {
    id: i64,
    url: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(flatten)]
    events: SystemHookEventsDto,
    #[serde(flatten)]
    details: HookDetailDto,
}

impl SystemHookDto {
    /// A hook at this moment.
    pub(crate) fn new(mut hook: Hook, now: Timestamp) -> Self {
        Self {
            id: hook.id.get(),
            url: std::mem::take(&mut hook.url),
            created_at: hook.created_at,
            events: SystemHookEventsDto::of(|name| flag(&hook.events, name)),
            details: HookDetailDto::new(hook, now),
        }
    }
}

/// The example of an event that was sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(value_type = Object)]
pub(crate) struct SampleEventDto(pub(crate) Value);

/// A delivery of a hook, with its request and the response.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HookEventDto {
    id: i64,
    /// The URL of the request; empty before the first attempt.
    url: String,
    /// The kind of the event.
    trigger: &'static str,
    /// The headers of the last request, without secrets.
    request_headers: Value,
    /// The body that was sent; null if it is long.
    request_data: Value,
    response_headers: Value,
    /// The beginning of the response.
    response_body: String,
    /// The status of the response, or `internal error` if there was none.
    response_status: Option<String>,
    /// The duration of the last attempt in seconds.
    execution_duration: f64,
    /// The reason if there was no response.
    internal_error_message: Option<String>,
    /// `waiting`, `retrying`, `delivered`, or `parked` if it was given up.
    state: &'static str,
    attempts: i64,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
}

impl From<DeliveryView> for HookEventDto {
    fn from(view: DeliveryView) -> Self {
        let DeliveryView { delivery, body } = view;
        let last = delivery.last;
        let json = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
        let is_attempted = last.response_status.is_some() || last.error.is_some();
        Self {
            id: delivery.id.get(),
            url: last.url,
            trigger: delivery.trigger.map_or("", Trigger::as_str),
            request_headers: json(&last.request_headers),
            request_data: body.as_deref().map_or(Value::Null, json),
            response_headers: json(&last.response_headers),
            response_body: last.response_body,
            response_status: is_attempted.then(|| status_text(last.response_status)),
            execution_duration: seconds(last.duration_micros),
            internal_error_message: last.error,
            state: delivery.state.as_str(),
            attempts: delivery.attempts,
            created_at: delivery.created_at,
        }
    }
}

/// Microseconds as seconds.
fn seconds(micros: i64) -> f64 {
    std::time::Duration::from_micros(micros.unsigned_abs()).as_secs_f64()
}

/// The status of a response as the API writes it.
fn status_text(status: Option<i64>) -> String {
    status.map_or_else(|| "internal error".to_owned(), |status| status.to_string())
}

/// The response to an event that was sent again.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResentDto {
    /// A status, or `internal error`.
    response_status: String,
}

impl ResentDto {
    /// `status` is none if there was no response.
    pub(crate) fn new(status: Option<i64>) -> Self {
        Self { response_status: status_text(status) }
    }
}

/// A confirmation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MessageDto {
    pub(crate) message: &'static str,
}
