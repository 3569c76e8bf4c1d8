//! Personal access tokens.

use serde_json::{Value, json};
use tenon_domain::limits::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, TestServer, both_databases};

use crate::support::*;

const FIELDS: [&str; 10] =
    ["id", "name", "description", "revoked", "created_at", "scopes", "user_id", "last_used_at", "active", "expires_at"];

fn token(server: &TestServer, user: i64, name: &str, expires_at: Value) -> (i64, String) {
    let body = json!({"name": name, "scopes": ["api"], "expires_at": expires_at, "description": "why"});
    let made = made(&server.root(), &format!("/users/{user}/personal_access_tokens"), body);
    (id(&made), made["token"].as_str().expect("a secret").to_owned())
}

#[both_databases]
fn a_token_shows_its_secret_once(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "t", "scopes": ["api", "read_user"], "expires_at": "2026-12-31", "description": "why"});
    let made = made(&server.root(), &format!("/users/{}/personal_access_tokens", alice.id), body);
    assert_has(&made, &FIELDS);
    assert_eq!(
        (&made["user_id"], &made["description"], &made["expires_at"]),
        (&json!(alice.id), &json!("why"), &json!("2026-12-31"))
    );
    assert!(made["token"].as_str().is_some_and(|secret| secret.len() >= 20));
    let shown = alice.get(&format!("/personal_access_tokens/{}", id(&made))).assert_status(200).json();
    assert_has(&shown, &FIELDS);
    assert_lacks(&shown, &["token"]);
    assert_lacks(&alice.get("/personal_access_tokens").json()[0], &["token"]);
}

#[both_databases]
fn a_user_makes_tokens_that_open_nothing(server: &TestServer) {
    let alice = server.user("alice");
    let path = "/user/personal_access_tokens";
    let made = made(&alice, path, json!({"name": "t", "scopes": ["self_rotate"], "description": "why"}));
    assert_has(&made, &FIELDS);
    assert_eq!((&made["scopes"], &made["user_id"]), (&json!(["self_rotate"]), &json!(alice.id)));
    assert_eq!(made["expires_at"], "2026-03-03", "the next day");
    let client = server.client(made["token"].as_str().expect("a secret"));
    let _ = client.get("/user").assert_status(403);
    let _ = client.get("/personal_access_tokens/self").assert_status(200);
    for scopes in [json!(["api"]), json!(["self_rotate", "read_user"]), json!(["sudo"]), json!("everything")] {
        let body = json!({"name": "t", "scopes": scopes});
        alice.post(path, body).assert(400, parameter("scopes does not have a valid value"));
    }
    alice.post(path, json!({})).assert(400, parameter("name is missing, scopes is missing"));
    let _ = client.post(path, json!({"name": "t", "scopes": ["self_rotate"]})).assert_status(403);
    server.anonymous().post(path, json!({"name": "t", "scopes": ["self_rotate"]})).assert(401, unauthorized());
    let late = json!({"name": "t", "scopes": ["k8s_proxy"], "expires_at": "2026-12-31"});
    assert_eq!(self::made(&alice, path, late)["expires_at"], "2026-12-31");
}

#[both_databases]
fn callers_see_their_own_tokens_and_administrators_all(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (one, _) = token(server, alice.id, "one", Value::Null);
    assert_eq!(names(&alice.get("/personal_access_tokens?search=one")), ["one"]);
    assert_eq!(alice.get("/personal_access_tokens").header("x-total"), "2");
    bob.get(&format!("/personal_access_tokens/{one}")).assert(401, unauthorized());
    bob.get("/personal_access_tokens/999999").assert(401, unauthorized());
    bob.delete(&format!("/personal_access_tokens/{one}")).assert(401, unauthorized());
    bob.get(&format!("/personal_access_tokens?user_id={}", alice.id)).assert(401, unauthorized());
    let _ = bob.get(&format!("/personal_access_tokens?user_id={}", bob.id)).assert_status(200);
    assert_eq!(ids(&server.root().get(&format!("/personal_access_tokens?user_id={}&search=one", alice.id))), [one]);
    let _ = server.root().get(&format!("/personal_access_tokens/{one}")).assert_status(200);
    let _ = server.root().get("/personal_access_tokens/999999").assert_status(404);
    server.root().get("/personal_access_tokens?user_id=999999").assert(404, json!({"message": "404 Not Found"}));
}

