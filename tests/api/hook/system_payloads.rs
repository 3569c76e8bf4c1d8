//! The body of each kind of events that only hooks of the whole server receive. `docs/webhooks.md` shows the same.

use serde_json::json;
use tenon_testkit::{Received, TestServer, both_databases, keys};

use super::payloads::assert_kept;
use super::system::Scene;
use crate::support::*;

/// The names of events, in the order in which they came.
pub(super) fn names(received: &[Received]) -> Vec<String> {
    received.iter().map(|one| one.json()["event_name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Compares the deliveries since the last call with those that are kept for the kinds of these events, one of each.
fn assert_events(scene: &Scene, server: &TestServer, events: &[&str]) {
    let received = scene.received(server);
    assert_eq!(names(&received), events, "{received:#?}");
    for (event, one) in events.iter().zip(&received) {
        assert_eq!(one.header("x-gitlab-event"), Some("System Hook"));
        assert_kept(server, &format!("system_{event}"), one);
    }
}

/// The names of the events since the last call, if their bodies are known already.
fn assert_names(scene: &Scene, server: &TestServer, events: &[&str]) {
    assert_eq!(names(&scene.received(server)), events);
}

/// Tries to sign in on the page for it.
fn sign_in(server: &TestServer, login: &str, password: &str) {
    let page = server.anonymous().send("GET", "//users/sign_in", None, Vec::new()).assert_status(200);
    let cookies = page.headers().get_all("set-cookie").iter().filter_map(|line| line.to_str().ok()?.split(';').next());
    let cookies = cookies.collect::<Vec<_>>().join("; ");
    let html = page.text();
    let token = html.split("name=\"authenticity_token\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let body = format!(
        "authenticity_token={}&user[login]={login}&user[password]={}",
        encode(token.expect("a token of the form")),
        encode(password)
    );
    let client = server.anonymous().header("Cookie", &cookies);
    let kind = Some("application/x-www-form-urlencoded");
    let _ = client.send("POST", "//users/sign_in", kind, body.into_bytes()).assert_status(422);
}

#[both_databases]
fn accounts(server: &TestServer) {
    let scene = Scene::new(server);
    let alice = server.user("alice");
    assert_events(&scene, server, &["user_create"]);
    let path = format!("/users/{}", alice.id);
    let _ = scene.root.put(&path, json!({"name": "Alice"})).assert_status(200);
    assert_names(&scene, server, &[]);
    let _ = scene.root.put(&path, json!({"username": "alicia"})).assert_status(200);
    assert_events(&scene, server, &["user_rename"]);
    sign_in(server, "alicia", "wrong");
    let _ = scene.root.post(&format!("{path}/block"), json!({})).assert_status(201);
    sign_in(server, "alicia", "wrong");
    assert_names(&scene, server, &[]);
    sign_in(server, "alicia", "correct horse");
    assert_events(&scene, server, &["user_failed_login"]);
    let _ = scene.root.post(&format!("{path}/unblock"), json!({})).assert_status(201);
    made(&alice, "/projects", json!({"name": "tool"}));
    assert_names(&scene, server, &["project_create", "user_add_to_team"]);
    let _ = scene.root.delete(&path).assert_status(204);
    let received = scene.received(server);
    assert_eq!(names(&received), ["user_remove_from_team", "project_destroy", "user_destroy"], "the ghost is no user");
    assert_kept(server, "system_user_destroy", &received[2]);
}

#[both_databases]
fn keys_of_accounts_and_projects(server: &TestServer) {
    let scene = Scene::new(server);
    let alice = server.user("alice");
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    let other = format!("/projects/{}", id(&made(&alice, "/projects", json!({"name": "other"}))));
    let _before = scene.received(server);
    let key = id(&made(&alice, "/user/keys", json!({"title": "t", "key": keys::ED25519})));
    assert_events(&scene, server, &["key_create"]);
    let _ = alice.delete(&format!("/user/keys/{key}")).assert_status(204);
    assert_events(&scene, server, &["key_destroy"]);
    let deploy = json!({"title": "t", "key": keys::ED25519});
    let key = id(&made(&alice, &format!("{project}/deploy_keys"), deploy));
    let received = scene.received(server);
    assert_eq!(names(&received), ["key_create"]);
    assert!(received[0].json().get("username").is_none(), "a deploy key belongs to no account");
    let _ = alice.post(&format!("{other}/deploy_keys/{key}/enable"), json!({})).assert_status(201);
    let _ = alice.delete(&format!("{project}/deploy_keys/{key}")).assert_status(204);
    assert_names(&scene, server, &[]);
    let _ = alice.delete(&format!("{other}/deploy_keys/{key}")).assert_status(204);
    assert_names(&scene, server, &["key_destroy"]);
}

#[both_databases]
fn groups_and_their_members(server: &TestServer) {
    let scene = Scene::new(server);
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let _users = scene.received(server);
    let group = id(&made(&alice, "/groups", json!({"name": "Team", "path": "team"})));
    assert_events(&scene, server, &["group_create", "user_add_to_group"]);
    let path = format!("/groups/{group}");
    let _ = alice.put(&path, json!({"description": "Us"})).assert_status(200);
    assert_names(&scene, server, &[]);
    let _ = alice.put(&path, json!({"path": "crew"})).assert_status(200);
    assert_events(&scene, server, &["group_rename"]);
    let _ = alice.post(&format!("{path}/members"), json!({"user_id": bob.id, "access_level": 30})).assert_status(201);
    assert_names(&scene, server, &["user_add_to_group"]);
    let _ = alice.put(&format!("{path}/members/{}", bob.id), json!({"access_level": 40})).assert_status(200);
    assert_events(&scene, server, &["user_update_for_group"]);
    let _ = alice.delete(&format!("{path}/members/{}", bob.id)).assert_status(204);
    assert_events(&scene, server, &["user_remove_from_group"]);
    let below = id(&made(&alice, "/groups", json!({"name": "Sub", "path": "sub", "parent_id": group})));
    let _ = project_in(&alice, below, "tool", "private");
    assert_names(&scene, server, &["group_create", "user_add_to_group", "project_create"]);
    let _ = alice.post(&format!("/groups/{below}/transfer"), json!({})).assert_status(201);
    assert_names(&scene, server, &["group_rename"]);
    let _ = alice.post(&format!("/groups/{below}/transfer"), json!({"group_id": group})).assert_status(201);
    let _moved = scene.received(server);
    let _ = alice.delete(&path).assert_status(202);
    let received = scene.received(server);
    let mut gone = names(&received);
    gone.sort();
    assert_eq!(
        gone,
        ["group_destroy", "group_destroy", "project_destroy", "user_remove_from_group", "user_remove_from_group"]
    );
    let last = received.iter().rfind(|one| one.json()["event_name"] == "group_destroy").expect("a group");
    assert_kept(server, "system_group_destroy", last);
}

#[both_databases]
fn projects_and_their_members(server: &TestServer) {
    let scene = Scene::new(server);
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let group = group(&alice, "team", "private");
    let _before = scene.received(server);
    let project = id(&made(&alice, "/projects", json!({"name": "tool", "visibility": "internal"})));
    assert_events(&scene, server, &["project_create", "user_add_to_team"]);
    let path = format!("/projects/{project}");
    let members = format!("{path}/members");
    let _ = alice.post(&members, json!({"user_id": bob.id, "access_level": 30})).assert_status(201);
    assert_names(&scene, server, &["user_add_to_team"]);
    let _ = alice.put(&format!("{members}/{}", bob.id), json!({"access_level": 20})).assert_status(200);
    assert_events(&scene, server, &["user_update_for_team"]);
    let _ = bob.delete(&format!("{members}/{}", bob.id)).assert_status(204);
    assert_events(&scene, server, &["user_remove_from_team"]);
    let _ = alice.put(&path, json!({"description": "Cuts"})).assert_status(200);
    assert_events(&scene, server, &["project_update"]);
    let _ = alice.put(&path, json!({"description": "Cuts"})).assert_status(200);
    assert_names(&scene, server, &[]);
    let _ = alice.put(&path, json!({"path": "saw", "description": "Saws"})).assert_status(200);
    assert_events(&scene, server, &["project_rename"]);
    let _ = alice.post(&format!("{path}/archive"), json!({})).assert_status(200);
    assert_names(&scene, server, &["project_update"]);
    let _ = alice.post(&format!("{path}/unarchive"), json!({})).assert_status(200);
    let _unarchived = scene.received(server);
    let _ = alice.put(&format!("{path}/transfer"), json!({"namespace": group})).assert_status(200);
    assert_events(&scene, server, &["project_transfer"]);
    let _ = alice.post(&format!("{path}/fork"), json!({})).assert_status(201);
    assert_names(&scene, server, &["project_create", "user_add_to_team"]);
    let _ = alice.delete(&path).assert_status(202);
    let received = scene.received(server);
    assert_eq!(names(&received), ["user_remove_from_team", "project_destroy"]);
    assert_kept(server, "system_project_destroy", &received[1]);
}

#[both_databases]
fn what_a_push_did_to_all_refs(server: &TestServer) {
    let scene = Scene::new(server);
    let alice = server.user("alice");
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    let _ = scene.root.put(&scene.hook, json!({"push_events": false})).assert_status(200);
    let _before = scene.received(server);
    let commit = json!({
        "branch": "master", "commit_message": "Add", "actions": [{"action": "create", "file_path": "a", "content": "x"}],
    });
    let _ = alice.post(&format!("{project}/repository/commits"), commit).assert_status(201);
    assert_events(&scene, server, &["repository_update"]);
}

#[both_databases]
fn a_write_that_fails_is_no_event(server: &TestServer) {
    let scene = Scene::new(server);
    let alice = server.user("alice");
    let _created = scene.received(server);
    let _ = alice.post("/projects", json!({"name": "tool", "import_url": "file:///etc"})).assert_status(400);
    let again = json!({"username": "alice", "name": "a", "email": "b@example.org", "password": "correct horse"});
    let _ = scene.root.post("/users", again).assert_status(409);
    assert_names(&scene, server, &[]);
}

#[both_databases]
fn where_no_hook_listens_nothing_is_stored(server: &TestServer) {
    let alice = server.user("alice");
    made(&alice, "/groups", json!({"name": "Team", "path": "team"}));
    made(&alice, "/user/keys", json!({"title": "t", "key": keys::ED25519}));
    assert_eq!(server.database().count("SELECT count(*) FROM hook_events"), 0);
}
