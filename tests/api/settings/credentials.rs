//! Settings about passwords, tokens, keys and new accounts.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, both_databases};

use super::set;
use crate::support::*;

const PATH: &str = "/application/settings";

fn account(name: &str, password: &str) -> Value {
    json!({"username": name, "name": name, "email": format!("{name}@example.org"), "password": password})
}

#[both_databases]
fn new_passwords_are_as_long_and_as_mixed_as_the_settings_say(server: &TestServer) {
    let root = server.root();
    let old = made(&root, "/users", account("old", "correct horse"));
    set(
        server,
        json!({
            "minimum_password_length": 10, "password_number_required": true, "password_symbol_required": true,
            "password_uppercase_required": true, "password_lowercase_required": true,
        }),
    );
    let wrong = |password: &str| {
        root.post("/users", account("new", password)).assert_status(400).json()["message"]["password"].clone()
    };
    assert_eq!(wrong("Aa1!"), json!(["is too short (minimum is 10 characters)"]));
    assert_eq!(
        wrong("          "),
        json!([
            "must contain at least one digit",
            "must contain at least one symbol",
            "must contain at least one capital letter",
            "must contain at least one small letter",
        ])
    );
    assert_eq!(wrong("CORRECT HORSE 1!"), json!(["must contain at least one small letter"]));
    let _ = made(&root, "/users", account("new", "Correct horse 1!"));
    let path = format!("/users/{}", id(&old));
    let _ = root.put(&path, json!({"password": "correct horse"})).assert_status(400);
    let _ = root.put(&path, json!({"password": "Correct horse 2!"})).assert_status(200);
    for length in [7, 129] {
        let _ = root.put(PATH, json!({"minimum_password_length": length})).assert_status(400);
    }
}

fn token(root: &Client, user: i64, end: Option<String>) -> tenon_testkit::Reply {
    let path = format!("/users/{user}/personal_access_tokens");
    let end = end.map_or(json!({}), |end| json!({"expires_at": end}));
    let mut body = json!({"name": "t", "scopes": ["api"]});
    body.as_object_mut().expect("an object").extend(end.as_object().cloned().expect("an object"));
    root.post(&path, body)
}

/// This endpoint answers with one sentence.
fn is_refused(reply: tenon_testkit::Reply, text: &str) {
    let said = reply.assert_status(422).text();
    assert!(said.contains("xpires at") && said.contains(text), "{said}");
}

#[both_databases]
fn new_tokens_begin_and_end_as_the_settings_say(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    let day = |days: i64| Some((server.now() + TimeDelta::days(days)).date_naive().to_string());
    let _ = token(&root, alice.id, None).assert_status(201);
    set(server, json!({"require_personal_access_token_expiry": true, "personal_access_token_prefix": "acme-"}));
    is_refused(token(&root, alice.id, None), "can't be blank");
    let made = token(&root, alice.id, day(1_000)).assert_status(201).json();
    let secret = made["token"].as_str().expect("a token");
    assert!(secret.starts_with("acme-"), "{secret}");
    let _ = server.client(secret).get("/user").assert_status(200);
    set(server, json!({"require_personal_access_token_expiry": false, "max_personal_access_token_lifetime": 5}));
    is_refused(token(&root, alice.id, None), "can't be blank");
    let last = day(5).expect("a day");
    is_refused(token(&root, alice.id, day(6)), &format!("must be {last} or earlier"));
    let _ = token(&root, alice.id, Some(last.clone())).assert_status(201);
    // One that is replaced does not last longer either.
    let rotated =
        server.client(secret).post("/personal_access_tokens/self/rotate", json!({})).assert_status(200).json();
    assert_eq!(rotated["expires_at"], json!(last));
    for prefix in ["a b", "a/b", "ä", "x".repeat(21).as_str()] {
        let _ = root.put(PATH, json!({"personal_access_token_prefix": prefix})).assert_status(400);
    }
}

#[both_databases]
fn personal_tokens_can_be_switched_off_for_all_but_administrators(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "private");
    let git = server.anonymous().basic("alice", &alice.token);
    let refs = "//alice/tool.git/info/refs?service=git-upload-pack";
    let _ = git.get(refs).assert_status(200);
    set(server, json!({"disable_personal_access_tokens": true}));
    let personal = server.token(alice.id, &["api"]);
    let _ = server.client(&personal).get("/user").assert_status(401);
    let _ = server.anonymous().basic("alice", &personal).get(refs).assert_status(401);
    let _ = server.root().get("/user").assert_status(200);
    set(server, json!({"disable_personal_access_tokens": false}));
    let _ = server.client(&personal).get("/user").assert_status(200);
}