#[both_databases]
fn filters_of_the_list(server: &TestServer) {
    let alice = server.user("alice");
    let (active, _) = token(server, alice.id, "active", json!("2026-06-01"));
    let (expired, _) = token(server, alice.id, "expired", json!("2026-01-01"));
    let (revoked, _) = token(server, alice.id, "revoked", Value::Null);
    let _ = alice.delete(&format!("/personal_access_tokens/{revoked}")).assert_status(204);
    let base = format!("/personal_access_tokens?user_id={}&sort=name_asc", alice.id);
    let found = |query: &str| names(&server.root().get(&format!("{base}&{query}")).assert_status(200));
    assert_eq!(found("revoked=true"), ["revoked"]);
    assert_eq!(found("revoked=false"), ["active", "expired", "test"]);
    assert_eq!(found("state=active"), ["active", "test"]);
    assert_eq!(found("state=inactive"), ["expired", "revoked"]);
    assert_eq!(found("expires_before=2026-02-01"), ["expired"]);
    assert_eq!(found("expires_after=2026-02-01"), ["active"]);
    assert_eq!(found("created_after=2027-01-01"), [""; 0]);
    assert_eq!(found("search=expi"), ["expired"]);
    let sorted = ids(&server.root().get(&format!("/personal_access_tokens?user_id={}&sort=created_desc", alice.id)));
    assert_eq!(sorted[..3], [revoked, expired, active]);
    let _ = server.root().get("/personal_access_tokens?sort=bad").assert_status(400);
}

#[both_databases]
fn a_token_looks_at_itself_and_ends_itself(server: &TestServer) {
    let alice = server.user("alice");
    for scopes in [&["api"][..], &["read_user"], &["read_repository"]] {
        let client = server.client(&server.token(alice.id, scopes));
        let shown = client.get("/personal_access_tokens/self").assert_status(200).json();
        assert_eq!((&shown["scopes"], &shown["user_id"]), (&json!(scopes), &json!(alice.id)));
        let _ = client.delete("/personal_access_tokens/self").assert_status(204);
        let _ = client.get("/personal_access_tokens/self").assert_status(401);
    }
    server.anonymous().get("/personal_access_tokens/self").assert(401, unauthorized());
}

#[both_databases]
fn a_rotated_token_is_replaced(server: &TestServer) {
    let alice = server.user("alice");
    let (first, secret) = token(server, alice.id, "t", Value::Null);
    let rotated = alice.post(&format!("/personal_access_tokens/{first}/rotate"), json!({})).assert_status(200).json();
    assert_has(&rotated, &FIELDS);
    assert_eq!((&rotated["name"], &rotated["expires_at"]), (&json!("t"), &json!("2026-03-09")));
    assert_ne!(id(&rotated), first);
    let _ = server.client(&secret).get("/user").assert_status(401);
    let client = server.client(rotated["token"].as_str().expect("a secret"));
    let _ = client.get("/user").assert_status(200);
    let until = client
        .post("/personal_access_tokens/self/rotate", json!({"expires_at": "2026-05-01"}))
        .assert_status(200)
        .json();
    assert_eq!(until["expires_at"], "2026-05-01");
    let _ = client.get("/user").assert_status(401);
}

#[both_databases]
fn a_token_that_two_threads_rotate_by_itself_is_replaced_once(server: &TestServer) {
    let alice = server.user("alice");
    let (_, secret) = token(server, alice.id, "t", Value::Null);
    let client = server.client(&secret);
    let start = std::sync::Barrier::new(4);
    let replies: Vec<tenon_testkit::Reply> = std::thread::scope(|scope| {
        let rotate = || {
            start.wait();
            client.post("/personal_access_tokens/self/rotate", json!({}))
        };
        let running: Vec<_> = (0..4).map(|_| scope.spawn(rotate)).collect();
        running.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status() == 200);
    assert_eq!((won.len(), lost.iter().filter(|reply| reply.status() == 401).count()), (1, 3));
    let next = won[0].json()["token"].as_str().expect("a secret").to_owned();
    let _ = server.client(&next).get("/user").assert_status(200);
}

#[both_databases]
fn rotating_a_dead_token_ends_its_whole_family(server: &TestServer) {
    let alice = server.user("alice");
    let (first, _) = token(server, alice.id, "t", Value::Null);
    let second = alice.post(&format!("/personal_access_tokens/{first}/rotate"), json!({})).assert_status(200).json();
    let client = server.client(second["token"].as_str().expect("a secret"));
    let _ = client.get("/user").assert_status(200);
    alice.post(&format!("/personal_access_tokens/{first}/rotate"), json!({})).assert(401, unauthorized());
    let _ = client.get("/user").assert_status(401);
}

#[both_databases]
fn only_administrators_make_tokens_for_users(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}/personal_access_tokens", alice.id);
    let body = json!({"name": "t", "scopes": ["api"]});
    alice.post(&path, body.clone()).assert(403, forbidden());
    server.anonymous().post(&path, body.clone()).assert(401, unauthorized());
    server.root().post("/users/999999/personal_access_tokens", body).assert(404, missing("User"));
    server
        .root()
        .post(&path, json!({"name": "t", "scopes": ["nonsense"]}))
        .assert(400, parameter("scopes does not have a valid value"));
    server.root().post(&path, json!({})).assert(400, parameter("name is missing, scopes is missing"));
}

