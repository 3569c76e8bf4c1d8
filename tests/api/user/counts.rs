//! How much belongs to a user, and how much waits for one.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn what_belongs_to_a_user_is_counted(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/users/{}/associations_count", alice.id);
    let counts = |groups: i64, projects: i64, issues: i64| {
        json!({
            "groups_count": groups, "projects_count": projects, "issues_count": issues, "merge_requests_count": 0,
        })
    };
    alice.get(&path).assert(200, counts(0, 0, 0));
    let team = group(&alice, "team", "public");
    let own = project(&alice, "own", "public");
    project_in(&alice, team, "in-team", "public");
    let other = project(&bob, "other", "public");
    member(&bob, &format!("/projects/{other}"), alice.id, 20);
    for place in [own, other] {
        made(&alice, &format!("/projects/{place}/issues"), json!({"title": "x"}));
    }
    made(&bob, &format!("/projects/{own}/issues"), json!({"title": "x"}));
    alice.get(&path).assert(200, counts(1, 2, 2));
    server.root().get(&path).assert(200, counts(1, 2, 2));
    bob.get(&path).assert(403, forbidden());
    server.anonymous().get(&path).assert(401, unauthorized());
    server.root().get("/users/9999/associations_count").assert(404, missing("User"));
}

#[both_databases]
fn what_waits_for_a_user_is_counted(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let counts = |issues: i64, todos: i64| {
        json!({
            "merge_requests": 0, "assigned_issues": issues, "assigned_merge_requests": 0,
            "review_requested_merge_requests": 0, "todos": todos,
        })
    };
    alice.get("/user_counts").assert(200, counts(0, 0));
    let tool = project(&bob, "tool", "public");
    member(&bob, &format!("/projects/{tool}"), alice.id, 30);
    let issues = format!("/projects/{tool}/issues");
    for title in ["one", "two"] {
        made(&bob, &issues, json!({"title": title, "assignee_ids": [alice.id]}));
    }
    alice.get("/user_counts").assert(200, counts(2, 2));
    bob.get("/user_counts").assert(200, counts(0, 0));
    let _ = bob.put(&format!("{issues}/1"), json!({"state_event": "close"})).assert_status(200);
    assert_eq!(alice.get("/user_counts").json()["assigned_issues"], 1);
    let _ = bob.post(&format!("/projects/{tool}/archive"), json!({})).assert_status(200);
    assert_eq!(alice.get("/user_counts").json()["assigned_issues"], 0, "archived");
    server.anonymous().get("/user_counts").assert(401, unauthorized());
}

#[both_databases]
fn merge_requests_to_review_are_counted(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = made(&bob, "/projects", json!({"name": "tool", "initialize_with_readme": true}));
    let path = format!("/projects/{}", id(&tool));
    member(&bob, &path, alice.id, 30);
    let commit = json!({
        "branch": "feature", "start_branch": "main", "commit_message": "x",
        "actions": [{"action": "create", "file_path": "x", "content": "x"}],
    });
    made(&bob, &format!("{path}/repository/commits"), commit);
    let merge = json!({
        "title": "x", "source_branch": "feature", "target_branch": "main", "reviewer_ids": [alice.id],
        "assignee_id": alice.id,
    });
    made(&bob, &format!("{path}/merge_requests"), merge);
    let shown = alice.get("/user_counts").assert_status(200).json();
    assert_eq!(
        (&shown["merge_requests"], &shown["assigned_merge_requests"], &shown["review_requested_merge_requests"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(alice.get(&format!("/users/{}/associations_count", alice.id)).json()["merge_requests_count"], 0);
    assert_eq!(bob.get(&format!("/users/{}/associations_count", bob.id)).json()["merge_requests_count"], 1);
}
