//! Null is "not sent", for each optional parameter of each route, but for those that it clears.

use std::collections::HashMap;

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tenon_edge::param_map::ParamMap;
use tenon_edge::raw::{RawParams, Upload};

use crate::endpoint::Endpoint;
use crate::params::FieldDoc;

/// The parameters that null clears: method, path and name.
const CLEARED: &str = include_str!("cleared_by_null.txt");

/// Routes whose parameters are tables of the domain. There, the kind of a value decides whether null clears it.
const OF_TABLES: [&str; 3] =
    ["/application/settings", "/projects/{id}/services/{slug}", "/projects/{id}/integrations/{slug}"];

/// A value that a schema admits; null for a file.
fn sample(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match (schema["type"].as_str().unwrap_or_default(), schema["format"].as_str().unwrap_or_default()) {
        ("integer" | "number", _) => json!(1),
        ("boolean", _) => json!(true),
        ("array", _) => json!([sample(&schema["items"])]),
        ("object", _) => match schema["properties"].as_object() {
            Some(fields) => {
                fields.iter().map(|(name, schema)| (name.clone(), sample(schema))).collect::<Map<_, _>>().into()
            }
            None => json!({"a": "b"}),
        },
        ("string", "date") => json!("2026-01-01"),
        ("string", "date-time") => json!("2026-01-01T00:00:00Z"),
        ("string", "binary") => Value::Null,
        _ => json!("1"),
    }
}

/// A request with these fields, each with a value that its schema admits.
fn request<'f>(fields: impl Iterator<Item = &'f FieldDoc>) -> RawParams {
    let mut raw = RawParams::default();
    for field in fields {
        match sample(&serde_json::to_value(&field.schema).unwrap()) {
            Value::Null => {
                let upload =
                    Upload { file_name: "a.png".into(), content_type: None, bytes: Bytes::from_static(b"png") };
                raw.files.insert(field.name.to_owned(), upload);
            }
            value => {
                raw.values.values.insert(field.name.to_owned(), value);
            }
        }
    }
    raw
}

fn with_null(raw: &RawParams, name: &str) -> RawParams {
    let mut values = raw.values.values.clone();
    values.insert(name.to_owned(), Value::Null);
    RawParams {
        values: ParamMap { values, repeated: HashMap::new() },
        files: raw.files.clone(),
        ..RawParams::default()
    }
}

/// The optional parameters of a route for which null is more than "not sent".
fn cleared(endpoint: &Endpoint) -> Vec<String> {
    let fields = (endpoint.fields)();
    let differs = |field: &&FieldDoc| {
        let required = request(fields.iter().filter(|other| other.required));
        let others = request(fields.iter().filter(|other| other.name != field.name));
        [required, others].iter().any(|raw| (endpoint.read)(raw) != (endpoint.read)(&with_null(raw, field.name)))
    };
    let optional = fields.iter().filter(|field| !field.required);
    optional.filter(differs).map(|field| format!("{} {} {}", endpoint.method, endpoint.path, field.name)).collect()
}

#[test]
fn null_is_not_sent_but_for_what_it_clears() {
    let table = crate::all_routes::all_routes().unwrap();
    let of_tables = |endpoint: &&Endpoint| OF_TABLES.contains(&endpoint.path.as_str());
    let mut found: Vec<String> = table.endpoints().filter(|endpoint| !of_tables(endpoint)).flat_map(cleared).collect();
    found.sort();
    let listed: Vec<&str> = CLEARED.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(found, listed, "cleared_by_null.txt is to be:\n{}\n", found.join("\n"));
}

#[test]
fn required_parameters_are_read_from_values_that_their_schemas_admit() {
    let table = crate::all_routes::all_routes().unwrap();
    let complete = |endpoint: &&Endpoint| {
        let fields = (endpoint.fields)();
        (endpoint.read)(&request(fields.iter())).is_ok()
    };
    let (readable, all) = (table.endpoints().filter(complete).count(), table.endpoints().count());
    assert!(readable * 10 >= all * 8, "{readable} of {all}: the walk would compare refusals");
}
