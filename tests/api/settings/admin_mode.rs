//! The mode of administrators, in the API and for Git.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::set;
use crate::merge_request::{repository, simple};
use crate::oauth::{bearer, register};
use crate::support::*;

const SETTINGS: &str = "/application/settings";

/// The answers to calls for administrators, to one about a private project of alice, and to one with sudo.
fn powers(client: &Client) -> [u16; 4] {
    [SETTINGS, "/hooks", "/projects/alice%2Fhidden", "/user?sudo=alice"].map(|path| client.get(path).status())
}

const ALL: [u16; 4] = [200; 4];
const NONE: [u16; 4] = [403, 403, 404, 403];

#[both_databases]
fn tokens_of_administrators_need_the_scope(server: &TestServer) {
    let alice = server.user("alice");
    let _ = project(&alice, "hidden", "private");
    let client = |user: i64, scopes: &[&str]| server.client(&server.token(user, scopes));
    let (with, without) = (client(1, &["api", "sudo", "admin_mode"]), client(1, &["api", "sudo"]));
    let reads = client(1, &["read_api", "admin_mode"]);
    let (only, of_alice) = (client(1, &["admin_mode"]), client(alice.id, &["api", "sudo", "admin_mode"]));
    let carol = server.user_with("carol", &json!({"admin": true}));
    let application = register(server, "api sudo admin_mode", true);
    let oauth = |scope: &str| bearer(server, &application.tokens(server, &carol, scope).access);
    let (oauth_with, oauth_without) = (oauth("api sudo admin_mode"), oauth("api sudo"));
    for (client, want) in [(&with, ALL), (&without, ALL), (&oauth_with, ALL), (&oauth_without, ALL)] {
        assert_eq!(powers(client), want, "without the mode the scope changes nothing");
    }
    set(server, json!({"admin_mode": true}));
    for (name, client, want) in [
        ("with", &with, ALL),
        ("without", &without, NONE),
        ("application with", &oauth_with, ALL),
        ("application without", &oauth_without, NONE),
        ("for reading", &reads, [200, 200, 200, 403]),
        ("alone", &only, [403; 4]),
        ("of no administrator", &of_alice, [403, 403, 200, 403]),
    ] {
        assert_eq!(powers(client), want, "{name}");
    }
    // As any other user.
    let own = without.get("/user").assert_status(200).json();
    assert_eq!((&own["username"], own.get("is_admin")), (&json!("root"), None));
    assert_eq!(with.get("/user").json()["is_admin"], true);
    without.put(SETTINGS, json!({"admin_mode": false})).assert(403, forbidden());
    assert_eq!(without.get("/projects").json(), json!([]));
    assert_eq!(names(&with.get("/projects")), ["hidden"]);
    // Sudo as an administrator is that of an administrator who acts as such.
    assert_eq!(with.get(&format!("{SETTINGS}?sudo=root")).status(), 200);
    let _ = changed(&with, SETTINGS, json!({"admin_mode": false}));
    assert_eq!(powers(&without), ALL);
}

#[both_databases]
fn a_token_without_the_scope_gets_none_with_it(server: &TestServer) {
    let (with, without) = (server.token(1, &["api", "admin_mode"]), server.token(1, &["api"]));
    let (with, without) = (server.client(&with), server.client(&without));
    let of = |client: &Client| client.get("/personal_access_tokens/self").assert_status(200).json()["id"].clone();
    let rotate = |client: &Client, id: &Value| client.post(&format!("/personal_access_tokens/{id}/rotate"), json!({}));
    set(server, json!({"admin_mode": true}));
    assert_eq!(rotate(&without, &of(&with)).status(), 403);
    let _ = without
        .post("/users/1/personal_access_tokens", json!({"name": "a", "scopes": ["api", "admin_mode"]}))
        .assert_status(403);
    let secret = rotate(&with, &of(&with)).assert_status(200).json()["token"].as_str().expect("a token").to_owned();
    let with = server.client(&secret);
    assert_eq!((with.get(SETTINGS).status(), rotate(&with, &of(&without)).status()), (200, 200));
}

#[both_databases]
fn clients_of_git_act_as_no_administrators(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "hidden", "private");
    let token = server.token(1, &["api", "admin_mode"]);
    let git = server.anonymous().basic("root", &token);
    let ask = |service: &str, path: &str| git.get(&format!("//{path}.git/info/refs?service=git-{service}")).status();
    assert_eq!((ask("upload-pack", "alice/hidden"), ask("receive-pack", "alice/hidden")), (200, 200));
    set(server, json!({"admin_mode": true}));
    assert_eq!((ask("upload-pack", "alice/hidden"), ask("receive-pack", "alice/hidden")), (404, 404));
    // No project is made in the namespace of another user.
    assert_eq!((ask("receive-pack", "alice/tool"), ask("receive-pack", "root/tool")), (404, 200));
    member(&alice, &format!("/projects/{tool}"), 1, 30);
    assert_eq!((ask("upload-pack", "alice/hidden"), ask("receive-pack", "alice/hidden")), (200, 200));
}

#[both_databases]
fn an_administrator_merges_as_such_in_the_mode_only(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let client = |scopes: &[&str]| server.client(&server.token(1, scopes));
    let (with, without) = (client(&["api", "admin_mode"]), client(&["api"]));
    set(server, json!({"admin_mode": true}));
    let path = simple(&alice, tool, "topic");
    without.put(&format!("{path}/merge"), json!({})).assert(401, unauthorized());
    let _ =
        without.post(&format!("/projects/{tool}/repository/branches?branch=a&ref=main"), json!({})).assert_status(403);
    assert_eq!(with.put(&format!("{path}/merge"), json!({})).assert_status(200).json()["state"], "merged");
    let _ = with.post(&format!("/projects/{tool}/repository/branches?branch=a&ref=main"), json!({})).assert_status(201);
}

#[both_databases]
fn an_administrator_creates_projects_as_such_in_the_mode_only(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let carol = server.user_with("carol", &json!({"admin": true}));
    let team = group(&alice, "team", "private");
    let client = |scopes: &[&str]| server.client(&server.token(1, scopes));
    let (with, without) = (client(&["api", "admin_mode"]), client(&["api"]));
    let create =
        |client: &Client, path: &str, name: &str| client.post(path, json!({"name": name, "namespace_id": team}));
    let for_user = |user: i64| format!("/projects/user/{user}");
    let _ = create(&without, "/projects", "a").assert_status(201);
    set(server, json!({"admin_mode": true}));
    let refused = field("namespace", "is not valid");
    create(&bob, "/projects", "b").assert(400, refused.clone());
    create(&without, "/projects", "b").assert(400, refused.clone());
    create(&without, &for_user(1), "b").assert(403, forbidden());
    let _ = create(&with, "/projects", "b").assert_status(201);
    let _ = create(&with, &for_user(1), "c").assert_status(201);
    // For others their own rights count, which are those of the account.
    let _ = create(&with, &for_user(carol.id), "d").assert_status(201);
    create(&with, &for_user(bob.id), "e").assert(400, refused);
    // In groups of their own they need no mode.
    let own = group(&without, "own", "private");
    let _ = project_in(&without, own, "a", "private");
}
