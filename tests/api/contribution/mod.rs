//! Contribution events.

mod stream;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, Reply, TestServer, both_databases};

use crate::merge_request::{repository, simple};
use crate::support::*;

/// The action and the title of the target, newest first.
fn entries(reply: &Reply) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let list = reply.json();
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {}", reply.text()));
    assert_eq!(reply.header("x-total"), list.len().to_string());
    list.iter().map(|event| (text(&event["action_name"]), text(&event["target_title"]))).collect()
}

fn pairs(want: &[(&str, &str)]) -> Vec<(String, String)> {
    want.iter().map(|(action, title)| ((*action).to_owned(), (*title).to_owned())).collect()
}

#[both_databases]
fn contributions_to_issues_are_listed_newest_first(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    let note = comment(&alice, &path, "said");
    changed(&alice, &path, json!({"state_event": "close"}));
    changed(&alice, &path, json!({"state_event": "close"}));
    changed(&alice, &path, json!({"state_event": "reopen"}));
    changed(&alice, &path, json!({"title": "u", "labels": "x"}));
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    let one = format!("/projects/{tool}/milestones/{goal}");
    changed(&alice, &one, json!({"state_event": "close"}));
    let want = pairs(&[
        ("closed", "v1"),
        ("opened", "v1"),
        ("opened", "u"),
        ("closed", "u"),
        ("commented on", "u"),
        ("opened", "u"),
        ("created", "-"),
    ]);
    for path in ["/events".to_owned(), format!("/users/{}/events", alice.id), "/users/ALICE/events".to_owned()] {
        assert_eq!(entries(&alice.get(&path)), want, "{path}");
    }
    assert_eq!(entries(&alice.get(&format!("/projects/{tool}/events"))), want);
    let events = alice.get("/events").json();
    let opened = &events[5];
    assert_has(
        opened,
        &[
            "id",
            "project_id",
            "action_name",
            "target_id",
            "target_iid",
            "target_type",
            "author_id",
            "target_title",
            "created_at",
            "author",
            "author_username",
        ],
    );
    let got = (
        &opened["project_id"],
        &opened["target_iid"],
        &opened["target_type"],
        &opened["author_id"],
        &opened["author_username"],
    );
    assert_eq!(got, (&json!(tool), &json!(1), &json!("Issue"), &json!(alice.id), &json!("alice")));
    assert_has(&opened["author"], &BASIC_USER);
    let commented = &events[4];
    assert_eq!(
        (&commented["target_type"], &commented["target_id"], &commented["note"]["body"]),
        (&json!("Note"), &json!(note), &json!("said"))
    );
    assert_eq!((&events[0]["target_type"], &events[0]["target_iid"]), (&json!("Milestone"), &json!(1)));
    assert_eq!(events[6]["target_type"], Value::Null);
    let _ = alice.delete(&one).assert_status(204);
    assert_eq!(alice.get("/events").json()[0]["action_name"], "destroyed");
}

#[both_databases]
fn events_are_narrowed(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    comment(&alice, &path, "said");
    changed(&alice, &path, json!({"state_event": "close"}));
    changed(&alice, &path, json!({"state_event": "reopen"}));
    milestone(&alice, &format!("/projects/{tool}"), "v1");
    member(&alice, &format!("/projects/{tool}"), bob.id, 20);
    let all = format!("/projects/{tool}/events");
    let count = |query: &str| entries(&alice.get(&format!("{all}?{query}"))).len();
    for (query, want) in [
        ("action=created", 3),
        ("action=closed", 1),
        ("action=reopened", 1),
        ("action=commented", 1),
        ("action=joined", 1),
        ("action=pushed", 0),
        ("action=merged", 0),
        ("action=left", 0),
        ("action=destroyed", 0),
        ("action=expired", 0),
        ("target_type=issue", 3),
        ("target_type=milestone", 1),
        ("target_type=note", 1),
        ("target_type=merge_request", 0),
        ("target_type=snippet", 0),
        ("action=created&target_type=issue", 1),
        ("action=closed&target_type=milestone", 0),
        ("", 7),
        ("action=", 7),
    ] {
        assert_eq!(count(query), want, "{query}");
    }
    alice.get(&format!("{all}?action=x")).assert(400, parameter("action does not have a valid value"));
    alice.get(&format!("{all}?target_type=Issue")).assert(400, parameter("target_type does not have a valid value"));
    alice.get(&format!("{all}?sort=x")).assert(400, parameter("sort does not have a valid value"));
    for name in ["before", "after"] {
        alice.get(&format!("{all}?{name}=x")).assert(400, parameter(&format!("{name} is invalid")));
    }
    let newest = entries(&alice.get(&format!("{all}?sort=desc")));
    let mut oldest = entries(&alice.get(&format!("{all}?sort=asc")));
    oldest.reverse();
    assert_eq!(oldest, newest);
    let page = alice.get(&format!("{all}?per_page=3&page=3"));
    assert_eq!(
        (page.each("id").len(), page.header("x-total"), page.header("x-prev-page")),
        (1, "7".to_owned(), "2".to_owned())
    );
    assert_eq!(entries(&bob.get("/events")).len(), 1);
}

