//! Discussions.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// Begins a discussion and yields its id.
fn start(client: &Client, path: &str) -> String {
    let discussion = made(client, &format!("{path}/discussions"), json!({"body": "start"}));
    discussion["id"].as_str().expect("an id").to_owned()
}

#[both_databases]
fn a_discussion_is_begun_and_continued(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let begun = made(&alice, &format!("{path}/discussions"), json!({"body": "start"}));
    assert_eq!((&begun["individual_note"], &begun["notes"][0]["body"]), (&json!(false), &json!("start")));
    assert_eq!(begun["notes"][0]["type"], "DiscussionNote");
    let discussion = begun["id"].as_str().expect("an id");
    assert!(discussion.len() == 40 && discussion.bytes().all(|byte| byte.is_ascii_hexdigit()), "{discussion}");
    let one = format!("{path}/discussions/{discussion}");
    let answer = made(&bob, &format!("{one}/notes"), json!({"body": "answer"}));
    assert_eq!((&answer["body"], &answer["type"]), (&json!("answer"), &json!("DiscussionNote")));
    let whole = alice.get(&one).assert_status(200).json();
    let bodies: Vec<_> = whole["notes"].as_array().expect("notes").iter().map(|note| note["body"].clone()).collect();
    assert_eq!(bodies, ["start", "answer"]);
    assert_eq!(alice.get(&format!("{path}/discussions")).json(), json!([whole]));
    assert_eq!(alice.get(&path).json()["user_notes_count"], 2);
}

#[both_databases]
fn a_note_by_itself_takes_no_answer(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    comment(&alice, &path, "alone");
    let list = alice.get(&format!("{path}/discussions")).assert_status(200).json();
    assert_eq!((&list[0]["individual_note"], &list[0]["notes"][0]["body"]), (&json!(true), &json!("alone")));
    let one = format!("{path}/discussions/{}", list[0]["id"].as_str().expect("an id"));
    let _ = alice.post(&format!("{one}/notes"), json!({"body": "answer"})).assert_status(400);
    let _ = alice.get(&one).assert_status(200);
}

#[both_databases]
fn notes_of_a_discussion_are_changed_and_deleted(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let one = format!("{path}/discussions/{}", start(&alice, &path));
    let answer = id(&made(&bob, &format!("{one}/notes"), json!({"body": "answer"})));
    let note = format!("{one}/notes/{answer}");
    assert_eq!(alice.get(&note).assert_status(200).json()["body"], "answer");
    assert_eq!(changed(&bob, &note, json!({"body": "better"}))["body"], "better");
    bob.put(&format!("{one}/notes/{}", answer - 1), json!({"body": "x"})).assert(403, forbidden());
    let _ = bob.delete(&note).assert_status(204);
    alice.get(&note).assert(404, not_found());
    assert_eq!(alice.get(&one).json()["notes"].as_array().map(Vec::len), Some(1));
    let _ = alice.delete(&format!("{one}/notes/{}", answer - 1)).assert_status(204);
    let _ = alice.get(&one).assert_status(404);
    assert_eq!(alice.get(&format!("{path}/discussions")).json(), json!([]));
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let (path, other) = (titled(&alice, tool, "t"), titled(&alice, tool, "u"));
    let discussion = start(&alice, &path);
    let note = ids(&alice.get(&format!("{path}/notes")))[0];
    alice.post(&format!("{path}/discussions"), json!({})).assert(400, parameter("body is missing"));
    let _ = alice.post(&format!("{path}/discussions"), json!({"body": ""})).assert_status(400);
    alice.post(&format!("{path}/discussions/{discussion}/notes"), json!({})).assert(400, parameter("body is missing"));
    for nowhere in [
        format!("{path}/discussions/{}", "0".repeat(40)),
        format!("{path}/discussions/x%27%20OR%201"),
        format!("{other}/discussions/{discussion}"),
    ] {
        let _ = alice.get(&nowhere).assert_status(404);
        let _ = alice.post(&format!("{nowhere}/notes"), json!({"body": "b"})).assert_status(404);
        let _ = alice.put(&format!("{nowhere}/notes/{note}"), json!({"body": "b"})).assert_status(404);
        let _ = alice.delete(&format!("{nowhere}/notes/{note}")).assert_status(404);
    }
    for anonymous in [format!("{path}/discussions"), format!("{path}/discussions/{discussion}")] {
        server.anonymous().get(&anonymous).assert(401, unauthorized());
    }
    alice.get(&format!("/projects/{tool}/issues/9/discussions")).assert(404, not_found());
}

#[both_databases]
fn discussions_come_in_pages(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let begun: Vec<Value> = (0..3).map(|_| json!(start(&alice, &path))).collect();
    let page = |number: i64| alice.get(&format!("{path}/discussions?per_page=2&page={number}"));
    let found: Vec<Value> = [page(1), page(2)].iter().flat_map(|reply| reply.each("id")).collect();
    assert_eq!(found, begun);
    assert_eq!((page(1).header("x-total"), page(1).header("x-next-page")), ("3".to_owned(), "2".to_owned()));
}

#[both_databases]
fn the_date_is_chosen_by_owners_only(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    for (client, chosen) in [(&cast.maintainer, false), (&cast.owner, true)] {
        let body = json!({"body": "b", "created_at": "2015-01-02T03:04:05Z"});
        let begun = made(client, &format!("{path}/discussions"), body);
        assert_eq!(begun["notes"][0]["created_at"] == "2015-01-02T03:04:05.000Z", chosen, "{}", client.username);
    }
}
