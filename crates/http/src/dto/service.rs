//! Services of projects as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use tenon_app::service::ServiceView;
use tenon_domain::service::{Property, ServiceEvent};
use utoipa::ToSchema;

use super::switches::{SwitchTable, SwitchesDto};

/// The flags of services.
pub(crate) struct OfService;

/// The events that a service receives.
type ServiceEventsDto = SwitchesDto<OfService>;

impl SwitchTable for OfService {
    const NAME: &'static str = "ServiceEventsDto";
    const MEANING: &'static str = "What a service wants.";

    fn names() -> Vec<(&'static str, bool)> {
        ServiceEvent::ALL.iter().map(|event| (event.as_str(), false)).collect()
    }
}

/// A service of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServiceDto {
    /// Null if the project never had a service of this kind.
    id: Option<i64>,
    title: String,
    slug: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    created_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    updated_at: Option<DateTime<Utc>>,
    active: bool,
    #[serde(flatten)]
    events: ServiceEventsDto,
    /// The settings, without secrets. Lists leave them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    properties: Option<Map<String, Value>>,
}

impl From<ServiceView> for ServiceDto {
    fn from(view: ServiceView) -> Self {
        let properties =
            view.properties.into_iter().map(|(name, value)| (name.to_owned(), value.map_or(Value::Null, json)));
        let service = view.service.as_ref();
        let events = service.map(|service| service.events.clone()).unwrap_or_default();
        Self {
            id: service.map(|service| service.id.get()),
            title: view.title,
            slug: view.definition.slug,
            created_at: service.map(|service| service.created_at),
            updated_at: service.map(|service| service.updated_at),
            active: service.is_some_and(|service| service.active),
            events: ServiceEventsDto::of(|name| Some(events.wants(ServiceEvent::parse(name)?))),
            properties: Some(properties.collect()),
        }
    }
}

impl ServiceDto {
    /// A service in a list.
    pub(crate) fn listed(view: ServiceView) -> Self {
        Self { properties: None, ..Self::from(view) }
    }
}

fn json(value: Property) -> Value {
    match value {
        Property::Text(text) => Value::String(text),
        Property::Flag(flag) => Value::Bool(flag),
        Property::Number(number) => number.into(),
    }
}