#[both_databases]
fn when_a_token_was_used_is_written_down(server: &TestServer) {
    let alice = server.user("alice");
    let (made, secret) = token(server, alice.id, "t", Value::Null);
    let path = format!("/personal_access_tokens/{made}");
    assert_eq!(alice.get(&path).json()["last_used_at"], Value::Null);
    let _ = server.client(&secret).get("/user").assert_status(200);
    server.advance(TimeDelta::hours(1));
    let shown = server.client(&secret).get("/personal_access_tokens/self").assert_status(200).json();
    assert!(
        shown["last_used_at"].is_null()
            || shown["last_used_at"].as_str().is_some_and(|at| at.starts_with("2026-03-02T1")),
        "{shown}"
    );
}

#[test]
fn a_user_makes_so_many_tokens() {
    let mut limits = Limits::without_rates();
    limits.accounts.tokens = 3;
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let server = TestServer::start_with(backend, limits.clone());
        // One of them is the token that asks.
        let alice = server.user("alice");
        let body = json!({"name": "t", "scopes": ["k8s_proxy"]});
        for _ in 0..2 {
            made(&alice, "/user/personal_access_tokens", body.clone());
        }
        let refused = alice.post("/user/personal_access_tokens", body.clone());
        assert_eq!(refused.assert_status(422).json()["message"], "An account has at most 3 personal access tokens");
        // Dead ones are stored for a while, and count so long: else they would be made and withdrawn without end.
        let own = alice.get("/personal_access_tokens").json();
        let last = own.as_array().and_then(|tokens| tokens.last()).expect("tokens")["id"].clone();
        let _ = alice.delete(&format!("/personal_access_tokens/{last}")).assert_status(204);
        let _ = alice.post("/user/personal_access_tokens", body.clone()).assert_status(422);
        let purge = || {
            server.enqueue("purge_grants", &json!({"kind": "purge_grants"}));
            server.run_jobs();
        };
        let stored = || server.database().count("SELECT COUNT(*) FROM tokens WHERE scopes = 'k8s_proxy'");
        server.advance(TimeDelta::days(2));
        purge();
        assert_eq!(stored(), 2);
        let _ = alice.post("/user/personal_access_tokens", body.clone()).assert_status(422);
        server.advance(TimeDelta::days(30));
        purge();
        assert_eq!(stored(), 0);
        made(&alice, "/user/personal_access_tokens", body.clone());
        let past = json!({"name": "t", "scopes": ["k8s_proxy"], "expires_at": server.now().date_naive().to_string()});
        let refused = alice.post("/user/personal_access_tokens", past).assert_status(422).json();
        assert!(refused.to_string().contains("must be in the future"), "{refused}");
        // A token is replaced as long as not twice as many are stored.
        let mut token = made(&alice, "/user/personal_access_tokens", json!({"name": "t", "scopes": ["self_rotate"]}));
        let mut replaced = 0;
        while replaced < 10 {
            let client = server.client(token["token"].as_str().expect("a secret"));
            let answer = client.post("/personal_access_tokens/self/rotate", json!({}));
            if answer.status() != 200 {
                assert_eq!(answer.status(), 400);
                break;
            }
            (token, replaced) = (answer.json(), replaced + 1);
        }
        assert_eq!(replaced, 3);
    }
}
