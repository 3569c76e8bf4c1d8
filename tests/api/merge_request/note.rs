//! Comments on merge requests, and their places.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::{cast, fork, message, offer, repository, simple, some, text, with, work, write};
use crate::support::*;

/// Begins a discussion, and yields its path.
#[track_caller]
fn start(client: &Client, path: &str) -> String {
    start_with(client, path, "why?")
}

/// Begins a discussion with this text, and yields its path.
#[track_caller]
pub(crate) fn start_with(client: &Client, path: &str, body: &str) -> String {
    let discussion = made(client, &format!("{path}/discussions"), json!({"body": body}));
    format!("{path}/discussions/{}", text(&discussion["id"]))
}

/// A position on the second line of a file that is new.
fn position(client: &Client, path: &str) -> Value {
    let refs = client.get(path).assert_status(200).json()["diff_refs"].clone();
    with(refs, &json!({"position_type": "text", "old_path": "topic.txt", "new_path": "topic.txt", "new_line": 2}))
}

#[both_databases]
fn a_note_is_about_a_merge_request(server: &TestServer) {
    let alice = server.user("alice");
    let path = simple(&alice, repository(&alice, "tool", "public"), "topic");
    let request = alice.get(&path).json();
    let note = made(&alice, &format!("{path}/notes"), json!({"body": "hello"}));
    let fields = ["body", "noteable_type", "noteable_id", "noteable_iid", "system", "resolvable", "type"];
    assert_eq!(some(&note, &fields), json!(["hello", "MergeRequest", request["id"], 1, false, false, null]));
    assert_lacks(&note, &["resolved", "position"]);
    assert_eq!(alice.get(&path).json()["user_notes_count"], 1);
    assert_eq!(changed(&alice, &format!("{path}/notes/{}", note["id"]), json!({"body": "better"}))["body"], "better");
    let _ = alice.delete(&format!("{path}/notes/{}", note["id"])).assert_status(204);
    assert_eq!(alice.get(&path).json()["user_notes_count"], 0);
    // An issue of the same number has its own.
    alice.get(&format!("{path}/notes/{}", note["id"])).assert(404, not_found());
}

#[both_databases]
fn a_discussion_hangs_on_a_line(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let position = position(&alice, &path);
    let discussion = made(&bob, &format!("{path}/discussions"), json!({"body": "here", "position": position}));
    let note = &discussion["notes"][0];
    assert_eq!(some(note, &["type", "resolvable", "resolved", "resolved_by"]), json!(["DiffNote", true, false, null]));
    assert_eq!(note["position"], with(position, &json!({"old_line": null})));
    let answers = format!("{path}/discussions/{}/notes", text(&discussion["id"]));
    let answer = made(&alice, &answers, json!({"body": "so?"}));
    assert_eq!((&answer["type"], &answer["position"]), (&json!("DiffNote"), &note["position"]));
    // It stays at its place when the source goes on.
    write(&alice, tool, "topic", "more.txt", "m");
    server.run_jobs();
    let again = alice.get(&format!("{path}/discussions/{}", text(&discussion["id"]))).assert_status(200).json();
    assert_eq!(again["notes"][0]["position"], note["position"]);
}

#[both_databases]
fn a_position_that_is_nowhere_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let good = position(&alice, &path);
    let refusal = message("400 (Bad request) \"Note {:position=>[\"is invalid\"]}\" not given");
    for odd in [
        json!({"head_sha": "0".repeat(40)}),
        json!({"head_sha": good["base_sha"]}),
        json!({"base_sha": "main"}),
        json!({"new_line": null}),
        json!({"new_line": 0}),
        json!({"old_path": null, "new_path": null}),
    ] {
        let body = json!({"body": "b", "position": with(good.clone(), &odd)});
        let reply = alice.post(&format!("{path}/discussions"), body);
        assert_eq!((reply.status(), reply.json()), (400, refusal.clone()), "{odd}");
    }
    let _ = alice
        .post(&format!("{path}/discussions"), json!({"body": "b", "position": {"new_line": 1}}))
        .assert_status(400);
    assert_eq!(alice.get(&format!("{path}/discussions")).json(), json!([]));
}

