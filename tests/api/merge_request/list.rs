//! The merge requests that lists show to each caller.

use serde_json::json;
use tenon_testkit::{Client, TestServer, both_databases};

use super::{cast, fork, merge, offer, repository, simple, work, write};
use crate::support::*;

/// A project with a first commit in a group.
fn repository_in(client: &Client, group: i64, name: &str, visibility: &str) -> i64 {
    let project = project_in(client, group, name, visibility);
    write(client, project, "main", "README.md", name);
    project
}

#[both_databases]
fn groups_show_those_of_the_groups_below(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let (high, low) = (repository_in(&alice, top, "high", "public"), repository_in(&alice, below, "low", "public"));
    let hidden = repository_in(&alice, below, "hidden", "private");
    let outside = repository(&alice, "outside", "public");
    for (project, name) in [(high, "high"), (low, "low"), (hidden, "hidden"), (outside, "outside")] {
        simple(&alice, project, name);
    }
    let list = |client: &Client, group: i64| {
        let path = format!("/groups/{group}/merge_requests?sort=asc");
        let found = client.get(&path).assert_status(200);
        assert_eq!(found.header("x-total"), found.each("id").len().to_string());
        texts(&found, "title")
    };
    assert_eq!(list(&alice, top), ["high", "low", "hidden"]);
    assert_eq!(list(&alice, below), ["low", "hidden"]);
    assert_eq!(list(&bob, top), ["high", "low"]);
    assert_eq!(list(&bob, below), ["low"]);
    alice.get("/groups/999999/merge_requests").assert(404, missing("Group"));
    server.anonymous().get(&format!("/groups/{top}/merge_requests")).assert(401, unauthorized());
    let secret = group(&alice, "secret", "private");
    bob.get(&format!("/groups/{secret}/merge_requests")).assert(404, missing("Group"));
}

#[both_databases]
fn a_project_shows_what_is_offered_to_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let copy = fork(server, &bob, tool);
    work(&bob, copy, "topic");
    offer(&bob, copy, "topic", "main", &json!({"target_project_id": tool}));
    assert_eq!(iids(&alice, &format!("/projects/{tool}/merge_requests")), [1]);
    assert_eq!(iids(&bob, &format!("/projects/{copy}/merge_requests")), [0; 0]);
    assert_eq!(texts(&bob.get("/merge_requests"), "title"), ["topic"]);
}

#[both_databases]
fn private_code_is_for_reporters(server: &TestServer) {
    let cast = cast(server, "private");
    let topic = simple(&cast.developer, cast.project, "topic");
    let list = format!("{}/merge_requests", cast.path());
    assert_eq!(cast.statuses(|client| client.get(&list)), [404, 403, 200, 200, 200, 200, 200]);
    for below in [
        "",
        "/commits",
        "/changes",
        "/diffs",
        "/raw_diffs",
        "/versions",
        "/participants",
        "/closes_issues",
        "/notes",
        "/discussions",
        "/time_stats",
        "/merge_ref",
        "/award_emoji",
    ] {
        let path = format!("{topic}{below}");
        assert_eq!(cast.stranger.get(&path).status(), 404, "{path}");
        assert_eq!(cast.reporter.get(&path).status(), 200, "{path}");
        if below != "/award_emoji" {
            cast.guest.get(&path).assert(403, forbidden());
        }
    }
    let everything = |client: &Client| client.get("/merge_requests?scope=all").header("x-total");
    assert_eq!([everything(&cast.stranger), everything(&cast.guest), everything(&cast.reporter)], ["0", "0", "1"]);
}

#[both_databases]
fn a_guest_sees_what_was_assigned_to_them(server: &TestServer) {
    let cast = cast(server, "public");
    work(&cast.developer, cast.project, "topic");
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({"assignee_id": cast.guest.id}));
    simple(&cast.developer, cast.project, "other");
    changed(&cast.owner, &cast.path(), json!({"visibility": "private"}));
    assert_eq!(cast.guest.get(&path).status(), 200);
    assert_eq!(cast.guest.get(&format!("{}/merge_requests/2", cast.path())).status(), 403);
    assert_eq!(cast.guest.get(&format!("{}/merge_requests", cast.path())).status(), 403);
    // Lists narrow themselves to the merge requests that the caller sees.
    assert_eq!(titles(&cast.guest, "/merge_requests?scope=all"), ["topic"]);
    assert_eq!(cast.guest.get("/merge_requests?scope=all").header("x-total"), "1");
}

#[both_databases]
fn lists_need_an_account(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let anonymous = server.anonymous();
    for list in ["/merge_requests", "/merge_requests?scope=all", &format!("/projects/{tool}/merge_requests")] {
        anonymous.get(list).assert(401, unauthorized());
    }
    for below in ["", "/commits", "/changes", "/diffs", "/versions", "/notes"] {
        anonymous.get(&format!("{path}{below}")).assert(401, unauthorized());
    }
    let bob = server.user("bob");
    assert_eq!(bob.get(&path).status(), 200);
    bob.get("/projects/999999/merge_requests").assert(404, missing("Project"));
}

#[both_databases]
fn a_milestone_knows_its_merge_requests(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    work(&alice, tool, "topic");
    offer(&alice, tool, "topic", "main", &json!({"milestone_id": goal}));
    simple(&alice, tool, "other");
    assert_eq!(titles(&alice, &format!("/projects/{tool}/milestones/{goal}/merge_requests")), ["topic"]);
}

#[both_databases]
fn labels_count_what_is_open(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    label(&alice, &format!("/projects/{tool}"), "bug");
    let open = |name: &str| {
        work(&alice, tool, name);
        offer(&alice, tool, name, "main", &json!({"labels": "bug"}))
    };
    let (first, _) = (open("a"), open("b"));
    let count = || alice.get(&format!("/projects/{tool}/labels")).json()[0]["open_merge_requests_count"].clone();
    assert_eq!(count(), 2);
    merge(&alice, &first, json!({}));
    assert_eq!(count(), 1);
}

#[both_databases]
fn details_of_labels_and_the_source_are_told(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "tool", "visibility": "public", "initialize_with_readme": true});
    let project = id(&made(&alice, "/projects", body));
    super::work(&alice, project, "topic");
    let path = super::offer(&alice, project, "topic", "main", &json!({"title": "x", "labels": "bug"}));
    let shown = alice.get(&path).assert_status(200).json();
    assert_eq!(
        (&shown["labels"], &shown["imported"], &shown["imported_from"]),
        (&json!(["bug"]), &json!(false), &json!("none"))
    );
    let detailed = alice.get(&format!("{path}?with_labels_details=true")).assert_status(200).json();
    assert_eq!(detailed["labels"][0]["name"], "bug");
    assert_eq!(detailed["label_details"], detailed["labels"]);
    assert_lacks(&shown, &["label_details"]);
    let note = made(&alice, &format!("{path}/notes"), json!({"body": "hello"}));
    assert_eq!(note.get("commit_id"), Some(&serde_json::Value::Null));
}
