//! Putting an issue on one's to-do list.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_reader_puts_an_issue_on_the_list_once(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    let todo = bob.post(&format!("{path}/todo"), json!({})).assert_status(200).json();
    assert_has(
        &todo,
        &[
            "id",
            "project",
            "author",
            "action_name",
            "target_type",
            "target",
            "target_url",
            "body",
            "state",
            "created_at",
        ],
    );
    let got = (&todo["action_name"], &todo["state"], &todo["target_type"], &todo["body"]);
    assert_eq!(got, (&json!("marked"), &json!("pending"), &json!("Issue"), &json!("t")));
    assert_eq!((&todo["author"]["id"], &todo["target"]["iid"]), (&json!(bob.id), &json!(1)));
    assert_eq!(todo["target_url"], format!("{}/alice/tool/-/issues/1", server.base()));
    let project = json!({"id": tool, "name": "tool", "name_with_namespace": "alice / tool", "path": "tool", "path_with_namespace": "alice/tool"});
    for (name, value) in project.as_object().expect("an object") {
        assert_eq!(&todo["project"][name], value, "{name}");
    }
    let again = bob.post(&format!("{path}/todo"), json!({}));
    assert_eq!((again.status(), again.text().as_str()), (304, ""));
    assert_eq!(ids(&bob.get("/todos")), [id(&todo)]);
}

#[both_databases]
fn the_target_is_the_issue_as_it_is_by_itself(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let todo = alice.post(&format!("{path}/todo"), json!({})).assert_status(200).json();
    assert_eq!(keys(&todo["target"]), keys(&alice.get(&path).json()));
    assert_eq!(keys(&alice.get("/todos").json()[0]["target"]), keys(&alice.get(&path).json()));
}

#[both_databases]
fn any_pending_entry_stands_in_the_way_and_a_done_one_does_not(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = issue(&alice, project(&alice, "tool", "public"), json!({"title": "t", "assignee_ids": [bob.id]}));
    assert_eq!(bob.post(&format!("{path}/todo"), json!({})).status(), 304);
    let assigned = ids(&bob.get("/todos"))[0];
    let _ = bob.post(&format!("/todos/{assigned}/mark_as_done"), json!({})).assert_status(201);
    assert_eq!(bob.post(&format!("{path}/todo"), json!({})).assert_status(200).json()["action_name"], "marked");
    assert_eq!(alice.post(&format!("{path}/todo"), json!({})).status(), 200);
}

#[both_databases]
fn what_cannot_be_read_is_not_put_on_a_list(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = issue(&cast.owner, cast.project, json!({"title": "t", "confidential": true}));
    assert_eq!(
        cast.statuses(|client| client.post(&format!("{path}/todo"), json!({}))),
        [404, 404, 200, 200, 200, 200, 200]
    );
    cast.guest.post(&format!("{path}/todo"), json!({})).assert(404, not_found());
    cast.guest.post(&format!("{}/issues/9/todo", cast.path()), json!({})).assert(404, not_found());
    cast.guest.post("/projects/999999/issues/1/todo", json!({})).assert(404, missing("Project"));
    server.anonymous().post(&format!("{path}/todo"), json!({})).assert(401, unauthorized());
}