#[both_databases]
fn discussions_are_resolved_and_opened_again(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = simple(&alice, repository(&alice, "tool", "public"), "topic");
    let discussion = start(&bob, &path);
    made(&alice, &format!("{discussion}/notes"), json!({"body": "because"}));
    let resolved_discussion = changed(&alice, &discussion, json!({"resolved": true}));
    for note in resolved_discussion["notes"].as_array().expect("notes") {
        assert_eq!((&note["resolved"], &note["resolved_by"]["username"]), (&json!(true), &json!("alice")));
        assert!(note["resolved_at"].is_string(), "{note}");
    }
    assert_eq!(system_notes(&alice, &path), ["resolved all discussions"]);
    let first = resolved_discussion["notes"][0]["id"].clone();
    let note = changed(&alice, &format!("{discussion}/notes/{first}"), json!({"resolved": false}));
    assert_eq!(some(&note, &["resolved", "resolved_by"]), json!([false, null]));
    assert_eq!(alice.get(&path).json()["blocking_discussions_resolved"], true, "nothing demands that it is resolved");
    let project = path.split("/merge_requests").next().expect("a path");
    changed(&alice, project, json!({"only_allow_merge_if_all_discussions_are_resolved": true}));
    assert_eq!(alice.get(&path).json()["blocking_discussions_resolved"], false);
    changed(&alice, &format!("{discussion}/notes/{first}"), json!({"resolved": true}));
    assert_eq!(alice.get(&path).json()["blocking_discussions_resolved"], true);
    let note = format!("{discussion}/notes/{first}");
    alice
        .put(&note, json!({}))
        .assert(400, parameter("body, resolved are missing, exactly one parameter must be provided"));
    alice
        .put(&note, json!({"body": "b", "resolved": true}))
        .assert(400, parameter("body, resolved are mutually exclusive"));
    alice.put(&discussion, json!({})).assert(400, parameter("resolved is missing"));
    alice.put(&discussion, json!({"resolved": "maybe"})).assert(400, parameter("resolved is invalid"));
}

#[both_databases]
fn notes_by_themselves_are_not_resolved(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    comment(&alice, &path, "alone");
    let alone = alice.get(&format!("{path}/discussions")).json()[0]["id"].clone();
    let reply = alice.put(&format!("{path}/discussions/{}", text(&alone)), json!({"resolved": true}));
    assert_eq!(reply.status(), 400, "{}", reply.text());
    let of_issue = start(&alice, &titled(&alice, tool, "t"));
    assert!(matches!(alice.put(&of_issue, json!({"resolved": true})).status(), 400 | 403));
}

#[both_databases]
fn who_resolves(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let discussion = start(&cast.guest, &path);
    let resolve = |client: &Client| client.put(&discussion, json!({"resolved": true})).status();
    // Its author may resolve it no more than others.
    let statuses: Vec<u16> = cast.everybody().iter().map(|(_, client)| resolve(client)).collect();
    assert_eq!(statuses, [403, 403, 403, 200, 200, 200, 200]);
    let copy = fork(server, &cast.stranger, cast.project);
    work(&cast.stranger, copy, "mine");
    let own = offer(&cast.stranger, copy, "mine", "main", &json!({"target_project_id": cast.project}));
    let discussion = start(&cast.owner, &own);
    assert_eq!(cast.stranger.put(&discussion, json!({"resolved": true})).status(), 200, "the author");
    server.anonymous().put(&discussion, json!({"resolved": true})).assert(401, unauthorized());
}

#[both_databases]
fn where_the_discussion_is_locked_members_go_on(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let own = comment(&cast.stranger, &path, "mine");
    let discussion = start(&cast.owner, &path);
    changed(&cast.owner, &path, json!({"discussion_locked": true}));
    let statuses = cast.statuses(|client| client.post(&format!("{path}/notes"), json!({"body": "b"})));
    assert_eq!(statuses, [403, 201, 201, 201, 201, 201, 201]);
    cast.stranger.put(&format!("{path}/notes/{own}"), json!({"body": "b"})).assert(403, forbidden());
    cast.stranger.post(&format!("{discussion}/notes"), json!({"body": "b"})).assert(403, forbidden());
    changed(&cast.owner, &path, json!({"discussion_locked": false}));
    let _ = cast.stranger.post(&format!("{path}/notes"), json!({"body": "b"})).assert_status(201);
}

#[both_databases]
fn comments_are_changed_by_their_authors_and_maintainers(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let note = format!("{path}/notes/{}", comment(&cast.guest, &path, "mine"));
    let statuses = cast.statuses(|client| client.put(&note, json!({"body": "b"})));
    assert_eq!(statuses, [403, 200, 403, 403, 200, 200, 200]);
    changed(&cast.owner, &path, json!({"title": "another"}));
    let system = ids(&cast.owner.get(&format!("{path}/notes?activity_filter=only_activity")))[0];
    for (role, client) in cast.everybody() {
        assert_eq!(client.delete(&format!("{path}/notes/{system}")).status(), 403, "{role}");
    }
    cast.guest.post(&format!("{path}/notes"), json!({})).assert(400, parameter("body is missing"));
    let blank = message("400 (Bad request) \"Note {:note=>[\"can't be blank\"]}\" not given");
    cast.guest.post(&format!("{path}/notes"), json!({"body": " "})).assert(400, blank);
    cast.guest.post(&format!("{}/merge_requests/9/notes", cast.path()), json!({"body": "b"})).assert(404, not_found());
}

#[both_databases]
fn quick_actions_in_a_comment_are_carried_out(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    label(&cast.owner, &cast.path(), "bug");
    comment(&cast.developer, &path, "done\n/label ~\"bug\"\n/assign @guest");
    let request = cast.owner.get(&path).json();
    assert_eq!((&request["labels"], &request["assignee"]["username"]), (&json!(["bug"]), &json!("guest")));
    let only = cast.developer.post(&format!("{path}/notes"), json!({"body": "/close"}));
    assert_eq!((only.status(), &cast.owner.get(&path).json()["state"]), (202, &json!("closed")));
}
