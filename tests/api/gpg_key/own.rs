//! The caller's own keys.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases, keys};

use super::{new, no_block, unreadable};
use crate::support::*;

#[both_databases]
fn a_key_is_added_shown_and_removed(server: &TestServer) {
    let alice = server.user("alice");
    let made = made(&alice, "/user/gpg_keys", new(&format!("\n{}\n ", keys::ALICE)));
    assert_eq!(crate::support::keys(&made), ["created_at", "id", "key"].map(str::to_owned).into_iter().collect());
    assert_eq!(made["key"], keys::ALICE.trim());
    let path = format!("/user/gpg_keys/{}", id(&made));
    assert_eq!(alice.get(&path).assert_status(200).json(), made);
    assert_eq!(alice.get("/user/gpg_keys").assert_status(200).json(), json!([made]));
    assert_eq!(alice.get("/user/gpg_keys?per_page=1&page=2").header("x-total"), "1");
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&path).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.delete(&path).assert_status(204);
    alice.delete(&path).assert(404, missing("GPG Key"));
    self::made(&alice, "/user/gpg_keys", new(keys::ALICE));
}

#[both_databases]
fn a_key_that_is_withdrawn_is_gone(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let key = id(&made(&alice, "/user/gpg_keys", new(keys::ALICE)));
    let path = format!("/user/gpg_keys/{key}/revoke");
    bob.post(&path, json!({})).assert(404, missing("GPG Key"));
    server.anonymous().post(&path, json!({})).assert(401, unauthorized());
    alice.post(&path, json!({})).assert(202, json!({"message": "202 Accepted"}));
    alice.post(&path, json!({})).assert(404, missing("GPG Key"));
    assert_eq!(alice.get("/user/gpg_keys").json(), json!([]));
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let refused = |body, want| alice.post("/user/gpg_keys", body).assert(400, want);
    refused(json!({}), parameter("key is missing"));
    for text in ["", "x", keys::ED25519, keys::BOB_SECRET, &keys::BOB.repeat(2), &format!("x\n{}", keys::BOB)] {
        refused(new(text), no_block());
    }
    let broken = keys::BOB.replacen("mDME", "xDME", 1);
    for text in [&broken, &keys::BOB_SECRET.replace("PRIVATE", "PUBLIC")] {
        refused(new(text), unreadable());
    }
    let begin = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
    let long = keys::BOB.replacen(begin, &format!("{begin}\nComment: {}", "x".repeat(128 << 10)), 1);
    refused(new(&long), field("key", "is too long (maximum is 131072 characters)"));
    assert_eq!(alice.get("/user/gpg_keys").json(), json!([]));
}

#[both_databases]
fn a_key_belongs_to_one_account(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    made(&alice, "/user/gpg_keys", new(keys::DAVE));
    for client in [&*alice, &*bob] {
        client.post("/user/gpg_keys", new(keys::DAVE)).assert(400, field("key", "has already been taken"));
        let both = json!({"message": {
            "fingerprint": ["has already been taken"], "primary_keyid": ["has already been taken"],
        }});
        client.post("/user/gpg_keys", new(keys::DAVE_REVOKED)).assert(400, both);
    }
}

#[both_databases]
fn keys_of_others_are_missing(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/user/gpg_keys/{}", id(&made(&alice, "/user/gpg_keys", new(keys::ALICE))));
    for client in [&*bob, &server.root()] {
        client.get(&path).assert(404, missing("GPG Key"));
        client.delete(&path).assert(404, missing("GPG Key"));
    }
    alice.get("/user/gpg_keys/ASDF").assert(400, parameter("key_id is invalid"));
    for path in [path.as_str(), "/user/gpg_keys", "/user/gpg_keys/ASDF"] {
        server.anonymous().get(path).assert(401, unauthorized());
    }
}

#[both_databases]
fn a_token_that_reads_users_adds_no_key(server: &TestServer) {
    let alice = server.user("alice");
    let reader = server.client(&server.token(alice.id, &["read_user"]));
    let _ = reader.get("/user/gpg_keys").assert_status(200);
    let refused = reader.post("/user/gpg_keys", new(keys::ALICE)).assert_status(403).json();
    assert_eq!(refused["error"], "insufficient_scope");
}

#[both_databases]
fn an_account_has_a_bounded_number_of_keys(server: &TestServer) {
    let alice = server.user("alice");
    for number in 0..20 {
        server.database().execute(&format!(
            "INSERT INTO gpg_keys (user_id, key_text, fingerprint, keyid, can_sign, revoked, created_at) \
             VALUES ({}, 'x', '{number}', '{number}', TRUE, FALSE, '2026-03-01 00:00:00')",
            alice.id
        ));
    }
    let refused = field("base", "An account has at most 20 GPG keys");
    alice.post("/user/gpg_keys", new(keys::ALICE)).assert(400, refused);
}
