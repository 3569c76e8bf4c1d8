//! The routes by which administrators manage the keys of all users.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases, keys};

use super::new;
use crate::support::*;

#[both_databases]
fn an_administrator_adds_and_removes_keys_of_users(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let path = format!("/users/{}/gpg_keys", alice.id);
    let made = made(&root, &path, new(keys::ALICE));
    let one = format!("{path}/{}", id(&made));
    assert_eq!(root.get(&path).assert_status(200).json(), json!([made]));
    assert_eq!(root.get(&one).assert_status(200).json(), made);
    assert_eq!(alice.get("/user/gpg_keys").json(), json!([made]));
    let _ = root.delete(&one).assert_status(204);
    root.get(&one).assert(404, missing("GPG Key"));
    root.delete(&one).assert(404, missing("GPG Key"));
}

#[both_databases]
fn an_administrator_withdraws_keys_of_users(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let key = id(&made(&alice, "/user/gpg_keys", new(keys::ALICE)));
    let path = format!("/users/{}/gpg_keys/{key}/revoke", alice.id);
    alice.post(&path, json!({})).assert(403, forbidden());
    root.post("/users/999999/gpg_keys/1/revoke", json!({})).assert(404, missing("User"));
    root.post(&path, json!({})).assert(202, json!({"message": "202 Accepted"}));
    root.post(&path, json!({})).assert(404, missing("GPG Key"));
    assert_eq!(alice.get("/user/gpg_keys").json(), json!([]));
}

#[both_databases]
fn only_administrators_see_and_write_the_keys_of_others(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let key = id(&made(&alice, "/user/gpg_keys", new(keys::ALICE)));
    let path = format!("/users/{}/gpg_keys", alice.id);
    let one = format!("{path}/{key}");
    for client in [&*alice, &*bob] {
        client.get(&path).assert(403, forbidden());
        client.get(&one).assert(403, forbidden());
        client.post(&path, new(keys::BOB)).assert(403, forbidden());
        client.delete(&one).assert(403, forbidden());
    }
    let anonymous = server.anonymous();
    anonymous.get(&path).assert(401, unauthorized());
    anonymous.get(&one).assert(401, unauthorized());
    anonymous.post(&path, new(keys::BOB)).assert(401, unauthorized());
    let root = server.root();
    root.post("/users/999999/gpg_keys", json!({})).assert(400, parameter("key is missing"));
    root.post("/users/999999/gpg_keys", new(keys::BOB)).assert(404, missing("User"));
    root.get("/users/999999/gpg_keys").assert(404, missing("User"));
    root.get(&format!("/users/{}/gpg_keys/{key}", bob.id)).assert(404, missing("GPG Key"));
}
