//! Writing, changing and deleting notes.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "private"), "t");
    let notes = format!("{path}/notes");
    let one = format!("{notes}/{}", comment(&alice, &path, "n"));
    alice.post(&notes, json!({})).assert(400, parameter("body is missing"));
    alice.put(&one, json!({})).assert(400, parameter("body is missing"));
    for blank in ["", "  \n"] {
        let reply = alice.post(&notes, json!({"body": blank}));
        reply.assert(400, json!({"message": "400 (Bad request) \"Note {:note=>[\"can't be blank\"]}\" not given"}));
        let _ = alice.put(&one, json!({"body": blank})).assert_status(400);
    }
    alice.post(&notes, json!({"body": "b", "created_at": "x"})).assert(400, parameter("created_at is invalid"));
    alice.post(&notes, json!({"body": {"a": 1}})).assert(400, parameter("body is invalid"));
    server.user("bob").post(&notes, json!({"body": "b"})).assert(404, missing("Project"));
    server.anonymous().post(&notes, json!({"body": "b"})).assert(401, unauthorized());
    alice.post(&notes.replace("/issues/1/", "/issues/9/"), json!({"body": "b"})).assert(404, not_found());
    assert_eq!(alice.get(&one).json()["body"], "n");
}

#[both_databases]
fn the_date_of_a_note_is_chosen_by_owners_and_administrators(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    for (role, client) in cast.everybody() {
        let note = made(client, &format!("{path}/notes"), json!({"body": "b", "created_at": "2015-01-02T03:04:05Z"}));
        let chosen = note["created_at"] == "2015-01-02T03:04:05.000Z";
        assert_eq!(chosen, matches!(role, "owner" | "admin"), "{role}");
    }
}

#[both_databases]
fn notes_are_changed_by_their_authors_and_maintainers(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    let one = format!("{path}/notes/{}", comment(&cast.guest, &path, "n"));
    assert_eq!(cast.statuses(|client| client.put(&one, json!({"body": "x"}))), [403, 200, 403, 403, 200, 200, 200]);
    cast.reporter.put(&one, json!({"body": "mine"})).assert(403, forbidden());
    for (role, client) in cast.everybody() {
        let one = format!("{path}/notes/{}", comment(&cast.guest, &path, "n"));
        let reply = client.delete(&one);
        let allowed = !matches!(role, "stranger" | "reporter" | "developer");
        assert_eq!(reply.status(), if allowed { 204 } else { 403 }, "{role}");
        assert_eq!(client.get(&one).status(), if allowed { 404 } else { 200 }, "{role}");
    }
    server.anonymous().put(&one, json!({"body": "x"})).assert(401, unauthorized());
    server.anonymous().delete(&one).assert(401, unauthorized());
}

#[both_databases]
fn what_the_server_said_stays(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    changed(&cast.owner, &path, json!({"state_event": "close"}));
    let one = format!("{path}/notes/{}", ids(&cast.owner.get(&format!("{path}/notes")))[0]);
    for client in [&*cast.owner, &cast.admin, &cast.maintainer] {
        client.put(&one, json!({"body": "x"})).assert(403, forbidden());
        client.delete(&one).assert(403, forbidden());
    }
    assert_eq!(system_notes(&cast.owner, &path), ["closed"]);
}

#[both_databases]
fn who_is_locked_out_changes_nothing(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    let one = format!("{path}/notes/{}", comment(&cast.stranger, &path, "n"));
    changed(&cast.owner, &path, json!({"discussion_locked": true}));
    cast.stranger.put(&one, json!({"body": "x"})).assert(403, forbidden());
    cast.stranger.delete(&one).assert(403, forbidden());
    cast.stranger.post(&format!("{path}/discussions"), json!({"body": "x"})).assert(403, forbidden());
    assert_eq!(cast.owner.get(&one).json()["body"], "n");
}

#[both_databases]
fn a_deletion_is_conditional_and_counted(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let one = format!("{path}/notes/{}", comment(&alice, &path, "n"));
    made(&alice, &format!("{one}/award_emoji"), json!({"name": "heart"}));
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&one).assert(412, json!({"message": "412 Precondition Failed"}));
    assert_eq!(alice.get(&path).json()["user_notes_count"], 1);
    let _ = alice.delete(&one).assert_status(204);
    assert_eq!(alice.get(&path).json()["user_notes_count"], 0);
    alice.delete(&one).assert(404, not_found());
    let _ = alice.get(&format!("{one}/award_emoji")).assert_status(404);
}

#[both_databases]
fn a_changed_note_keeps_its_place(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let note = made(&alice, &format!("{path}/notes"), json!({"body": "n"}));
    server.advance(TimeDelta::minutes(1));
    let after = changed(&alice, &format!("{path}/notes/{}", note["id"]), json!({"body": "m"}));
    assert_eq!((&after["id"], &after["created_at"], &after["body"]), (&note["id"], &note["created_at"], &json!("m")));
    assert!(after["updated_at"].as_str() > note["updated_at"].as_str());
}

#[both_databases]
fn a_comment_deals_with_the_commenters_todos(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = issue(&alice, project(&alice, "tool", "public"), json!({"title": "t", "assignee_ids": [bob.id]}));
    assert_eq!(bob.get("/todos").header("x-total"), "1");
    comment(&bob, &path, "on it");
    assert_eq!(bob.get("/todos").header("x-total"), "0");
}

#[both_databases]
fn an_emoji_alone_is_an_ordinary_note(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    for body in [":thumbsup:", "👍", "+1"] {
        assert_eq!(made(&alice, &format!("{path}/notes"), json!({"body": body}))["body"], body);
    }
    assert_eq!(alice.get(&path).json()["upvotes"], 0);
    assert_eq!(alice.get(&format!("{path}/notes")).header("x-total"), "3");
}

#[both_databases]
fn a_long_note_is_kept_whole_and_a_longer_one_refused(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let long = "ä".repeat(500_000);
    assert_eq!(made(&alice, &format!("{path}/notes"), json!({"body": long}))["body"], long);
    for size in [1_000_001, 3_000_000] {
        let status = alice.post(&format!("{path}/notes"), json!({"body": "x".repeat(size)})).status();
        assert!(matches!(status, 400 | 413), "{size}: {status}");
    }
}
