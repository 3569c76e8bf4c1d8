//! Fields that a request may not set.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn no_one_makes_themselves_an_administrator(server: &TestServer) {
    let alice = server.user("alice");
    for body in [
        json!({"admin": true}),
        json!({"is_admin": true, "name": "x"}),
        json!({"external": false, "projects_limit": 5}),
    ] {
        alice.put(&format!("/users/{}", alice.id), body).assert(403, forbidden());
    }
    let new =
        json!({"email": "x@example.org", "username": "x", "name": "x", "password": "correct horse", "admin": true});
    alice.post("/users", new).assert(403, forbidden());
    alice.put("/user/status", json!({"message": "hi", "admin": true, "state": "x"})).assert_status(200).json();
    assert_eq!(server.root().get(&format!("/users/{}", alice.id)).json()["is_admin"], false);
}

#[both_databases]
fn a_new_project_decides_nothing_about_itself(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let body = json!({
        "name": "tool", "id": 4711, "creator_id": bob.id, "user_id": bob.id, "owner_id": bob.id, "star_count": 9,
        "forks_count": 9, "archived": true, "created_at": "2001-01-01T00:00:00Z", "runners_token": "mine", "iid": 5,
    });
    let made = made(&alice, "/projects", body);
    assert_ne!(made["id"], 4711);
    assert_eq!(made["creator_id"], alice.id);
    assert_eq!(made["owner"]["id"], alice.id);
    assert_eq!((&made["star_count"], &made["forks_count"], &made["archived"]), (&json!(0), &json!(0), &json!(false)));
    assert!(made["created_at"].as_str().is_some_and(|at| at.starts_with("2026-03-02")), "{made}");
    assert_ne!(made["runners_token"], "mine");
}

#[both_databases]
fn a_new_group_decides_nothing_about_itself(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "team", "path": "team", "id": 4711, "owner_id": 1, "created_at": "2001-01-01T00:00:00Z"});
    let made = made(&alice, "/groups", body);
    assert_ne!(made["id"], 4711);
    let members = alice.get(&format!("/groups/{}/members", id(&made)));
    assert_eq!(
        (texts(&members, "username"), members.json()[0]["access_level"].clone()),
        (vec!["alice".to_owned()], json!(50))
    );
}

#[both_databases]
fn a_group_is_not_moved_by_an_edit(server: &TestServer) {
    let alice = server.user("alice");
    let (team, other) = (group(&alice, "team", "public"), group(&alice, "other", "public"));
    let edited = alice
        .put(&format!("/groups/{team}"), json!({"parent_id": other, "description": "d"}))
        .assert_status(200)
        .json();
    assert_eq!((&edited["parent_id"], &edited["full_path"]), (&Value::Null, &json!("team")));
}

/// A namespace that the caller has no right in.
#[both_databases]
fn a_project_is_not_created_in_a_foreign_namespace(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let foreign = bob.get("/namespaces").json()[0]["id"].clone();
    let team = group(&bob, "team", "public");
    for namespace in [foreign, json!(team), json!(999_999)] {
        let body = json!({"name": "x", "namespace_id": namespace});
        alice.post("/projects", body).assert(400, field("namespace", "is not valid"));
    }
}

#[both_databases]
fn an_edit_does_not_move_a_project(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let project = project(&alice, "tool", "public");
    let path = format!("/projects/{project}");
    let body = json!({"namespace_id": team, "owner_id": 1, "creator_id": 1});
    let reply = alice.put(&path, body.clone()).assert_status(400).text();
    assert!(reply.contains("are missing, at least one parameter must be provided"), "{reply}");
    let storage = parameter("repository_storage does not have a valid value");
    alice.put(&path, json!({"repository_storage": "other"})).assert(400, storage);
    let mut with_more = body;
    with_more["description"] = json!("d");
    let edited = alice.put(&path, with_more).assert_status(200).json();
    assert_eq!((&edited["path_with_namespace"], &edited["creator_id"]), (&json!("alice/tool"), &json!(alice.id)));
}
