//! Merges that are refused.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::{
    branch, cast, commit, merge, message, not_open, offer, repository, simple, some, status, text, tip, unmergeable,
    unready, work, write,
};
use crate::support::*;

#[both_databases]
fn who_may_not_merge_is_refused(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    for (role, client) in cast.everybody() {
        let can = client.get(&path).assert_status(200).json()["user"]["can_merge"].clone();
        let may = matches!(role, "maintainer" | "owner" | "admin");
        assert_eq!(can, may, "{role}");
        if !may {
            let reply = client.put(&format!("{path}/merge"), json!({}));
            assert_eq!((reply.status(), reply.json()), (401, unauthorized()), "{role}");
        }
    }
    server.anonymous().put(&format!("{path}/merge"), json!({})).assert(401, unauthorized());
    cast.owner.put(&format!("{}/merge_requests/9/merge", cast.path()), json!({})).assert(404, not_found());
    cast.owner.put("/projects/999999/merge_requests/1/merge", json!({})).assert(404, missing("Project"));
    cast.owner.put(&format!("{path}/merge"), json!({"squash": "maybe"})).assert(400, parameter("squash is invalid"));
    assert_eq!(cast.owner.get(&path).json()["state"], "opened");
    assert_eq!(merge(&cast.maintainer, &path, json!({}))["state"], "merged");
}

#[both_databases]
fn developers_merge_into_branches_that_are_open_to_them(server: &TestServer) {
    let cast = cast(server, "public");
    branch(&cast.owner, cast.project, "next", "main");
    for (role, client, want) in [("r", &cast.reporter, 401), ("d", &cast.developer, 200)] {
        work(&cast.owner, cast.project, role);
        let path = offer(&cast.owner, cast.project, role, "next", &json!({}));
        assert_eq!(client.put(&format!("{path}/merge"), json!({})).status(), want, "{role}");
    }
    let _ = cast
        .owner
        .put(&format!("{}/repository/branches/main/protect", cast.path()), json!({"developers_can_merge": true}))
        .assert_status(200);
    let path = simple(&cast.owner, cast.project, "granted");
    assert_eq!(cast.developer.put(&format!("{path}/merge"), json!({})).status(), 200);
}

#[both_databases]
fn what_is_hidden_is_missing(server: &TestServer) {
    let cast = cast(server, "private");
    let path = simple(&cast.developer, cast.project, "topic");
    cast.stranger.put(&format!("{path}/merge"), json!({})).assert(404, missing("Project"));
    cast.guest.put(&format!("{path}/merge"), json!({})).assert(401, unauthorized());
    cast.guest.put(&format!("{path}/cancel_merge_when_pipeline_succeeds"), json!({})).assert(401, unauthorized());
}

#[both_databases]
fn what_is_merged_or_closed_is_not_merged(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    merge(&alice, &path, json!({}));
    let merged = tip(&alice, tool, "main");
    alice.put(&format!("{path}/merge"), json!({})).assert(406, not_open());
    // Nothing else about the request matters then.
    alice.put(&format!("{path}/merge"), json!({"sha": "0".repeat(40)})).assert(406, not_open());
    assert_eq!(tip(&alice, tool, "main"), merged);
    let closed = simple(&alice, tool, "other");
    changed(&alice, &closed, json!({"state_event": "close"}));
    alice.put(&format!("{closed}/merge"), json!({})).assert(406, not_open());
}

#[both_databases]
fn git_has_the_first_word(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let conflict = simple(&alice, tool, "conflict");
    branch(&alice, tool, "empty", "main");
    let empty = offer(&alice, tool, "empty", "main", &json!({}));
    let draft = simple(&alice, tool, "draft");
    changed(&alice, &draft, json!({"title": "WIP: draft"}));
    // Mergeability was not computed since; the merge computes it itself.
    write(&alice, tool, "main", "conflict.txt", "something else\n");
    for path in [&conflict, &empty] {
        let reply = alice.put(&format!("{path}/merge"), json!({"sha": "0".repeat(40)}));
        assert_eq!((reply.status(), reply.json()), (405, unmergeable()), "{path}");
    }
    alice.put(&format!("{draft}/merge"), json!({})).assert(405, unready());
    changed(&alice, &draft, json!({"title": "draft no more"}));
    assert_eq!(merge(&alice, &draft, json!({}))["state"], "merged");
    server.run_jobs();
    let conflict = alice.get(&conflict).json();
    assert_eq!(
        some(&conflict, &["state", "merge_status", "has_conflicts"]),
        json!(["opened", "cannot_be_merged", true])
    );
}

