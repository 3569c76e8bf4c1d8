//! Deleting issues.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn issues_are_deleted_by_owners_and_administrators(server: &TestServer) {
    let cast = Cast::of(server, "public");
    for (role, client) in cast.everybody() {
        let path = titled(&cast.owner, cast.project, "t");
        let reply = client.delete(&path);
        if matches!(role, "owner" | "admin") {
            assert_eq!((reply.status(), reply.text().as_str()), (204, ""), "{role}");
            client.delete(&path).assert(404, missing("Issue"));
        } else {
            assert_eq!((reply.status(), reply.json()), (403, forbidden()), "{role}");
            let _ = client.get(&path).assert_status(200);
        }
    }
    let own = titled(&cast.guest, cast.project, "t");
    cast.guest.delete(&own).assert(403, forbidden());
    server.anonymous().delete(&own).assert(401, unauthorized());
    cast.owner.delete(&format!("{}/issues/x", cast.path())).assert(400, parameter("issue_iid is invalid"));
    cast.owner.delete("/projects/999999/issues/1").assert(404, missing("Project"));
}

#[both_databases]
fn owners_of_the_group_above_delete_as_well(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    member(&alice, &format!("/groups/{team}"), bob.id, 50);
    let _ = bob.delete(&titled(&alice, tool, "t")).assert_status(204);
}

#[both_databases]
fn a_deletion_is_conditional(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let since = |moment: &str| alice.header("If-Unmodified-Since", moment);
    let early = since("Mon, 02 Mar 2026 11:00:00 GMT").delete(&path);
    early.assert(412, json!({"message": "412 Precondition Failed"}));
    server.advance(TimeDelta::hours(1));
    changed(&alice, &path, json!({"title": "u"}));
    let _ = since("Mon, 02 Mar 2026 12:30:00 GMT").delete(&path).assert_status(412);
    let _ = since("Mon, 02 Mar 2026 14:00:00 GMT").delete(&path).assert_status(204);
    let odd = titled(&alice, project(&alice, "other", "public"), "t");
    let _ = since("whenever").delete(&odd).assert_status(204);
}

#[both_databases]
fn nothing_is_left_of_a_deleted_issue(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let path = issue(&alice, tool, json!({"title": "t", "assignee_ids": [bob.id], "labels": "bug"}));
    let other = titled(&alice, tool, "other");
    let note = comment(&alice, &path, "@bob look");
    made(&alice, &format!("{path}/award_emoji"), json!({"name": "heart"}));
    made(&alice, &format!("{path}/links"), json!({"target_project_id": tool, "target_issue_iid": 2}));
    assert_eq!(bob.get("/todos").header("x-total"), "1");
    let _ = alice.delete(&path).assert_status(204);
    server.run_jobs();
    alice.get(&path).assert(404, not_found());
    for below in ["/notes", "/award_emoji", "/participants", "/time_stats", "/discussions"] {
        let _ = alice.get(&format!("{path}{below}")).assert_status(404);
    }
    let _ = alice.get(&format!("{path}/notes/{note}")).assert_status(404);
    assert_eq!(bob.get("/todos").json(), json!([]));
    assert_eq!(bob.get("/todos?state=done").json(), json!([]));
    assert_eq!(alice.get(&format!("{other}/links")).json(), json!([]));
    assert_eq!(iids(&alice, &format!("/projects/{tool}/issues")), [2]);
    assert_eq!(alice.get(&format!("/projects/{tool}/labels/bug")).json()["open_issues_count"], 0);
    // The number stays taken, the newest one as well.
    let _ = alice.delete(&other).assert_status(204);
    assert_eq!(titled(&alice, tool, "next"), format!("/projects/{tool}/issues/3"));
}
