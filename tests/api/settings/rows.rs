//! Every row of the table of settings: it takes another value, refuses a wrong one, and is reset.

use serde_json::{Map, Value as Json, json};
use tenon_domain::settings::{all, find};
use tenon_testkit::{Client, TestServer, both_databases};

use super::accept_terms;
use crate::setting_values::{other, preset, with_companions, wrong};
use crate::support::*;

const PATH: &str = "/application/settings";

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
        let sent = if is_form {
            root.form_of("PUT", PATH, &whole.clone().into())
        } else {
            root.put(PATH, whole.clone().into())
        };
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
            let refused = root.put(PATH, body);
            assert_eq!(refused.status(), 400, "{} {value}", setting.name);
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
