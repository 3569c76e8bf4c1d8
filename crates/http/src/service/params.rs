//! The parameters of services: which ones there are is said by the kind of the service.

use serde_json::Value;
use tenon_app::service::ServiceChange;
use tenon_domain::patch::Patch;
use tenon_domain::service::{DEFINITIONS, Definition, Field, FieldKind, Property, ServiceEvent};
use tenon_edge::error::ApiError;
use tenon_edge::raw::RawParam;

use crate::params::switches::{Switch, switches};
use crate::params::{FieldDoc, FromParams, Param as _, Reader, Reading, Scalar};

/// The flags of services as parameters.
fn flags() -> impl Iterator<Item = Switch<ServiceEvent>> {
    ServiceEvent::ALL.iter().map(|event| {
        let meaning = event.flag().map_or("Commits whose messages name something of the service", |flag| flag.meaning);
        Switch { key: *event, names: vec![event.as_str()], meaning: format!("{meaning}.") }
    })
}

switches! {
    /// The events that a service receives.
    pub(crate) struct EventParams(ServiceEvent) = flags();
}

/// The settings of a service as they were sent, and the events that it receives.
#[derive(Debug, Clone)]
pub(crate) struct ServiceParams {
    settings: Vec<(&'static str, Value)>,
    events: EventParams,
}

impl FromParams for ServiceParams {
    fn from_params(reader: &mut Reader<'_>) -> Option<Self> {
        let events = EventParams::read(reader, &[]);
        let mut settings = Vec::new();
        for field in distinct_fields() {
            // Null clears.
            match reader.raw_or_null(&[field.name]) {
                RawParam::Absent => {}
                RawParam::Value(value) | RawParam::Repeated { last: value, .. } => {
                    settings.push((field.name, value.clone()));
                }
                RawParam::File(_) => reader.complain(field.name, INVALID),
            }
        }
        Some(Self { settings, events: events? })
    }

    fn fields() -> Vec<FieldDoc> {
        let settings = distinct_fields().into_iter().map(|field| {
            let of = DEFINITIONS.iter().filter(|definition| definition.field(field.name).is_some());
            let slugs = of.map(|definition| format!("`{}`", definition.slug)).collect::<Vec<_>>().join(", ");
            let schema = match field.kind {
                FieldKind::Flag(_) => bool::schema(),
                FieldKind::Port => i64::schema(),
                _ => String::schema(),
            };
            FieldDoc::new(field.name, &[&format!("A setting of {slugs}.")], false, schema)
        });
        let mut fields: Vec<FieldDoc> = settings.collect();
        EventParams::describe("", &[], &mut fields);
        fields
    }
}

/// The settings of all kinds of services, each name once.
fn distinct_fields() -> Vec<&'static Field> {
    let mut distinct: Vec<&'static Field> = Vec::new();
    for field in DEFINITIONS.iter().flat_map(|definition| definition.fields) {
        if distinct.iter().all(|known| known.name != field.name) {
            distinct.push(field);
        }
    }
    distinct
}

const MISSING: &str = "is missing";
const INVALID: &str = "is invalid";

impl ServiceParams {
    /// The change of a service of this kind. Settings that it does not have are ignored.
    pub(super) fn change(self, definition: &'static Definition) -> Result<ServiceChange, ApiError> {
        let (mut properties, mut problems) = (Vec::new(), Vec::new());
        for field in definition.fields {
            let sent = self.settings.iter().find(|(name, _)| *name == field.name);
            let read = match sent {
                None if field.required => Err(MISSING),
                None => Ok(Patch::Absent),
                Some((_, value)) => setting(field.kind, value),
            };
            match read {
                Ok(patch) => properties.push((field.name, patch)),
                Err(problem) => problems.push(format!("{} {problem}", field.name)),
            }
        }
        if problems.is_empty() {
            Ok(ServiceChange { properties, events: self.events.0 })
        } else {
            Err(ApiError::parameters(&problems.join(", ")))
        }
    }
}

/// One setting as it was sent; null and the empty text clear it.
fn setting(kind: FieldKind, value: &Value) -> Result<Patch<Property>, &'static str> {
    match kind {
        FieldKind::Flag(_) => patch(bool::scalar(value), Property::Flag),
        FieldKind::Port => patch(i64::scalar(value), Property::Number),
        FieldKind::Line
        | FieldKind::Text
        | FieldKind::Url
        | FieldKind::Webhook
        | FieldKind::Host
        | FieldKind::Mailboxes
        | FieldKind::IrcTargets => match String::scalar(value) {
            Reading::Is(text) if text.is_empty() => Ok(Patch::Clear),
            text => patch(text, Property::Text),
        },
    }
}

fn patch<T>(reading: Reading<T>, property: impl FnOnce(T) -> Property) -> Result<Patch<Property>, &'static str> {
    match reading {
        Reading::Is(value) => Ok(Patch::Set(property(value))),
        Reading::Empty => Ok(Patch::Clear),
        Reading::Wrong => Err(INVALID),
    }
}
