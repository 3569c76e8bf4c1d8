//! Reading notes.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_note_has_every_field(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let note = made(&alice, &format!("{path}/notes"), json!({"body": "hello"}));
    let want = json!({
        "type": null, "body": "hello", "attachment": null, "system": false, "noteable_type": "Issue",
        "noteable_id": alice.get(&path).json()["id"], "noteable_iid": 1, "resolvable": false,
    });
    for (name, value) in want.as_object().expect("an object") {
        assert_eq!(&note[name], value, "{name}");
    }
    assert_has(&note["author"], &BASIC_USER);
    assert_has(&note, &["id", "created_at", "updated_at"]);
    assert_eq!(alice.get(&format!("{path}/notes/{}", note["id"])).assert_status(200).json(), note);
    assert_eq!(alice.get(&format!("{path}/notes")).json(), json!([note]));
    assert_eq!(alice.get(&path).json()["user_notes_count"], 1);
}

#[both_databases]
fn notes_are_sorted_and_narrowed_as_asked(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let first = comment(&alice, &path, "a");
    changed(&alice, &path, json!({"state_event": "close"}));
    comment(&alice, &path, "b");
    server.advance(TimeDelta::minutes(1));
    changed(&alice, &format!("{path}/notes/{first}"), json!({"body": "A"}));
    for (query, want) in [
        ("", vec!["b", "closed", "A"]),
        ("sort=asc", vec!["A", "closed", "b"]),
        ("order_by=created_at&sort=desc", vec!["b", "closed", "A"]),
        ("order_by=updated_at", vec!["A", "b", "closed"]),
        ("order_by=updated_at&sort=asc", vec!["closed", "b", "A"]),
        ("activity_filter=only_comments", vec!["b", "A"]),
        ("activity_filter=only_activity", vec!["closed"]),
        ("activity_filter=all_notes", vec!["b", "closed", "A"]),
    ] {
        assert_eq!(texts(&alice.get(&format!("{path}/notes?{query}")), "body"), want, "{query}");
    }
    for name in ["order_by", "sort", "activity_filter"] {
        alice
            .get(&format!("{path}/notes?{name}=id;drop"))
            .assert(400, parameter(&format!("{name} does not have a valid value")));
    }
    let page = alice.get(&format!("{path}/notes?per_page=2&page=2"));
    let headers = ["x-total", "x-total-pages", "x-per-page", "x-page", "x-next-page", "x-prev-page"];
    assert_eq!(headers.map(|name| page.header(name)), ["3", "2", "2", "2", "", "1"]);
    assert_eq!(page.each("id").len(), 1);
}

#[both_databases]
fn notes_are_found_on_their_own_issue_only(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let (one, two) = (titled(&alice, tool, "a"), titled(&alice, tool, "b"));
    let note = comment(&alice, &one, "n");
    for way in ["GET", "DELETE"] {
        alice.send(way, &format!("{two}/notes/{note}"), None, Vec::new()).assert(404, not_found());
        alice.send(way, &format!("{one}/notes/999999"), None, Vec::new()).assert(404, not_found());
    }
    alice.put(&format!("{two}/notes/{note}"), json!({"body": "x"})).assert(404, not_found());
    alice.get(&format!("/projects/{tool}/issues/9/notes")).assert(404, not_found());
    alice.get(&format!("/projects/{tool}/issues/x/notes")).assert(400, parameter("issue_iid is invalid"));
    server.anonymous().get(&format!("{one}/notes")).assert(401, unauthorized());
    server.anonymous().get("/projects/999999/issues/1/notes").assert(401, unauthorized());
}

#[both_databases]
fn everybody_who_reads_an_issue_reads_and_writes_its_notes(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    assert_eq!(cast.statuses(|client| client.post(&format!("{path}/notes"), json!({"body": "b"}))), [201; 7]);
    assert_eq!(cast.statuses(|client| client.get(&format!("{path}/notes"))), [200; 7]);
    assert_eq!(cast.owner.get(&path).json()["user_notes_count"], 7);
    let hidden = issue(&cast.owner, cast.project, json!({"title": "t", "confidential": true}));
    assert_eq!(
        cast.statuses(|client| client.post(&format!("{hidden}/notes"), json!({"body": "b"}))),
        [404, 404, 201, 201, 201, 201, 201]
    );
    assert_eq!(cast.statuses(|client| client.get(&format!("{hidden}/notes"))), [404, 404, 200, 200, 200, 200, 200]);
}

#[both_databases]
fn a_note_has_a_plain_type_and_an_author_who_can_be_deleted(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    comment(&bob, &path, "b");
    let _ = server.root().delete(&format!("/users/{}", bob.id)).assert_status(204);
    server.run_jobs();
    let notes = alice.get(&format!("{path}/notes")).assert_status(200).json();
    assert_eq!((&notes[0]["body"], &notes[0]["type"]), (&json!("b"), &Value::Null));
    assert_ne!(notes[0]["author"]["username"], "bob");
    let _ = alice.get(&format!("{path}/participants")).assert_status(200);
}
