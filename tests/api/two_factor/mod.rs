//! Second factors, as the API and Git show them.

use serde_json::{Value, json};
use tenon_testkit::{Client, Reply, TestServer, both_databases};

use crate::support::*;

const REFS: &str = "//alice/tool.git/info/refs?service=git-upload-pack";

fn disable(client: &Client, user: i64) -> Reply {
    client.send("PATCH", &format!("/users/{user}/disable_two_factor"), None, Vec::new())
}

#[both_databases]
fn users_and_administrators_see_who_has_one(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let shown = |client: &Client, path: &str| client.get(path).assert_status(200).json()["two_factor_enabled"].clone();
    assert_eq!(shown(&alice, "/user"), false);
    server.second_factor(&alice);
    assert_eq!(shown(&alice, "/user"), true);
    assert_eq!(shown(&server.root(), &format!("/users/{}", alice.id)), true);
    assert_eq!(shown(&server.root(), &format!("/users/{}", bob.id)), false);
    assert_eq!(shown(&bob, &format!("/users/{}", alice.id)), Value::Null);
}

#[both_databases]
fn administrators_list_users_with_or_without(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    server.second_factor(&alice);
    let listed = |client: &Client, filter: &str| {
        let reply = client.get(&format!("/users?sort=asc&two_factor={filter}")).assert_status(200);
        let ids: Vec<i64> = reply.each("id").iter().filter_map(Value::as_i64).collect();
        assert_eq!(reply.header("x-total"), ids.len().to_string());
        ids
    };
    assert_eq!(listed(&server.root(), "enabled"), [alice.id]);
    assert_eq!(listed(&server.root(), "disabled"), [1, bob.id]);
    assert_eq!(listed(&server.root(), "other"), [1, alice.id, bob.id]);
    assert_eq!(listed(&bob, "enabled").len(), 3, "ignored");
}

#[both_databases]
fn a_password_alone_opens_neither_git_nor_the_api(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "private");
    let git = |password: &str| server.anonymous().basic("alice", password).get(REFS);
    let grant = |password: &str| {
        let form = format!("grant_type=password&username=alice&password={password}");
        server.anonymous().form("POST", "//oauth/token", &form)
    };
    let _ = git("correct%20horse").assert_status(401);
    let _ = git("correct horse").assert_status(200);
    let _ = grant("correct+horse").assert_status(200);
    server.second_factor(&alice);
    let refused = git("correct horse").assert_status(401);
    assert!(
        refused.text().starts_with("HTTP Basic: Access denied\nYou must use a personal access token"),
        "{}",
        refused.text()
    );
    assert_eq!(git("wrong").assert_status(401).text(), "HTTP Basic: Access denied\n");
    assert_eq!(grant("correct+horse").assert_status(400).text(), grant("wrong").assert_status(400).text());
    let _ = git(&alice.token).assert_status(200);
    let _ = alice.get("/user").assert_status(200);
}

#[both_databases]
fn administrators_remove_that_of_others(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user_with("bob", &json!({"admin": true})));
    disable(&server.root(), alice.id)
        .assert(400, json!({"message": "400 Bad request - Two-factor authentication is not enabled for this user"}));
    server.second_factor(&alice);
    server.second_factor(&bob);
    disable(&server.anonymous(), alice.id).assert(401, unauthorized());
    disable(&alice, alice.id).assert(403, json!({"message": "403 Forbidden"}));
    disable(&server.root(), 9999).assert(404, missing("User"));
    let of_administrator = "403 Forbidden - Two-factor authentication for admins cannot be disabled via the API";
    disable(&server.root(), bob.id).assert(403, json!({"message": of_administrator}));
    let _ = disable(&server.root(), alice.id).assert_status(204);
    assert_eq!(alice.get("/user").json()["two_factor_enabled"], false);
    assert_eq!(bob.get("/user").json()["two_factor_enabled"], true);
}
