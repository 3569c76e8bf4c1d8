//! Projects that change their place.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_transferred_project_is_found_in_its_new_place(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project(&alice, "tool", "public");
    let path = format!("/projects/{tool}/transfer");
    let moved = alice.put(&path, json!({"namespace": team})).assert_status(200).json();
    assert_eq!((&moved["path_with_namespace"], &moved["namespace"]["kind"]), (&json!("team/tool"), &json!("group")));
    alice.get("/projects/alice%2Ftool").assert(404, missing("Project"));
    assert_eq!(
        alice.put(&path, json!({"namespace": "alice"})).assert_status(200).json()["path_with_namespace"],
        "alice/tool"
    );
}

#[both_databases]
fn every_refusal_of_a_transfer_has_its_text(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let team = group(&alice, "team", "public");
    project_in(&alice, team, "tool", "public");
    let foreign = group(&bob, "foreign", "public");
    let hidden = group(&bob, "hidden", "private");
    let path = format!("/projects/{tool}/transfer");
    for target in [json!(hidden), json!(999_999), json!("no-one")] {
        alice.put(&path, json!({"namespace": target})).assert(404, missing("Namespace"));
    }
    for target in [team, foreign] {
        let reply = alice.put(&path, json!({"namespace": target})).assert_status(400);
        assert!(
            reply.json()["message"].as_str().is_some_and(|text| text.starts_with("Failed to transfer project")),
            "{}",
            reply.text()
        );
    }
    alice.put(&path, json!({})).assert(400, parameter("namespace is missing"));
    bob.put(&path, json!({"namespace": foreign})).assert(403, forbidden());
    assert_eq!(alice.get(&format!("/projects/{tool}")).json()["path_with_namespace"], "alice/tool");
}

#[both_databases]
fn rights_follow_the_new_place(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let (one, two) = (group(&alice, "one", "private"), group(&alice, "two", "private"));
    member(&alice, &format!("/groups/{one}"), bob.id, 30);
    member(&alice, &format!("/groups/{two}"), carl.id, 30);
    let tool = project_in(&alice, one, "tool", "private");
    let path = format!("/projects/{tool}");
    let _ = (bob.get(&path).assert_status(200), carl.get(&path).assert_status(404));
    let _ = alice.put(&format!("{path}/transfer"), json!({"namespace": two})).assert_status(200);
    let _ = (bob.get(&path).assert_status(404), carl.get(&path).assert_status(200));
}

#[both_databases]
fn a_new_path_frees_the_old_one(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let renamed = alice.put(&format!("/projects/{tool}"), json!({"path": "thing"})).assert_status(200).json();
    assert_eq!(renamed["web_url"], format!("{}/alice/thing", server.base()));
    alice.get("/projects/alice%2Ftool").assert(404, missing("Project"));
    made(&alice, "/projects", json!({"name": "another", "path": "tool"}));
}
