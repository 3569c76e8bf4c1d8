//! Every row of the table of settings: it takes another value, refuses a wrong one, and is reset.

use serde_json::{Map, Value as Json, json};
use tenon_domain::settings::{Kind, Setting, Value, all, find};
use tenon_testkit::{Client, TestServer, both_databases};

use super::accept_terms;
use crate::support::*;

const PATH: &str = "/application/settings";

fn as_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Switch(on) => json!(on),
        Value::Number(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::List(items) => json!(items),
    }
}

fn preset(setting: &Setting) -> Json {
    match (setting.kind, setting.default.value()) {
        (Kind::Switches(words), _) => {
            words.iter().map(|word| ((*word).to_owned(), json!(false))).collect::<Map<_, _>>().into()
        }
        (Kind::Weights(_), _) => json!({"default": 100}),
        (_, value) => as_json(&value),
    }
}

/// A valid value that is not the default; `repository_storages` has no other.
fn other(setting: &Setting) -> Json {
    let default = setting.default.value();
    match setting.kind {
        Kind::Switch => json!(default == Value::Switch(false)),
        Kind::Number { least, .. } => json!(preset(setting).as_i64().map_or(least, |number| number) + 1),
        Kind::OneOf(numbers) => json!(numbers.iter().find(|number| Value::Number(**number) != default)),
        Kind::BranchProtection => json!(1),
        Kind::Factor => json!("2.5"),
        Kind::Word(words) => json!(words.iter().find(|word| Value::Text((**word).to_owned()) != default)),
        Kind::Words(words) => json!([words[0]]),
        Kind::Names if setting.name == "repository_storages" => json!(["default"]),
        Kind::Names => json!(["alpha", "beta"]),
        Kind::Domains => json!(["*.example.org", "example.net"]),
        // A prefix of tokens has no blanks.
        Kind::Line(20) => json!("tenon-"),
        Kind::Line(_) | Kind::Secret | Kind::Hidden => json!("one line"),
        Kind::Pattern(_) => json!("@(spam|junk)\\.test$"),
        Kind::Switches(words) => {
            words.iter().map(|word| ((*word).to_owned(), json!(*word == words[0]))).collect::<Map<_, _>>().into()
        }
        Kind::Ids => json!([1, 20]),
        Kind::Weights(_) => json!({"default": 50}),
        Kind::Text(_) => json!("two\nlines"),
        Kind::Url => json!("https://example.org/x"),
        Kind::Email => json!("abuse@example.org"),
        Kind::Duration => json!("2 weeks"),
        Kind::Branch => json!("trunk"),
    }
}

/// Values that the setting cannot have.
fn wrong(setting: &Setting) -> Vec<Json> {
    match setting.kind {
        Kind::Switch => vec![json!("perhaps"), json!([true])],
        Kind::Number { least, most } => {
            vec![json!(least - 1), json!(most + 1), json!("x"), json!("99999999999999999999"), json!(1.5)]
        }
        Kind::OneOf(_) | Kind::BranchProtection => vec![json!(7), json!("x")],
        Kind::Factor => vec![json!("x"), json!(-1), json!("inf"), json!("1e300")],
        Kind::Word(_) => vec![json!("nonsense"), json!(["http"])],
        Kind::Words(_) => vec![json!(["nonsense"]), json!("nonsense"), json!({"a": "b"}), json!([["git"]])],
        Kind::Names => vec![json!(["x".repeat(256)]), json!({"a": "b"})],
        Kind::Domains => vec![json!(["a@b"]), json!("(a+)+$"), json!({"a": 1})],
        Kind::Line(most) => vec![json!("x".repeat(most + 1)), json!("a\nb"), json!({"a": 1})],
        Kind::Text(most) => vec![json!("x".repeat(most + 1)), json!("a\u{7}b"), json!(["a"])],
        Kind::Secret | Kind::Hidden => vec![json!("x".repeat(1_001)), json!("a\nb")],
        Kind::Pattern(most) => {
            vec![json!("x".repeat(most + 1)), json!("("), json!("x{1000}{1000}{1000}"), json!(["a"])]
        }
        Kind::Switches(_) => vec![json!({"nonsense": true}), json!({"bpmn": "perhaps"}), json!({"bpmn": {}})],
        Kind::Ids => vec![json!(["x"]), json!([-1]), json!({"a": 1})],
        Kind::Weights(_) => vec![json!({"other": 1}), json!({"default": 101}), json!({"default": "x"})],
        Kind::Url => [
            "javascript:alert(1)",
            "data:text/html,x",
            "nonsense",
            "http://a\r\nb",
            "https://u:p@x.test",
            "ftp://x.test",
        ]
        .map(Json::from)
        .to_vec(),
        Kind::Email => vec![json!("no address"), json!("a@b\r\nBcc: c@d")],
        Kind::Duration if setting.is_nullable() => vec![json!("soon")],
        Kind::Duration => vec![json!("soon"), json!("")],
        Kind::Branch => vec![json!("a..b"), json!("-x"), json!("a b")],
    }
}

