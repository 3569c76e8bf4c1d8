//! The caller's own keys.

use std::collections::BTreeSet;

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases, keys};

use super::{ALL, FIELDS, new, no_key, taken};
use crate::support::*;

#[both_databases]
fn keys_of_all_kinds_are_added_and_listed(server: &TestServer) {
    let alice = server.user("alice");
    for (number, key) in ALL.iter().enumerate() {
        let made = made(&alice, "/user/keys", new(&format!("key {number}"), key));
        assert_eq!(crate::support::keys(&made), FIELDS.map(str::to_owned).into_iter().collect::<BTreeSet<_>>());
        assert_eq!(made["key"], keys::stored(key));
        assert_eq!((&made["usage_type"], &made["expires_at"]), (&json!("auth_and_signing"), &json!(null)));
        assert_eq!(alice.get(&format!("/user/keys/{}", id(&made))).assert_status(200).json(), made);
    }
    let listed = alice.get("/user/keys?per_page=3&page=2").assert_status(200);
    assert_eq!(titles(&alice, "/user/keys?per_page=3&page=2"), ["key 3", "key 4", "key 5"]);
    assert_eq!(listed.header("x-total"), ALL.len().to_string());
    assert_eq!(titles(&alice, "/users/alice/keys").len(), ALL.len());
}

#[both_databases]
fn the_key_is_stored_without_line_breaks_and_with_a_word_of_its_comment(server: &TestServer) {
    let alice = server.user("alice");
    let (name, rest) = keys::ED25519.split_once(' ').expect("a key");
    let (first, second) = rest.split_at(40);
    let made = made(&alice, "/user/keys", new("laptop", &format!("\n{name}  {first}\r\n{second}\n")));
    assert_eq!(made["key"], keys::stored(keys::ED25519));
}

#[both_databases]
fn usage_and_end_are_kept(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({
        "title": "signs", "key": keys::ED25519, "usage_type": "signing", "expires_at": "2026-12-31T10:00:00+01:00",
    });
    let made = made(&alice, "/user/keys", body);
    assert_eq!((&made["usage_type"], &made["expires_at"]), (&json!("signing"), &json!("2026-12-31T09:00:00.000Z")));
    let mut body = new("t", keys::RSA_2048);
    body["usage_type"] = json!("nothing");
    alice.post("/user/keys", body.clone()).assert(400, parameter("usage_type does not have a valid value"));
    body["usage_type"] = json!("auth");
    body["expires_at"] = json!("never");
    alice.post("/user/keys", body.clone()).assert(400, parameter("expires_at is invalid"));
    body["expires_at"] = json!("2026-01-01");
    alice.post("/user/keys", body).assert(400, field("key", "has expired"));
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let refused = |body, want| alice.post("/user/keys", body).assert(400, want);
    refused(json!({}), parameter("key is missing, title is missing"));
    refused(json!({"key": keys::ED25519}), parameter("title is missing"));
    refused(json!({"title": "t"}), parameter("key is missing"));
    refused(new("", keys::ED25519), field("title", "can't be blank"));
    refused(new(&"t".repeat(256), keys::ED25519), field("title", "is too long (maximum is 255 characters)"));
    refused(new("t", "ssh-rsa nonsense"), no_key(&[]));
    refused(new("t", ""), no_key(&["can't be blank", "is invalid"]));
    let long = format!("ssh-rsa {}", "A".repeat(5_000));
    refused(new("t", &long), field("key", "is too long (maximum is 5000 characters)"));
    let no_key = no_key(&[])["message"].clone();
    let both = json!({"message": {
        "title": ["can't be blank"], "key": no_key["key"], "fingerprint": no_key["fingerprint"],
    }});
    refused(new(" ", "ssh-dss x"), both);
    assert_eq!(alice.get("/user/keys").json(), json!([]));
}

#[both_databases]
fn only_plain_public_keys_are_accepted(server: &TestServer) {
    let alice = server.user("alice");
    let key = keys::ED25519;
    for text in [
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PGP PUBLIC KEY BLOCK-----",
        &format!("command=\"sh\" {key}"),
        &format!("no-pty {key}"),
        &format!("# {key}"),
    ] {
        alice.post("/user/keys", new("t", text)).assert(400, no_key(&["is invalid"]));
    }
    alice.post("/user/keys", new("t", &format!("ssh-rsa {key}"))).assert(400, no_key(&[]));
}

