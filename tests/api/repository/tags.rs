//! Tags and their release notes.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

#[both_databases]
fn a_lightweight_tag_is_the_commit(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    let commit = listed(&alice, tool, "main");
    let want = json!({"name": "v1.0", "message": null, "target": commit["id"], "commit": commit, "release": null, "protected": false, "created_at": null});
    assert_eq!(made(&alice, &path, json!({"tag_name": "v1.0", "ref": "main"})), want);
    assert_eq!(server.anonymous().get(&format!("{path}/v1.0")).assert_status(200).json(), want);
    assert_eq!(alice.get(&path).assert_status(200).json(), json!([want]));
}

#[both_databases]
fn an_annotated_tag_has_a_message_and_an_object_of_its_own(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    let body =
        json!({"tag_name": "v1", "ref": "main", "message": "One\n\nWith a body\n", "release_description": "Notes"});
    let tag = made(&alice, &path, body);
    let commit = listed(&alice, tool, "main");
    let target = text(&tag["target"]);
    assert!(target.len() == 40 && commit["id"] != target, "{tag}");
    let want = json!({
        "name": "v1", "message": "One\n\nWith a body", "target": target, "commit": commit,
        "release": {"tag_name": "v1", "description": "Notes"}, "protected": false, "created_at": tag["created_at"],
    });
    assert_eq!(tag, want);
    assert_eq!(text(&tag["created_at"]), "2026-03-02T12:00:00.000Z");
    assert_eq!(alice.get(&format!("{path}/v1")).json(), want);
}

#[both_databases]
fn a_tag_is_put_on_a_branch_a_tag_or_a_commit(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let old = tip(&alice, tool, "main").expect("a commit");
    let path = format!("{}/tags", at(tool));
    made(&alice, &path, json!({"tag_name": "a/1", "ref": &old[..7], "message": "One"}));
    let new = write(&alice, tool, "main", "a", "a");
    for (name, from, want) in [("b", "main", &new), ("c", "a/1", &old), ("d", old.as_str(), &old)] {
        let tag = made(&alice, &path, json!({"tag_name": name, "ref": from}));
        assert_eq!(some(&tag, &["name", "target"]), json!([name, want]));
    }
    assert_eq!(alice.get(&format!("{path}/a%2F1")).assert_status(200).json()["commit"]["id"], old);
}

#[both_databases]
fn tags_are_sorted_by_date_or_by_version(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    for name in ["v1.10", "v1.2", "v1.9"] {
        later(server);
        write(&alice, tool, "main", name, "x");
        made(&alice, &path, json!({"tag_name": name, "ref": "main"}));
    }
    // The date of the commit counts, not that of the tag.
    later(server);
    made(&alice, &path, json!({"tag_name": "old", "ref": "v1.10", "message": "Late"}));
    let list = |query: &str| found(&alice, &format!("{path}?{query}"), "name").0;
    assert_eq!(list("")[..2], ["v1.9", "v1.2"]);
    assert_eq!(list("sort=asc")[2..], ["v1.2", "v1.9"]);
    assert_eq!(list("order_by=name"), ["v1.10", "v1.9", "v1.2", "old"]);
    assert_eq!(list("order_by=name&sort=asc"), ["old", "v1.2", "v1.9", "v1.10"]);
    assert_eq!(list("search=%5EV1&order_by=name"), ["v1.10", "v1.9", "v1.2"]);
    assert_eq!(list("search=9$"), ["v1.9"]);
    assert_eq!(
        found(&alice, &format!("{path}?order_by=name&per_page=3&page=2"), "name"),
        (vec!["old".to_owned()], "4".to_owned())
    );
    alice.get(&format!("{path}?order_by=age")).assert(400, parameter("order_by does not have a valid value"));
}

#[both_databases]
fn a_tag_that_cannot_be_made_is_refused_in_known_words(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    made(&alice, &path, json!({"tag_name": "v1", "ref": "main"}));
    let refused = |name: &str, from: &str, text: &str| {
        alice.post(&path, json!({"tag_name": name, "ref": from})).assert(400, message(text));
    };
    for name in ["a b", "-x", "a..b", "x.lock", "a^", "x/"] {
        refused(name, "main", "Tag name invalid");
    }
    refused("v1", "main", "Tag v1 already exists");
    refused("v2", "nowhere", "Target nowhere is invalid");
    alice.post(&path, json!({})).assert(400, parameter("tag_name is missing, ref is missing"));
    alice.get(&format!("{path}/v2")).assert(404, missing("Tag"));
    // Branches are no tags.
    alice.get(&format!("{path}/main")).assert(404, missing("Tag"));
    assert_eq!(found(&alice, &path, "name").0, ["v1"]);
}

#[both_databases]
fn a_refused_tag_leaves_no_release_notes(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    let body = json!({"tag_name": "v1", "ref": "nowhere", "release_description": "Notes"});
    let _ = alice.post(&path, body).assert_status(400);
    assert_eq!(made(&alice, &path, json!({"tag_name": "v1", "ref": "main"}))["release"], json!(null));
    let again = json!({"tag_name": "v1", "ref": "main", "release_description": "Notes"});
    alice.post(&path, again).assert(400, message("Tag v1 already exists"));
    assert_eq!(alice.get(&format!("{path}/v1")).json()["release"], json!(null));
}

