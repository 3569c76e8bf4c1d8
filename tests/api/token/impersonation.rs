//! Tokens with which an administrator acts as a user.

use serde_json::{Value, json};
use tenon_domain::token::Scope;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

const FIELDS: [&str; 8] = ["id", "name", "active", "revoked", "scopes", "impersonation", "created_at", "expires_at"];

#[both_databases]
fn a_new_token_works_and_shows_its_secret(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}/impersonation_tokens", alice.id);
    let made =
        made(&server.root(), &path, json!({"name": "t", "scopes": ["api", "read_user"], "expires_at": "2026-12-31"}));
    assert_has(&made, &FIELDS);
    for (name, want) in [
        ("name", json!("t")),
        ("active", json!(true)),
        ("revoked", json!(false)),
        ("scopes", json!(["api", "read_user"])),
        ("impersonation", json!(true)),
        ("expires_at", json!("2026-12-31")),
    ] {
        assert_eq!(made[name], want, "{name}");
    }
    let client = server.client(made["token"].as_str().expect("a secret"));
    assert_eq!(client.get("/user").assert_status(200).json()["username"], "alice");
    // Unlike personal access tokens: docs/API-QUIRKS.md#impersonation-token-secret.
    let shown = server.root().get(&format!("{path}/{}", id(&made))).assert_status(200).json();
    assert_eq!(shown["token"], made["token"]);
    assert_eq!(server.root().get(&path).json()[0]["token"], made["token"]);
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let path = format!("/users/{}/impersonation_tokens", server.user("alice").id);
    let root = server.root();
    root.post(&path, json!({"scopes": ["api"]})).assert(400, parameter("name is missing"));
    root.post(&path, json!({"name": "t"})).assert(400, parameter("scopes is missing"));
    root.post(&path, json!({})).assert(400, parameter("name is missing, scopes is missing"));
    root.post(&path, json!({"name": "t", "scopes": []})).assert(400, field("scopes", "can't be blank"));
    for scopes in [json!(["nonsense"]), json!(["api", "everything"])] {
        root.post(&path, json!({"name": "t", "scopes": scopes}))
            .assert(400, field("scopes", "can only contain available scopes"));
    }
    root.post(&path, json!({"name": "", "scopes": ["api"]})).assert(400, field("name", "can't be blank"));
    root.get(&format!("{path}?state=bad")).assert(400, parameter("state does not have a valid value"));
    root.post("/users/999999/impersonation_tokens", json!({"name": "t", "scopes": ["api"]}))
        .assert(404, missing("User"));
    assert_eq!(root.get(&path).json(), json!([]));
}

#[both_databases]
fn every_scope_of_a_personal_token_but_sudo_is_one(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let project = id(&made(&alice, "/projects", json!({"name": "tool", "visibility": "private"})));
    let of = |user: i64, scopes: Value| {
        let path = format!("/users/{user}/impersonation_tokens");
        let made = made(&root, &path, json!({"name": "t", "scopes": scopes}));
        assert_eq!(made["scopes"], scopes);
        server.client(made["token"].as_str().expect("a secret"))
    };
    // None takes `sudo`: it never impersonates in turn.
    let all: Vec<&str> = Scope::ALL.into_iter().filter(|scope| *scope != Scope::Sudo).map(Scope::as_str).collect();
    assert_eq!(of(alice.id, json!(all)).get("/user").json()["username"], "alice");
    let reads = of(alice.id, json!(["read_api"]));
    let _ = reads.get(&format!("/projects/{project}")).assert_status(200);
    let _ = reads.put(&format!("/projects/{project}"), json!({"description": "x"})).assert_status(403);
    // None makes a token that outlives it.
    let rotated = of(alice.id, json!(["self_rotate"])).post("/personal_access_tokens/self/rotate", json!({}));
    assert_eq!(rotated.status(), 403);
}

#[both_databases]
fn scopes_can_be_written_in_every_way(server: &TestServer) {
    let path = format!("/users/{}/impersonation_tokens", server.user("alice").id);
    for form in [
        "name=t&scopes[]=api&scopes[]=read_user",
        "name=t&scopes=api,read_user",
        "name=t&scopes%5B%5D=api&scopes%5B%5D=read_user",
    ] {
        let made = server.root().form("POST", &path, form).assert_status(201).json();
        assert_eq!(made["scopes"], json!(["api", "read_user"]), "{form}");
    }
}

#[both_databases]
fn a_revoked_token_stays_in_the_list(server: &TestServer) {
    let path = format!("/users/{}/impersonation_tokens", server.user("alice").id);
    let root = server.root();
    let token = |more: Value| {
        let mut body = json!({"name": "t", "scopes": ["api"]});
        body["expires_at"] = more;
        id(&made(&root, &path, body))
    };
    let (kept, revoked, expired) = (token(Value::Null), token(Value::Null), token(json!("2026-03-01")));
    for _ in 0..2 {
        let _ = root.delete(&format!("{path}/{revoked}")).assert_status(204);
    }
    let shown = root.get(&format!("{path}/{revoked}")).json();
    assert_eq!((&shown["active"], &shown["revoked"]), (&json!(false), &json!(true)));
    let shown = root.get(&format!("{path}/{expired}")).json();
    assert_eq!((&shown["active"], &shown["revoked"]), (&json!(false), &json!(false)));
    assert_eq!(ids(&root.get(&path)), [kept, revoked, expired]);
    assert_eq!(ids(&root.get(&format!("{path}?state=all"))), [kept, revoked, expired]);
    assert_eq!(ids(&root.get(&format!("{path}?state=active"))), [kept]);
    assert_eq!(ids(&root.get(&format!("{path}?state=inactive"))), [revoked, expired]);
}

#[both_databases]
fn the_owner_does_not_see_impersonation_tokens(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}/impersonation_tokens", alice.id);
    let hidden = id(&made(&server.root(), &path, json!({"name": "hidden", "scopes": ["api"]})));
    assert_eq!(names(&alice.get("/personal_access_tokens")), ["test"]);
    alice.get(&format!("/personal_access_tokens/{hidden}")).assert(401, unauthorized());
}

#[both_databases]
fn deleting_is_conditional(server: &TestServer) {
    let path = format!("/users/{}/impersonation_tokens", server.user("alice").id);
    let token = id(&made(&server.root(), &path, json!({"name": "t", "scopes": ["api"]})));
    let early = server.root().header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&format!("{path}/{token}")).assert(412, json!({"message": "412 Precondition Failed"}));
    assert_eq!(server.root().get(&format!("{path}/{token}")).json()["active"], true);
}
