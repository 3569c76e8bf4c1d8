//! Merging when the pipeline succeeds.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::{
    branch, cast, merge, message, not_open, offer, repository, show_commit, simple, some, status, text, tip, with,
    work, write,
};
use crate::support::*;

/// Asks for a merge as soon as the pipeline succeeds.
#[track_caller]
fn wait(client: &Client, path: &str, more: &Value) -> Value {
    merge(client, path, with(json!({"merge_when_pipeline_succeeds": true}), more))
}

#[track_caller]
fn is_waiting(client: &Client, path: &str) -> bool {
    let request = client.get(path).assert_status(200).json();
    request["merge_when_pipeline_succeeds"].as_bool().expect("a boolean")
}

#[both_databases]
fn it_is_merged_as_soon_as_the_pipeline_succeeds(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    status(server, &cast.developer, &path, "pending");
    let more = json!({"merge_commit_message": "At last", "should_remove_source_branch": true});
    let waiting = wait(&cast.maintainer, &path, &more);
    let fields = ["state", "merge_when_pipeline_succeeds", "should_remove_source_branch", "merged_by", "merged_at"];
    assert_eq!(some(&waiting, &fields), json!(["opened", true, true, null, null]));
    assert_eq!(waiting["merge_user"]["username"], "maintainer");
    let notes = system_notes(&cast.owner, &path);
    let head = text(&waiting["sha"]);
    assert_eq!(notes, [format!("enabled an automatic merge when the pipeline for {head} succeeds")]);
    status(server, &cast.developer, &path, "running");
    assert!(is_waiting(&cast.owner, &path));
    status(server, &cast.developer, &path, "success");
    let merged = cast.owner.get(&path).json();
    let who = &merged["merged_by"]["username"];
    assert_eq!(
        (&merged["state"], who, &merged["merge_when_pipeline_succeeds"]),
        (&json!("merged"), &json!("maintainer"), &json!(false))
    );
    let commit = show_commit(&cast.owner, cast.project, "main");
    assert_eq!(some(&commit, &["title", "author_name"]), json!(["At last", "maintainer"]));
    assert_eq!(tip(&cast.owner, cast.project, "topic"), None);
}

#[both_databases]
fn without_a_pipeline_that_is_under_way_it_is_merged_at_once(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for state in [None, Some("success"), Some("failed"), Some("canceled")] {
        let path = simple(&alice, tool, state.unwrap_or("none"));
        if let Some(state) = state {
            status(server, &alice, &path, state);
        }
        assert_eq!(
            some(&wait(&alice, &path, &json!({})), &["state", "merge_when_pipeline_succeeds"]),
            json!(["merged", false]),
            "{state:?}"
        );
    }
}

#[both_databases]
fn the_newer_name_counts_as_well(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    status(server, &alice, &path, "running");
    assert_eq!(merge(&alice, &path, json!({"auto_merge": true}))["merge_when_pipeline_succeeds"], true);
    // Without it nothing waits: nothing says that the pipeline must succeed.
    assert_eq!(merge(&alice, &path, json!({}))["state"], "merged");
}

#[both_databases]
fn a_pipeline_that_fails_may_still_succeed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    changed(&alice, &format!("/projects/{tool}"), json!({"only_allow_merge_if_pipeline_succeeds": true}));
    let path = simple(&alice, tool, "topic");
    status(server, &alice, &path, "running");
    wait(&alice, &path, &json!({}));
    status(server, &alice, &path, "failed");
    assert!(is_waiting(&alice, &path));
    status(server, &alice, &path, "success");
    assert_eq!(alice.get(&path).json()["state"], "merged");
}

#[both_databases]
fn asking_again_changes_what_is_remembered(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    status(server, &alice, &path, "running");
    wait(&alice, &path, &json!({"merge_commit_message": "First"}));
    wait(&alice, &path, &json!({"merge_commit_message": "Second", "should_remove_source_branch": false}));
    assert_eq!(system_notes(&alice, &path).len(), 1);
    status(server, &alice, &path, "success");
    assert_eq!(show_commit(&alice, tool, "main")["title"], "Second");
}

#[both_databases]
fn a_user_who_lost_the_right_merges_nothing(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    status(server, &cast.developer, &path, "running");
    wait(&cast.maintainer, &path, &json!({}));
    changed(&cast.owner, &format!("{}/members/{}", cast.path(), cast.maintainer.id), json!({"access_level": 30}));
    status(server, &cast.developer, &path, "success");
    assert_eq!(cast.owner.get(&path).json()["state"], "opened");
}

#[both_databases]
fn a_user_whose_account_may_not_be_used_merges_nothing(server: &TestServer) {
    let cast = cast(server, "public");
    let maintainer = cast.maintainer.id;
    for (what, back) in [("block", "unblock"), ("deactivate", "activate"), ("ban", "unban")] {
        let path = simple(&cast.developer, cast.project, what);
        status(server, &cast.developer, &path, "running");
        wait(&cast.maintainer, &path, &json!({}));
        let _ = server.root().post(&format!("/users/{maintainer}/{what}"), json!({})).assert_status(201);
        status(server, &cast.developer, &path, "success");
        assert_eq!(cast.owner.get(&path).json()["state"], "opened", "{what}");
        let _ = server.root().post(&format!("/users/{maintainer}/{back}"), json!({})).assert_status(201);
    }
}

