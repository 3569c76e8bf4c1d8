//! Tokens that are no good, and tokens that are good for less.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// The secret and the id of a new personal token.
fn token(server: &TestServer, user: i64, body: Value) -> (String, i64) {
    let made = made(&server.root(), &format!("/users/{user}/personal_access_tokens"), body);
    (made["token"].as_str().expect("a secret").to_owned(), id(&made))
}

fn dead(description: &str) -> Value {
    json!({"message": "401 Unauthorized", "error": "invalid_token", "error_description": description})
}

fn scope_error(scope: &str) -> Value {
    let text = "The request requires higher privileges than provided by the access token.";
    json!({"error": "insufficient_scope", "error_description": text, "scope": scope})
}

const EXPIRED: &str = "Token is expired. You can either do re-authorization or token refresh.";
const REVOKED: &str = "Token was revoked. You have to re-authorize from the user.";

#[both_databases]
fn a_token_that_no_one_has_lets_no_one_in_and_is_not_repeated(server: &TestServer) {
    let long = "x".repeat(10_240);
    for token in ["nonsense", "root-token-of-every-test-serve", "1", long.as_str()] {
        for path in ["/user", "/projects", "/version", "/users?username=root", "/groups"] {
            let reply = server.client(token).get(path);
            assert!(!reply.text().contains(&token[..1.max(token.len() / 2)]) || token == "1", "{}", reply.text());
            reply.assert(401, unauthorized());
        }
        server.anonymous().get(&format!("/projects?private_token={token}")).assert(401, unauthorized());
        server
            .anonymous()
            .header("Authorization", &format!("Bearer {token}"))
            .get("/projects")
            .assert(401, unauthorized());
    }
}

#[both_databases]
fn an_empty_token_is_none(server: &TestServer) {
    server.client("").get("/user").assert(401, unauthorized());
    let _ = server.client("").get("/projects").assert_status(200);
    let _ = server.anonymous().get("/projects?private_token=").assert_status(200);
    let _ = server.root().get("/user?private_token=").assert_status(200);
}

