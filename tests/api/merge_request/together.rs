//! The features that merge requests share with issues: subscriptions, to-do lists, time, reactions, participants,
//! recorded changes.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::{cast, offer, repository, simple, some, text, work};
use crate::support::*;

#[both_databases]
fn readers_subscribe_once(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = simple(&alice, repository(&alice, "tool", "public"), "topic");
    let ask = |way: &str| bob.post(&format!("{path}/{way}"), json!({}));
    assert_eq!((ask("unsubscribe").status(), &bob.get(&path).json()["subscribed"]), (304, &json!(false)));
    let request = ask("subscribe").assert_status(200).json();
    assert_eq!(some(&request, &["iid", "subscribed", "sha"]), json!([1, true, bob.get(&path).json()["sha"]]));
    let again = ask("subscribe");
    assert_eq!((again.status(), again.text().as_str()), (304, ""));
    assert_eq!(ask("unsubscribe").assert_status(200).json()["subscribed"], false);
    assert_eq!(ask("unsubscribe").status(), 304);
    // The author is subscribed without asking, until they say otherwise.
    assert_eq!(alice.post(&format!("{path}/subscribe"), json!({})).status(), 304);
    assert_eq!(alice.post(&format!("{path}/unsubscribe"), json!({})).assert_status(200).json()["subscribed"], false);
    assert_eq!(alice.get(&path).json()["subscribed"], false);
    server.anonymous().post(&format!("{path}/subscribe"), json!({})).assert(401, unauthorized());
}

#[both_databases]
fn it_is_put_on_a_list_once(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let todo = bob.post(&format!("{path}/todo"), json!({})).assert_status(200).json();
    let fields = ["action_name", "target_type", "state", "body", "target_url"];
    let url = format!("{}/alice/tool/-/merge_requests/1", server.base());
    assert_eq!(some(&todo, &fields), json!(["marked", "MergeRequest", "pending", "topic", url]));
    assert_eq!(some(&todo["target"], &["iid", "source_branch", "state"]), json!([1, "topic", "opened"]));
    let again = bob.post(&format!("{path}/todo"), json!({}));
    assert_eq!((again.status(), again.text().as_str()), (304, ""));
    titled(&alice, tool, "an issue of the same number");
    assert_eq!(ids(&bob.get("/todos?type=MergeRequest")), [id(&todo)]);
    assert_eq!(bob.get("/todos?type=Issue").json(), json!([]));
    assert_eq!(bob.get("/todos").json()[0]["target"]["target_branch"], "main");
    server.anonymous().post(&format!("{path}/todo"), json!({})).assert(401, unauthorized());
}

#[both_databases]
fn people_who_are_asked_find_it_on_their_lists(server: &TestServer) {
    let cast = cast(server, "public");
    work(&cast.developer, cast.project, "topic");
    let more = json!({"assignee_id": cast.reporter.id, "description": "Look, @guest and @stranger"});
    let path = offer(&cast.developer, cast.project, "topic", "main", &more);
    for (client, action) in [(&cast.reporter, "assigned"), (&cast.guest, "mentioned"), (&cast.stranger, "mentioned")] {
        let list = client.get("/todos");
        assert_eq!(
            (list.each("action_name"), list.each("target_type")),
            (vec![json!(action)], vec![json!("MergeRequest")]),
            "{}",
            client.username
        );
        assert_eq!(list.json()[0]["author"]["username"], "developer");
    }
    let note = comment(&cast.owner, &path, "@developer please");
    let todo = cast.developer.get("/todos").json()[0].clone();
    assert_eq!(todo["target_url"], format!("{}/owner/tool/-/merge_requests/1#note_{note}", server.base()));
    // A user who is mentioned and cannot read it gets nothing.
    changed(&cast.owner, &cast.path(), json!({"visibility": "private"}));
    let before = cast.guest.get("/todos?state=done").json();
    comment(&cast.owner, &path, "@guest again, and @stranger");
    assert_eq!(cast.stranger.get("/todos").json(), json!([]));
    assert_eq!(cast.guest.get("/todos?state=done").json(), before);
}