#[both_databases]
fn a_key_belongs_to_one_account(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let key = id(&made(&alice, "/user/keys", new("t", keys::ED25519)));
    let other_comment = keys::stored(keys::ED25519).replace("ada@laptop", "elsewhere");
    for client in [&*alice, &*bob] {
        client.post("/user/keys", new("t", &other_comment)).assert(400, taken());
    }
    let both = json!({"message": {"title": ["can't be blank"], "fingerprint": ["has already been taken"]}});
    bob.post("/user/keys", new("", keys::ED25519)).assert(400, both);
    let _ = alice.delete(&format!("/user/keys/{key}")).assert_status(204);
    made(&bob, "/user/keys", new("t", keys::ED25519));
}

#[both_databases]
fn keys_of_others_are_missing(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/user/keys/{}", id(&made(&alice, "/user/keys", new("t", keys::ED25519))));
    for client in [&*bob, &server.root()] {
        client.get(&path).assert(404, missing("Key"));
        client.delete(&path).assert(404, missing("Key"));
    }
    alice.get("/user/keys/ASDF").assert(400, parameter("key_id is invalid"));
    server.anonymous().get("/user/keys/ASDF").assert(401, unauthorized());
    server.anonymous().get("/user/keys").assert(401, unauthorized());
    let _ = alice.get(&path).assert_status(200);
}

#[both_databases]
fn deleting_is_conditional(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/user/keys/{}", id(&made(&alice, "/user/keys", new("t", keys::ED25519))));
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&path).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.delete(&path).assert_status(204);
    alice.delete(&path).assert(404, missing("Key"));
}

#[both_databases]
fn a_token_that_reads_users_adds_no_key(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/user/keys/{}", id(&made(&alice, "/user/keys", new("t", keys::ED25519))));
    let reader = server.client(&server.token(alice.id, &["read_user"]));
    let _ = reader.get("/user/keys").assert_status(200);
    let _ = reader.get(&path).assert_status(200);
    for reply in [reader.post("/user/keys", new("t", keys::RSA_2048)), reader.delete(&path)] {
        assert_eq!(reply.assert_status(403).json()["error"], "insufficient_scope");
    }
    let other = server.client(&server.token(alice.id, &["read_repository"]));
    let _ = other.get("/user/keys").assert_status(403);
}

#[both_databases]
fn the_keys_of_a_user_are_public(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let key = made(&alice, "/user/keys", new("t", keys::ED25519));
    for client in [&server.anonymous(), &*bob, &server.root()] {
        for path in [format!("/users/{}/keys", alice.id), "/users/Alice/keys".to_owned()] {
            assert_eq!(client.get(&path).assert_status(200).json(), json!([key]));
        }
        let one = format!("/users/{}/keys", alice.id);
        assert_eq!(client.get(&format!("{one}/{}", id(&key))).assert_status(200).json(), key);
        client.get(&format!("{one}/999999")).assert(404, missing("Key"));
        client.get(&format!("/users/{}/keys/{}", bob.id, id(&key))).assert(404, missing("Key"));
        client.get("/users/999999/keys").assert(404, missing("User"));
        client.get("/users/no-such-user/keys").assert(404, missing("User"));
    }
    server.set("restricted_visibility_levels", &json!(["public"]));
    server.anonymous().get("/users/alice/keys").assert(404, missing("User"));
    assert_eq!(bob.get("/users/alice/keys").assert_status(200).json(), json!([key]));
}

#[both_databases]
fn an_account_has_a_bounded_number_of_keys(server: &TestServer) {
    let alice = server.user("alice");
    for number in 0..200 {
        server.database().execute(&format!(
            "INSERT INTO ssh_keys (user_id, title, key_text, md5, sha256, usage_type, created_at) \
             VALUES ({}, 't', 'ssh-rsa A', '{number}', '{number}', 'auth', '2026-03-01 00:00:00')",
            alice.id
        ));
    }
    let refused = field("base", "An account has at most 200 SSH keys");
    alice.post("/user/keys", new("t", keys::ED25519)).assert(400, refused);
    server.database().execute("DELETE FROM ssh_keys WHERE md5 = '7'");
    made(&alice, "/user/keys", new("t", keys::ED25519));
}

#[both_databases]
fn who_may_not_act_adds_no_key(server: &TestServer) {
    let alice = server.user("alice");
    let _ = server.root().post(&format!("/users/{}/block", alice.id), json!({})).assert_status(201);
    let _ = alice.post("/user/keys", new("t", keys::ED25519)).assert_status(403);
    let _ = alice.get("/user/keys").assert_status(403);
}

#[both_databases]
fn the_keys_of_a_removed_user_are_gone(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let key = id(&made(&alice, "/user/keys", new("t", keys::ED25519)));
    let _ = root.delete(&format!("/users/{}", alice.id)).assert_status(204);
    root.get(&format!("/keys/{key}")).assert(404, not_found());
    server.run_jobs();
    server.advance(TimeDelta::hours(1));
    made(&root, "/user/keys", new("t", keys::ED25519));
}
