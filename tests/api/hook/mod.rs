//! Hooks of projects and of the whole server.

mod answers;
mod capture;
mod deliveries;
mod ended_access;
mod failing;
mod later_events;
mod limits;
mod payloads;
mod secrets;
mod system;
mod system_payloads;
mod use_cases;

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::support::*;

const FIELDS: [&str; 15] = [
    "id",
    "url",
    "project_id",
    "push_events",
    "issues_events",
    "confidential_issues_events",
    "merge_requests_events",
    "tag_push_events",
    "note_events",
    "job_events",
    "pipeline_events",
    "wiki_page_events",
    "enable_ssl_verification",
    "push_events_branch_filter",
    "created_at",
];

fn scene(server: &TestServer) -> (User, String) {
    let alice = server.user("alice");
    let hooks = format!("/projects/{}/hooks", project(&alice, "tool", "public"));
    (alice, hooks)
}

#[both_databases]
fn a_hook_starts_with_pushes_only(server: &TestServer) {
    let (alice, hooks) = scene(server);
    let hook = made(&alice, &hooks, json!({"url": "https://hooks.example.com/in", "token": "t"}));
    assert_has(&hook, &FIELDS);
    assert_lacks(&hook, &["token"]);
    for (name, want) in [
        ("push_events", json!(true)),
        ("enable_ssl_verification", json!(true)),
        ("issues_events", json!(false)),
        ("merge_requests_events", json!(false)),
        ("tag_push_events", json!(false)),
        ("note_events", json!(false)),
        ("job_events", json!(false)),
        ("pipeline_events", json!(false)),
        ("wiki_page_events", json!(false)),
        ("confidential_issues_events", json!(false)),
        ("confidential_note_events", Value::Null),
        ("push_events_branch_filter", Value::Null),
        ("repository_update_events", json!(false)),
    ] {
        assert_eq!(hook[name], want, "{name}");
    }
    assert_eq!(alice.get(&format!("{hooks}/{}", id(&hook))).assert_status(200).json(), hook);
    assert_eq!(alice.get(&hooks).json(), json!([hook]));
}

#[both_databases]
fn an_edit_changes_what_is_given(server: &TestServer) {
    let (alice, hooks) = scene(server);
    let hook = format!(
        "{hooks}/{}",
        id(&made(&alice, &hooks, json!({"url": "https://a.example.com/", "issues_events": true})))
    );
    alice.put(&hook, json!({"push_events": false})).assert(400, parameter("url is missing"));
    let edited = alice
        .put(&hook, json!({"url": "https://b.example.com/", "push_events": false, "wiki_events": true}))
        .assert_status(200)
        .json();
    assert_eq!(
        (&edited["url"], &edited["push_events"], &edited["issues_events"], &edited["wiki_page_events"]),
        (&json!("https://b.example.com/"), &json!(false), &json!(true), &json!(true))
    );
}

#[both_databases]
fn a_branch_filter_has_rules(server: &TestServer) {
    let (alice, hooks) = scene(server);
    let with = |filter: &str| {
        alice.post(&hooks, json!({"url": "https://a.example.com/", "push_events_branch_filter": filter}))
    };
    assert_eq!(with("release/*").assert_status(201).json()["push_events_branch_filter"], "release/*");
    for all in [with(""), with("  ")] {
        assert!(matches!(&all.assert_status(201).json()["push_events_branch_filter"], Value::Null | Value::String(_)));
    }
    for bad in ["a..b", "~x", "a:b", "a\nb", &"x".repeat(4001), "/x", "x.lock"] {
        with(bad)
            .assert(422, json!({"message": "Invalid branch filter given", "error": "Invalid branch filter given"}));
    }
}

#[both_databases]
fn a_hook_is_found_only_under_its_project(server: &TestServer) {
    let (alice, hooks) = scene(server);
    let other = format!("/projects/{}/hooks", project(&alice, "other", "public"));
    let hook = id(&made(&alice, &hooks, json!({"url": "https://a.example.com/"})));
    for path in [format!("{other}/{hook}"), format!("{hooks}/999999")] {
        alice.get(&path).assert(404, json!({"message": "404 Not found"}));
        alice.delete(&path).assert(404, json!({"message": "404 Not found"}));
        alice.put(&path, json!({"url": "https://a.example.com/"})).assert(404, json!({"message": "404 Not found"}));
    }
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&format!("{hooks}/{hook}")).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.delete(&format!("{hooks}/{hook}")).assert_status(204);
    alice.delete(&format!("{hooks}/{hook}")).assert(404, json!({"message": "404 Not found"}));
    alice.post(&hooks, json!({})).assert(400, parameter("url is missing"));
}

#[both_databases]
fn hooks_are_listed_by_id(server: &TestServer) {
    let (alice, hooks) = scene(server);
    let made: Vec<i64> = (0..3)
        .map(|number| id(&made(&alice, &hooks, json!({"url": format!("https://a.example.com/{number}")}))))
        .collect();
    assert_eq!(ids(&alice.get(&hooks)), made);
    assert_eq!(ids(&alice.get(&format!("{hooks}?per_page=2&page=2"))), made[2..]);
}
