//! The references in texts: people, and other issues.

use serde_json::json;
use tenon_domain::limits::{Limits, PeopleLimits};
use tenon_testkit::{TestServer, User, both_databases};

use crate::merge_request::{repository, work};
use crate::support::*;

/// A server on the same kind of database that lets two people be called or assigned at once.
fn strict(like: &TestServer) -> TestServer {
    let people = PeopleLimits { called: 2, assigned: 2, ..PeopleLimits::default() };
    TestServer::start_with(like.backend(), Limits { people, ..Limits::default() })
}

#[both_databases]
fn who_is_named_has_something_to_do(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    for (text, want) in [("please look, @bob", "mentioned"), ("@bob please look", "directly_addressed")] {
        let path = issue(&alice, tool, json!({"title": "t", "description": text}));
        assert_eq!(texts(&bob.get("/todos"), "action_name"), [want], "{text}");
        let _ = bob.post("/todos/mark_as_done", json!({})).assert_status(204);
        comment(&alice, &path, text);
        let todo = bob.get("/todos").json();
        assert_eq!((&todo[0]["action_name"], &todo[0]["body"]), (&json!(want), &json!(text)));
        let note = ids(&alice.get(&format!("{path}/notes")))[0];
        let url = todo[0]["target_url"].as_str().expect("an address");
        assert!(url.ends_with(&format!("#note_{note}")), "{url}");
        let _ = bob.post("/todos/mark_as_done", json!({})).assert_status(204);
    }
    assert_eq!(alice.get("/todos").header("x-total"), "0");
}

#[both_databases]
fn code_and_addresses_name_no_one(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    for text in ["`@bob`", "```\n@bob\n```", "me@bob.example", "@bobby", "a@bob"] {
        issue(&alice, tool, json!({"title": "t", "description": text}));
        assert_eq!(bob.get("/todos").header("x-total"), "0", "{text}");
    }
}

#[both_databases]
fn another_issue_learns_that_it_was_named(server: &TestServer) {
    let alice = server.user("alice");
    let (one, two) = (project(&alice, "one", "public"), project(&alice, "two", "public"));
    let named = titled(&alice, one, "named");
    issue(&alice, one, json!({"title": "t", "description": "like #1"}));
    assert_eq!(system_notes(&alice, &named), ["mentioned in issue #2"]);
    let elsewhere = titled(&alice, two, "u");
    comment(&alice, &elsewhere, "like one#1");
    assert_eq!(system_notes(&alice, &named), ["mentioned in issue #2", "mentioned in issue two#1"]);
    // Once is enough.
    comment(&alice, &elsewhere, "like alice/one#1");
    assert_eq!(system_notes(&alice, &named).len(), 2);
}

#[both_databases]
fn a_note_that_names_what_is_hidden_is_hidden(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (open, hidden) = (project(&alice, "open", "public"), project(&alice, "hidden", "private"));
    let path = titled(&alice, open, "named");
    issue(&alice, hidden, json!({"title": "t", "description": "like open#1"}));
    issue(&alice, open, json!({"title": "c", "confidential": true, "description": "like #1"}));
    assert_eq!(system_notes(&alice, &path).len(), 2);
    assert_eq!(system_notes(&bob, &path), [""; 0]);
    for list in ["notes", "discussions"] {
        let reply = bob.get(&format!("{path}/{list}"));
        assert_eq!(reply.json(), json!([]), "{list}");
    }
    let mut shown = ids(&alice.get(&format!("{path}/notes")));
    shown.sort_unstable();
    for note in shown {
        bob.get(&format!("{path}/notes/{note}")).assert(404, not_found());
    }
}

#[both_databases]
fn who_cannot_see_an_issue_is_not_called_to_it(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = issue(
        &cast.owner,
        cast.project,
        json!({"title": "t", "confidential": true, "description": "@guest @stranger @reporter"}),
    );
    comment(&cast.owner, &path, "@guest @stranger @developer");
    for (user, want) in [(&cast.guest, "0"), (&cast.stranger, "0"), (&cast.reporter, "1"), (&cast.developer, "1")] {
        assert_eq!(user.get("/todos").header("x-total"), want, "{}", user.username);
    }
}

