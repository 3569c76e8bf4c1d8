//! Subscriptions.

use serde_json::json;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

fn subscribe(client: &Client, path: &str) -> u16 {
    client.post(&format!("{path}/subscribe"), json!({})).status()
}

fn unsubscribe(client: &Client, path: &str) -> u16 {
    client.post(&format!("{path}/unsubscribe"), json!({})).status()
}

fn subscribed(client: &Client, path: &str) -> bool {
    client.get(path).json()["subscribed"] == true
}

#[both_databases]
fn a_reader_subscribes_and_ends_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    assert!(!subscribed(&bob, &path));
    let reply = bob.post(&format!("{path}/subscribe"), json!({})).assert_status(200).json();
    assert_eq!((&reply["subscribed"], &reply["iid"]), (&json!(true), &json!(1)));
    assert_has(&reply, &["_links"]);
    let again = bob.post(&format!("{path}/subscribe"), json!({}));
    assert_eq!((again.status(), again.text().as_str()), (304, ""));
    assert!(subscribed(&bob, &path));
    let ended = bob.post(&format!("{path}/unsubscribe"), json!({})).assert_status(200).json();
    assert_eq!(ended["subscribed"], false);
    assert_eq!(unsubscribe(&bob, &path), 304);
    assert_eq!([subscribe(&bob, &path), unsubscribe(&bob, &path)], [200, 200]);
}

#[both_databases]
fn participants_are_subscribed_until_they_say_otherwise(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let path = issue(&alice, project(&alice, "tool", "public"), json!({"title": "t", "assignee_ids": [bob.id]}));
    comment(&carl, &path, "a comment");
    for user in [&alice, &bob, &carl] {
        assert!(subscribed(user, &path), "{}", user.username);
        assert_eq!(subscribe(user, &path), 304, "{}", user.username);
        assert_eq!(unsubscribe(user, &path), 200, "{}", user.username);
        assert!(!subscribed(user, &path), "{}", user.username);
    }
    // It sticks, whatever they do.
    comment(&carl, &path, "again");
    changed(&alice, &path, json!({"title": "u"}));
    assert!(!subscribed(&carl, &path) && !subscribed(&alice, &path));
}

#[both_databases]
fn one_subscription_says_nothing_about_others(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let (one, two) = (titled(&alice, tool, "a"), titled(&alice, tool, "b"));
    assert_eq!(subscribe(&bob, &one), 200);
    assert!(!subscribed(&bob, &two));
    assert!(!subscribed(&server.root(), &one));
}

#[both_databases]
fn what_cannot_be_read_cannot_be_followed(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = issue(&cast.owner, cast.project, json!({"title": "t", "confidential": true}));
    for way in ["subscribe", "unsubscribe"] {
        cast.guest.post(&format!("{path}/{way}"), json!({})).assert(404, not_found());
        cast.guest.post(&format!("{}/issues/9/{way}", cast.path()), json!({})).assert(404, not_found());
        cast.guest.post(&format!("/projects/999999/issues/1/{way}"), json!({})).assert(404, missing("Project"));
        server.anonymous().post(&format!("{path}/{way}"), json!({})).assert(401, unauthorized());
    }
    let open = titled(&cast.owner, cast.project, "t");
    assert_eq!(
        cast.statuses(|client| client.post(&format!("{open}/subscribe"), json!({}))),
        [200, 200, 200, 200, 200, 304, 200]
    );
}
