//! Acting as another user.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

fn scope_error() -> Value {
    let text = "The request requires higher privileges than provided by the access token.";
    json!({"error": "insufficient_scope", "error_description": text, "scope": "sudo"})
}

#[both_databases]
fn sudo_is_for_administrators(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let refusal = json!({"message": "403 Forbidden - Must be admin to use sudo"});
    alice.get(&format!("/user?sudo={}", bob.id)).assert(403, refusal.clone());
    alice.get("/user?sudo=no-one").assert(403, refusal.clone());
    alice.get(&format!("/user?sudo={}", alice.id)).assert(403, refusal);
    server.anonymous().get("/user?sudo=alice").assert(401, unauthorized());
    server.anonymous().get("/projects?sudo=alice").assert(401, unauthorized());
}

#[both_databases]
fn sudo_needs_its_scope(server: &TestServer) {
    server.user("alice");
    let client = server.client(&server.token(1, &["api"]));
    client.get("/user?sudo=alice").assert(403, scope_error());
    let _ = client.get("/user").assert_status(200);
}

#[both_databases]
fn sudo_as_no_one_is_not_found(server: &TestServer) {
    for target in ["no-one", "999999", "99999999999999999999"] {
        let text = format!("404 User with ID or username '{target}' Not Found");
        server.root().get(&format!("/user?sudo={target}")).assert(404, json!({"message": text}));
    }
}

#[both_databases]
fn sudo_as_a_blocked_user_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let _ = server.root().post(&format!("/users/{}/block", alice.id), json!({})).assert_status(201);
    let _ = server.root().get("/user?sudo=alice").assert_status(403);
}

#[both_databases]
fn two_targets_are_none(server: &TestServer) {
    server.user("alice");
    server.user("bob");
    let _ = server.root().header("Sudo", "alice").get("/user?sudo=bob").assert_status(400);
    let same = server.root().header("Sudo", "alice").get("/user?sudo=alice").assert_status(200);
    assert_eq!(same.json()["username"], "alice");
}

#[both_databases]
fn sudo_acts_with_the_rights_of_the_target(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "safe", "private");
    let bob = server.user("bob");
    for target in ["alice".to_owned(), "ALICE".to_owned(), alice.id.to_string()] {
        let reply = server.root().header("Sudo", &target).get("/user").assert_status(200);
        assert_eq!(reply.json()["username"], "alice");
        assert_lacks(&reply.json(), &["is_admin"]);
    }
    let root = server.root();
    root.get(&format!("/projects/{project}?sudo={}", bob.id)).assert(404, missing("Project"));
    root.get(&format!("/user/activities?sudo={}", bob.id)).assert(403, forbidden());
    let made = made(&root, "/projects?sudo=alice", json!({"name": "theirs"}));
    assert_eq!((&made["creator_id"], &made["owner"]["username"]), (&json!(alice.id), &json!("alice")));
    let body = root.post("/projects", json!({"name": "in the body", "sudo": "alice"})).assert_status(201);
    assert_eq!(body.json()["owner"]["username"], "alice");
}

/// Another administrator may be acted as.
#[both_databases]
fn sudo_as_another_administrator_is_allowed(server: &TestServer) {
    server.user_with("second", &json!({"admin": true}));
    assert_eq!(server.root().get("/user?sudo=second").assert_status(200).json()["is_admin"], true);
}

/// `sudo` alone opens everything for others and nothing for oneself.
#[both_databases]
fn a_token_that_can_only_sudo_does_only_that(server: &TestServer) {
    server.user("alice");
    let client = server.client(&server.token(1, &["sudo"]));
    let _ = client.get("/user?sudo=alice").assert_status(200);
    let _ = client.post("/projects?sudo=alice", json!({"name": "x"})).assert_status(201);
    for path in ["/projects", "/projects?sudo=root", "/projects?sudo=1"] {
        assert_eq!(client.get(path).assert_status(403).json()["scope"], "api", "{path}");
    }
    assert_eq!(client.get("/user").assert_status(403).json()["scope"], "read_user api");
}