#[both_databases]
fn a_writer_reaches_no_issue_that_is_hidden_from_the_writer(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (open, hidden) = (project(&alice, "open", "public"), project(&alice, "hidden", "private"));
    let secret = titled(&alice, hidden, "secret");
    issue(&bob, open, json!({"title": "t", "description": "alice/hidden#1"}));
    assert_eq!(system_notes(&alice, &secret), [""; 0]);
}

#[both_databases]
fn a_text_calls_no_more_people_than_the_limit_says(server: &TestServer) {
    let small = strict(server);
    let alice = small.user("alice");
    let people: Vec<User> = ["bob", "carol", "dave"].map(|name| small.user(name)).into();
    let tool = project(&alice, "tool", "public");
    let called = || people.iter().map(|user| user.get("/todos").header("x-total")).collect::<Vec<_>>();
    let path = issue(&alice, tool, json!({"title": "t", "description": "@bob @carol @dave"}));
    assert_eq!(called(), ["1", "1", "0"]);
    comment(&alice, &path, "@dave @carol @bob\n\n/assign @dave @carol @bob");
    assert_eq!(called(), ["1", "1", "1"]);
    assert_eq!(alice.get(&path).json()["assignees"].as_array().map(Vec::len), Some(2));
}

#[both_databases]
fn no_more_people_are_assigned_at_once_than_the_limit_says(server: &TestServer) {
    let small = strict(server);
    let alice = small.user("alice");
    let people: Vec<i64> = ["bob", "carol", "dave"].map(|name| small.user(name).id).into();
    let tool = project(&alice, "tool", "public");
    let refusal = field("assignee_ids", "are too many (maximum is 2)");
    let issues = format!("/projects/{tool}/issues");
    alice.post(&issues, json!({"title": "t", "assignee_ids": people})).assert(400, refusal.clone());
    assert_eq!(alice.get(&issues).header("x-total"), "0");
    let path = issue(&alice, tool, json!({"title": "t", "assignee_ids": people[..2]}));
    alice.put(&path, json!({"assignee_ids": people})).assert(400, refusal);
    assert_eq!(alice.get(&path).json()["assignees"].as_array().map(Vec::len), Some(2));
    // One text has several commands.
    let path = issue(&alice, tool, json!({"title": "t"}));
    alice.post(&format!("{path}/notes"), json!({"body": "x\n/assign @bob\n/assign @carol\n/assign @dave"}));
    assert_eq!(alice.get(&path).json()["assignees"].as_array().map(Vec::len), Some(2));
}

#[both_databases]
fn no_more_people_are_asked_for_a_review_at_once_than_the_limit_says(server: &TestServer) {
    let small = strict(server);
    let alice = small.user("alice");
    let people: Vec<i64> = ["bob", "carol", "dave"].map(|name| small.user(name).id).into();
    let tool = repository(&alice, "tool", "public");
    let refusal = field("reviewer_ids", "are too many (maximum is 2)");
    work(&alice, tool, "topic");
    let requests = format!("/projects/{tool}/merge_requests");
    let asking = |people: &[i64]| json!({"title": "t", "source_branch": "topic", "target_branch": "main", "reviewer_ids": people});
    alice.post(&requests, asking(&people)).assert(400, refusal.clone());
    assert_eq!(alice.get(&requests).header("x-total"), "0");
    let path = format!("{requests}/{}", made(&alice, &requests, asking(&people[..2]))["iid"]);
    alice.put(&path, json!({"reviewer_ids": people})).assert(400, refusal);
    assert_eq!(alice.get(&path).json()["reviewers"].as_array().map(Vec::len), Some(2));
}

#[both_databases]
fn who_may_not_see_a_project_is_not_assigned(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "private");
    let path = issue(&alice, tool, json!({"title": "t", "assignee_ids": [bob.id]}));
    assert_eq!(alice.get(&path).json()["assignees"], json!([]));
    assert_eq!(bob.get("/todos").header("x-total"), "0");
    changed(&alice, &path, json!({"assignee_ids": [alice.id, bob.id, 999_999]}));
    assert_eq!(alice.get(&path).json()["assignees"].as_array().map(Vec::len), Some(1));
}
