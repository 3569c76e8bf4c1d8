//! Rebasing, and trying a merge.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use super::{
    cast, fork, merge, not_open, offer, repository, show_commit, simple, some, text, tip, unmergeable, work, write,
};
use crate::support::*;

#[both_databases]
fn a_target_that_has_gone_on_asks_for_a_rebase(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let status = |path: &str| text(&alice.get(path).json()["detailed_merge_status"]);
    let path = simple(&alice, tool, "topic");
    write(&alice, tool, "main", "elsewhere.txt", "x");
    server.run_jobs();
    assert_eq!(status(&path), "mergeable", "a merge commit needs none");
    for method in ["ff", "rebase_merge"] {
        changed(&alice, &format!("/projects/{tool}"), json!({"merge_method": method}));
        assert_eq!(status(&path), "need_rebase", "{method}");
    }
    assert_eq!(alice.put(&format!("{path}/merge"), json!({})).status(), 405);
    let _ = alice.put(&format!("{path}/rebase"), json!({})).assert_status(202);
    server.run_jobs();
    assert_eq!(status(&path), "mergeable");
    merge(&alice, &path, json!({}));
}

#[both_databases]
fn commits_are_made_again_on_top_of_the_target(server: &TestServer) {
    let cast = cast(server, "public");
    let old = work(&cast.developer, cast.project, "topic");
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({}));
    changed(&cast.owner, &cast.path(), json!({"merge_method": "ff"}));
    let base = write(&cast.owner, cast.project, "main", "news.txt", "n");
    server.run_jobs();
    cast.owner.put(&format!("{path}/merge"), json!({})).assert(405, unmergeable());
    let reply = cast.maintainer.put(&format!("{path}/rebase"), json!({}));
    reply.assert(202, json!({"rebase_in_progress": true}));
    server.run_jobs();
    let request = cast.owner.get(&format!("{path}?include_rebase_in_progress=true")).json();
    assert_eq!(
        some(&request, &["rebase_in_progress", "merge_error", "merge_status", "state"]),
        json!([false, null, "can_be_merged", "opened"])
    );
    let new = tip(&cast.owner, cast.project, "topic").expect("a branch");
    assert!(new != old && request["sha"] == new, "{request}");
    let commit = show_commit(&cast.owner, cast.project, &new);
    assert_eq!(
        some(&commit, &["parent_ids", "title", "author_name", "committer_name"]),
        json!([[base], "Write topic.txt", "developer", "maintainer"])
    );
    assert_eq!(cast.owner.get(&format!("{path}/versions")).header("x-total"), "2");
    assert_eq!(merge(&cast.maintainer, &path, json!({}))["merge_commit_sha"], new);
    cast.maintainer.put(&format!("{path}/rebase"), json!({})).assert(406, not_open());
}

#[both_databases]
fn a_conflict_is_reported_afterwards(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let head = tip(&alice, tool, "topic");
    write(&alice, tool, "main", "topic.txt", "else\n");
    alice.put(&format!("{path}/rebase"), json!({})).assert(202, json!({"rebase_in_progress": true}));
    let request = alice.get(&path).json();
    assert_eq!(request["merge_error"], "Rebase failed: Rebase locally, resolve all conflicts, then push the branch.");
    assert_eq!(tip(&alice, tool, "topic"), head);
    // A push to one of the branches makes it past.
    write(&alice, tool, "main", "news.txt", "n");
    assert_eq!(alice.get(&path).json()["merge_error"], Value::Null);
    let _ = alice.put(&format!("{path}/rebase"), json!({})).assert_status(202);
    assert_ne!(alice.get(&path).json()["merge_error"], Value::Null);
    write(&alice, tool, "topic", "more.txt", "m");
    server.run_jobs();
    assert_eq!(alice.get(&path).json()["merge_error"], Value::Null);
}

#[both_databases]
fn those_who_push_to_the_source_rebase(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let statuses = cast.statuses(|client| client.put(&format!("{path}/rebase"), json!({})));
    assert_eq!(statuses, [403, 403, 403, 202, 202, 202, 202]);
    let copy = fork(server, &cast.stranger, cast.project);
    work(&cast.stranger, copy, "mine");
    let own = offer(&cast.stranger, copy, "mine", "main", &json!({"target_project_id": cast.project}));
    write(&cast.owner, cast.project, "main", "news.txt", "n");
    assert_eq!(cast.owner.put(&format!("{own}/rebase"), json!({})).status(), 403);
    assert_eq!(cast.stranger.put(&format!("{own}/rebase"), json!({})).status(), 202);
    server.run_jobs();
    let request = cast.owner.get(&format!("{own}?include_diverged_commits_count=true")).json();
    assert_eq!(request["diverged_commits_count"], 0);
    cast.owner.put(&format!("{}/merge_requests/9/rebase", cast.path()), json!({})).assert(404, not_found());
    server.anonymous().put(&format!("{path}/rebase"), json!({})).assert(401, unauthorized());
}

#[both_databases]
fn a_merge_is_tried_without_moving_anything(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let (main, head) = (tip(&alice, tool, "main"), tip(&alice, tool, "topic"));
    let tried = alice.get(&format!("{path}/merge_ref")).assert_status(200).json();
    let commit = show_commit(&alice, tool, tried["commit_id"].as_str().expect("a name"));
    assert_eq!(commit["parent_ids"], json!([main, head]));
    assert_eq!(tip(&alice, tool, "main"), main);
    assert_eq!(alice.get(&path).json()["state"], "opened");
    write(&alice, tool, "main", "topic.txt", "else\n");
    let refused = alice.get(&format!("{path}/merge_ref"));
    assert_eq!((refused.status(), refused.json()["message"].is_string()), (400, true));
}
