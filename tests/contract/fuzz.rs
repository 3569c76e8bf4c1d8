//! Whatever is sent, the server neither fails nor falls.

use std::sync::OnceLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use tenon_testkit::{ROOT_TOKEN, Reply, TestServer};

use crate::fixture::{Fixture, on_stages};
use crate::requests::fill;

/// How many requests are made up, in parts that each have a runner of their own.
const CASES: u32 = 2_500;
const PARTS: u32 = 20;

/// The longest query, in bytes.
const MAX_QUERY: usize = 20_000;

/// A route and the names of its parameters.
struct Target {
    method: String,
    path: String,
    names: Vec<String>,
}

/// One made-up request, but for the route, which is drawn by index.
#[derive(Debug, Clone)]
struct Random {
    route: Index,
    pairs: Vec<(Index, Value)>,
    form: Form,
    /// The replacement of one of the ids in the path.
    segment: Option<(Index, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Query,
    Json,
    Urlencoded,
    Multipart,
    /// JSON that ends too early.
    Broken,
}

fn targets_of(server: &TestServer) -> Vec<Target> {
    let document = server.anonymous().get("/openapi.json").json();
    let mut targets = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let query = operation["parameters"].as_array().into_iter().flatten();
            let query = query.filter(|parameter| parameter["in"] == "query").filter_map(|each| each["name"].as_str());
            let content = operation["requestBody"]["content"].as_object().into_iter().flatten();
            let fields = content.filter_map(|(_, content)| content["schema"]["properties"].as_object()).flatten();
            let fields = fields.map(|(name, _)| name.as_str());
            let general = ["page", "per_page", "sudo", "format", "custom_attributes"];
            let names = query.chain(fields).chain(general).map(|name| name.trim_end_matches("[]").to_owned()).collect();
            targets.push(Target { method: method.to_ascii_uppercase(), path: path.clone(), names });
        }
    }
    targets
}