#[both_databases]
fn a_draft_waits_on(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    status(server, &alice, &path, "running");
    wait(&alice, &path, &json!({}));
    changed(&alice, &path, json!({"title": "WIP: not yet"}));
    status(server, &alice, &path, "success");
    assert_eq!(some(&alice.get(&path).json(), &["state", "merge_when_pipeline_succeeds"]), json!(["opened", true]));
}

#[both_databases]
fn both_ways_to_cancel_have_their_answers(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let cancel = format!("{path}/cancel_merge_when_pipeline_succeeds");
    let waiting_for_nothing = message("Can't cancel the automatic merge");
    alice.put(&cancel, json!({})).assert(406, waiting_for_nothing.clone());
    alice.post(&cancel, json!({})).assert(406, waiting_for_nothing);
    status(server, &alice, &path, "running");
    wait(&alice, &path, &json!({"should_remove_source_branch": true}));
    let request = changed(&alice, &cancel, json!({}));
    let fields = ["iid", "state", "merge_when_pipeline_succeeds", "should_remove_source_branch", "merge_user"];
    assert_eq!(some(&request, &fields), json!([1, "opened", false, null, null]));
    assert_eq!(system_notes(&alice, &path).last().map(String::as_str), Some("canceled the automatic merge"));
    wait(&alice, &path, &json!({}));
    alice.post(&cancel, json!({})).assert(201, json!({"status": "success"}));
    assert!(!is_waiting(&alice, &path));
    status(server, &alice, &path, "success");
    assert_eq!(alice.get(&path).json()["state"], "opened");
    changed(&alice, &path, json!({"state_event": "close"}));
    alice.put(&cancel, json!({})).assert(405, not_open());
    let merged = simple(&alice, tool, "merged");
    merge(&alice, &merged, json!({}));
    alice.post(&format!("{merged}/cancel_merge_when_pipeline_succeeds"), json!({})).assert(405, not_open());
}

#[both_databases]
fn the_author_and_those_who_merge_cancel(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let cancel = format!("{path}/cancel_merge_when_pipeline_succeeds");
    status(server, &cast.developer, &path, "running");
    for (role, client) in cast.everybody() {
        wait(&cast.maintainer, &path, &json!({}));
        let reply = client.put(&cancel, json!({}));
        if matches!(role, "stranger" | "guest" | "reporter") {
            assert_eq!((reply.status(), reply.json()), (401, unauthorized()), "{role}");
            client.post(&cancel, json!({})).assert(401, unauthorized());
        } else {
            // The developer is the author.
            assert_eq!(reply.status(), 200, "{role}");
        }
    }
    server.anonymous().put(&cancel, json!({})).assert(401, unauthorized());
    cast.owner
        .put(&format!("{}/merge_requests/9/cancel_merge_when_pipeline_succeeds", cast.path()), json!({}))
        .assert(404, not_found());
}

#[both_databases]
fn whatever_changes_what_would_be_merged_cancels_it(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "next", "main");
    let waiting = |name: &str| {
        work(&alice, tool, name);
        let path = offer(&alice, tool, name, "main", &json!({}));
        status(server, &alice, &path, "running");
        assert_eq!(
            wait(&alice, &path, &json!({"should_remove_source_branch": true}))["merge_when_pipeline_succeeds"],
            true
        );
        path
    };
    let (pushed, closed, retargeted, left) = (waiting("a"), waiting("b"), waiting("c"), waiting("d"));
    write(&alice, tool, "a", "more.txt", "m");
    server.run_jobs();
    changed(&alice, &closed, json!({"state_event": "close"}));
    changed(&alice, &closed, json!({"state_event": "reopen"}));
    changed(&alice, &retargeted, json!({"target_branch": "next"}));
    changed(&alice, &left, json!({"title": "another", "description": "d"}));
    for (path, want) in [
        (pushed, json!([false, null])),
        (closed, json!([false, null])),
        (retargeted, json!([false, null])),
        (left, json!([true, true])),
    ] {
        let request = alice.get(&path).json();
        assert_eq!(some(&request, &["merge_when_pipeline_succeeds", "should_remove_source_branch"]), want, "{path}");
    }
}

#[both_databases]
fn pipelines_are_those_of_its_branch_and_commits(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    assert_eq!(alice.get(&format!("{path}/pipelines")).json(), json!([]));
    status(server, &alice, &path, "success");
    let first = alice.get(&path).json();
    write(&alice, tool, "topic", "more.txt", "m");
    server.run_jobs();
    assert_eq!(alice.get(&path).json()["pipeline"], Value::Null);
    status(server, &alice, &path, "running");
    let request = alice.get(&path).json();
    let list = alice.get(&format!("{path}/pipelines"));
    assert_eq!(list.each("sha"), [request["sha"].clone(), first["sha"].clone()]);
    assert_eq!(
        (list.each("status"), list.header("x-total")),
        (vec![json!("running"), json!("success")], "2".to_owned())
    );
    assert_eq!(request["pipeline"]["id"], list.json()[0]["id"]);
    assert_eq!(request["head_pipeline"]["id"], request["pipeline"]["id"]);
    assert!(request["latest_build_started_at"].is_string(), "{request}");
}
