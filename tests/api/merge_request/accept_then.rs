//! The consequences of a merge.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use super::{branch, cast, merge, offer, repository, show_commit, simple, some, text, work};
use crate::support::*;

#[both_databases]
fn the_answer_is_the_merge_request_as_it_is_then(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let merged = merge(&cast.maintainer, &path, json!({}));
    let fields =
        ["state", "merge_when_pipeline_succeeds", "closed_at", "closed_by", "merge_status", "detailed_merge_status"];
    assert_eq!(some(&merged, &fields), json!(["merged", false, null, null, "can_be_merged", "not_open"]));
    assert_eq!(
        (&merged["merged_by"]["username"], &merged["merge_user"]["username"]),
        (&json!("maintainer"), &json!("maintainer"))
    );
    assert!(merged["merged_at"].is_string() && merged["merge_commit_sha"].is_string(), "{merged}");
    let again = cast.maintainer.get(&path).assert_status(200).json();
    assert_eq!(again, merged);
    assert_eq!(system_notes(&cast.owner, &path), ["merged"]);
    server.run_jobs();
    let commit = format!("mentioned in commit {}", text(&merged["merge_commit_sha"]));
    assert_eq!(system_notes(&cast.owner, &path), ["merged", commit.as_str()]);
    assert_eq!(
        some(&cast.owner.get(&path).json(), &["state", "merge_commit_sha"]),
        some(&merged, &["state", "merge_commit_sha"])
    );
}

#[both_databases]
fn issues_are_closed_by_a_merge_into_the_default_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let other = project(&alice, "other", "public");
    for _ in 0..4 {
        titled(&alice, tool, "t");
    }
    titled(&alice, other, "elsewhere");
    work(&alice, tool, "topic");
    let description = "Closes #1, #2 and alice/other#1. Concerns #4";
    let path = offer(&alice, tool, "topic", "main", &json!({"title": "Fix #3", "description": description}));
    merge(&alice, &path, json!({}));
    let state = |path: String| alice.get(&path).json()["state"].clone();
    let states: Vec<Value> = (1..=4).map(|iid| state(format!("/projects/{tool}/issues/{iid}"))).collect();
    assert_eq!(states, ["closed", "closed", "closed", "opened"]);
    assert_eq!(state(format!("/projects/{other}/issues/1")), "closed");
    let issue = alice.get(&format!("/projects/{tool}/issues/1")).json();
    assert_eq!(issue["closed_by"]["username"], "alice");
    let notes = system_notes(&alice, &format!("/projects/{tool}/issues/1"));
    assert!(notes.contains(&"closed via merge request !1".to_owned()), "{notes:?}");
    let notes = system_notes(&alice, &format!("/projects/{other}/issues/1"));
    assert!(notes.contains(&"closed via merge request tool!1".to_owned()), "{notes:?}");
    let message = text(&show_commit(&alice, tool, "main")["message"]);
    assert!(message.contains("\n\nCloses #1, #2, #3, and other#1\n\n"), "{message}");
    // The push to the default branch, which names them as well, does it no second time.
    server.run_jobs();
    let notes = system_notes(&alice, &format!("/projects/{tool}/issues/1"));
    assert_eq!(notes.iter().filter(|note| note.starts_with("closed")).count(), 1, "{notes:?}");
}

#[both_databases]
fn issues_stay_open_where_the_target_is_another_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let issue = titled(&alice, tool, "t");
    branch(&alice, tool, "next", "main");
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "next", &json!({"description": "Closes #1"}));
    merge(&alice, &path, json!({}));
    server.run_jobs();
    assert_eq!(alice.get(&issue).json()["state"], "opened");
    let message = text(&show_commit(&alice, tool, "next")["message"]);
    assert!(!message.contains("Closes"), "{message}");
}

#[both_databases]
fn issues_stay_open_that_the_merger_may_not_change(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 40);
    let other = project(&alice, "other", "public");
    let (own, foreign) = (titled(&alice, tool, "t"), titled(&alice, other, "t"));
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({"description": "Closes #1 and alice/other#1"}));
    merge(&bob, &path, json!({}));
    assert_eq!(
        (&alice.get(&own).json()["state"], &alice.get(&foreign).json()["state"]),
        (&json!("closed"), &json!("opened"))
    );
}

#[both_databases]
fn the_message_names_one_or_two_issues(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for _ in 0..3 {
        titled(&alice, tool, "t");
    }
    for (name, description, want) in
        [("a", "Fixes #1", "Closes #1"), ("b", "Resolves #2, closes #3", "Closes #2 and #3")]
    {
        work(&alice, tool, name);
        let path = offer(&alice, tool, name, "main", &json!({"description": description}));
        merge(&alice, &path, json!({}));
        let want = format!("Merge branch '{name}' into 'main'\n\n{name}\n\n{want}\n\nSee merge request alice/tool!");
        let message = text(&show_commit(&alice, tool, "main")["message"]);
        assert!(message.starts_with(&want), "{message}");
    }
}

#[both_databases]
fn what_was_to_be_done_about_it_is_done(server: &TestServer) {
    let cast = cast(server, "public");
    work(&cast.developer, cast.project, "topic");
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({"assignee_id": cast.reporter.id}));
    let _ = cast.developer.post(&format!("{path}/todo"), json!({})).assert_status(200);
    assert_eq!(cast.reporter.get("/todos").each("action_name"), ["assigned"]);
    merge(&cast.maintainer, &path, json!({}));
    for client in [&cast.reporter, &cast.developer] {
        assert_eq!(client.get("/todos").json(), json!([]), "{}", client.username);
    }
}

#[both_databases]
fn two_that_ask_at_once_get_one_merge(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let asked: Vec<_> =
            (0..4).map(|_| scope.spawn(|| alice.put(&format!("{path}/merge"), json!({})).status())).collect();
        asked.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 406, 406, 406]);
    assert_eq!(system_notes(&alice, &path), ["merged"]);
    assert_eq!(alice.get(&format!("/projects/{tool}/repository/commits?ref_name=main")).header("x-total"), "3");
}

#[both_databases]
fn merges_into_one_branch_at_once_all_succeed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let paths: Vec<String> = (0..6).map(|number| simple(&alice, tool, &format!("topic{number}"))).collect();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let (paths, alice) = (&paths, &alice);
        let asked: Vec<_> = paths
            .iter()
            .map(|path| scope.spawn(move || alice.put(&format!("{path}/merge"), json!({})).status()))
            .collect();
        asked.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    assert_eq!(statuses, [200; 6]);
    // The first commit, and each merge with the commits that it brings.
    assert_eq!(alice.get(&format!("/projects/{tool}/repository/commits?ref_name=main")).header("x-total"), "13");
}

#[both_databases]
fn what_became_of_it_is_recorded(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    merge(&alice, &path, json!({}));
    let notes = alice.get(&format!("{path}/resource_state_events")).assert_status(200).json();
    assert_eq!(notes[0]["state"], "merged");
}
