//! Reads everything that one caller can read, and compares the values of the same field.

use std::collections::BTreeMap;

use serde_json::Value;
use tenon_testkit::Client;

/// Items of one list that are read alone.
const ITEMS: usize = 4;

/// Fields that may differ: the ending of the address of a list, the field, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Of a member, which has the address of the user, the fields that are about the membership.
const MEMBERSHIP: [&str; 5] = ["access_level", "created_at", "created_by", "expires_at", "membership_state"];

/// Routes that are not JSON about things, or that are about time.
fn is_left_out(route: &str) -> bool {
    let parts =
        ["/raw", "/archive", "/stream", "/avatar", "/downloads", "/templates", "/raw_diffs", "/blobs", "/search"];
    parts.iter().any(|part| route.contains(part))
}

/// The answers that one caller has read.
pub(super) struct Walk<'a> {
    client: &'a Client,
    /// The routes that are read, with `{}` for each parameter.
    routes: BTreeMap<String, Vec<String>>,
    /// Answers by path; `None` for refusals.
    answers: BTreeMap<String, Option<Value>>,
    /// By address of a thing and name of a field: the value, and the place at which it was read.
    known: BTreeMap<(String, String), (Value, String)>,
    /// How many values were compared.
    pub(super) compared: usize,
    /// The differences.
    pub(super) differing: Vec<String>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(client: &'a Client) -> Self {
        let document: Value = serde_json::from_str(include_str!("../../../docs/openapi.json")).expect("JSON");
        let mut routes = BTreeMap::new();
        for (path, methods) in document["paths"].as_object().expect("paths") {
            if methods.get("get").is_some() && !is_left_out(path) {
                let parameters = path.split('/').filter(|part| part.starts_with('{')).map(str::to_owned).collect();
                routes.insert(plain(path), parameters);
            }
        }
        let (answers, known) = (BTreeMap::new(), BTreeMap::new());
        Self { client, routes, answers, known, compared: 0, differing: Vec::new() }
    }

    /// Reads everything.
    pub(super) fn all(&mut self) {
        for route in self.routes.keys().cloned().collect::<Vec<_>>() {
            for path in self.paths(&route) {
                let Some(answer) = self.read(&path) else { continue };
                self.observe(&answer, &path);
                self.compare_items(&route, &path, &answer);
            }
        }
    }

    /// The paths of a route: those of the list before its last parameter, each with its items.
    fn paths(&mut self, route: &str) -> Vec<String> {
        let Some(at) = route.rfind("/{}") else { return vec![route.to_owned()] };
        let (list, rest) = (&route[..at], &route[at + 3..]);
        let Some(parameters) = self.routes.get(list).cloned() else { return Vec::new() };
        let name = self.routes[route].get(parameters.len()).cloned().unwrap_or_default();
        let mut found = Vec::new();
        for path in self.paths(list) {
            let answer = self.read(&path);
            let items = answer.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
            found.extend(
                items.iter().take(ITEMS).filter_map(|item| Some(format!("{path}/{}{rest}", key(item, &name)?))),
            );
        }
        found
    }

    fn read(&mut self, path: &str) -> Option<Value> {
        if let Some(known) = self.answers.get(path) {
            return known.clone();
        }
        let reply = self.client.get(path);
        assert!(reply.status() < 500, "{path}: {}", reply.text());
        let is_json = reply.header("content-type").contains("json");
        let answer = (reply.status() == 200 && is_json).then(|| reply.json());
        self.answers.insert(path.to_owned(), answer.clone());
        answer
    }

    /// Compares the items of a list with the same things alone.
    fn compare_items(&mut self, route: &str, path: &str, answer: &Value) {
        let Some((single, parameters)) = self.routes.get_key_value(&format!("{route}/{{}}")) else { return };
        let name = parameters.last().cloned().unwrap_or_default();
        let single = single.clone();
        for item in answer.as_array().into_iter().flatten().take(ITEMS) {
            let Some(key) = key(item, &name) else { continue };
            let alone = format!("{path}/{key}");
            let Some(one) = self.read(&alone) else {
                self.differing.push(format!("{single}: {alone} cannot be read, and is in the list"));
                continue;
            };
            self.compare(path, &alone, "", item, &one);
        }
    }

    fn compare(&mut self, list: &str, alone: &str, field: &str, a: &Value, b: &Value) {
        match (a, b) {
            (Value::Object(a), Value::Object(b)) => {
                for (name, value) in a {
                    if let Some(other) = b.get(name) {
                        let field = if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
                        self.compare(list, alone, &field, value, other);
                    }
                }
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                for (a, b) in a.iter().zip(b) {
                    self.compare(list, alone, &format!("{field}[]"), a, b);
                }
            }
            _ => {
                self.compared += 1;
                if a != b && !is_exception(list, field) {
                    self.differing.push(format!("{field}: {a} in {list}, {b} in {alone}"));
                }
            }
        }
    }

    /// Compares each thing that has an address with the earlier answers about it.
    fn observe(&mut self, value: &Value, path: &str) {
        match value {
            Value::Object(fields) => {
                if let Some(address) = address(value) {
                    let is_member = fields.contains_key("access_level");
                    for (name, field) in
                        fields.iter().filter(|(name, _)| !(is_member && MEMBERSHIP.contains(&name.as_str())))
                    {
                        self.note(&address, name, shape(field), path);
                    }
                }
                fields.values().for_each(|field| self.observe(field, path));
            }
            Value::Array(items) => items.iter().for_each(|item| self.observe(item, path)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn note(&mut self, address: &str, name: &str, value: Value, path: &str) {
        let key = (address.to_owned(), name.to_owned());
        let Some((known, before)) = self.known.get(&key) else {
            self.known.insert(key, (value, path.to_owned()));
            return;
        };
        self.compared += 1;
        if *known != value && !is_exception(path, name) && !is_exception(before, name) {
            self.differing.push(format!("{name} of {address}: {known} in {before}, {value} in {path}"));
        }
    }
}

fn is_exception(path: &str, field: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    EXCEPTIONS.iter().any(|(ending, name, _)| path.ends_with(ending) && *name == field)
}

/// A route without the names of its parameters.
fn plain(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part }).collect::<Vec<_>>().join("/")
}

/// The value for an item of a list in the address of the item.
fn key(item: &Value, parameter: &str) -> Option<String> {
    let names: &[&str] = match parameter {
        "{issue_iid}" | "{merge_request_iid}" => &["iid"],
        "{branch}" | "{name}" => &["name"],
        "{tag_name}" => &["tag_name", "name"],
        "{key}" => &["key", "name"],
        "{slug}" => &["slug"],
        _ => &["id"],
    };
    let value = names.iter().find_map(|name| item.get(*name))?;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some(text.replace('%', "%25").replace('/', "%2F").replace('#', "%23").replace(' ', "%20"))
}

/// The name of a thing wherever it is shown. A namespace has the address of its user or group, and is another thing.
fn address(value: &Value) -> Option<String> {
    let url = value["web_url"].as_str()?;
    let of = if value.get("kind").is_some() { "namespace " } else { "" };
    Some(format!("{of}{url}"))
}

/// A value that can be compared without the objects within it: those are compared by themselves.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(_) => Value::from("an object"),
        Value::Array(items) if items.iter().all(|item| item.is_string() || item.is_number()) => value.clone(),
        Value::Array(items) => Value::from(items.len()),
        plain => plain.clone(),
    }
}
