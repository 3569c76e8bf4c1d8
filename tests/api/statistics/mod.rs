//! How much of everything the server holds.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn administrators_see_how_much_there_is_of_everything(server: &TestServer) {
    let alice = server.user("alice");
    let root = server.root();
    let before = root.get("/application/statistics").assert_status(200).json();
    let tool = project(&alice, "tool", "private");
    group(&alice, "team", "private");
    for title in ["one", "two"] {
        made(&alice, &format!("/projects/{tool}/issues"), json!({"title": title}));
    }
    made(&alice, &format!("/projects/{tool}/issues/1/notes"), json!({"body": "said"}));
    made(&alice, &format!("/projects/{tool}/milestones"), json!({"title": "v1"}));
    let carol = server.user("carol");
    let _ = root.post(&format!("/users/{}/block", carol.id), json!({})).assert_status(201);
    let after = root.get("/application/statistics").assert_status(200).json();
    for (name, more) in [
        ("forks", 0),
        ("issues", 2),
        ("merge_requests", 0),
        ("notes", 1),
        ("snippets", 0),
        ("ssh_keys", 0),
        ("milestones", 1),
        ("users", 1),
        ("groups", 1),
        ("projects", 1),
        ("active_users", 0),
    ] {
        let count = |counts: &serde_json::Value| {
            counts[name].as_str().and_then(|text| text.parse::<i64>().ok()).expect("a number as text")
        };
        assert_eq!(count(&after) - count(&before), more, "{name}");
    }
    alice.get("/application/statistics").assert(403, forbidden());
    server.anonymous().get("/application/statistics").assert(401, unauthorized());
}
