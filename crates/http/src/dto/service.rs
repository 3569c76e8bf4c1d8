//! Services of projects as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use tenon_app::service::ServiceView;
use tenon_domain::service::Property;
use utoipa::ToSchema;

/// A service of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServiceDto {
    /// Null where the project never had a service of this kind.
    id: Option<i64>,
    title: String,
    slug: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    created_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    updated_at: Option<DateTime<Utc>>,
    active: bool,
    commit_events: bool,
    push_events: bool,
    issues_events: bool,
    confidential_issues_events: bool,
    merge_requests_events: bool,
    tag_push_events: bool,
    note_events: bool,
    confidential_note_events: bool,
    pipeline_events: bool,
    wiki_page_events: bool,
    job_events: bool,
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
        let events = service.map(|service| service.events).unwrap_or_default();
        Self {
            id: service.map(|service| service.id.get()),
            title: view.title,
            slug: view.definition.slug,
            created_at: service.map(|service| service.created_at),
            updated_at: service.map(|service| service.updated_at),
            active: service.is_some_and(|service| service.active),
            commit_events: events.commit,
            push_events: events.push,
            issues_events: events.issues,
            confidential_issues_events: events.confidential_issues,
            merge_requests_events: events.merge_requests,
            tag_push_events: events.tag_push,
            note_events: events.note,
            confidential_note_events: events.confidential_note,
            pipeline_events: events.pipeline,
            wiki_page_events: events.wiki_page,
            job_events: events.job,
            properties: Some(properties.collect()),
        }
    }
}

impl ServiceDto {
    /// A service as lists have it.
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
