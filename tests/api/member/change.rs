//! Adding, changing and removing members.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_member_is_added_changed_and_removed(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    for source in [
        format!("/groups/{}", group(&alice, "team", "private")),
        format!("/projects/{}", project(&alice, "tool", "private")),
    ] {
        let members = format!("{source}/members");
        let made = made(&alice, &members, json!({"user_id": bob.id, "access_level": 30, "expires_at": "2026-06-01"}));
        assert_eq!(
            (&made["id"], &made["access_level"], &made["expires_at"]),
            (&json!(bob.id), &json!(30), &json!("2026-06-01"))
        );
        let one = format!("{members}/{}", bob.id);
        let kept = alice.put(&one, json!({"access_level": 20})).assert_status(200).json();
        assert_eq!((&kept["access_level"], &kept["expires_at"]), (&json!(20), &json!("2026-06-01")));
        let cleared = alice.put(&one, json!({"access_level": 20, "expires_at": ""})).assert_status(200).json();
        assert_eq!(cleared["expires_at"], Value::Null);
        let _ = alice.delete(&one).assert_status(204);
        alice.delete(&one).assert(404, json!({"message": "404 Not found"}));
        alice.put(&one, json!({"access_level": 20})).assert(404, json!({"message": "404 Not found"}));
    }
}

#[both_databases]
fn every_rule_has_its_text_in_order(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let members = format!("/groups/{}/members", group(&alice, "team", "public"));
    alice.post(&members, json!({})).assert(400, parameter("user_id is missing, access_level is missing"));
    alice.post(&members, json!({"user_id": 999_999, "access_level": 30})).assert(404, missing("User"));
    alice
        .post(&members, json!({"user_id": bob.id, "access_level": 33}))
        .assert(400, field("access_level", "is not included in the list"));
    alice
        .post(&members, json!({"user_id": bob.id, "access_level": "x"}))
        .assert(400, parameter("access_level is invalid"));
    bob.post(&members, json!({"user_id": 999_999, "access_level": 33})).assert(403, forbidden());
    made(&alice, &members, json!({"user_id": bob.id, "access_level": 30}));
    alice
        .post(&members, json!({"user_id": bob.id, "access_level": 33}))
        .assert(409, json!({"message": "Member already exists"}));
    alice.put(&format!("{members}/{}", bob.id), json!({})).assert(400, parameter("access_level is missing"));
    alice
        .put(&format!("{members}/{}", bob.id), json!({"access_level": 33}))
        .assert(400, field("access_level", "is not included in the list"));
    alice.post("/groups/999999/members", json!({"user_id": bob.id, "access_level": 30})).assert(404, missing("Group"));
    alice
        .post("/projects/999999/members", json!({"user_id": bob.id, "access_level": 30}))
        .assert(404, missing("Project"));
}

#[both_databases]
fn the_last_owner_stays(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let own = format!("/groups/{team}/members/{}", alice.id);
    for caller in [alice.clone(), server.root()] {
        caller.put(&own, json!({"access_level": 30})).assert(403, forbidden());
        caller.delete(&own).assert(403, forbidden());
    }
    // Owners of the parent do not count.
    let below = subgroup(&alice, team, "below", "public");
    member(&alice, &format!("/groups/{team}"), bob.id, 50);
    let inherited = format!("/groups/{below}/members/{}", alice.id);
    alice.delete(&inherited).assert(403, forbidden());
    let _ = alice.delete(&own).assert_status(204);
    bob.delete(&format!("/groups/{team}/members/{}", bob.id)).assert(403, forbidden());
}

