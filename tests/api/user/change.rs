//! Changes to users.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn only_what_is_sent_changes(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"bio": "b", "location": "l", "projects_limit": 5}));
    let path = format!("/users/{}", alice.id);
    let edited = server.root().put(&path, json!({"name": "Alice", "admin": true})).assert_status(200).json();
    assert_eq!((&edited["name"], &edited["bio"], &edited["projects_limit"]), (&json!("Alice"), &json!("b"), &json!(5)));
    assert_eq!(server.root().get(&path).json()["is_admin"], true);
    let _ = server.root().put(&path, json!({})).assert_status(200);
    let cleared = server.root().put(&path, json!({"bio": ""})).assert_status(200).json();
    assert!(matches!(&cleared["bio"], Value::Null | Value::String(_)) && cleared["bio"] != "b");
}

#[both_databases]
fn administrators_do_not_take_their_own_rights_away(server: &TestServer) {
    let other = server.user("other");
    let _ = server.root().put(&format!("/users/{}", other.id), json!({"admin": true})).assert_status(200);
    let own = format!("/users/{}", other.id);
    assert_eq!(other.put(&own, json!({"admin": false})).status(), 403);
    assert_eq!(server.root().get(&own).json()["is_admin"], true);
    let _ = other.put(&own, json!({"admin": true, "name": "Other"})).assert_status(200);
    let _ = server.root().put(&own, json!({"admin": false})).assert_status(200);
}

#[both_databases]
fn a_refusal_to_change_is_a_404(server: &TestServer) {
    let alice = server.user("alice");
    server.user("bob");
    let path = format!("/users/{}", alice.id);
    server
        .root()
        .put(&path, json!({"email": "bob@example.org"}))
        .assert(404, json!({"message": "404 Email has already been taken"}));
    server
        .root()
        .put(&path, json!({"username": "BOB"}))
        .assert(404, json!({"message": "404 Username has already been taken"}));
    let _ = server.root().put(&path, json!({"username": "alice", "email": "alice@example.org"})).assert_status(200);
    server.root().put("/users/999999", json!({"name": "x"})).assert(404, missing("User"));
    server.root().put(&path, json!({"name": ""})).assert(400, field("name", "can't be blank"));
    alice.put(&path, json!({"name": "x"})).assert(403, forbidden());
    server.anonymous().put(&path, json!({"name": "x"})).assert(401, unauthorized());
}

#[both_databases]
fn a_new_name_moves_the_projects_of_a_user(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "public");
    let _ = server.root().put(&format!("/users/{}", alice.id), json!({"username": "alina"})).assert_status(200);
    assert_eq!(alice.get(&format!("/projects/{project}")).json()["path_with_namespace"], "alina/tool");
    let _ = alice.get("/projects/alice%2Ftool").assert_status(301);
    assert_eq!(texts(&alice.get("/namespaces"), "path"), ["alina"]);
    let _ = alice.get("/users/ALINA/status").assert_status(200);
    server.user_with("alice", &json!({"email": "another@example.org"}));
    alice.get("/projects/alice%2Ftool").assert(404, missing("Project"));
}

#[both_databases]
fn a_new_address_waits_for_its_confirmation(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}", alice.id);
    let waiting = server.root().put(&path, json!({"email": "new@example.org"})).assert_status(200).json();
    assert_eq!(waiting["email"], "alice@example.org");
    let at_once = server
        .root()
        .put(&path, json!({"email": "other@example.org", "skip_reconfirmation": true}))
        .assert_status(200)
        .json();
    assert_eq!(at_once["email"], "other@example.org");
}

#[both_databases]
fn becoming_external_and_back_sets_the_limits(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}", alice.id);
    let external = server.root().put(&path, json!({"external": true})).json();
    assert_eq!((&external["projects_limit"], &external["can_create_group"]), (&json!(0), &json!(false)));
    let back = server.root().put(&path, json!({"external": false})).json();
    assert_eq!((&back["projects_limit"], &back["can_create_group"]), (&json!(100_000), &json!(true)));
}

#[both_databases]
fn an_identity_is_added_or_replaced(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"extern_uid": "1", "provider": "ldap"}));
    let path = format!("/users/{}", alice.id);
    let replaced = server.root().put(&path, json!({"extern_uid": "2", "provider": "ldap"})).assert_status(200).json();
    assert_eq!(replaced["identities"], json!([{"provider": "ldap", "extern_uid": "2"}]));
    let added = server.root().put(&path, json!({"extern_uid": "3", "provider": "saml"})).json();
    assert_eq!(added["identities"].as_array().map(Vec::len), Some(2));
    server
        .root()
        .put(&path, json!({"provider": "saml"}))
        .assert(400, parameter("extern_uid, provider provide all or none of parameters"));
}

#[both_databases]
fn an_address_that_is_not_ones_own_is_not_shown_to_everyone(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}", alice.id);
    assert_eq!(
        server.root().put(&path, json!({"public_email": "alice@example.org"})).json()["public_email"],
        "alice@example.org"
    );
    let foreign = server.root().put(&path, json!({"public_email": "foreign@example.org"}));
    assert!(foreign.status() == 400 || foreign.json()["public_email"] != "foreign@example.org", "{}", foreign.text());
}
