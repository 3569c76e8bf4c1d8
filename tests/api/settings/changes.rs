//! Changes of several settings, and how clients send them.

use std::sync::Barrier;

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use super::accept_terms;
use crate::support::*;

const PATH: &str = "/application/settings";

#[both_databases]
fn what_is_not_sent_stays(server: &TestServer) {
    let root = server.root();
    let _ = changed(&root, PATH, json!({"sign_in_text": "Hello", "default_projects_limit": 7}));
    let after = changed(&root, PATH, json!({"default_projects_limit": 8, "unknown": "x", "id": 9}));
    assert_eq!(
        (&after["sign_in_text"], &after["default_projects_limit"], &after["id"]),
        (&json!("Hello"), &json!(8), &json!(1))
    );
}

#[both_databases]
fn a_change_of_nothing_is_refused(server: &TestServer) {
    let root = server.root();
    for body in [json!({}), json!({"unknown": 1}), json!([1])] {
        let refused = root.put(PATH, body).assert_status(400).json();
        let text = refused["error"].as_str().unwrap_or_default();
        assert!(text.ends_with(" are missing, at least one parameter must be provided"), "{text}");
        assert!(text.contains("signup_enabled, ") && text.contains("default_projects_limit, "), "{text}");
        assert_eq!(refused["error"], refused["message"]);
    }
}

/// Clients that keep the whole object send all of it, with their changes.
#[both_databases]
fn the_whole_object_can_be_sent_back(server: &TestServer) {
    let root = server.root();
    let mut whole = root.get(PATH).assert_status(200).json();
    let same = changed(&root, PATH, whole.clone());
    assert_eq!(same, whole);
    whole["default_projects_limit"] = json!(5);
    whole["domain_whitelist"] = json!(["example.org"]);
    whole["domain_allowlist"] = json!(["example.org"]);
    let after = changed(&root, PATH, whole.clone());
    assert_eq!((&after["default_projects_limit"], &after["domain_allowlist"]), (&json!(5), &json!(["example.org"])));
    whole["domain_allowlist"] = json!(["other.org"]);
    let text = "domain_whitelist, domain_allowlist are mutually exclusive";
    root.put(PATH, whole).assert(400, parameter(text));
}

#[both_databases]
fn forms_and_queries_work_as_json_does(server: &TestServer) {
    let root = server.root();
    let form = "signup_enabled=False&domain_blacklist_enabled=true&domain_blacklist[]=a.test&domain_blacklist[]=b.test\
                &max_attachment_size=20&import_sources=git,github";
    let after = root.form("PUT", PATH, form).assert_status(200).json();
    for (name, value) in [
        ("signup_enabled", json!(false)),
        ("domain_blacklist", json!(["a.test", "b.test"])),
        ("domain_denylist", json!(["a.test", "b.test"])),
        ("max_attachment_size", json!(20)),
        ("import_sources", json!(["git", "github"])),
    ] {
        assert_eq!(after[name], value, "{name}");
    }
    let query =
        "?domain_whitelist=a.test%0Ab.test;c.test&restricted_visibility_levels[]=&polling_interval_multiplier=0.5";
    let after = root.send("PUT", &format!("{PATH}{query}"), None, Vec::new()).assert_status(200).json();
    assert_eq!(after["domain_whitelist"], json!(["a.test", "b.test", "c.test"]));
    assert_eq!(
        (&after["restricted_visibility_levels"], &after["polling_interval_multiplier"]),
        (&json!([]), &json!("0.5"))
    );
}

#[both_databases]
fn all_wrong_fields_are_named_and_nothing_is_changed(server: &TestServer) {
    let root = server.root();
    let body = json!({
        "home_page_url": "javascript:alert(1)", "max_attachment_size": 0, "admin_notification_email": "x",
        "terms": "T", "default_branch_name": "a..b",
    });
    let wrong = json!({"message": {
        "admin_notification_email": ["is invalid"],
        "default_branch_name": ["is invalid"],
        "home_page_url": ["is blocked: Only allowed protocols are http, https"],
        "max_attachment_size": ["must be greater than 0"],
    }});
    let refused = root.put(PATH, body).assert_status(400).json();
    assert_eq!(refused, wrong);
    assert_eq!(root.get(PATH).json()["terms"], Value::Null);
}

#[both_databases]
fn rules_over_several_settings_hold(server: &TestServer) {
    let root = server.root();
    let message = |name: &str, text: &str| json!({"message": { name: [text] }});
    root.put(PATH, json!({"enforce_terms": true}))
        .assert(400, message("terms", "You need to set terms to be enforced"));
    let _ = changed(&root, PATH, json!({"terms": "Be kind."}));
    let _ = changed(&root, PATH, json!({"enforce_terms": true}));
    accept_terms(server);
    root.put(PATH, json!({"terms": ""})).assert(400, message("terms", "You need to set terms to be enforced"));
    root.put(PATH, json!({"diagram_enabled": true, "diagram_url": ""}))
        .assert(400, message("diagram_url", "can't be blank"));
    let empty = "Domain blacklist cannot be empty if Blacklist is enabled.";
    root.put(PATH, json!({"domain_blacklist_enabled": true, "domain_blacklist": []}))
        .assert(400, message("domain_blacklist", empty));
    let none = json!({"rsa_key_restriction": -1, "dsa_key_restriction": -1, "ecdsa_key_restriction": -1, "ed25519_key_restriction": -1});
    root.put(PATH, none).assert(400, message("allowed_key_types", "can't be blank"));
    root.put(PATH, json!({"housekeeping_gc_period": 20}))
        .assert(400, message("housekeeping_gc_period", "must be greater than or equal to 50"));
    root.put(PATH, json!({"repository_storages": ["foo"]}))
        .assert(400, message("repository_storages", "can't include: foo"));
}

#[both_databases]
fn changes_at_the_same_time_are_all_kept(server: &TestServer) {
    let names = [
        "max_pages_size",
        "max_artifacts_size",
        "max_attachment_size",
        "default_projects_limit",
        "session_expire_delay",
        "metrics_port",
    ];
    let start = Barrier::new(names.len());
    std::thread::scope(|scope| {
        for name in names {
            let (root, start) = (server.root(), &start);
            scope.spawn(move || {
                start.wait();
                for value in 1..=5 {
                    let _ = root.put(PATH, json!({ name: value })).assert_status(200);
                }
            });
        }
    });
    let after = server.root().get(PATH).json();
    assert_eq!(names.map(|name| after[name].clone()), [5; 6].map(Value::from));
}
