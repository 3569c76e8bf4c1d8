//! Blocking and removing users, and the ghost that inherits.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn blocking_answers_true_once(server: &TestServer) {
    let alice = server.user("alice");
    let post =
        |what: &str| server.root().post(&format!("/users/{}/{what}", alice.id), json!({})).assert_status(201).json();
    assert_eq!([post("block"), post("block")], [json!(true), Value::Null]);
    assert_eq!(server.root().get(&format!("/users/{}", alice.id)).json()["state"], "blocked");
    assert_eq!([post("unblock"), post("unblock")], [json!(true), json!(false)]);
    assert_eq!(server.root().get(&format!("/users/{}", alice.id)).json()["state"], "active");
    for what in ["block", "unblock"] {
        server.root().post(&format!("/users/999999/{what}"), json!({})).assert(404, missing("User"));
        server.root().post(&format!("/users/ASDF/{what}"), json!({})).assert(404, json!({"error": "404 Not Found"}));
        alice.post(&format!("/users/1/{what}"), json!({})).assert(403, forbidden());
    }
    server
        .root()
        .post("/users/1/block", json!({}))
        .assert(403, json!({"message": "403 Forbidden - The API initiating user cannot be blocked by the API"}));
}

#[both_databases]
fn a_removed_user_takes_what_was_personal_along(server: &TestServer) {
    let alice = server.user("alice");
    let own = project(&alice, "tool", "public");
    let team = group(&server.root(), "team", "public");
    member(&server.root(), &format!("/groups/{team}"), alice.id, 50);
    let shared = project_in(&alice, team, "shared", "public");
    server
        .root()
        .delete(&format!("/users/{}", alice.id))
        .assert_status(204)
        .bytes()
        .is_empty()
        .then_some(())
        .expect("no body");
    server.run_jobs();
    server.root().get(&format!("/users/{}", alice.id)).assert(404, missing("User"));
    server.root().delete(&format!("/users/{}", alice.id)).assert(404, missing("User"));
    server.root().get(&format!("/projects/{own}")).assert(404, missing("Project"));
    let _ = server.root().get(&format!("/projects/{shared}")).assert_status(200);
    assert_eq!(texts(&server.root().get(&format!("/groups/{team}/members")), "username"), ["root"]);
    server.user("alice");
}

#[both_databases]
fn stars_of_a_removed_user_are_taken_back(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&server.root(), "tool", "public");
    let _ = alice.post(&format!("/projects/{project}/star"), json!({})).assert_status(200);
    let _ = server.root().delete(&format!("/users/{}", alice.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(server.root().get(&format!("/projects/{project}")).json()["star_count"], 0);
}

#[both_databases]
fn removing_is_conditional(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}", alice.id);
    let before = server.root().header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    before.delete(&path).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = server.root().get(&path).assert_status(200);
    server.advance(TimeDelta::hours(1));
    let after = server.root().header("If-Unmodified-Since", "Mon, 02 Mar 2026 12:30:00 GMT");
    let _ = after.delete(&path).assert_status(204);
    let bob = server.user("bob");
    let unreadable = server.root().header("If-Unmodified-Since", "yesterday");
    let _ = unreadable.delete(&format!("/users/{}", bob.id)).assert_status(204);
}

#[both_databases]
fn no_one_but_administrators_removes_users(server: &TestServer) {
    let alice = server.user("alice");
    alice.delete(&format!("/users/{}", alice.id)).assert(403, forbidden());
    server.anonymous().delete(&format!("/users/{}", alice.id)).assert(401, unauthorized());
    server.root().delete("/users/ASDF").assert(404, json!({"error": "404 Not Found"}));
}

#[both_databases]
fn no_one_touches_a_ghost(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    member(&alice, &format!("/groups/{team}"), 1, 50);
    project_in(&alice, team, "kept", "public");
    let _ = server.root().delete(&format!("/users/{}", alice.id)).assert_status(204);
    server.run_jobs();
    let ghosts = server.root().get("/users?username=ghost").assert_status(200);
    if let Some(ghost) = ids(&ghosts).first() {
        let path = format!("/users/{ghost}");
        let status = server.root().delete(&path).status();
        assert!(matches!(status, 403 | 409), "{status}");
        let status = server.root().put(&path, json!({"name": "x"})).status();
        assert!(matches!(status, 403 | 404), "{status}");
        let _ = server.root().get(&format!("/user?sudo={ghost}")).assert_status(403);
        assert!(!texts(&server.root().get("/users?active=true"), "username").contains(&"ghost".to_owned()));
    }
    assert_eq!(names(&server.root().get("/projects")), ["kept"]);
}
