//! Reactions.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn issues_and_notes_are_reacted_to(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let note = comment(&alice, &path, "n");
    let issue = id(&alice.get(&path).json());
    for (awards, kind, of) in
        [(format!("{path}/award_emoji"), "Issue", issue), (format!("{path}/notes/{note}/award_emoji"), "Note", note)]
    {
        let award = made(&bob, &awards, json!({"name": "heart"}));
        assert_has(&award, &["id", "name", "user", "created_at", "updated_at", "awardable_id", "awardable_type"]);
        assert_eq!(
            (&award["name"], &award["awardable_type"], &award["awardable_id"]),
            (&json!("heart"), &json!(kind), &json!(of))
        );
        assert_eq!(award["user"]["username"], "bob");
        let one = format!("{awards}/{}", award["id"]);
        assert_eq!(alice.get(&one).assert_status(200).json(), award);
        let second = made(&alice, &awards, json!({"name": "tada"}));
        let list = alice.get(&awards).assert_status(200);
        assert_eq!((list.json(), list.header("x-total")), (json!([award, second]), "2".to_owned()));
        assert_eq!(alice.get(&format!("{awards}?per_page=1&page=2")).json(), json!([second]));
        let _ = bob.delete(&one).assert_status(204);
        alice.get(&one).assert(404, not_found());
        bob.delete(&one).assert(404, not_found());
    }
}

#[both_databases]
fn votes_are_counted(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    let awards = format!("{path}/award_emoji");
    let up = made(&alice, &awards, json!({"name": "+1"}));
    assert_eq!(up["name"], "thumbsup");
    assert_eq!(made(&server.user("bob"), &awards, json!({"name": "-1"}))["name"], "thumbsdown");
    made(&server.user("carl"), &awards, json!({"name": "thumbsup"}));
    made(&alice, &awards, json!({"name": "heart"}));
    let votes = || {
        let one = alice.get(&path).json();
        let listed = alice.get(&format!("/projects/{tool}/issues")).json()[0].clone();
        assert_eq!((&one["upvotes"], &one["downvotes"]), (&listed["upvotes"], &listed["downvotes"]));
        (one["upvotes"].clone(), one["downvotes"].clone())
    };
    assert_eq!(votes(), (json!(2), json!(1)));
    let _ = alice.delete(&format!("{awards}/{}", up["id"])).assert_status(204);
    assert_eq!(votes(), (json!(1), json!(1)));
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    let note = comment(&cast.owner, &path, "n");
    for awards in [format!("{path}/award_emoji"), format!("{path}/notes/{note}/award_emoji")] {
        cast.guest.post(&awards, json!({})).assert(400, parameter("name is missing"));
        for unknown in ["no such emoji", "", ":heart:", "<b>", "%"] {
            let reply = cast.guest.post(&awards, json!({"name": unknown}));
            assert_eq!(
                (reply.status(), reply.json()),
                (404, json!({"message": "404 Award Emoji {:name=>[\"is not included in the list\"]} Not Found"})),
                "{unknown:?}"
            );
        }
        let award = id(&made(&cast.guest, &awards, json!({"name": "thumbsup"})));
        for same in ["thumbsup", "+1"] {
            let again = cast.guest.post(&awards, json!({"name": same})).assert_status(404);
            assert!(again.text().contains("has already been taken"), "{}", again.text());
        }
        for (role, client) in cast.everybody() {
            if !matches!(role, "guest" | "admin") {
                client.delete(&format!("{awards}/{award}")).assert(401, unauthorized());
            }
        }
        cast.guest.get(&format!("{awards}/999999")).assert(404, not_found());
        let _ = cast.admin.delete(&format!("{awards}/{award}")).assert_status(204);
        server.anonymous().get(&awards).assert(401, unauthorized());
        server.anonymous().post(&awards, json!({"name": "heart"})).assert(401, unauthorized());
    }
    for way in ["GET", "POST"] {
        let body = json!({"name": "heart"}).to_string().into_bytes();
        let reply =
            cast.guest.send(way, &format!("{}/issues/9/award_emoji", cast.path()), Some("application/json"), body);
        reply.assert(404, not_found());
    }
}

#[both_databases]
fn what_cannot_be_read_cannot_be_reacted_to(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = issue(&cast.owner, cast.project, json!({"title": "t", "confidential": true}));
    let awards = format!("{path}/award_emoji");
    assert_eq!(
        cast.statuses(|client| client.post(&awards, json!({"name": "heart"}))),
        [404, 404, 201, 201, 201, 201, 201]
    );
    assert_eq!(cast.statuses(|client| client.get(&awards)), [404, 404, 200, 200, 200, 200, 200]);
    // An object that cannot be read is answered like one that is missing.
    cast.guest.post(&awards, json!({"name": "heart"})).assert(404, not_found());
}

#[both_databases]
fn an_archived_project_takes_no_reactions(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let awards = format!("{}/award_emoji", titled(&alice, tool, "t"));
    let _ = alice.post(&format!("/projects/{tool}/archive"), json!({})).assert_status(200);
    alice.post(&awards, json!({"name": "heart"})).assert(404, missing("Award Emoji"));
    let _ = alice.get(&awards).assert_status(200);
}

#[both_databases]
fn a_reaction_belongs_to_what_it_was_given_to(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let (one, two) = (titled(&alice, tool, "a"), titled(&alice, tool, "b"));
    let award = id(&made(&alice, &format!("{one}/award_emoji"), json!({"name": "heart"})));
    let note = comment(&alice, &one, "n");
    for elsewhere in [format!("{two}/award_emoji/{award}"), format!("{one}/notes/{note}/award_emoji/{award}")] {
        alice.get(&elsewhere).assert(404, not_found());
        alice.delete(&elsewhere).assert(404, not_found());
    }
    let _ = alice.get(&format!("{one}/award_emoji/{award}")).assert_status(200);
}
