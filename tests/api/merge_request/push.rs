//! The effects of pushes on merge requests.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::{branch, cast, commit, merge, offer, repository, simple, some, tip, work, write};
use crate::support::*;

fn versions(client: &Client, path: &str) -> Vec<Value> {
    client.get(&format!("{path}/versions")).assert_status(200).each("head_commit_sha")
}

#[both_databases]
fn a_push_to_the_source_makes_a_version(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let before = cast.owner.get(&path).json();
    server.advance(tenon_domain::time::TimeDelta::minutes(1));
    write(&cast.maintainer, cast.project, "topic", "two.txt", "2");
    let head = write(&cast.maintainer, cast.project, "topic", "three.txt", "3");
    server.run_jobs();
    let request = cast.owner.get(&path).json();
    assert_eq!(
        some(&request, &["sha", "changes_count", "state", "merge_status"]),
        json!([head, "3", "opened", "can_be_merged"])
    );
    assert_eq!(
        request["diff_refs"],
        json!({"base_sha": before["diff_refs"]["base_sha"], "start_sha": before["diff_refs"]["start_sha"], "head_sha": head})
    );
    assert!(request["updated_at"].as_str() > before["updated_at"].as_str(), "{request}");
    let heads = versions(&cast.owner, &path);
    assert_eq!((heads.first(), heads.last()), (Some(&json!(head)), Some(&before["sha"])));
    let notes = system_notes(&cast.owner, &path);
    assert!(notes[0].starts_with("added ") && notes.concat().contains("Write three.txt"), "{notes:?}");
    let by = cast.owner.get(&format!("{path}/notes?sort=asc")).json();
    assert_eq!(by[0]["author"]["username"], "maintainer");
    // Doing it again changes nothing.
    server.run_jobs();
    assert_eq!((versions(&cast.owner, &path), system_notes(&cast.owner, &path)), (heads, notes));
}

#[both_databases]
fn a_commit_that_says_work_goes_on_makes_a_draft(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for (name, title, draft) in [
        ("a", "WIP: half", true),
        ("b", "fixup! Write b.txt", true),
        ("c", "squash! it", true),
        ("d", "Wipe it", false),
        ("e", "wip", true),
    ] {
        let path = simple(&alice, tool, name);
        commit(&alice, tool, name, title, &json!([{"action": "create", "file_path": "more", "content": "m"}]));
        server.run_jobs();
        let request = alice.get(&path).json();
        assert_eq!(
            some(&request, &["title", "work_in_progress"]),
            json!([if draft { format!("Draft: {name}") } else { name.to_owned() }, draft]),
            "{title}"
        );
        let marked = system_notes(&alice, &path).contains(&"marked as a **Work In Progress**".to_owned());
        assert_eq!(marked, draft, "{title}");
    }
}

#[both_databases]
fn a_branch_that_is_deleted_closes_what_it_offered(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let _ = cast.maintainer.delete(&format!("{}/repository/branches/topic", cast.path())).assert_status(204);
    server.run_jobs();
    let request = cast.owner.get(&path).json();
    assert_eq!((&request["state"], &request["closed_by"]["username"]), (&json!("closed"), &json!("maintainer")));
    let notes = system_notes(&cast.owner, &path);
    assert!(notes.contains(&"deleted source branch `topic`".to_owned()), "{notes:?}");
    // Its commits are kept.
    assert_eq!(cast.owner.get(&format!("{path}/commits")).each("title"), ["Write topic.txt"]);
    let reopened = cast.developer.put(&path, json!({"state_event": "reopen"}));
    assert_eq!(reopened.status() / 100, 2, "{}", reopened.text());
    server.run_jobs();
    assert_eq!(cast.owner.get(&path).json()["state"], "closed");
}

