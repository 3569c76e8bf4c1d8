//! Groups that go.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_deleted_group_takes_everything_below_along(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    let other = project(&alice, "kept", "private");
    made(&alice, &format!("/projects/{other}/share"), json!({"group_id": top, "group_access": 30}));
    alice.delete(&format!("/groups/{top}")).assert(202, accepted());
    server.run_jobs();
    for path in [format!("/groups/{top}"), format!("/groups/{below}")] {
        server.root().get(&path).assert(404, missing("Group"));
    }
    server.root().get(&format!("/projects/{tool}")).assert(404, missing("Project"));
    assert_eq!(alice.get(&format!("/projects/{other}")).assert_status(200).json()["shared_with_groups"], json!([]));
    assert_eq!(texts(&alice.get("/namespaces"), "path"), ["alice"]);
    let again = group(&alice, "top", "public");
    assert_eq!(alice.get(&format!("/groups/{again}")).json()["projects"], json!([]));
}

#[both_databases]
fn only_owners_delete_a_group(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let path = format!("/groups/{team}");
    member(&alice, &path, bob.id, 40);
    bob.delete(&path).assert(403, forbidden());
    server.anonymous().delete(&path).assert(401, unauthorized());
    alice.delete("/groups/999999").assert(404, missing("Group"));
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&path).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.get(&path).assert_status(200);
}

#[both_databases]
fn only_the_deleted_subgroup_goes(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let (one, two) = (subgroup(&alice, top, "one", "public"), subgroup(&alice, top, "two", "public"));
    let _ = alice.delete(&format!("/groups/{one}")).assert_status(202);
    server.run_jobs();
    assert_eq!(ids(&alice.get(&format!("/groups/{top}/subgroups"))), [two]);
}