#[both_databases]
fn an_owner_until_some_day_does_not_replace_the_last_one_without_an_end(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let [own, other] = [alice.id, bob.id].map(|id| format!("/groups/{team}/members/{id}"));
    member(&alice, &format!("/groups/{team}"), bob.id, 50);
    let ends = json!({"access_level": 50, "expires_at": "2099-01-01"});
    let _ = alice.put(&other, ends.clone()).assert_status(200);
    alice.put(&own, ends.clone()).assert(403, forbidden());
    alice.delete(&own).assert(403, forbidden());
    let _ = alice.put(&other, json!({"access_level": 50, "expires_at": ""})).assert_status(200);
    let _ = alice.put(&own, ends).assert_status(200);
    let _ = bob.delete(&own).assert_status(204);
}

#[both_databases]
fn the_owner_of_a_personal_project_stays(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 40);
    let own = format!("/projects/{tool}/members/{}", alice.id);
    for caller in [alice.clone(), bob.clone(), server.root()] {
        caller.put(&own, json!({"access_level": 10})).assert(403, forbidden());
        caller.delete(&own).assert(403, forbidden());
    }
}

#[both_databases]
fn everybody_may_leave(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    for source in [
        format!("/groups/{}", group(&alice, "team", "private")),
        format!("/projects/{}", project(&alice, "tool", "private")),
    ] {
        member(&alice, &source, bob.id, 10);
        let _ = bob.delete(&format!("{source}/members/{}", bob.id)).assert_status(204);
        let _ = bob.get(&source).assert_status(404);
    }
}

#[both_databases]
fn a_maintainer_grants_at_most_what_a_maintainer_is(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 40);
    let members = format!("/projects/{tool}/members");
    let status = bob.post(&members, json!({"user_id": carl.id, "access_level": 50})).status();
    assert!(matches!(status, 400 | 403), "{status}");
    made(&bob, &members, json!({"user_id": carl.id, "access_level": 40}));
    let status = bob.put(&format!("{members}/{}", bob.id), json!({"access_level": 50})).status();
    assert!(matches!(status, 400 | 403), "{status}");
    bob.post(&format!("/groups/{team}/members"), json!({"user_id": carl.id, "access_level": 10}))
        .assert(403, forbidden());
}

#[both_databases]
fn an_expired_membership_is_none(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    made(
        &alice,
        &format!("/groups/{team}/members"),
        json!({"user_id": bob.id, "access_level": 50, "expires_at": "2026-03-10"}),
    );
    let _ = bob.get(&format!("/groups/{team}")).assert_status(200);
    server.advance(TimeDelta::days(8));
    bob.get(&format!("/groups/{team}")).assert(404, missing("Group"));
    assert_eq!(bob.get("/groups").json(), json!([]));
    // And it does not count as a second owner.
    alice.delete(&format!("/groups/{team}/members/{}", alice.id)).assert(403, forbidden());
}

#[both_databases]
fn removal_is_conditional(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    member(&alice, &format!("/groups/{team}"), bob.id, 10);
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early
        .delete(&format!("/groups/{team}/members/{}", bob.id))
        .assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = bob.get(&format!("/groups/{team}")).assert_status(200);
}

#[both_databases]
fn several_can_be_added_at_once(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let members = format!("/groups/{}/members", group(&alice, "team", "public"));
    let reply = alice.post(&members, json!({"user_id": format!("{},{}", bob.id, carl.id), "access_level": 20}));
    assert_eq!(reply.status(), 201, "{}", reply.text());
    assert_eq!(texts(&alice.get(&members), "username"), ["alice", "bob", "carl"]);
}

#[both_databases]
fn a_direct_level_below_the_inherited_one_is_refused(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let members = format!("/groups/{below}/members");
    member(&alice, &format!("/groups/{top}"), bob.id, 30);
    let text = "should be greater than or equal to Developer inherited membership from group top";
    alice.post(&members, json!({"user_id": bob.id, "access_level": 10})).assert(400, field("access_level", text));
    made(&alice, &members, json!({"user_id": bob.id, "access_level": 40}));
    assert_eq!(alice.get(&format!("{members}/all/{}", bob.id)).json()["access_level"], 40);
}