#[both_databases]
fn commits_that_reach_the_target_by_another_way_merge_it(server: &TestServer) {
    let cast = cast(server, "public");
    let issue = titled(&cast.owner, cast.project, "t");
    let head = work(&cast.developer, cast.project, "topic");
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({"description": "Closes #1"}));
    branch(&cast.developer, cast.project, "all", "topic");
    write(&cast.developer, cast.project, "all", "more.txt", "m");
    let all = offer(&cast.developer, cast.project, "all", "main", &json!({}));
    branch(&cast.developer, cast.project, "empty", "main");
    let empty = offer(&cast.developer, cast.project, "empty", "main", &json!({}));
    merge(&cast.maintainer, &all, json!({}));
    server.run_jobs();
    let request = cast.owner.get(&path).json();
    assert_eq!(some(&request, &["state", "merge_commit_sha", "sha"]), json!(["merged", null, head]));
    assert_eq!(request["merged_by"]["username"], "maintainer");
    assert_eq!(cast.owner.get(&issue).json()["state"], "closed");
    assert_eq!(system_notes(&cast.owner, &path), ["merged"]);
    // Nothing was offered, so nothing has been merged.
    assert_eq!(cast.owner.get(&empty).json()["state"], "opened");
}

#[both_databases]
fn a_push_to_the_target_asks_git_again(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let before = alice.get(&path).json();
    let gone_on = write(&alice, tool, "main", "news.txt", "n");
    server.run_jobs();
    let request = alice.get(&format!("{path}?include_diverged_commits_count=true")).json();
    assert_eq!(
        some(&request, &["merge_status", "diverged_commits_count", "sha"]),
        json!(["can_be_merged", 1, before["sha"]])
    );
    assert_eq!(versions(&alice, &path).len(), 1);
    commit(
        &alice,
        tool,
        "main",
        "other",
        &json!([{"action": "create", "file_path": "topic.txt", "content": "else\n"}]),
    );
    server.run_jobs();
    let request = alice.get(&path).json();
    assert_eq!(
        some(&request, &["merge_status", "has_conflicts", "detailed_merge_status"]),
        json!(["cannot_be_merged", true, "conflict"])
    );
    assert_eq!(system_notes(&alice, &path), [""; 0]);
    commit(&alice, tool, "main", "take it back", &json!([{"action": "delete", "file_path": "topic.txt"}]));
    server.run_jobs();
    assert_eq!(alice.get(&path).json()["merge_status"], "can_be_merged");
    assert_ne!(tip(&alice, tool, "main"), Some(gone_on));
}

#[both_databases]
fn what_is_asked_before_the_jobs_have_run_is_answered_rightly(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    server.run_jobs();
    write(&alice, tool, "main", "topic.txt", "else\n");
    assert_eq!(alice.put(&format!("{path}/merge"), json!({})).status(), 405);
    server.run_jobs();
    let list = alice.get(&format!("/projects/{tool}/merge_requests"));
    assert_eq!(list.each("merge_status"), ["cannot_be_merged"]);
}

#[both_databases]
fn what_is_closed_takes_nothing_in_until_it_is_opened(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let old = alice.get(&path).json()["sha"].clone();
    changed(&alice, &path, json!({"state_event": "close"}));
    let head = write(&alice, tool, "topic", "more.txt", "m");
    server.run_jobs();
    assert_eq!(alice.get(&path).json()["sha"], old);
    let request = changed(&alice, &path, json!({"state_event": "reopen"}));
    assert_eq!(
        some(&request, &["state", "sha", "changes_count", "merge_status", "closed_at"]),
        json!(["opened", head, "2", "can_be_merged", null])
    );
}

#[both_databases]
fn a_push_completes_what_the_pusher_had_to_do(server: &TestServer) {
    let cast = cast(server, "public");
    work(&cast.developer, cast.project, "topic");
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({"assignee_id": cast.maintainer.id}));
    assert_eq!(cast.maintainer.get("/todos").each("action_name"), ["assigned"]);
    write(&cast.maintainer, cast.project, "topic", "more.txt", "m");
    server.run_jobs();
    assert_eq!(cast.maintainer.get("/todos").json(), json!([]), "{path}");
}
