//! Recorded changes of labels, milestone and state.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn changes_of_labels_are_recorded_one_by_one(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 20);
    let bug = label(&alice, &format!("/projects/{tool}"), "bug");
    let path = issue(&alice, tool, json!({"title": "t", "labels": "bug"}));
    changed(&bob, &path, json!({"labels": "ui"}));
    let list = format!("{path}/resource_label_events");
    let events = alice.get(&list).assert_status(200);
    let rows = events.json();
    let mut shown: Vec<_> = rows
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&event["user"]["username"]), text(&event["action"]), text(&event["label"]["name"]))
        })
        .collect();
    shown.sort();
    let want = [("alice", "add", "bug"), ("bob", "add", "ui"), ("bob", "remove", "bug")];
    assert_eq!(shown, want.map(|(user, action, name)| (user.to_owned(), action.to_owned(), name.to_owned())));
    assert_has(&rows[0], &["id", "user", "created_at", "resource_type", "resource_id", "label", "action"]);
    assert_eq!((&rows[0]["resource_type"], &rows[0]["resource_id"]), (&json!("Issue"), &alice.get(&path).json()["id"]));
    assert_eq!((&rows[0]["label"]["id"], &rows[0]["label"]["color"]), (&json!(bug), &json!("#FF0000")));
    let one = id(&rows[0]);
    assert_eq!(alice.get(&format!("{list}/{one}")).assert_status(200).json(), rows[0]);
    assert_eq!(events.header("x-total"), "3");
    assert_eq!(alice.get(&format!("{list}?per_page=2&page=2")).each("id").len(), 1);
    // And not as notes.
    assert_eq!(system_notes(&alice, &path), [""; 0]);
}

#[both_databases]
fn changes_of_the_milestone_are_recorded(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let goals = ["v1", "v2"].map(|title| milestone(&alice, &format!("/projects/{tool}"), title));
    let path = titled(&alice, tool, "t");
    for goal in [goals[0], goals[1], 0] {
        changed(&alice, &path, json!({"milestone_id": goal}));
    }
    let list = format!("{path}/resource_milestone_events");
    let rows = alice.get(&list).assert_status(200).json();
    let mut shown: Vec<_> = rows
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| (event["milestone"]["title"].to_string(), event["action"].to_string()))
        .collect();
    shown.sort();
    assert_eq!(
        shown,
        [("v1", "add"), ("v2", "add"), ("v2", "remove")]
            .map(|(title, action)| (format!("{title:?}"), format!("{action:?}")))
    );
    assert_eq!(alice.get(&format!("{list}/{}", id(&rows[0]))).assert_status(200).json(), rows[0]);
}

#[both_databases]
fn changes_of_the_state_are_recorded(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    for event in ["close", "close", "reopen"] {
        changed(&alice, &path, json!({"state_event": event}));
    }
    let list = format!("{path}/resource_state_events");
    let rows = alice.get(&list).assert_status(200);
    let mut states = texts(&rows, "state");
    states.sort();
    assert_eq!(states, ["closed", "reopened"]);
    assert_eq!(alice.get(&format!("{list}/{}", ids(&rows)[0])).assert_status(200).json(), rows.json()[0]);
}

#[both_databases]
fn a_record_belongs_to_one_issue_and_one_kind(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let (one, two) = (titled(&alice, tool, "a"), titled(&alice, tool, "b"));
    changed(&alice, &one, json!({"labels": "x", "state_event": "close"}));
    let state = ids(&alice.get(&format!("{one}/resource_state_events")))[0];
    alice.get(&format!("{two}/resource_state_events/{state}")).assert(404, not_found());
    alice.get(&format!("{one}/resource_state_events/999999")).assert(404, not_found());
    for kind in ["label", "milestone", "state"] {
        alice.get(&format!("/projects/{tool}/issues/9/resource_{kind}_events")).assert(404, not_found());
        server.anonymous().get(&format!("{one}/resource_{kind}_events")).assert(401, unauthorized());
        server.user(&format!("reader{kind}")).get(&format!("{one}/resource_{kind}_events")).assert_status(200).json();
    }
}

#[both_databases]
fn a_record_outlives_its_label(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = issue(&alice, tool, json!({"title": "t", "labels": "bug"}));
    let _ = alice.delete(&format!("/projects/{tool}/labels/bug")).assert_status(204);
    let rows = alice.get(&format!("{path}/resource_label_events")).assert_status(200).json();
    assert!(rows.as_array().is_some_and(|rows| rows.iter().all(|row| row["label"].is_null())), "{rows}");
}
