//! The participants of an issue.

use serde_json::json;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

fn participants(client: &Client, path: &str) -> Vec<String> {
    let reply = client.get(&format!("{path}/participants")).assert_status(200);
    let mut names = texts(&reply, "username");
    assert_eq!(reply.header("x-total"), names.len().to_string());
    names.sort();
    names
}

#[both_databases]
fn everybody_who_has_to_do_with_an_issue_is_named_once(server: &TestServer) {
    let alice = server.user("alice");
    let users = ["bob", "carl", "dora", "emil", "fred", "gina", "hans"].map(|name| server.user(name));
    let [bob, carl, dora, emil, _, _, hans] = &users;
    let tool = project(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), hans.id, 20);
    let path = issue(&alice, tool, json!({"title": "for @fred", "description": "and @gina", "assignee_ids": [bob.id]}));
    let note = comment(carl, &path, "hello @alice and @no-one, `@stranger`");
    made(dora, &format!("{path}/award_emoji"), json!({"name": "heart"}));
    made(emil, &format!("{path}/notes/{note}/award_emoji"), json!({"name": "heart"}));
    server.user("stranger");
    assert_eq!(participants(&alice, &path), ["alice", "bob", "carl", "dora", "emil", "fred", "gina"]);
    comment(carl, &path, "again");
    changed(hans, &path, json!({"state_event": "close"}));
    assert_eq!(participants(carl, &path), ["alice", "bob", "carl", "dora", "emil", "fred", "gina", "hans"]);
    let first = alice.get(&format!("{path}/participants?per_page=1")).json();
    assert_eq!(first.as_array().map(Vec::len), Some(1));
    assert_has(&first[0], &BASIC_USER);
    assert_eq!(first[0]["username"], "alice");
    let second = alice.get(&format!("{path}/participants?per_page=3&page=3"));
    assert_eq!((texts(&second, "username").len(), second.header("x-total")), (2, "8".to_owned()));
}

#[both_databases]
fn those_who_cannot_see_the_project_are_left_out(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let tool = project(&alice, "tool", "private");
    member(&alice, &format!("/projects/{tool}"), bob.id, 10);
    let path = issue(&alice, tool, json!({"title": "t", "description": "@carl @bob"}));
    assert_eq!(participants(&alice, &path), ["alice", "bob"]);
    comment(&bob, &path, "here");
    let _ = alice.delete(&format!("/projects/{tool}/members/{}", bob.id)).assert_status(204);
    assert_eq!(participants(&alice, &path), ["alice"]);
    carl.get(&format!("{path}/participants")).assert(404, missing("Project"));
}

#[both_databases]
fn guests_are_no_participants_of_what_is_hidden_from_them(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = issue(
        &cast.owner,
        cast.project,
        json!({"title": "t", "confidential": true, "description": "@guest @reporter"}),
    );
    assert_eq!(participants(&cast.owner, &path), ["owner", "reporter"]);
    cast.guest.get(&format!("{path}/participants")).assert(404, not_found());
}

#[both_databases]
fn merge_requests_that_close_an_issue_are_an_empty_list(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    for list in ["closed_by", "related_merge_requests"] {
        let reply = alice.get(&format!("{path}/{list}")).assert_status(200);
        assert_eq!((reply.json(), reply.header("x-total")), (json!([]), "0".to_owned()), "{list}");
        alice.get(&path.replace("/issues/1", &format!("/issues/9/{list}"))).assert(404, not_found());
        server.anonymous().get(&format!("{path}/{list}")).assert(401, unauthorized());
    }
}
