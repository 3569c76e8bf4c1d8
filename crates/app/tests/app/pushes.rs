//! Pushes as contributions.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::{commit, member, project};

/// The pushes in a list of contributions, newest first.
fn pushes(client: &Client, list: &str) -> Vec<Value> {
    client.get(&format!("{list}?action=pushed")).assert_status(200).json().as_array().expect("a list").clone()
}

#[both_databases]
fn a_push_tells_what_it_did_to_a_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let list = format!("/projects/{tool}/events");
    let before = alice.get(&format!("/projects/{tool}/repository/branches/main")).json()["commit"]["id"].clone();
    let sha = commit(&alice, tool, "main", None, &format!("{}\n\nBody", "x".repeat(80)));
    let branch = format!("/projects/{tool}/repository/branches");
    alice.post(&branch, json!({"branch": "topic", "ref": "main"})).assert_status(201).json();
    alice.delete(&format!("{branch}/topic")).assert_status(204).json();
    let found = pushes(&server.anonymous(), &list);
    let names: Vec<&Value> = found.iter().map(|event| &event["action_name"]).collect();
    assert_eq!(names, ["deleted", "pushed new", "pushed to", "pushed new"]);
    let (deleted, pushed) = (&found[0], &found[2]);
    assert_eq!(
        deleted["push_data"],
        json!({"commit_count": 0, "action": "removed", "ref_type": "branch",
        "commit_from": sha, "commit_to": null, "ref": "topic", "commit_title": null})
    );
    assert_eq!(
        pushed["push_data"],
        json!({"commit_count": 1, "action": "pushed", "ref_type": "branch",
        "commit_from": before, "commit_to": sha, "ref": "main", "commit_title": format!("{}…", "x".repeat(69))})
    );
    for (field, value) in [
        ("target_type", Value::Null),
        ("target_id", Value::Null),
        ("target_title", Value::Null),
        ("project_id", json!(tool)),
        ("author_username", json!("alice")),
    ] {
        assert_eq!(pushed[field], value, "{field}");
    }
    assert_eq!(pushes(&alice, "/events").len(), 4);
    assert_eq!(pushes(&server.anonymous(), "/users/alice/events").len(), 4);
    assert_eq!(alice.get(&format!("{list}?target_type=project")).assert_status(200).each("push_data"), [Value::Null]);
}

#[both_databases]
fn a_push_is_hidden_from_those_who_may_not_read_the_code(server: &TestServer) {
    let (alice, guest, reporter) = (server.user("alice"), server.user("guest"), server.user("reporter"));
    let tool = project(&alice, "tool", "private");
    member(&alice, tool, &guest, 10);
    member(&alice, tool, &reporter, 20);
    for list in [format!("/projects/{tool}/events"), "/users/alice/events".to_owned()] {
        assert_eq!(pushes(&guest, &list), [Value::Null; 0], "{list}");
        assert_eq!(pushes(&reporter, &list).len(), 1, "{list}");
        assert_eq!(pushes(&server.root(), &list).len(), 1, "{list}");
    }
    assert_eq!(guest.get("/users/alice/events?action=pushed").header("X-Total"), "0");
}

#[both_databases]
fn what_a_fork_or_the_server_itself_has_brought_is_no_push(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let fork = alice.post(&format!("/projects/{tool}/fork"), json!({"path": "mine", "name": "mine"}));
    let fork = fork.assert_status(201).json()["id"].clone();
    server.run_jobs();
    assert_eq!(alice.get(&format!("/projects/{fork}")).json()["default_branch"], "main");
    assert_eq!(pushes(&alice, &format!("/projects/{fork}/events")), [Value::Null; 0]);
}