/// A request that gives the setting this value, with the values that a switch needs.
fn with_companions(setting: &Setting, value: &Json, companion: fn(&Setting) -> Json) -> Json {
    let mut body = Map::from_iter([(setting.name.to_owned(), value.clone())]);
    if *value == json!(true) {
        for name in setting.needs.iter().chain(setting.fills) {
            body.insert((*name).to_owned(), companion(find(name).expect("a companion")));
        }
    }
    Json::Object(body)
}

fn read(root: &Client) -> Json {
    root.get(PATH).assert_status(200).json()
}

/// The settings without the fields that change with every write.
fn without_times(mut settings: Json) -> Json {
    settings.as_object_mut().expect("an object").remove("updated_at");
    settings
}

#[both_databases]
fn every_setting_takes_another_value_and_is_reset(server: &TestServer) {
    let root = server.root();
    let fresh = without_times(read(&root));
    for setting in all() {
        assert_eq!(fresh[setting.name], preset(setting), "{}", setting.name);
        let value = other(setting);
        let changed = root.put(PATH, with_companions(setting, &value, other)).assert_status(200).json();
        if setting.name == "enforce_terms" {
            accept_terms(server);
        }
        for name in setting.shown_names() {
            let shown = if setting.is_answered() { &value } else { &Json::Null };
            assert_eq!(changed[name], *shown, "{name}");
        }
        assert_eq!(read(&root), changed);
        let mut back = with_companions(setting, &preset(setting), preset);
        if value == json!(true) {
            for name in setting.needs.iter().chain(setting.fills) {
                back[*name] = preset(find(name).expect("a companion"));
            }
        }
        let reset = root.put(PATH, back).assert_status(200).json();
        assert_eq!(without_times(reset), fresh, "{}", setting.name);
    }
}

/// A client that describes the whole server: what it sends is what it reads, and then the defaults are.
#[both_databases]
fn the_whole_table_is_sent_read_and_reset(server: &TestServer) {
    let root = server.root();
    let fresh = without_times(read(&root));
    let whole: Map<_, _> = all().map(|setting| (setting.name.to_owned(), other(setting))).collect();
    for is_form in [false, true] {
        let sent =
            if is_form { root.form("PUT", PATH, &as_form(&whole)) } else { root.put(PATH, whole.clone().into()) };
        let _ = sent.assert_status(200);
        accept_terms(server);
        let shown = read(&root);
        for setting in all().filter(|setting| setting.is_answered()) {
            assert_eq!(shown[setting.name], whole[setting.name], "{} {is_form}", setting.name);
        }
        // Clients send back what they have read, under all names.
        assert_eq!(root.put(PATH, shown.clone()).assert_status(200).json(), shown);
        let mut back = fresh.clone();
        for setting in all().filter(|setting| !setting.is_answered()) {
            back[setting.name] = Json::Null;
        }
        assert_eq!(without_times(root.put(PATH, back).assert_status(200).json()), fresh);
        assert_eq!(without_times(read(&root)), fresh);
    }
}

