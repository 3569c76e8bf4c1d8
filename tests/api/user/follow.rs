//! Users who follow each other.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_testkit::{Backend, Client, TestServer, both_databases};

use crate::support::*;

fn names(client: &Client, path: &str) -> Vec<String> {
    let reply = client.get(path).assert_status(200);
    let names: Vec<String> = reply.each("username").iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect();
    assert_eq!(reply.header("x-total"), names.len().to_string());
    names
}

#[both_databases]
fn a_user_follows_others_and_stops(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let path = |what: &str| format!("/users/{}/{what}", bob.id);
    let followed = made(&alice, &path("follow"), json!({}));
    assert_has(&followed, &BASIC_USER);
    assert_eq!(followed["id"], bob.id);
    let _ = alice.post(&path("follow"), json!({})).assert_status(304);
    made(&carl, &path("follow"), json!({}));
    assert_eq!(names(&carl, &path("followers")), ["alice", "carl"]);
    assert_eq!(names(&bob, &format!("/users/{}/following", alice.id)), ["bob"]);
    assert_eq!(names(&alice, &format!("/users/{}/followers", alice.id)), [""; 0]);
    assert_eq!(made(&alice, &path("unfollow"), json!({}))["id"], bob.id);
    let _ = alice.post(&path("unfollow"), json!({})).assert_status(304);
    assert_eq!(names(&alice, &path("followers")), ["carl"]);
    let _ = server.root().post(&format!("/users/{}/block", carl.id), json!({})).assert_status(201);
    assert_eq!(names(&alice, &path("followers")), [""; 0]);
}

#[both_databases]
fn a_user_follows_neither_themselves_nor_a_missing_user(server: &TestServer) {
    let alice = server.user("alice");
    let _ = alice.post(&format!("/users/{}/follow", alice.id), json!({})).assert_status(304);
    alice.post("/users/9999/follow", json!({})).assert(404, missing("User"));
    alice.post("/users/9999/unfollow", json!({})).assert(404, missing("User"));
    alice.get("/users/9999/followers").assert(404, missing("User"));
    server.anonymous().post(&format!("/users/{}/follow", alice.id), json!({})).assert(401, unauthorized());
    server.anonymous().get(&format!("/users/{}/following", alice.id)).assert(401, unauthorized());
}

#[both_databases]
fn a_private_profile_hides_whom_its_user_knows(server: &TestServer) {
    let (alice, bob) = (server.user_with("alice", &json!({"private_profile": true})), server.user("bob"));
    made(&alice, &format!("/users/{}/follow", bob.id), json!({}));
    for list in ["followers", "following"] {
        let path = format!("/users/{}/{list}", alice.id);
        bob.get(&path).assert(404, missing("User"));
        let _ = alice.get(&path).assert_status(200);
        let _ = server.root().get(&path).assert_status(200);
    }
}

#[test]
fn a_user_follows_a_bounded_number_of_others() {
    let mut limits = Limits::without_rates();
    limits.people.followed = 1;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    made(&alice, &format!("/users/{}/follow", bob.id), json!({}));
    let refused = "You can't follow more than 1 users. To follow more users, unfollow some others.";
    alice.post(&format!("/users/{}/follow", carl.id), json!({})).assert(400, json!({"message": refused}));
    let _ = alice.post(&format!("/users/{}/follow", bob.id), json!({})).assert_status(304);
    made(&alice, &format!("/users/{}/unfollow", bob.id), json!({}));
    made(&alice, &format!("/users/{}/follow", carl.id), json!({}));
}