#[both_databases]
fn time_is_kept_by_developers(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let statuses = cast.statuses(|client| client.post(&format!("{path}/time_estimate"), json!({"duration": "3h30m"})));
    assert_eq!(statuses, [403, 403, 403, 200, 200, 200, 200]);
    let spent =
        cast.developer.post(&format!("{path}/add_spent_time"), json!({"duration": "1h"})).assert_status(200).json();
    let want = json!({"time_estimate": 12_600, "total_time_spent": 3_600, "human_time_estimate": "3h 30m", "human_total_time_spent": "1h"});
    assert_eq!(spent, want);
    assert_eq!(cast.stranger.get(&format!("{path}/time_stats")).assert_status(200).json(), want);
    assert_eq!(cast.owner.get(&path).json()["time_stats"], want);
    for way in ["reset_time_estimate", "reset_spent_time"] {
        let _ = cast.developer.post(&format!("{path}/{way}"), json!({})).assert_status(200);
    }
    let stats = cast.owner.get(&format!("{path}/time_stats")).json();
    assert_eq!(some(&stats, &["time_estimate", "total_time_spent"]), json!([0, 0]));
    cast.developer
        .post(&format!("{path}/time_estimate"), json!({"duration": "soon"}))
        .assert(400, field("time_estimate", "has an invalid format"));
}

#[both_databases]
fn reactions_are_counted(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let award = made(&bob, &format!("{path}/award_emoji"), json!({"name": "thumbsup"}));
    assert_eq!(
        some(&award, &["name", "awardable_type", "awardable_id"]),
        json!(["thumbsup", "MergeRequest", alice.get(&path).json()["id"]])
    );
    made(&alice, &format!("{path}/award_emoji"), json!({"name": "thumbsdown"}));
    assert_eq!(some(&alice.get(&path).json(), &["upvotes", "downvotes"]), json!([1, 1]));
    let note = comment(&alice, &path, "well");
    made(&bob, &format!("{path}/notes/{note}/award_emoji"), json!({"name": "rocket"}));
    assert_eq!(texts(&bob.get(&format!("{path}/notes/{note}/award_emoji")), "name"), ["rocket"]);
    alice.delete(&format!("{path}/award_emoji/{}", award["id"])).assert(401, unauthorized());
    let _ = bob.delete(&format!("{path}/award_emoji/{}", award["id"])).assert_status(204);
    assert_eq!(alice.get(&path).json()["upvotes"], 0);
}

#[both_databases]
fn everybody_who_takes_part_is_named(server: &TestServer) {
    let cast = cast(server, "public");
    let helper = server.user("helper");
    work(&cast.developer, cast.project, "topic");
    let more = json!({"assignee_id": cast.maintainer.id, "description": "cc @reporter"});
    let path = offer(&cast.developer, cast.project, "topic", "main", &more);
    comment(&cast.guest, &path, "hello");
    made(&cast.stranger, &format!("{path}/award_emoji"), json!({"name": "rocket"}));
    let found = cast.owner.get(&format!("{path}/participants")).assert_status(200);
    let mut who = texts(&found, "username");
    who.sort();
    assert_eq!(who, ["developer", "guest", "maintainer", "reporter", "stranger"]);
    assert_has(&found.json()[0], &BASIC_USER);
    assert_eq!(found.header("x-total"), "5");
    helper.get(&format!("{}/merge_requests/9/participants", cast.path())).assert(404, not_found());
}

#[both_databases]
fn what_was_changed_is_recorded(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    let path = simple(&alice, tool, "topic");
    changed(&alice, &path, json!({"labels": "bug", "milestone_id": goal}));
    changed(&alice, &path, json!({"labels": "", "milestone_id": 0, "state_event": "close"}));
    let id = alice.get(&path).json()["id"].clone();
    for (what, actions) in [("label", ["add", "remove"]), ("milestone", ["add", "remove"])] {
        let list = alice.get(&format!("{path}/resource_{what}_events")).assert_status(200);
        assert_eq!(list.each("action"), actions, "{what}");
        assert_eq!(some(&list.json()[0], &["resource_type", "resource_id"]), json!(["MergeRequest", id]), "{what}");
    }
    assert_eq!(alice.get(&format!("{path}/resource_state_events")).each("state"), ["closed"]);
    assert_eq!(text(&alice.get(&path).json()["state"]), "closed");
}