/// Values as a form has them.
fn as_form(values: &Map<String, Json>) -> String {
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in values {
        match value {
            Json::Array(items) => items.iter().for_each(|item| {
                form.append_pair(&format!("{name}[]"), &text(item));
            }),
            Json::Object(entries) => entries.iter().for_each(|(key, value)| {
                form.append_pair(&format!("{name}[{key}]"), &text(value));
            }),
            value => {
                form.append_pair(name, &text(value));
            }
        }
    }
    form.finish()
}

#[both_databases]
fn older_and_newer_names_stand_for_one_value(server: &TestServer) {
    let root = server.root();
    for (sent, shown) in [
        (json!({"send_user_confirmation_email": true}), json!({"email_confirmation_setting": "hard"})),
        (json!({"email_confirmation_setting": "soft"}), json!({"send_user_confirmation_email": true})),
        (json!({"send_user_confirmation_email": false}), json!({"email_confirmation_setting": "off"})),
        (
            json!({"outbound_local_requests_allowlist_raw": "10.0.0.1\nintranet.test"}),
            json!({"outbound_local_requests_whitelist": ["10.0.0.1", "intranet.test"]}),
        ),
        (
            json!({"outbound_local_requests_whitelist": ["a.test", "b.test"]}),
            json!({"outbound_local_requests_allowlist_raw": "a.test\nb.test"}),
        ),
        (json!({"gravatar_enabled": true}), json!({"avatarservice_enabled": true})),
        (json!({"throttle_protected_paths_per_period": 7}), json!({"throttle_protected_paths_requests_per_period": 7})),
    ] {
        let after = changed(&root, PATH, sent.clone());
        for object in [&sent, &shown] {
            for (name, value) in object.as_object().expect("an object") {
                assert_eq!(after[name], *value, "{sent}");
            }
        }
    }
    for contrary in [
        json!({"send_user_confirmation_email": true, "email_confirmation_setting": "off"}),
        json!({"outbound_local_requests_whitelist": ["a.test"], "outbound_local_requests_allowlist_raw": "b.test"}),
        json!({"asset_proxy_allowlist": ["a.test"], "asset_proxy_whitelist": ["b.test"]}),
    ] {
        assert!(root.put(PATH, contrary).assert_status(400).text().contains("are mutually exclusive"));
    }
}

#[both_databases]
fn every_setting_refuses_what_it_cannot_be(server: &TestServer) {
    let root = server.root();
    let fresh = read(&root);
    for setting in all() {
        for value in wrong(setting) {
            // The other change of the same request is not made either.
            let mut body = json!({"hashed_storage_enabled": true});
            body[setting.name] = value.clone();
            let refused = root.put(PATH, body).assert_status(400);
            assert!(refused.text().contains(setting.name), "{} {value}: {}", setting.name, refused.text());
        }
    }
    assert_eq!(read(&root), fresh);
}

#[both_databases]
fn every_alias_is_taken(server: &TestServer) {
    let root = server.root();
    for setting in all() {
        for (alias, _) in setting.aliases {
            let mut body = with_companions(setting, &other(setting), other);
            let value = body.as_object_mut().expect("an object").remove(setting.name).expect("a value");
            body[*alias] = value.clone();
            assert_eq!(changed(&root, PATH, body)[setting.name], value, "{alias}");
        }
    }
}

#[both_databases]
fn a_switch_needs_its_companions_in_the_same_request(server: &TestServer) {
    let root = server.root();
    for setting in all().filter(|setting| !setting.needs.is_empty()) {
        let body = with_companions(setting, &json!(true), other);
        let _ = root.put(PATH, body).assert_status(200);
        // That they are stored already does not help.
        let missing: Vec<_> = all()
            .filter(|each| setting.needs.contains(&each.name))
            .map(|each| format!("{} is missing", each.name))
            .collect();
        let mut alone = Map::new();
        alone.insert(setting.name.to_owned(), json!(true));
        root.put(PATH, Json::Object(alone.clone())).assert(400, parameter(&missing.join(", ")));
        alone.insert(setting.name.to_owned(), json!(false));
        assert_eq!(changed(&root, PATH, Json::Object(alone))[setting.name], json!(false));
    }
}