#[both_databases]
fn a_binary_token_lets_no_one_in(server: &TestServer) {
    for header in [&b"Private-Token: \xff\xfe\x80\r\n"[..], b"Authorization: Bearer \xc3\x28\r\n"] {
        let answer = raw_get(server, "/api/v4/projects", header);
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        assert!(answer.ends_with(r#"{"message":"401 Unauthorized"}"#), "{answer}");
    }
}

#[both_databases]
fn tokens_that_disagree_let_no_one_in(server: &TestServer) {
    let alice = server.user("alice");
    for (client, query) in [
        (server.root(), format!("private_token={}", alice.token)),
        (server.root(), "private_token=nonsense".to_owned()),
        (server.client("nonsense"), format!("private_token={}", alice.token)),
    ] {
        client.get(&format!("/user?{query}")).assert(401, unauthorized());
    }
    assert_eq!(alice.get(&format!("/user?private_token={}", alice.token)).assert_status(200).json()["id"], alice.id);
    let both = alice.header("Authorization", &format!("Bearer {}", alice.token));
    let reply = both.get(&format!("/user?access_token={}", alice.token)).assert_status(400);
    let text = "Both Authorization header and payload includes access token.";
    assert_eq!((&reply.json()["error"], &reply.json()["error_description"]), (&json!("invalid_request"), &json!(text)));
}

#[both_databases]
fn a_revoked_token_is_dead(server: &TestServer) {
    let alice = server.user("alice");
    let (secret, id) = token(server, alice.id, json!({"name": "t", "scopes": ["api"]}));
    let client = server.client(&secret);
    let _ = client.get("/user").assert_status(200);
    let _ = alice.delete(&format!("/personal_access_tokens/{id}")).assert_status(204);
    for path in ["/user", "/projects"] {
        let reply = client.get(path);
        let challenge = reply.header("www-authenticate");
        assert!(challenge.starts_with("Bearer realm=") && challenge.contains(REVOKED), "{challenge}");
        reply.assert(401, dead(REVOKED));
    }
}

/// The last moment is 23:59 of the day before.
#[both_databases]
fn a_token_is_dead_from_the_first_moment_of_its_day(server: &TestServer) {
    let alice = server.user("alice");
    let (secret, _) = token(server, alice.id, json!({"name": "t", "scopes": ["api"], "expires_at": "2026-03-03"}));
    let client = server.client(&secret);
    server.advance(TimeDelta::minutes(11 * 60 + 59));
    let _ = client.get("/user").assert_status(200);
    server.advance(TimeDelta::minutes(1));
    let reply = client.get("/user");
    assert!(reply.header("www-authenticate").contains(EXPIRED));
    reply.assert(401, dead(EXPIRED));
    let (today, _) = token(server, alice.id, json!({"name": "t", "scopes": ["api"], "expires_at": "2026-03-03"}));
    server.client(&today).get("/user").assert(401, dead(EXPIRED));
}

#[both_databases]
fn a_dead_token_opens_no_repository(server: &TestServer) {
    let alice = server.user("alice");
    let _ = made(&alice, "/projects", json!({"name": "tool", "visibility": "private", "initialize_with_readme": true}));
    let refs = |secret: &str| {
        server.anonymous().basic("alice", secret).get("//alice/tool.git/info/refs?service=git-upload-pack")
    };
    let denied = |secret: &str| {
        let reply = refs(secret);
        assert_eq!((reply.status(), reply.header("www-authenticate").as_str()), (401, "Basic realm=\"Tenon\""));
        assert!(reply.text().starts_with("HTTP Basic: Access denied"), "{}", reply.text());
    };
    let (revoked, id) = token(server, alice.id, json!({"name": "t", "scopes": ["api"]}));
    let (expiring, _) = token(server, alice.id, json!({"name": "t", "scopes": ["api"], "expires_at": "2026-03-03"}));
    for secret in [&revoked, &expiring] {
        let _ = refs(secret).assert_status(200);
    }
    let _ = alice.delete(&format!("/personal_access_tokens/{id}")).assert_status(204);
    server.advance(TimeDelta::days(1));
    for secret in [revoked.as_str(), &expiring, "nonsense", &"x".repeat(4096)] {
        denied(secret);
    }
    let _ = refs(&alice.token).assert_status(200);
    let _ = server.root().post(&format!("/users/{}/block", alice.id), json!({})).assert_status(201);
    let blocked = refs(&alice.token);
    assert_eq!((blocked.status(), blocked.text().contains("Your account has been blocked.")), (403, true));
}

/// A credential that is both is expired.
#[both_databases]
fn expired_comes_before_revoked(server: &TestServer) {
    let alice = server.user("alice");
    let (secret, id) = token(server, alice.id, json!({"name": "t", "scopes": ["api"], "expires_at": "2026-03-03"}));
    let _ = alice.delete(&format!("/personal_access_tokens/{id}")).assert_status(204);
    server.advance(TimeDelta::days(1));
    server.client(&secret).get("/user").assert(401, dead(EXPIRED));
}

#[both_databases]
fn the_tokens_of_a_blocked_user_open_nothing(server: &TestServer) {
    let alice = server.user("alice");
    let _ = server.root().post(&format!("/users/{}/block", alice.id), json!({})).assert_status(201);
    let refusal = json!({"message": "403 Forbidden - Your account has been blocked."});
    for path in ["/user", "/projects", "/version", "/users/1"] {
        alice.get(path).assert(403, refusal.clone());
    }
    alice.post("/projects", json!({"name": "x"})).assert(403, refusal);
    let _ = server.root().post(&format!("/users/{}/unblock", alice.id), json!({})).assert_status(201);
    let _ = alice.get("/user").assert_status(200);
}

#[both_databases]
fn the_tokens_of_a_deleted_user_are_unknown(server: &TestServer) {
    let alice = server.user("alice");
    let _ = server.root().delete(&format!("/users/{}", alice.id)).assert_status(204);
    server.run_jobs();
    alice.get("/user").assert(401, unauthorized());
}

#[both_databases]
fn read_user_opens_reads_of_users_and_nothing_else(server: &TestServer) {
    let alice = server.user("alice");
    let client: Client = server.client(&server.token(alice.id, &["read_user"]));
    for path in ["/user".to_owned(), "/users".to_owned(), format!("/users/{}", alice.id), "/user/status".to_owned()] {
        let _ = client.get(&path).assert_status(200);
        let _ = client.head(&path).assert_status(200);
    }
    client.put("/user/status", json!({"message": "x"})).assert(403, scope_error("read_user api"));
    client.post("/users", json!({})).assert(403, scope_error("read_user api"));
    for path in ["/projects", "/groups", "/namespaces", "/version", "/projects/1", "/groups/1"] {
        client.get(path).assert(403, scope_error("api"));
    }
    client.post("/projects", json!({"name": "x"})).assert(403, scope_error("api"));
    client.post("/groups", json!({"name": "x", "path": "x"})).assert(403, scope_error("api"));
}

/// A token that may only touch repositories opens no endpoint.
#[both_databases]
fn a_token_for_repositories_opens_no_endpoint(server: &TestServer) {
    let alice = server.user("alice");
    let client = server.client(&server.token(alice.id, &["read_repository"]));
    client.get("/user").assert(403, scope_error("read_user api"));
    client.get("/projects").assert(403, scope_error("api"));
}

#[both_databases]
fn impersonation_tokens_are_for_administrators(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}/impersonation_tokens", alice.id);
    let token = id(&made(&server.root(), &path, json!({"name": "t", "scopes": ["api"]})));
    for (method, path) in [
        ("GET", path.clone()),
        ("POST", path.clone()),
        ("GET", format!("{path}/{token}")),
        ("DELETE", format!("{path}/{token}")),
    ] {
        alice.send(method, &path, None, Vec::new()).assert(403, forbidden());
        server.anonymous().send(method, &path, None, Vec::new()).assert(401, unauthorized());
    }
    let _ = server.root().get(&format!("{path}/{token}")).assert_status(200);
}

#[both_databases]
fn a_token_is_found_only_under_its_own_user_and_kind(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = |user: i64| format!("/users/{user}/impersonation_tokens");
    let impersonation = id(&made(&server.root(), &path(alice.id), json!({"name": "t", "scopes": ["api"]})));
    let (_, personal) = token(server, alice.id, json!({"name": "t", "scopes": ["api"]}));
    for missing_one in [
        format!("{}/{impersonation}", path(bob.id)),
        format!("{}/{personal}", path(alice.id)),
        format!("{}/999999", path(alice.id)),
    ] {
        server.root().get(&missing_one).assert(404, missing("Impersonation Token"));
        server.root().delete(&missing_one).assert(404, missing("Impersonation Token"));
    }
    server.root().get(&path(999_999)).assert(404, missing("User"));
}

#[both_databases]
fn an_impersonation_token_cannot_hold_sudo(server: &TestServer) {
    let admin = server.user_with("second", &json!({"admin": true}));
    let body = json!({"name": "t", "scopes": ["api", "sudo"]});
    let want = field("scopes", "can only contain available scopes");
    server.root().post(&format!("/users/{}/impersonation_tokens", admin.id), body).assert(400, want);
}

#[both_databases]
fn an_impersonation_token_makes_no_more_tokens(server: &TestServer) {
    let admin = server.user_with("second", &json!({"admin": true}));
    let path = format!("/users/{}/impersonation_tokens", admin.id);
    let made = made(&server.root(), &path, json!({"name": "t", "scopes": ["api"]}));
    let client = server.client(made["token"].as_str().expect("a secret"));
    let _ = client.get("/user").assert_status(200);
    let body = json!({"name": "more", "scopes": ["api"]});
    let _ = client.post(&path, body.clone()).assert_status(403);
    let _ = client.post(&format!("/users/{}/personal_access_tokens", admin.id), body).assert_status(403);
}