#[both_databases]
fn release_notes_are_written_once_and_then_changed(server: &TestServer) {
    let cast = cast(server, "public");
    let path = format!("{}/tags", at(cast.project));
    made(&cast.owner, &path, json!({"tag_name": "v1.0", "ref": "main"}));
    let notes = format!("{path}/v1.0/release");
    let body = |text: &str| json!({"description": text});
    cast.developer.put(&notes, body("x")).assert(404, message("Release does not exist"));
    assert_eq!(made(&cast.developer, &notes, body("First")), json!({"tag_name": "v1.0", "description": "First"}));
    cast.developer.post(&notes, body("Again")).assert(409, message("Release already exists"));
    assert_eq!(cast.owner.get(&format!("{path}/v1.0")).json()["release"]["description"], "First");
    assert_eq!(changed(&cast.developer, &notes, body("Second")), json!({"tag_name": "v1.0", "description": "Second"}));
    assert_eq!(cast.owner.get(&path).each("release"), [json!({"tag_name": "v1.0", "description": "Second"})]);
    for reply in [cast.developer.post(&notes, json!({})), cast.developer.put(&notes, json!({}))] {
        reply.assert(400, parameter("description is missing"));
    }
    let nowhere = format!("{path}/v2/release");
    cast.developer.post(&nowhere, body("x")).assert(404, message("Tag does not exist"));
    cast.developer.put(&nowhere, body("x")).assert(404, message("Tag does not exist"));
}

#[both_databases]
fn release_notes_go_with_the_tag(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    let body = json!({"tag_name": "v1", "ref": "main", "release_description": "Notes"});
    made(&alice, &path, body);
    let gone = alice.delete(&format!("{path}/v1")).assert_status(204);
    assert!(gone.bytes().is_empty());
    alice.delete(&format!("{path}/v1")).assert(404, missing("Tag"));
    assert_eq!(made(&alice, &path, json!({"tag_name": "v1", "ref": "main"}))["release"], json!(null));
    made(&alice, &format!("{path}/v1/release"), json!({"description": "New"}));
}

#[both_databases]
fn a_tag_that_is_newer_is_not_removed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    made(&alice, &path, json!({"tag_name": "v1", "ref": "main"}));
    let before = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    before.delete(&format!("{path}/v1")).assert(412, message("412 Precondition Failed"));
    let after = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 13:00:00 GMT");
    let _ = after.delete(&format!("{path}/v1")).assert_status(204);
}

#[both_databases]
fn who_may_push_makes_tags_and_removes_them(server: &TestServer) {
    let cast = cast(server, "private");
    let path = format!("{}/tags", at(cast.project));
    made(&cast.owner, &path, json!({"tag_name": "v1", "ref": "main"}));
    assert_eq!(
        cast.statuses(|client| client.post(&path, json!({"tag_name": "v1", "ref": "main"}))),
        [404, 403, 403, 400, 400, 400, 400]
    );
    let notes = format!("{path}/v1/release");
    assert_eq!(
        cast.statuses(|client| client.put(&notes, json!({"description": "x"}))),
        [404, 403, 403, 404, 404, 404, 404]
    );
    assert_eq!(
        cast.statuses(|client| client.post(&notes, json!({"description": "x"}))),
        [404, 403, 403, 201, 409, 409, 409]
    );
    assert_eq!(cast.statuses(|client| client.get(&format!("{path}/v1"))), [404, 403, 200, 200, 200, 200, 200]);
    assert_eq!(cast.statuses(|client| client.delete(&format!("{path}/v1"))), [404, 403, 403, 204, 404, 404, 404]);
    server.anonymous().get(&path).assert(404, missing("Project"));
    server.anonymous().post(&path, json!({"tag_name": "v2", "ref": "main"})).assert(401, unauthorized());
}

#[both_databases]
fn the_tags_of_an_archived_project_can_only_be_read(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    made(&alice, &path, json!({"tag_name": "v1", "ref": "main", "release_description": "Notes"}));
    archive(&alice, tool);
    alice.post(&path, json!({"tag_name": "v2", "ref": "main"})).assert(403, forbidden());
    alice.delete(&format!("{path}/v1")).assert(403, forbidden());
    alice.put(&format!("{path}/v1/release"), json!({"description": "x"})).assert(403, forbidden());
    assert_eq!(alice.get(&format!("{path}/v1")).assert_status(200).json()["release"]["description"], "Notes");
}

#[both_databases]
fn an_empty_repository_has_no_tags(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = format!("{}/tags", at(tool));
    assert_eq!(alice.get(&path).assert_status(200).json(), json!([]));
    alice.get(&format!("{path}/v1")).assert(404, missing("Tag"));
    alice.post(&path, json!({"tag_name": "v1", "ref": "main"})).assert(400, message("Target main is invalid"));
}
