//! Secondary addresses and the primary one of an account.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::new;
use crate::support::*;

#[both_databases]
fn a_secondary_address_is_no_primary_one_of_another(server: &TestServer) {
    let (alice, bob, root) = (server.user("alice"), server.user("bob"), server.root());
    made(&alice, "/user/emails", new("alice@work.example"));
    let account = json!({"email": "Alice@work.example", "username": "x", "name": "X", "password": "correct horse"});
    root.post("/users", account).assert(409, json!({"message": "Email has already been taken"}));
    let path = format!("/users/{}", bob.id);
    let body = json!({"email": "alice@work.example", "skip_reconfirmation": true});
    root.put(&path, body).assert(404, json!({"message": "404 Email has already been taken"}));
    root.put(&path, new("alice@work.example")).assert(404, json!({"message": "404 Email has already been taken"}));
}

#[both_databases]
fn the_old_primary_address_becomes_a_secondary_one(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let path = format!("/users/{}", alice.id);
    let body = json!({"email": "alice@work.example", "skip_reconfirmation": true});
    assert_eq!(changed(&root, &path, body)["email"], "alice@work.example");
    let kept = alice.get("/user/emails").assert_status(200);
    assert_eq!(texts(&kept, "email"), ["alice@example.org"]);
    assert!(kept.json()[0]["confirmed_at"].is_string());
    // It is confirmed, so that it can take its place again at once.
    assert_eq!(changed(&root, &path, new("alice@example.org"))["email"], "alice@example.org");
    assert_eq!(texts(&alice.get("/user/emails"), "email"), ["alice@work.example"]);
}

#[both_databases]
fn an_unconfirmed_secondary_address_waits_as_any_other(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    made(&alice, "/user/emails", new("alice@work.example"));
    let path = format!("/users/{}", alice.id);
    assert_eq!(changed(&root, &path, new("alice@work.example"))["email"], "alice@example.org");
    let body = json!({"email": "alice@work.example", "skip_reconfirmation": true});
    assert_eq!(changed(&root, &path, body)["email"], "alice@work.example");
    assert_eq!(texts(&alice.get("/user/emails"), "email"), ["alice@example.org"]);
}

#[both_databases]
fn a_confirmed_secondary_address_may_be_published(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let (path, emails) = (format!("/users/{}", alice.id), format!("/users/{}/emails", alice.id));
    let published = |address: &str| changed(&root, &path, json!({"public_email": address}))["public_email"].clone();
    made(&root, &emails, new("waiting@work.example"));
    assert_eq!(published("waiting@work.example"), "");
    let sure = made(&root, &emails, json!({"email": "alice@work.example", "skip_confirmation": true}));
    assert_eq!(published("alice@work.example"), "alice@work.example");
    let anonymous = server.anonymous();
    let found = |address: &str| anonymous.get(&format!("/avatar?email={address}")).assert_status(200).json();
    assert_ne!(found("alice@work.example")["avatar_url"], json!(null));
    assert_eq!(found("waiting@work.example")["avatar_url"], json!(null));
    let _ = root.delete(&format!("{emails}/{}", id(&sure))).assert_status(204);
    assert_eq!(root.get(&path).json()["public_email"], "");
    assert_eq!(found("alice@work.example")["avatar_url"], json!(null));
}

#[both_databases]
fn administrators_find_users_by_confirmed_secondary_addresses(server: &TestServer) {
    let (alice, bob, root) = (server.user("alice"), server.user("bob"), server.root());
    let emails = format!("/users/{}/emails", alice.id);
    made(&root, &emails, json!({"email": "alice@work.example", "skip_confirmation": true}));
    made(&root, &emails, new("waiting@work.example"));
    assert_eq!(names(&root.get("/users?search=Alice@work.example")), ["alice"]);
    assert_eq!(root.get("/users?search=waiting@work.example").json(), json!([]));
    assert_eq!(bob.get("/users?search=alice@work.example").json(), json!([]));
    assert_eq!(names(&alice.get("/users?search=alice@work.example")), ["alice"]);
}
