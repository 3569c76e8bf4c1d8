//! When Git was last used with an SSH key.

use serde_json::{Value, json};
use tenon_app::Network;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, Strangers, TestServer, both_databases, keys};

use crate::wait;

/// Of [`keys::ED25519`].
const FINGERPRINT: &str = "xYiFBUUb6WWn57kprrEMNuZr9Hxe+2qBlitvWsy6cOk";

/// Asks for nothing, as `ssh -T` does.
fn greet(server: &TestServer) {
    let app = server.app();
    let caller = wait(app.ssh_caller(FINGERPRINT.to_owned(), Network::of(None))).expect("an answer").expect("a key");
    wait(app.greet(caller)).expect("a greeting");
}

fn used_at(client: &Client, path: &str) -> Value {
    let key = client.get(path).assert_status(200).json();
    key.get(0).unwrap_or(&key)["last_used_at"].clone()
}

#[both_databases]
fn who_a_key_belongs_to_is_found_beside_strangers(server: &TestServer) {
    let alice = server.user("alice");
    let _key = alice.post("/user/keys", json!({"title": "t", "key": keys::ED25519})).assert_status(201);
    let here = Network::of(Some([127, 0, 0, 1].into()));
    let app = server.app().used_by(tenon_app::Client::Network(here));
    let _strangers = Strangers::fill(server);
    for _ in 0..20 {
        let caller = wait(app.ssh_caller(FINGERPRINT.to_owned(), here)).expect("an answer").expect("a key");
        assert_eq!(caller.client(), tenon_app::Client::User(tenon_domain::id::UserId::new(alice.id)));
        wait(app.used_by(caller.client()).greet(caller)).expect("a greeting");
    }
}

#[both_databases]
fn the_use_of_a_key_is_written_once_in_an_hour(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"title": "t", "key": keys::ED25519});
    let key = alice.post("/user/keys", body).assert_status(201).json();
    assert_eq!(key["last_used_at"], json!(null));
    let path = format!("/user/keys/{}", key["id"]);
    // A key that is offered and not proved was not used.
    wait(server.app().ssh_caller(FINGERPRINT.to_owned(), Network::of(None))).expect("an answer").expect("a key");
    server.flush_usage();
    assert_eq!(used_at(&alice, &path), json!(null));
    greet(server);
    assert_eq!(used_at(&alice, &path), json!(null), "remembered, not written");
    server.flush_usage();
    let first = used_at(&alice, &path);
    assert!(first.is_string());
    server.advance(TimeDelta::minutes(59));
    greet(server);
    server.flush_usage();
    assert_eq!(used_at(&alice, &path), first);
    server.advance(TimeDelta::minutes(2));
    greet(server);
    server.flush_usage();
    assert_ne!(used_at(&alice, &path), first);
}

#[both_databases]
fn a_private_profile_does_not_say_when_a_key_was_used(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let body = json!({"title": "t", "key": keys::ED25519});
    let key = alice.post("/user/keys", body).assert_status(201).json();
    greet(server);
    server.flush_usage();
    let (list, one) = (format!("/users/{}/keys", alice.id), format!("/users/{}/keys/{}", alice.id, key["id"]));
    for path in [&list, &one] {
        let day = used_at(&bob, path);
        assert!(day.as_str().is_some_and(|at| at.ends_with("T00:00:00.000Z")), "others see the day: {day}");
        assert_ne!(used_at(&alice, path), day);
    }
    let private = json!({"private_profile": true});
    let _ = server.root().put(&format!("/users/{}", alice.id), private).assert_status(200);
    for path in [&list, &one] {
        assert_eq!(used_at(&bob, path), json!(null));
        assert_eq!(used_at(&server.anonymous(), path), json!(null));
        assert!(used_at(&alice, path).is_string());
        assert!(used_at(&server.root(), path).is_string());
    }
}
