//! Memberships and keys that end with something else, as hooks of the whole server learn of them.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases, keys};

use super::system::Scene;
use super::system_payloads::names;
use crate::support::*;

/// Does the hourly removal of ended things.
fn purge(server: &TestServer) {
    server.enqueue("purge_expired_access", &json!({"kind": "purge_expired_access"}));
    server.run_jobs();
}

#[both_databases]
fn keys_and_memberships_of_an_account_end_with_it(server: &TestServer) {
    let scene = Scene::new(server);
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = project(&alice, "tool", "private");
    let group = group(&alice, "team", "private");
    for of in [format!("/projects/{project}"), format!("/groups/{group}")] {
        made(&alice, &format!("{of}/members"), json!({"user_id": bob.id, "access_level": 30}));
    }
    made(&bob, "/user/keys", json!({"title": "t", "key": keys::ED25519}));
    let _before = scene.received(server);
    let _ = scene.root.delete(&format!("/users/{}", bob.id)).assert_status(204);
    let received = scene.received(server);
    assert_eq!(names(&received), ["user_remove_from_team", "user_remove_from_group", "key_destroy", "user_destroy"]);
    for one in &received[..3] {
        let body = one.json();
        let whose = body.get("username").or(body.get("user_username"));
        assert_eq!(whose, Some(&json!("bob")), "{body}");
    }
}

#[both_databases]
fn deploy_keys_and_memberships_of_a_project_end_with_it(server: &TestServer) {
    let scene = Scene::new(server);
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    let other = format!("/projects/{}", id(&made(&alice, "/projects", json!({"name": "other"}))));
    made(&alice, &format!("{project}/members"), json!({"user_id": bob.id, "access_level": 30}));
    let key = id(&made(&alice, &format!("{project}/deploy_keys"), json!({"title": "t", "key": keys::ED25519})));
    let _ = alice.post(&format!("{other}/deploy_keys/{key}/enable"), json!({})).assert_status(201);
    let _before = scene.received(server);
    let _ = alice.delete(&project).assert_status(202);
    assert_eq!(
        names(&scene.received(server)),
        ["user_remove_from_team", "user_remove_from_team", "project_destroy"],
        "the key opens another project"
    );
    let _ = alice.delete(&other).assert_status(202);
    assert_eq!(names(&scene.received(server)), ["key_destroy", "user_remove_from_team", "project_destroy"]);
}

#[both_databases]
fn a_membership_whose_last_day_is_over_ends(server: &TestServer) {
    let scene = Scene::new(server);
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    made(
        &alice,
        &format!("{project}/members"),
        json!({"user_id": bob.id, "access_level": 30, "expires_at": "2026-03-05"}),
    );
    let _before = scene.received(server);
    purge(server);
    assert_eq!(scene.receiver.take(), []);
    server.advance(TimeDelta::days(5));
    purge(server);
    let received = scene.receiver.take();
    assert_eq!(names(&received), ["user_remove_from_team"]);
    assert_eq!(received[0].json()["user_username"], "bob");
    purge(server);
    assert_eq!(scene.receiver.take(), []);
    let left = format!("SELECT count(*) FROM members WHERE user_id = {}", bob.id);
    assert_eq!(server.database().count(&left), 0);
}

#[both_databases]
fn a_membership_that_is_over_and_begins_again_has_ended(server: &TestServer) {
    let scene = Scene::new(server);
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let members = format!("/projects/{}/members", project(&alice, "tool", "private"));
    made(&alice, &members, json!({"user_id": bob.id, "access_level": 30, "expires_at": "2026-03-05"}));
    let _before = scene.received(server);
    server.advance(TimeDelta::days(5));
    made(&alice, &members, json!({"user_id": bob.id, "access_level": 30}));
    assert_eq!(names(&scene.received(server)), ["user_remove_from_team", "user_add_to_team"]);
}

#[both_databases]
fn where_no_hook_listens_memberships_that_are_over_are_removed_without_events(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    made(
        &alice,
        &format!("{project}/members"),
        json!({"user_id": bob.id, "access_level": 30, "expires_at": "2026-03-05"}),
    );
    server.advance(TimeDelta::days(5));
    purge(server);
    for empty in [
        format!("SELECT count(*) FROM members WHERE user_id = {}", bob.id),
        "SELECT count(*) FROM hook_events".to_owned(),
    ] {
        assert_eq!(server.database().count(&empty), 0, "{empty}");
    }
}

#[both_databases]
fn events_of_all_kinds_come_in_the_order_in_which_they_happened(server: &TestServer) {
    let scene = Scene::new(server);
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = format!("/projects/{}", project(&alice, "tool", "private"));
    let key = id(&made(&alice, "/user/keys", json!({"title": "t", "key": keys::ED25519})));
    made(&alice, "/projects", json!({"name": "other"}));
    made(&alice, "/groups", json!({"name": "Team", "path": "team"}));
    made(&alice, &format!("{tool}/members"), json!({"user_id": bob.id, "access_level": 30}));
    let _ = alice.delete(&format!("/user/keys/{key}")).assert_status(204);
    let _ = alice.put(&tool, json!({"description": "Cuts"})).assert_status(200);
    let want = [
        "user_create",
        "user_create",
        "project_create",
        "user_add_to_team",
        "key_create",
        "project_create",
        "user_add_to_team",
        "group_create",
        "user_add_to_group",
        "user_add_to_team",
        "key_destroy",
        "project_update",
    ];
    assert_eq!(names(&scene.received(server)), want);
}