fn texts() -> impl Strategy<Value = String> {
    let nasty = [
        "",
        " ",
        "0",
        "-1",
        "1",
        "7",
        "true",
        "null",
        "NaN",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
        "1e999",
        "99999999999999999999999999999999",
        "0x10",
        "a\0b",
        "\u{202e}gnp.exe",
        "\u{200b}",
        "%",
        "_",
        "\\",
        "%00",
        "%ff",
        "..",
        "../../etc/passwd",
        "/",
        "a/b",
        "-x",
        ".git",
        "x.git",
        "x.atom",
        "'; DROP TABLE users; --",
        "\" OR 1=1",
        "<script>",
        "\r\nX-Evil: 1",
        "2026-02-30",
        "9999999-01-01",
        "0000-00-00",
        "2026-01-01T00:00:00Z",
        "-262143-01-01",
        "+262142-12-31",
        "http://[::1",
        "https://example.com",
        "javascript:alert(1)",
        "ı",
        "ẞ",
        "e\u{301}",
        "\u{fdd0}",
        "\u{feff}",
        "👩‍👩‍👧",
        "root",
        "ghost",
        "private",
        "internal",
        "public",
        "asc",
        "desc",
        "id",
        "name",
        "api",
        "sudo",
        "10",
        "40",
        "50",
    ];
    prop_oneof![
        6 => select(nasty.map(str::to_owned).to_vec()),
        1 => select(vec!['x', 'é', '[', '%']).prop_map(|letter| letter.to_string().repeat(5_120)),
        2 => any::<i64>().prop_map(|number| number.to_string()),
        2 => "\\PC{0,12}",
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        6 => texts().prop_map(Value::String),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    scalar.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((texts(), inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn requests() -> impl Strategy<Value = Random> {
    let form = select(vec![Form::Query, Form::Json, Form::Json, Form::Urlencoded, Form::Multipart, Form::Broken]);
    let segment = proptest::option::weighted(0.3, (any::<Index>(), texts()));
    (any::<Index>(), vec((any::<Index>(), values()), 0..6), form, segment)
        .prop_map(|(route, pairs, form, segment)| Random { route, pairs, form, segment })
}

/// `text` with everything but letters and digits encoded, byte by byte.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A value as a form writes it.
fn pairs(name: &str, value: &Value, out: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| pairs(&format!("{name}[]"), item, out)),
        Value::Object(fields) => fields.iter().for_each(|(key, item)| pairs(&format!("{name}[{key}]"), item, out)),
        Value::String(text) => out.push((name.to_owned(), text.clone())),
        other => out.push((name.to_owned(), other.to_string())),
    }
}

fn send(server: &TestServer, fixture: &Fixture, target: &Target, random: &Random) -> Reply {
    let mut path = fill(&target.path, fixture, &fixture.places[1]);
    if let Some((at, text)) = &random.segment {
        let variable: Vec<usize> =
            target.path.split('/').enumerate().filter(|(_, part)| part.starts_with('{')).map(|(at, _)| at).collect();
        if !variable.is_empty() {
            let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
            segments[*at.get(&variable)] = encoded(text);
            path = segments.join("/");
        }
    }
    let given = random.pairs.iter().map(|(name, value)| (name.get(&target.names).clone(), value.clone()));
    let object: Map<String, Value> = given.collect();
    let mut flat = Vec::new();
    object.iter().for_each(|(name, value)| pairs(name, value, &mut flat));
    let form: Vec<String> = flat.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    let form = form.join("&");
    // No client sends longer addresses; the end may well fall into the middle of something.
    let query = &form[..form.len().min(MAX_QUERY)];
    let json = Value::Object(object).to_string();
    let client = server.client(ROOT_TOKEN);
    let (query, kind, body) = match random.form {
        _ if target.method == "GET" => (query, None, Vec::new()),
        Form::Query => (query, None, Vec::new()),
        Form::Urlencoded => ("", Some("application/x-www-form-urlencoded"), form.into_bytes()),
        Form::Json => ("", Some("application/json"), json.into_bytes()),
        Form::Broken => {
            let mut bytes = json.into_bytes();
            bytes.pop();
            bytes.push(0xff);
            ("", Some("application/json"), bytes)
        }
        Form::Multipart => {
            let parts = flat.iter().map(|(name, value)| {
                format!(
                    "--b\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n{value}\r\n"
                )
            });
            let body: String = parts.chain(["--b--\r\n".to_owned()]).collect();
            ("", Some("multipart/form-data; boundary=b"), body.into_bytes())
        }
    };
    // A stream that is not to end at once would last for an hour.
    let end = if target.path == "/events/stream" { "&seconds=0" } else { "" };
    client.send(&target.method, &format!("{path}?{query}{end}"), kind, body)
}

/// The fault of an answer, whatever the request was.
fn complaint(target: &Target, reply: &Reply) -> Option<String> {
    let status = reply.status();
    let empty = reply.bytes().is_empty();
    let is_json = serde_json::from_slice::<Value>(reply.bytes()).is_ok();
    let says_json = reply.header("content-type") == "application/json";
    let sends_bytes = target.path == "/events/stream"
        || target.path.ends_with("/raw")
        || target.path.ends_with("/raw_diffs")
        || target.path.contains("/repository/archive");
    match status {
        200 if sends_bytes => None,
        500.. => Some(format!("{status}: {}", reply.text())),
        204 | 302 | 304 => (!empty).then(|| format!("{status} with a body: {}", reply.text())),
        _ => (!is_json || !says_json).then(|| format!("{status}, not JSON: {}", reply.text())),
    }
}

#[test]
fn nothing_that_is_sent_makes_the_server_fail() {
    let targets = OnceLock::new();
    on_stages(usize::try_from(PARTS).expect("a number"), |stage, _part| {
        let targets = targets.get_or_init(|| targets_of(&stage.server));
        let mut runner =
            TestRunner::new(Config { cases: CASES / PARTS, failure_persistence: None, ..Config::default() });
        let outcome = runner.run(&requests(), |random| {
            let target = random.route.get(targets);
            let reply = send(&stage.server, &stage.fixture, target, &random);
            let said = complaint(target, &reply);
            prop_assert!(said.is_none(), "{} {}: {}", target.method, target.path, said.unwrap_or_default());
            // A random request may have removed an object that the next requests refer to, the caller first of all.
            if target.method != "GET" && reply.status() < 300 {
                stage.put_back();
            }
            Ok(())
        });
        if let Err(failure) = outcome {
            let text: String = failure.to_string().chars().take(4_000).collect();
            panic!("{text}");
        }
        let _ = stage.server.root().get("/user").assert_status(200);
    });
}
