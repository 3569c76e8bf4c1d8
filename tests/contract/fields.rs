//! The fields that clients of today send and read. Each call that a client makes has the field, in the description at least: the
//! tests of the resources send and read the values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::Value;
use tenon_domain::settings::{self, Effect};

use crate::parameters::aliases;
use crate::routes::normalised;

/// The fields, with their verdicts and calls.
pub(crate) const FIELDS: &str = include_str!("fields.tsv");
/// How deep objects are read.
const DEEPEST: usize = 5;

/// The names of the properties of a schema, and of the objects in it.
fn names(document: &Value, schema: &Value, depth: usize) -> BTreeSet<String> {
    let schema = match schema["$ref"].as_str() {
        Some(name) => &document["components"]["schemas"][name.rsplit('/').next().unwrap_or_default()],
        None => schema,
    };
    let mut found = BTreeSet::new();
    if depth == DEEPEST {
        return found;
    }
    let parts = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|part| schema[part].as_array()).flatten();
    for part in parts.chain(schema.get("items")) {
        found.extend(names(document, part, depth + 1));
    }
    found.extend(schema["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()));
    found
}

/// The fields that one call of the description sends and is answered.
struct Described {
    sent: BTreeSet<String>,
    answered: BTreeSet<String>,
}

fn described() -> BTreeMap<(String, String), Described> {
    let document: Value = serde_json::from_str(&tenon_http::openapi().expect("a description")).expect("JSON");
    let in_contents = |contents: &Value| -> BTreeSet<String> {
        let contents = contents.as_object().into_iter().flat_map(|all| all.values());
        contents.flat_map(|content| names(&document, &content["schema"], 0)).collect()
    };
    let mut all = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let listed = operation["parameters"].as_array().into_iter().flatten();
            let listed = listed.filter_map(|one| Some(one["name"].as_str()?.trim_end_matches("[]").to_owned()));
            let sent = listed.chain(in_contents(&operation["requestBody"]["content"])).collect();
            let answers = operation["responses"].as_object().into_iter().flatten();
            let good = answers.filter(|(status, _)| status.starts_with('2'));
            let answered = good.flat_map(|(_, answer)| in_contents(&answer["content"])).collect();
            all.insert((method.to_uppercase(), normalised(path)), Described { sent, answered });
        }
    }
    all
}

/// If the call, such as `body of PUT /projects/{id}`, has the field, or one of its other names.
fn has(described: &BTreeMap<(String, String), Described>, call: &str, field: &str, others: &BTreeSet<String>) -> bool {
    let words: Vec<&str> = call.split(' ').collect();
    let [kind, "of", method, path] = words[..] else { panic!("no call: {call}") };
    let Some(found) = described.get(&(method.to_owned(), normalised(path))) else { return false };
    match kind {
        "answer" => found.answered.contains(field),
        _ => found.sent.contains(field) || !found.sent.is_disjoint(others),
    }
}

/// If the answer of this call, such as `GET /projects/{id}`, has the field.
pub(crate) fn answers(call: &str, field: &str) -> bool {
    static DESCRIBED: LazyLock<BTreeMap<(String, String), Described>> = LazyLock::new(described);
    has(&DESCRIBED, &format!("answer of {call}"), field, &BTreeSet::new())
}

#[test]
fn every_field_of_todays_clients_is_there_where_its_line_says() {
    let (described, aliases, none) = (described(), aliases(), BTreeSet::new());
    let mut wrong = Vec::new();
    for line in FIELDS.lines().filter(|line| !line.starts_with('#')) {
        let [resource, field, verdict, calls] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}")
        };
        for call in calls.split("; ") {
            let is_there = has(&described, call, field, aliases.get(field).unwrap_or(&none));
            match verdict {
                "do" | "store" | "ci" if !is_there => wrong.push(format!("{resource}: {call} has no {field}")),
                "left" if is_there => wrong.push(format!("{resource}: {call} has {field} now")),
                "do" | "store" | "ci" | "left" | "no" => {}
                other => panic!("no verdict: {other}"),
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_setting_that_is_only_stored_is_not_called_obeyed() {
    let stored: BTreeSet<&str> = settings::all()
        .filter(|setting| matches!(setting.effect, Effect::Stored(_)))
        .flat_map(settings::Setting::sent_names)
        .collect();
    let is_wrong = |line: &&str| {
        let columns: Vec<&str> = line.split('\t').collect();
        matches!(columns[..], ["application settings", field, "do", _] if stored.contains(field))
    };
    assert_eq!(FIELDS.lines().filter(is_wrong).collect::<Vec<_>>(), Vec::<&str>::new());
}
