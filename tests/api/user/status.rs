//! The status texts of users, and the times at which users were active.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn nothing_is_said_at_first(server: &TestServer) {
    let alice = server.user("alice");
    let empty = json!({"emoji": null, "message": null, "message_html": ""});
    let has = |status: Value| {
        assert_has(&status, &["emoji", "message", "message_html"]);
        assert_eq!(
            (&status["emoji"], &status["message"], &status["message_html"]),
            (&empty["emoji"], &empty["message"], &empty["message_html"])
        );
    };
    has(alice.get("/user/status").assert_status(200).json());
    has(server.anonymous().get(&format!("/users/{}/status", alice.id)).assert_status(200).json());
    has(server.anonymous().get("/users/ALICE/status").assert_status(200).json());
    server.anonymous().get("/users/no-one/status").assert(404, missing("User"));
    server.anonymous().get("/user/status").assert(401, unauthorized());
}

#[both_databases]
fn a_status_is_replaced_as_a_whole(server: &TestServer) {
    let alice = server.user("alice");
    let put = |body: Value| alice.put("/user/status", body).assert_status(200).json();
    let both = put(json!({"emoji": "coffee", "message": "away"}));
    assert_eq!((&both["emoji"], &both["message"]), (&json!("coffee"), &json!("away")));
    assert_eq!(put(json!({"message": "back"}))["emoji"], "speech_balloon");
    let only = put(json!({"emoji": "coffee"}));
    assert_eq!((&only["emoji"], only["message"].as_str().unwrap_or_default()), (&json!("coffee"), ""));
    assert_eq!(put(json!({"emoji": "", "message": ""}))["emoji"], Value::Null);
    assert_eq!(server.anonymous().get("/users/alice/status").json()["message"], Value::Null);
}

#[both_databases]
fn a_status_has_rules(server: &TestServer) {
    let alice = server.user("alice");
    alice
        .put("/user/status", json!({"emoji": "no_such_thing"}))
        .assert(400, field("emoji", "is not included in the list"));
    let long = json!({"message": "x".repeat(101)});
    alice.put("/user/status", long).assert(400, field("message", "is too long (maximum is 100 characters)"));
    let _ = alice.put("/user/status", json!({"message": "é".repeat(100)})).assert_status(200);
}

#[both_databases]
fn a_status_is_shown_without_anything_that_runs(server: &TestServer) {
    let alice = server.user("alice");
    let shown = alice
        .put("/user/status", json!({"message": "<script>alert(1)</script> :coffee: <b>"}))
        .assert_status(200)
        .json();
    let html = shown["message_html"].as_str().expect("text");
    assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    assert!(!html.contains(":coffee:"), "{html}");
    let shown = alice
        .put("/user/status", json!({"message": "**busy** with `code`, see https://tenon.example/x"}))
        .assert_status(200)
        .json();
    let html = shown["message_html"].as_str().expect("text");
    assert!(
        html.starts_with("<strong>busy</strong> with <code>code</code>, see <a href=\"https://tenon.example/x\""),
        "{html}"
    );
    let shown = alice.put("/user/status", json!({"message": "[x](javascript:alert(1))"})).assert_status(200).json();
    assert!(!shown["message_html"].as_str().expect("text").contains("javascript:"), "{shown}");
}

#[both_databases]
fn parts_of_a_status_can_be_changed(server: &TestServer) {
    let alice = server.user("alice");
    let _ = alice.put("/user/status", json!({"emoji": "coffee", "message": "away"})).assert_status(200);
    let changed = alice
        .send("PATCH", "/user/status", Some("application/json"), br#"{"message":"back"}"#.to_vec())
        .assert_status(200)
        .json();
    assert_eq!((&changed["emoji"], &changed["message"]), (&json!("coffee"), &json!("back")));
}

#[both_databases]
fn activities_are_listed_from_the_oldest(server: &TestServer) {
    for name in ["old", "older", "ancient", "never"] {
        server.user(name);
    }
    for (name, day) in [("old", "2026-02-01"), ("older", "2026-01-01"), ("ancient", "2024-01-01")] {
        server.database().execute(&format!("UPDATE users SET last_activity_on = '{day}' WHERE username = '{name}'"));
    }
    let list = server.root().get("/user/activities").assert_status(200);
    assert_eq!(texts(&list, "username"), ["older", "old"]);
    assert_eq!(
        list.json()[0],
        json!({"username": "older", "last_activity_on": "2026-01-01", "last_activity_at": "2026-01-01"})
    );
    assert_eq!(texts(&server.root().get("/user/activities?from=2020-01-01"), "username"), ["ancient", "older", "old"]);
    assert_eq!(texts(&server.root().get("/user/activities?from=2026-02-01"), "username"), ["old"]);
    server.root().get("/user/activities?from=soon").assert(400, parameter("from is invalid"));
}