#[both_databases]
fn a_name_is_locked_after_wrong_passwords(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "private");
    let refs = "//alice/tool.git/info/refs?service=git-upload-pack";
    let by = |password: &str| server.anonymous().basic("alice", password).get(refs).status();
    set(server, json!({"max_login_attempts": 2, "failed_login_attempts_unlock_period_in_minutes": 30}));
    assert_eq!([by("wrong"), by("correct horse"), by("wrong"), by("wrong")], [401, 200, 401, 401]);
    assert_eq!([by("correct horse"), by("wrong")], [429, 429]);
    assert_eq!(server.anonymous().basic("alice", &alice.token).get(refs).status(), 200, "tokens still work");
    server.advance(TimeDelta::minutes(29));
    assert_eq!(by("correct horse"), 429);
    server.advance(TimeDelta::minutes(1));
    assert_eq!(by("correct horse"), 200);
}

#[both_databases]
fn new_keys_end_as_the_settings_say(server: &TestServer) {
    let alice = server.user("alice");
    set(server, json!({"max_ssh_key_lifetime": 5}));
    let body = |end: Value| json!({"title": "t", "key": tenon_testkit::keys::ED25519, "expires_at": end});
    alice.post("/user/keys", body(Value::Null)).assert(400, field("expires_at", "can't be blank"));
    let day = |days: i64| json!((server.now() + TimeDelta::days(days)).to_rfc3339());
    alice.post("/user/keys", body(day(6))).assert(400, field("expires_at", "must be within 5 days"));
    let _ = alice.post("/user/keys", body(day(4))).assert_status(201);
}

#[both_databases(mail)]
fn unused_accounts_are_deactivated_and_unconfirmed_ones_deleted(server: &TestServer) {
    let (root, alice, bob) = (server.root(), server.user("alice"), server.user("bob"));
    let mut body = account("carol", "correct horse");
    body["skip_confirmation"] = json!(false);
    let carol = made(&root, "/users", body);
    let look = || {
        server.enqueue("clean_up_accounts", &json!({"kind": "clean_up_accounts"}));
        let _ = server.run_jobs();
    };
    let state = |user: i64| root.get(&format!("/users/{user}")).json()["state"].clone();
    server.advance(TimeDelta::days(100));
    // The use of a token is enough.
    let _ = bob.get("/user").assert_status(200);
    server.flush_usage();
    look();
    assert_eq!(
        (state(alice.id), state(bob.id), state(id(&carol))),
        (json!("active"), json!("active"), json!("active"))
    );
    set(
        server,
        json!({
            "deactivate_dormant_users": true, "deactivate_dormant_users_period": 95,
            "delete_unconfirmed_users": true, "unconfirmed_users_delete_after_days": 101,
        }),
    );
    look();
    assert_eq!((state(alice.id), state(bob.id)), (json!("deactivated"), json!("active")));
    assert_eq!(root.get("/user").json()["state"], "active");
    // An account that is activated again has its time from then on.
    let _ = root.post(&format!("/users/{}/activate", alice.id), json!({})).assert_status(201);
    look();
    assert_eq!(state(alice.id), json!("active"));
    server.advance(TimeDelta::days(2));
    // If no confirmation is required, an unconfirmed account stays.
    look();
    assert_eq!(state(id(&carol)), json!("deactivated"));
    set(server, json!({"email_confirmation_setting": "hard"}));
    look();
    let _ = root.get(&format!("/users/{}", id(&carol))).assert_status(404);
    assert_eq!(state(bob.id), json!("active"));
}

#[both_databases]
fn new_accounts_have_the_first_values_of_the_settings(server: &TestServer) {
    let root = server.root();
    let values = |name: &str, more: Value| {
        let mut body = account(name, "correct horse");
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
        let made = made(&root, "/users", body);
        ["private_profile", "can_create_group", "external"].map(|field| made[field] == json!(true))
    };
    assert_eq!(values("one", json!({})), [false, true, false]);
    set(
        server,
        json!({
            "user_defaults_to_private_profile": true, "can_create_group": false, "user_default_external": true,
            "user_default_internal_regex": "@example\\.org$",
        }),
    );
    assert_eq!(values("two", json!({})), [true, false, false]);
    assert_eq!(values("three", json!({"email": "three@elsewhere.test"})), [true, false, true]);
    assert_eq!(values("four", json!({"private_profile": false, "can_create_group": true})), [false, true, false]);
    let _ = root.put(PATH, json!({"user_default_internal_regex": "("})).assert_status(400);
}
