//! Groups that get another path or another place, and the objects that move with them.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_new_path_moves_everything_below(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    let _ = alice.put(&format!("/groups/{top}"), json!({"path": "summit"})).assert_status(200);
    assert_eq!(alice.get(&format!("/groups/{below}")).json()["full_path"], "summit/below");
    assert_eq!(alice.get("/projects/summit%2Fbelow%2Ftool").assert_status(200).json()["id"], tool);
    let led = |path: &str| alice.get(path).assert_status(301).header("location");
    let base = format!("{}/api/v4", server.base());
    assert_eq!(led("/projects/top%2Fbelow%2Ftool"), format!("{base}/projects/{tool}"));
    assert_eq!(led("/groups/top"), format!("{base}/groups/{top}"));
    assert_eq!(
        led("/groups/TOP%2Fbelow/projects?search=a%26b"),
        format!("{base}/groups/{below}/projects?search=a%26b")
    );
    let text = json!({"message": "Non GET methods are not allowed for moved groups"});
    alice.put("/groups/top%2Fbelow", json!({"name": "x"})).assert(405, text);
    // A new group takes the path, and with it all paths below.
    group(&alice, "top", "public");
    let _ = alice.get("/groups/top").assert_status(200);
    alice.get("/groups/top%2Fbelow").assert(404, missing("Group"));
    alice.get("/projects/top%2Fbelow%2Ftool").assert(404, missing("Project"));
}

#[both_databases]
fn a_group_that_returns_keeps_the_old_paths_of_its_projects(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let tool = project_in(&alice, top, "tool", "public");
    let _ = alice.put(&format!("/projects/{tool}"), json!({"path": "new-tool"})).assert_status(200);
    for path in ["summit", "Summit", "top"] {
        let _ = alice.put(&format!("/groups/{top}"), json!({"path": path})).assert_status(200);
    }
    let _ = alice.get("/groups/top").assert_status(200);
    for path in ["/projects/top%2Ftool", "/projects/summit%2Fnew-tool", "/groups/summit"] {
        let _ = alice.get(path).assert_status(301);
    }
}

#[both_databases]
fn a_hidden_group_is_not_found_at_its_old_path(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let top = group(&alice, "top", "private");
    let _ = alice.put(&format!("/groups/{top}"), json!({"path": "summit"})).assert_status(200);
    let _ = alice.get("/groups/top").assert_status(301);
    for client in [&*bob, &server.anonymous()] {
        for path in ["/groups/top", "/groups/nothing"] {
            client.get(path).assert(404, missing("Group"));
        }
        let answers = ["/groups/top", "/groups/nothing"].map(|path| {
            let reply = client.delete(path);
            (reply.status(), reply.text())
        });
        assert_eq!(answers[0], answers[1]);
    }
}

#[both_databases]
fn a_path_that_only_begins_alike_is_left_alone(server: &TestServer) {
    let alice = server.user("alice");
    let (top, other) = (group(&alice, "top_1", "public"), group(&alice, "topx1", "public"));
    subgroup(&alice, other, "below", "public");
    let _ = alice.put(&format!("/groups/{top}"), json!({"path": "new"})).assert_status(200);
    let _ = alice.get("/groups/topx1%2Fbelow").assert_status(200);
}

