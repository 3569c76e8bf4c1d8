//! The routes by which administrators manage the addresses of all users.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::{new, taken};
use crate::support::*;

#[both_databases]
fn an_administrator_adds_confirmed_and_unconfirmed_addresses(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let path = format!("/users/{}/emails", alice.id);
    let waiting = made(&root, &path, new("alice@work.example"));
    assert_eq!(waiting["confirmed_at"], json!(null));
    let sure = made(&root, &path, json!({"email": "alice@home.example", "skip_confirmation": true}));
    assert!(sure["confirmed_at"].is_string(), "{sure}");
    assert_eq!(root.get(&path).assert_status(200).json(), json!([waiting, sure]));
    assert_eq!(alice.get("/user/emails").json(), json!([waiting, sure]));
    root.post(&path, new("alice@home.example")).assert(400, taken());
    let one = format!("{path}/{}", id(&waiting));
    let _ = root.delete(&one).assert_status(204);
    root.delete(&one).assert(404, missing("Email"));
}

#[both_databases]
fn only_administrators_see_and_write_the_addresses_of_others(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let email = id(&made(&alice, "/user/emails", new("alice@work.example")));
    let path = format!("/users/{}/emails", alice.id);
    for client in [&*alice, &*bob] {
        client.get(&path).assert(403, forbidden());
        client.post(&path, new("b@work.example")).assert(403, forbidden());
        client.delete(&format!("{path}/{email}")).assert(403, forbidden());
    }
    let anonymous = server.anonymous();
    anonymous.get(&path).assert(401, unauthorized());
    anonymous.post(&path, new("b@work.example")).assert(401, unauthorized());
    let root = server.root();
    root.post("/users/999999/emails", json!({})).assert(400, parameter("email is missing"));
    root.post("/users/999999/emails", new("b@work.example")).assert(404, missing("User"));
    root.get("/users/999999/emails").assert(404, missing("User"));
    root.delete(&format!("/users/{}/emails/{email}", bob.id)).assert(404, missing("Email"));
}

#[both_databases]
fn one_of_many_gets_an_address(server: &TestServer) {
    let users = ["alice", "bob", "carol"].map(|name| server.user(name));
    let root = server.root();
    let (email, password) = ("one@work.example", "correct horse");
    let account = json!({"email": email, "username": "one", "name": "One", "password": password});
    let statuses = std::thread::scope(|scope| {
        let mut asked = vec![scope.spawn(|| root.post("/users", account.clone()).status())];
        let added = users.iter().map(|user| scope.spawn(|| user.post("/user/emails", new(email)).status()));
        asked.extend(added);
        asked.into_iter().map(|thread| thread.join().expect("an answer")).collect::<Vec<_>>()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [201, 400, 409].contains(status)), "{statuses:?}");
}
