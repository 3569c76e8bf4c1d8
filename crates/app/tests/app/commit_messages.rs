//! Commits that mention and close issues.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::{commit, issue, member, notes, project, shown};

#[both_databases]
fn a_commit_on_the_default_branch_closes_the_issues_that_it_names(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    for title in ["one", "two", "three", "four"] {
        issue(&alice, tool, title);
    }
    let sha = commit(&alice, tool, "main", None, "Tidy up\n\nCloses #1, #2 and relates to #3");
    server.run_jobs();
    for (iid, state) in [(1, "closed"), (2, "closed"), (3, "opened"), (4, "opened")] {
        assert_eq!(shown(&alice, tool, iid)["state"], state, "{iid}");
    }
    assert_eq!(shown(&alice, tool, 1)["closed_by"]["username"], "alice");
    assert_eq!(notes(&alice, tool, 1), [format!("closed via commit {sha}")]);
    assert_eq!(notes(&alice, tool, 3), [format!("mentioned in commit {sha}")]);
    assert_eq!(notes(&alice, tool, 4), [""; 0]);
}

#[both_databases]
fn a_commit_acts_once_however_often_its_job_runs(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    issue(&alice, tool, "one");
    issue(&alice, tool, "two");
    server.run_jobs();
    let before = alice.get(&format!("/projects/{tool}/repository/branches/main")).json();
    let sha = commit(&alice, tool, "main", None, "Fixes #1, see #2");
    server.run_jobs();
    alice.put(&format!("/projects/{tool}/issues/1"), json!({"state_event": "reopen"})).assert_status(200).json();
    let payload = json!({"kind": "read_messages", "project": tool, "pusher": alice.id, "branch": "main",
        "from": before["commit"]["id"], "to": sha});
    server.enqueue("read_messages", &payload);
    assert_eq!(server.run_jobs(), 1);
    assert_eq!(shown(&alice, tool, 1)["state"], "opened");
    assert_eq!(notes(&alice, tool, 1), [format!("closed via commit {sha}"), "reopened".to_owned()]);
    assert_eq!(notes(&alice, tool, 2), [format!("mentioned in commit {sha}")]);
}

#[both_databases]
fn a_commit_of_another_branch_closes_once_it_reaches_the_default_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    issue(&alice, tool, "one");
    let sha = commit(&alice, tool, "topic", Some("main"), "Implement: #1\n\nCloses #1");
    server.run_jobs();
    assert_eq!(shown(&alice, tool, 1)["state"], "opened");
    assert_eq!(notes(&alice, tool, 1), [format!("mentioned in commit {sha}")]);
    let path = format!("/projects/{tool}/repository/commits/{sha}/cherry_pick");
    let picked = alice.post(&path, json!({"branch": "main"})).assert_status(201).json();
    server.run_jobs();
    assert_eq!(shown(&alice, tool, 1)["state"], "closed");
    assert_eq!(notes(&alice, tool, 1)[1..], [format!("closed via commit {}", picked["id"].as_str().expect("an id"))]);
}

#[both_databases]
fn only_what_the_pusher_may_edit_is_closed_and_only_what_they_see_is_mentioned(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (open, secret) = (project(&alice, "open", "public"), project(&alice, "secret", "private"));
    issue(&alice, open, "one");
    issue(&alice, secret, "one");
    let own = project(&bob, "own", "public");
    let sha = commit(&bob, own, "main", None, "Closes alice/open#1 and closes alice/secret#1");
    server.run_jobs();
    assert_eq!(shown(&alice, open, 1)["state"], "opened");
    assert_eq!(notes(&alice, open, 1), [format!("mentioned in commit bob/own@{sha}")]);
    assert_eq!(notes(&alice, secret, 1), [""; 0]);
    member(&alice, open, &bob, 20);
    let sha = commit(&bob, own, "main", None, "Closes alice/open#1");
    server.run_jobs();
    assert_eq!(shown(&alice, open, 1)["closed_by"]["username"], "bob");
    assert_eq!(notes(&alice, open, 1)[1..], [format!("closed via commit bob/own@{sha}")]);
}

#[both_databases]
fn a_note_that_names_a_hidden_commit_is_hidden(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (open, secret) = (project(&alice, "open", "public"), project(&alice, "secret", "private"));
    issue(&alice, open, "one");
    let sha = commit(&alice, secret, "main", None, "See open#1");
    server.run_jobs();
    assert_eq!(notes(&alice, open, 1), [format!("mentioned in commit secret@{sha}")]);
    let discussions = format!("/projects/{open}/issues/1/discussions");
    assert_eq!(alice.get(&discussions).json().as_array().map(Vec::len), Some(1));
    // A guest sees the project, not its code.
    member(&alice, secret, &bob, 10);
    assert_eq!(notes(&bob, open, 1), [""; 0]);
    assert_eq!(bob.get(&discussions).assert_status(200).text(), "[]");
    alice.delete(&format!("/projects/{secret}")).assert_status(202).json();
    server.run_jobs();
    assert_eq!(notes(&bob, open, 1), [""; 0]);
}

#[both_databases]
fn a_fork_closes_nothing_of_the_project_that_it_came_from(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    issue(&alice, tool, "one");
    server.run_jobs();
    let fork = alice.post(&format!("/projects/{tool}/fork"), json!({"path": "mine", "name": "mine"}));
    let fork = fork.assert_status(201).json()["id"].as_i64().expect("an id");
    server.run_jobs();
    let sha = commit(&alice, fork, "main", None, "Closes alice/tool#1");
    server.run_jobs();
    assert_eq!(shown(&alice, tool, 1)["state"], "opened");
    assert_eq!(notes(&alice, tool, 1), [format!("mentioned in commit mine@{sha}")]);
}

#[both_databases]
fn the_first_commits_of_a_project_close_nothing(server: &TestServer) {
    let alice = server.user("alice");
    let made = alice.post("/projects", json!({"name": "tool"})).assert_status(201).json();
    let tool = made["id"].as_i64().expect("an id");
    issue(&alice, tool, "one");
    commit(&alice, tool, "main", None, "Closes #1");
    server.run_jobs();
    assert_eq!((shown(&alice, tool, 1)["state"].clone(), notes(&alice, tool, 1)), (json!("opened"), Vec::new()));
}