#[both_databases]
fn a_group_is_transferred_with_its_descendants(server: &TestServer) {
    let alice = server.user("alice");
    let (one, two) = (group(&alice, "one", "public"), group(&alice, "two", "public"));
    let below = subgroup(&alice, one, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    let moved = alice.post(&format!("/groups/{one}/transfer"), json!({"group_id": two})).assert_status(201).json();
    assert_eq!((&moved["full_path"], &moved["parent_id"]), (&json!("two/one"), &json!(two)));
    assert_eq!(alice.get(&format!("/projects/{tool}")).json()["path_with_namespace"], "two/one/below/tool");
    let root = alice.post(&format!("/groups/{one}/transfer"), json!({})).assert_status(201).json();
    assert_eq!((&root["full_path"], &root["parent_id"]), (&json!("one"), &Value::Null));
}

#[both_databases]
fn what_forbids_sharing_forbids_it_below_as_well(server: &TestServer) {
    let alice = server.user("alice");
    let [top, friends] = ["top", "friends"].map(|name| group(&alice, name, "public"));
    let below = subgroup(&alice, top, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    let is_locked =
        |id: i64| alice.get(&format!("/groups/{id}")).assert_status(200).json()["share_with_group_lock"].clone();
    assert_eq!([top, below].map(is_locked), [false, false]);
    let _ = alice.put(&format!("/groups/{top}"), json!({"share_with_group_lock": true})).assert_status(200);
    let later = subgroup(&alice, below, "later", "public");
    assert_eq!([top, below, later, friends].map(is_locked), [true, true, true, false]);
    // One below opens nothing that a group above forbids.
    let _ = alice.put(&format!("/groups/{below}"), json!({"share_with_group_lock": false})).assert_status(200);
    let share = |status| {
        alice
            .post(&format!("/projects/{tool}/share"), json!({"group_id": friends, "group_access": 30}))
            .assert_status(status)
            .json()
    };
    assert_eq!(share(400), json!({"message": "The project sharing with group is disabled"}));
    let _ = alice.put(&format!("/groups/{top}"), json!({"share_with_group_lock": false})).assert_status(200);
    share(201);
}

#[both_databases]
fn every_refusal_of_a_transfer_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let (one, two) = (group(&alice, "one", "public"), group(&alice, "two", "public"));
    let below = subgroup(&alice, one, "below", "public");
    subgroup(&alice, two, "below", "public");
    let refused = |path: &str, body: Value, reason: &str| {
        alice.post(path, body).assert(400, json!({"message": format!("Transfer failed: {reason}")}));
    };
    refused(
        &format!("/groups/{below}/transfer"),
        json!({"group_id": two}),
        "The parent group already has a subgroup with the same path.",
    );
    refused(&format!("/groups/{one}/transfer"), json!({}), "Group is already a root group.");
    refused(
        &format!("/groups/{below}/transfer"),
        json!({"group_id": one}),
        "Group is already associated to the parent group.",
    );
    let _ = alice.post(&format!("/groups/{one}/transfer"), json!({"group_id": below})).assert_status(400);
    let _ = alice.post(&format!("/groups/{one}/transfer"), json!({"group_id": one})).assert_status(400);
    assert_eq!(alice.get(&format!("/groups/{below}")).json()["full_path"], "one/below");
}

#[both_databases]
fn a_project_is_transferred_into_a_group_by_administrators(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "private");
    let tool = project(&alice, "tool", "public");
    let root = server.root();
    let moved = root.post(&format!("/groups/{team}/projects/{tool}"), json!({})).assert_status(201).json();
    assert_eq!((&moved["id"], &moved["projects"][0]["id"]), (&json!(team), &json!(tool)));
    let shown = alice.get(&format!("/projects/{tool}")).json();
    assert_eq!((&shown["path_with_namespace"], &shown["visibility"]), (&json!("team/tool"), &json!("private")));
    let twin = project(&alice, "tool", "public");
    let reason = r#"Failed to transfer project {:new_namespace=>["Project with same name or path in target namespace already exists"]}"#;
    root.post(&format!("/groups/{team}/projects/{twin}"), json!({})).assert(400, json!({"message": reason}));
    let reason = r#"Failed to transfer project {:new_namespace=>["Transfer failed, please contact an admin."]}"#;
    root.post(&format!("/groups/{team}/projects/team%2Ftool"), json!({})).assert(400, json!({"message": reason}));
    root.post(&format!("/groups/999999/projects/{tool}"), json!({})).assert(404, missing("Group"));
    root.post(&format!("/groups/{team}/projects/999999"), json!({})).assert(404, missing("Project"));
    alice.post(&format!("/groups/{team}/projects/{twin}"), json!({})).assert(403, forbidden());
}

#[both_databases]
fn a_group_shared_with_another_opens_to_its_members_for_a_time(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    let tool = project_in(&alice, team, "tool", "private");
    let friends = group(&bob, "friends", "public");
    made(
        &alice,
        &format!("/groups/{team}/share"),
        json!({"group_id": friends, "group_access": 30, "expires_at": "2026-03-05"}),
    );
    for path in [format!("/groups/{team}"), format!("/projects/{tool}")] {
        let _ = bob.get(&path).assert_status(200);
    }
    bob.put(&format!("/projects/{tool}"), json!({"description": "x"})).assert(403, forbidden());
    server.advance(TimeDelta::days(3));
    for path in [format!("/groups/{team}"), format!("/projects/{tool}")] {
        let _ = bob.get(&path).assert_status(404);
    }
    let _ = alice.delete(&format!("/groups/{team}/share/{friends}")).assert_status(204);
    alice.delete(&format!("/groups/{team}/share/{friends}")).assert(404, missing("Group Link"));
}
