//! The cost of hooks for a write.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::support::*;

/// The statements of closing or opening an issue.
fn of_an_issue(server: &TestServer, alice: &User, issue: &str) -> u64 {
    let change = |event: &str| drop(alice.put(issue, json!({"state_event": event})).assert_status(200));
    // The data of the caller are remembered then.
    change("close");
    change("reopen");
    server.count_statements(|| change("close"))
}

/// The statements of giving up a pipeline with so many jobs.
fn of_a_pipeline(server: &TestServer, alice: &User, project: &str, branch: &str, jobs: usize) -> u64 {
    let start = (branch != "master").then_some("master");
    let action = json!({"action": "create", "file_path": branch, "content": branch});
    let mut asked = json!({"branch": branch, "commit_message": branch, "actions": [action]});
    if let Some(start) = start {
        asked["start_branch"] = json!(start);
    }
    let sha = made(alice, &format!("{project}/repository/commits"), asked)["id"].clone();
    let sha = sha.as_str().unwrap_or_default();
    for number in 0..jobs {
        let status = json!({"state": "pending", "name": format!("job {number}"), "ref": branch});
        made(alice, &format!("{project}/statuses/{sha}"), status);
    }
    let pipeline = id(&alice.get(&format!("{project}/pipelines?ref={branch}")).json()[0]);
    let cancel = format!("{project}/pipelines/{pipeline}/cancel");
    server.count_statements(|| drop(alice.post(&cancel, json!({}))))
}

#[both_databases]
fn where_no_hook_receives_it_an_event_costs_the_same_with_and_without_hooks(server: &TestServer) {
    let alice = server.user("alice");
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    made(&alice, &format!("{project}/issues"), json!({"title": "One"}));
    let issue = format!("{project}/issues/1");
    let without = of_an_issue(server, &alice, &issue);
    let hook =
        made(&alice, &format!("{project}/hooks"), json!({"url": "https://hooks.example.com/", "push_events": true}));
    made(&server.root(), "/hooks", json!({"url": "https://hooks.example.com/"}));
    let _ = alice.put(&issue, json!({"state_event": "reopen"}));
    assert_eq!(of_an_issue(server, &alice, &issue), without);
    let wanted = json!({"url": "https://hooks.example.com/", "issues_events": true});
    let _ = alice.put(&format!("{project}/hooks/{}", id(&hook)), wanted).assert_status(200);
    let _ = alice.put(&issue, json!({"state_event": "reopen"}));
    assert!(of_an_issue(server, &alice, &issue) > without);
}

#[both_databases]
fn where_no_hook_receives_jobs_giving_up_many_asks_for_hooks_once(server: &TestServer) {
    let alice = server.user("alice");
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    let (few, many) =
        (of_a_pipeline(server, &alice, &project, "master", 2), of_a_pipeline(server, &alice, &project, "side", 7));
    assert_eq!(many - few, 5, "one update for each job");
}