#[both_databases]
fn a_branch_that_is_gone_cannot_be_merged(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "next", "main");
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "next", &json!({}));
    let _ = alice.delete(&format!("/projects/{tool}/repository/branches/next")).assert_status(204);
    alice.put(&format!("{path}/merge"), json!({})).assert(405, unmergeable());
    server.run_jobs();
    let request = alice.get(&path).json();
    assert_eq!(some(&request, &["state", "merge_status"]), json!(["opened", "cannot_be_merged"]));
}

#[both_databases]
fn methods_that_want_a_straight_line_refuse_a_crooked_one(server: &TestServer) {
    let alice = server.user("alice");
    for method in ["rebase_merge", "ff"] {
        let tool = repository(&alice, method, "public");
        changed(&alice, &format!("/projects/{tool}"), json!({"merge_method": method}));
        let path = simple(&alice, tool, "topic");
        write(&alice, tool, "main", "news.txt", "n");
        server.run_jobs();
        assert_eq!(alice.get(&path).json()["merge_status"], "can_be_merged");
        alice.put(&format!("{path}/merge"), json!({})).assert(405, unmergeable());
        changed(&alice, &format!("/projects/{tool}"), json!({"merge_method": "merge"}));
        assert_eq!(merge(&alice, &path, json!({}))["state"], "merged");
    }
}

#[both_databases]
fn another_head_than_the_caller_has_seen_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let old = work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({}));
    let new = write(&alice, tool, "topic", "more.txt", "m");
    for sha in [old.as_str(), "0000", &new[..8]] {
        let reply = alice.put(&format!("{path}/merge"), json!({"sha": sha}));
        assert_eq!(
            (reply.status(), reply.json()),
            (409, message(&format!("SHA does not match HEAD of source branch: {new}"))),
            "{sha}"
        );
    }
    assert_eq!(merge(&alice, &path, json!({"sha": new}))["sha"], new);
}

#[both_databases]
fn a_pipeline_must_succeed_only_where_that_is_asked_for(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let project = format!("/projects/{tool}");
    changed(&alice, &project, json!({"only_allow_merge_if_pipeline_succeeds": true}));
    let without = simple(&alice, tool, "without");
    assert_eq!(merge(&alice, &without, json!({}))["state"], "merged");
    let path = simple(&alice, tool, "topic");
    for (state, word) in [("pending", "ci_still_running"), ("running", "ci_still_running"), ("failed", "ci_must_pass")]
    {
        status(server, &alice, &path, state);
        let request = alice.get(&path).json();
        assert_eq!((&request["detailed_merge_status"], &request["pipeline"]["status"]), (&json!(word), &json!(state)));
        alice.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    }
    alice.put(&format!("{path}/merge"), json!({"merge_when_pipeline_succeeds": true})).assert(405, unready());
    changed(&alice, &project, json!({"only_allow_merge_if_pipeline_succeeds": false}));
    assert_eq!(merge(&alice, &path, json!({}))["state"], "merged");
}

#[both_databases]
fn open_discussions_are_in_the_way_only_where_that_is_asked_for(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let project = format!("/projects/{tool}");
    changed(&alice, &project, json!({"only_allow_merge_if_all_discussions_are_resolved": true}));
    let path = simple(&alice, tool, "topic");
    comment(&alice, &path, "a note by itself is no question");
    let discussion = text(&made(&alice, &format!("{path}/discussions"), json!({"body": "why?"}))["id"]);
    let request = alice.get(&path).json();
    assert_eq!(
        some(&request, &["detailed_merge_status", "blocking_discussions_resolved"]),
        json!(["discussions_not_resolved", false])
    );
    alice.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    changed(&alice, &format!("{path}/discussions/{discussion}"), json!({"resolved": true}));
    assert_eq!(alice.get(&path).json()["detailed_merge_status"], "mergeable");
    changed(&alice, &format!("{path}/discussions/{discussion}"), json!({"resolved": false}));
    alice.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    changed(&alice, &project, json!({"only_allow_merge_if_all_discussions_are_resolved": false}));
    assert_eq!(merge(&alice, &path, json!({}))["state"], "merged");
}

#[both_databases]
fn a_push_that_is_not_processed_yet_is_merged_as_well(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let actions = json!([{"action": "update", "file_path": "topic.txt", "content": "three\n"}]);
    let head = commit(&alice, tool, "topic", "More", &actions);
    let merged = merge(&alice, &path, json!({}));
    assert_eq!((&merged["sha"], &merged["state"]), (&json!(head), &json!("merged")));
    assert_eq!(alice.get(&format!("/projects/{tool}/repository/files/topic.txt/raw?ref=main")).text(), "three\n");
}
