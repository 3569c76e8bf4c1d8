//! The routes by which administrators manage the keys of all users.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases, keys};

use super::{FIELDS, new, no_key, taken};
use crate::support::*;

#[both_databases]
fn an_administrator_adds_and_removes_keys_of_users(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let path = format!("/users/{}/keys", alice.id);
    let made = made(&root, &path, new("given", keys::ED25519));
    assert_has(&made, &FIELDS);
    assert_eq!(alice.get("/user/keys").assert_status(200).json(), json!([made]));
    root.post(&path, new("given", keys::ED25519)).assert(400, taken());
    root.post(&path, new("given", "ssh-rsa x")).assert(400, no_key(&[]));
    let one = format!("{path}/{}", id(&made));
    let _ = root.delete(&one).assert_status(204);
    root.delete(&one).assert(404, missing("Key"));
    assert_eq!(alice.get("/user/keys").json(), json!([]));
}

#[both_databases]
fn settings_restrict_new_keys(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let set = |name: &str, number: i64| changed(&root, "/application/settings", json!({name: number}));
    set("rsa_key_restriction", 1024);
    let kept = id(&made(&alice, "/user/keys", new("before", keys::RSA_1024)));
    set("rsa_key_restriction", 2048);
    set("dsa_key_restriction", -1);
    set("ed25519_sk_key_restriction", -1);
    alice.post("/user/keys", new("t", keys::RSA_1024)).assert(
        400,
        json!({
            "message": {"key": ["must be at least 2048 bits"], "fingerprint": ["has already been taken"]},
        }),
    );
    let accepted = field("key", "type is forbidden. Must be RSA, ECDSA, or ED25519");
    alice.post("/user/keys", new("t", keys::DSA_1024)).assert(400, accepted.clone());
    alice.post("/user/keys", new("t", keys::ED25519_SK)).assert(400, accepted);
    for key in [keys::RSA_2048, keys::ED25519] {
        made(&alice, "/user/keys", new("t", key));
    }
    // Keys that are there already stay.
    let _ = alice.get(&format!("/user/keys/{kept}")).assert_status(200);
    set("ed25519_sk_key_restriction", 0);
    made(&alice, "/user/keys", new("t", keys::ED25519_SK));
}

#[both_databases]
fn short_rsa_keys_are_refused_wherever_one_is_added_until_a_setting_takes_them(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let project = project(&alice, "p", "private");
    let (own, deploy) = ("/user/keys".to_owned(), format!("/projects/{project}/deploy_keys"));
    let ways = [(&*alice, own), (&root, format!("/users/{}/keys", alice.id)), (&*alice, deploy)];
    for (client, path) in &ways {
        let refusal = client.post(path, new("t", keys::RSA_1024)).assert_status(400).text();
        assert!(refusal.contains("must be at least 2048 bits"), "{path}: {refusal}");
    }
    for number in [1024, 0] {
        changed(&root, "/application/settings", json!({"rsa_key_restriction": number}));
        for (client, path) in &ways {
            if number == 0 {
                let _ = client.post(path, new("t", keys::RSA_1024)).assert_status(400);
                continue;
            }
            let key = id(&made(client, path, new("t", keys::RSA_1024)));
            let _ = client.delete(&format!("{path}/{key}")).assert_status(204);
        }
    }
}

#[both_databases]
fn a_missing_user_is_found_out_after_the_parameters(server: &TestServer) {
    let root = server.root();
    root.post("/users/999999/keys", json!({})).assert(400, parameter("key is missing, title is missing"));
    root.post("/users/999999/keys", new("t", keys::ED25519)).assert(404, missing("User"));
    root.delete("/users/999999/keys/1").assert(404, missing("User"));
    root.post("/users/-1/keys", new("t", keys::ED25519)).assert(404, missing("User"));
    root.post("/users/ASDF/keys", new("t", keys::ED25519)).assert(404, json!({"error": "404 Not Found"}));
}

#[both_databases]
fn only_administrators_write_for_others(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let key = id(&made(&alice, "/user/keys", new("t", keys::ED25519)));
    let path = format!("/users/{}/keys", alice.id);
    for client in [&*alice, &*bob] {
        client.post(&path, new("t", keys::RSA_2048)).assert(403, forbidden());
        client.delete(&format!("{path}/{key}")).assert(403, forbidden());
    }
    server.anonymous().post(&path, new("t", keys::RSA_2048)).assert(401, unauthorized());
    server.anonymous().delete(&format!("{path}/{key}")).assert(401, unauthorized());
    let _ = server.root().header("Sudo", "alice").delete(&format!("/user/keys/{key}")).assert_status(204);
}

#[both_databases]
fn administrators_find_the_user_of_a_key(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let key = made(&alice, "/user/keys", new("t", keys::ED25519));
    let shown = root.get(&format!("/keys/{}", id(&key))).assert_status(200).json();
    assert_has(&shown, &FIELDS);
    assert_eq!((&shown["key"], &shown["user"]["username"]), (&key["key"], &json!("alice")));
    assert_eq!(shown["user"]["email"], "alice@example.org");
    for fingerprint in [
        "SHA256:xYiFBUUb6WWn57kprrEMNuZr9Hxe%2B2qBlitvWsy6cOk",
        "SHA256:xYiFBUUb6WWn57kprrEMNuZr9Hxe+2qBlitvWsy6cOk",
        "c0:69:0d:3f:41:07:5d:d7:ed:65:96:5f:3b:c9:25:1a",
        "MD5:c0:69:0d:3f:41:07:5d:d7:ed:65:96:5f:3b:c9:25:1a",
    ] {
        let found = root.get(&format!("/keys?fingerprint={fingerprint}")).assert_status(200).json();
        assert_eq!(found, shown, "{fingerprint}");
    }
    let unknown = "/keys?fingerprint=c0:69:0d:3f:41:07:5d:d7:ed:65:96:5f:3b:c9:25:1b";
    root.get(unknown).assert(404, missing("Key"));
    for fingerprint in ["", "x", "SHA256:x", "c0:69"] {
        let refused = json!({"message": "Failed to return the key"});
        root.get(&format!("/keys?fingerprint={fingerprint}")).assert(400, refused);
    }
    root.get("/keys").assert(400, parameter("fingerprint is missing"));
    root.get("/keys/999999").assert(404, not_found());
    for path in [format!("/keys/{}", id(&key)), unknown.to_owned()] {
        alice.get(&path).assert(403, forbidden());
        server.anonymous().get(&path).assert(401, unauthorized());
    }
}

#[both_databases]
fn one_of_two_accounts_gets_a_key(server: &TestServer) {
    let users = ["alice", "bob", "carol", "dave"].map(|name| server.user(name));
    let statuses = std::thread::scope(|scope| {
        let asked: Vec<_> = users
            .iter()
            .map(|user| scope.spawn(|| user.post("/user/keys", new("t", keys::ED25519)).status()))
            .collect();
        asked.into_iter().map(|thread| thread.join().expect("an answer")).collect::<Vec<_>>()
    });
    let count = |status| statuses.iter().filter(|found| **found == status).count();
    assert_eq!((count(201), count(400)), (1, 3), "{statuses:?}");
}