#[both_databases]
fn days_are_left_out_whole(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    server.advance(TimeDelta::hours(24));
    titled(&alice, tool, "on the third of March");
    let count = |query: &str| entries(&alice.get(&format!("/events?action=created&target_type=issue&{query}"))).len();
    for (query, want) in [
        ("before=2026-03-03", 0),
        ("before=2026-03-04", 1),
        ("after=2026-03-03", 0),
        ("after=2026-03-02", 1),
        ("after=2026-03-02&before=2026-03-04", 1),
        ("after=2026-03-02&before=2026-03-03", 0),
    ] {
        assert_eq!(count(query), want, "{query}");
    }
}

#[both_databases]
fn who_may_ask_for_what(server: &TestServer) {
    let alice = server.user("alice");
    let (open, hidden) = (project(&alice, "open", "public"), project(&alice, "hidden", "private"));
    titled(&alice, open, "open");
    titled(&alice, hidden, "hidden");
    let anonymous = server.anonymous();
    anonymous.get("/events").assert(401, unauthorized());
    anonymous.get(&format!("/projects/{hidden}/events")).assert(404, missing("Project"));
    for client in [anonymous.clone(), server.user("bob").clone()] {
        let reply = client.get(&format!("/users/{}/events", alice.id)).assert_status(200);
        assert_eq!((reply.text().contains("hidden"), reply.header("x-total")), (false, "2".to_owned()));
        assert_eq!(client.get(&format!("/projects/{open}/events")).assert_status(200).header("x-total"), "2");
        client.get("/users/999999/events").assert(404, missing("User"));
        client.get("/users/no-one/events").assert(404, missing("User"));
    }
    assert_eq!(alice.get("/events").header("x-total"), "4");
    let narrow = server.client(&server.token(alice.id, &["read_user"]));
    let _ = narrow.get("/events").assert_status(200);
    let _ = narrow.get(&format!("/users/{}/events", alice.id)).assert_status(200);
}

#[both_databases]
fn merge_requests_make_contributions(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    changed(&alice, &path, json!({"state_event": "close"}));
    changed(&alice, &path, json!({"state_event": "reopen"}));
    changed(&alice, &format!("{path}/merge"), json!({}));
    for list in ["/events".to_owned(), format!("/users/{}/events", alice.id), format!("/projects/{tool}/events")] {
        for (query, want) in [
            ("target_type=merge_request", vec!["accepted", "opened", "closed", "opened"]),
            ("action=merged", vec!["accepted"]),
            ("action=created&target_type=merge_request", vec!["opened"]),
            ("action=closed", vec!["closed"]),
            ("action=reopened", vec!["opened"]),
            ("action=merged&target_type=issue", vec![]),
        ] {
            let want: Vec<_> = want.into_iter().map(|action| (action, "topic")).collect();
            assert_eq!(entries(&alice.get(&format!("{list}?{query}"))), pairs(&want), "{list} {query}");
        }
    }
    let merged = alice.get("/events?action=merged").json()[0].clone();
    let got = (&merged["target_type"], &merged["target_iid"], &merged["project_id"], &merged["author_username"]);
    assert_eq!(got, (&json!("MergeRequest"), &json!(1), &json!(tool), &json!("alice")));
}

