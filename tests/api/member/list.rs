//! The members of projects and groups.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

const FIELDS: [&str; 8] = ["id", "username", "name", "state", "avatar_url", "web_url", "access_level", "expires_at"];

#[both_databases]
fn direct_members_are_listed_by_id(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let path = format!("/groups/{team}/members");
    made(&alice, &path, json!({"user_id": bob.id, "access_level": 30, "expires_at": "2026-12-31"}));
    let list = server.user("stranger").get(&path).assert_status(200);
    assert_eq!(texts(&list, "username"), ["alice", "bob"]);
    assert_has(&list.json()[0], &FIELDS);
    assert_eq!((&list.json()[0]["access_level"], &list.json()[0]["expires_at"]), (&json!(50), &Value::Null));
    assert_eq!(list.json()[1]["expires_at"], "2026-12-31");
    let one = alice.get(&format!("{path}/{}", bob.id)).assert_status(200).json();
    assert_eq!((&one["username"], &one["access_level"]), (&json!("bob"), &json!(30)));
    alice.get(&format!("{path}/999999")).assert(404, json!({"message": "404 Not found"}));
    alice.get(&format!("{path}/abc")).assert(400, parameter("user_id is invalid"));
    server.anonymous().get(&path).assert(401, unauthorized());
}

#[both_databases]
fn a_query_finds_members(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user_with("bob", &json!({"name": "Robert Roe"})));
    let team = group(&alice, "team", "public");
    member(&alice, &format!("/groups/{team}"), bob.id, 30);
    for (query, want) in [
        ("bob", vec!["bob"]),
        ("ROBERT", vec!["bob"]),
        ("rob", vec!["bob"]),
        ("ro", vec![]),
        ("no-one", vec![]),
        ("", vec!["alice", "bob"]),
    ] {
        for list in ["members", "members/all"] {
            assert_eq!(
                texts(&alice.get(&format!("/groups/{team}/{list}?query={query}")), "username"),
                want,
                "{list} {query}"
            );
        }
    }
}

#[both_databases]
fn all_members_include_inherited_ones_once_with_their_highest_level(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    member(&alice, &format!("/groups/{top}"), bob.id, 20);
    member(&alice, &format!("/groups/{below}"), bob.id, 40);
    for source in [format!("/groups/{below}"), format!("/projects/{tool}")] {
        let all = alice.get(&format!("{source}/members/all")).assert_status(200);
        assert_eq!(texts(&all, "username"), ["alice", "bob"], "{source}");
        assert_eq!(all.each("access_level"), [json!(50), json!(40)], "{source}");
        assert_eq!(
            alice.get(&format!("{source}/members/all/{}", bob.id)).assert_status(200).json()["access_level"],
            40
        );
    }
    assert_eq!(alice.get(&format!("/projects/{tool}/members")).json(), json!([]));
    alice.get(&format!("/projects/{tool}/members/{}", bob.id)).assert(404, json!({"message": "404 Not found"}));
}

#[both_databases]
fn members_of_a_shared_group_count_up_to_the_share(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let friends = group(&bob, "friends", "public");
    let tool = project(&alice, "tool", "private");
    made(&alice, &format!("/projects/{tool}/share"), json!({"group_id": friends, "group_access": 20}));
    let all = alice.get(&format!("/projects/{tool}/members/all"));
    let bobs = all.json().as_array().expect("a list").iter().find(|each| each["username"] == "bob").cloned();
    assert_eq!(bobs.expect("bob")["access_level"], 20);
    let _ = bob.get(&format!("/projects/{tool}")).assert_status(200);
    bob.put(&format!("/projects/{tool}"), json!({"description": "x"})).assert(403, forbidden());
    assert_eq!(texts(&alice.get(&format!("/projects/{tool}/users")), "username"), ["alice", "bob"]);
}

#[both_databases]
fn the_owner_of_a_personal_project_is_a_member(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let list = alice.get(&format!("/projects/{tool}/members")).assert_status(200);
    assert_eq!(texts(&list, "username"), ["alice"]);
    assert!(matches!(list.json()[0]["access_level"].as_i64(), Some(40 | 50)));
}

#[both_databases]
fn administrators_are_told_address_and_maker(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let path = format!("/groups/{team}/members");
    member(&alice, &format!("/groups/{team}"), bob.id, 30);
    let told = server.root().get(&path).assert_status(200).json();
    assert_eq!((&told[1]["email"], &told[1]["created_by"]["username"]), (&json!("bob@example.org"), &json!("alice")));
    assert_eq!(told[0]["created_by"]["username"], "alice");
    for reply in
        [server.root().get(&format!("{path}/{}", bob.id)), server.root().get(&format!("{path}/all/{}", bob.id))]
    {
        assert_eq!(reply.assert_status(200).json()["created_by"]["username"], "alice");
    }
    for client in [&alice, &bob] {
        assert_lacks(&client.get(&path).assert_status(200).json()[1], &["email", "created_by"]);
    }
    // The account of the maker is gone.
    let other = server.user("other");
    member(&alice, &format!("/groups/{team}"), other.id, 50);
    let late = server.user("late");
    member(&other, &format!("/groups/{team}"), late.id, 10);
    let _ = server.root().delete(&format!("/users/{}?hard_delete=true", other.id)).assert_status(204);
    server.run_jobs();
    let told = server.root().get(&format!("{path}/{}", late.id)).assert_status(200).json();
    assert_eq!((&told["email"], &told["created_by"]), (&json!("late@example.org"), &Value::Null));
}