#[both_databases]
fn contributions_to_merge_requests_are_shown_to_those_who_see_them(server: &TestServer) {
    let cast = crate::merge_request::cast(server, "private");
    let path = simple(&cast.owner, cast.project, "topic");
    comment(&cast.owner, &path, "said");
    changed(&cast.owner, &path, json!({"state_event": "close"}));
    let all = [("closed", "topic"), ("commented on", "topic"), ("opened", "topic")];
    for list in [format!("{}/events", cast.path()), format!("/users/{}/events", cast.owner.id)] {
        let about = |client: &Client, query: &str| entries(&client.get(&format!("{list}?{query}")).assert_status(200));
        for (query, want) in [("target_type=merge_request", vec![all[0], all[2]]), ("action=commented", vec![all[1]])] {
            assert_eq!(about(&cast.guest, query), [], "{list} {query}");
            assert_eq!(about(&cast.reporter, query), pairs(&want), "{list} {query}");
        }
    }
    changed(&cast.owner, &cast.path(), json!({"visibility": "public"}));
    let everybody = server.anonymous().get(&format!("{}/events?target_type=merge_request", cast.path()));
    assert_eq!(entries(&everybody), pairs(&[all[0], all[2]]));
}

#[both_databases]
fn what_is_confidential_is_not_even_counted(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let lists = [format!("{}/events", cast.path()), format!("/users/{}/events", cast.owner.id)];
    let outsiders = [server.anonymous(), cast.stranger.clone(), cast.guest.clone()];
    let all = || -> Vec<_> {
        let shown = |client: &Client| lists.each_ref().map(|list| entries(&client.get(list).assert_status(200)));
        outsiders.iter().map(shown).collect()
    };
    let before = all();
    let path = issue(&cast.owner, cast.project, json!({"title": "secret title", "confidential": true}));
    comment(&cast.owner, &path, "secret words");
    changed(&cast.owner, &path, json!({"state_event": "close"}));
    assert_eq!(all(), before);
    for list in &lists {
        for query in ["target_type=issue", "action=commented", "target_type=note", "action=closed"] {
            for client in &outsiders {
                assert_eq!(entries(&client.get(&format!("{list}?{query}")).assert_status(200)), [], "{list} {query}");
            }
        }
        let secret = "secret title";
        let want = pairs(&[("closed", secret), ("commented on", secret), ("opened", secret)]);
        assert_eq!(entries(&cast.reporter.get(list)).get(..3), Some(want.as_slice()));
        assert!(cast.reporter.get(list).text().contains("secret words"));
    }
    // The assignee sees it, and everybody sees it once it is public.
    changed(&cast.owner, &path, json!({"assignee_ids": [cast.guest.id]}));
    assert_eq!(entries(&cast.guest.get(&format!("{}?target_type=issue", lists[0]))).len(), 2);
    assert_eq!(entries(&cast.stranger.get(&format!("{}?target_type=issue", lists[0]))), []);
    changed(&cast.owner, &path, json!({"confidential": false}));
    assert!(cast.stranger.get(&lists[0]).text().contains("secret words"));
}

#[both_databases]
fn what_the_server_says_is_no_contribution(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    changed(&alice, &path, json!({"title": "u", "due_date": "2026-05-05", "discussion_locked": true}));
    assert_eq!(entries(&alice.get("/events?action=commented")), []);
}

#[both_databases]
fn events_of_a_deleted_project_are_gone(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    titled(&alice, tool, "t");
    let _ = alice.delete(&format!("/projects/{tool}")).assert_status(202);
    for when in ["at once", "after the jobs"] {
        assert_eq!(
            entries(&server.user(&when.replace(' ', "")).get(&format!("/users/{}/events", alice.id))),
            [],
            "{when}"
        );
        server.run_jobs();
    }
}

/// With 0, one branch is already too many.
#[both_databases]
fn a_push_that_changes_many_branches_is_one_contribution(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let issue = titled(&alice, tool, "t");
    let _ = server.root().put("/application/settings", json!({"push_event_activities_limit": 0})).assert_status(200);
    let file = json!({"branch": "main", "commit_message": "Closes #1", "content": "x"});
    let _ = alice.post(&format!("/projects/{tool}/repository/files/closing"), file).assert_status(201);
    let event = alice.get(&format!("/projects/{tool}/events?action=pushed")).json()[0].clone();
    let want = json!({
        "commit_count": 0, "action": "pushed", "ref_type": "branch", "commit_from": null, "commit_to": null, "ref": null,
        "commit_title": null, "ref_count": 1,
    });
    assert_eq!((&event["action_name"], &event["push_data"]), (&json!("pushed to"), &want));
    let _ = server.run_jobs();
    assert_eq!(alice.get(&issue).json()["state"], "closed", "the messages of the commits are read all the same");
}
