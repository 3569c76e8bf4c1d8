//! Moving issues to other projects.

use serde_json::{Value, json};
use tenon_testkit::{Client, Multipart, TestServer, both_databases};

use crate::support::*;

/// The refusal for a caller who may not move an issue.
const REFUSED: &str = "Cannot move issue due to insufficient permissions!";

fn moved(client: &Client, path: &str, target: i64) -> Value {
    client.post(&format!("{path}/move"), json!({"to_project_id": target})).assert_status(200).json()
}

#[both_databases]
fn an_issue_takes_along_what_fits(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let (here, there) = (project(&alice, "here", "public"), project(&alice, "there", "private"));
    member(&alice, &format!("/projects/{there}"), bob.id, 10);
    titled(&alice, there, "makes numbers differ");
    let goal = milestone(&alice, &format!("/projects/{here}"), "v1");
    let there_goal = milestone(&alice, &format!("/projects/{there}"), "v1");
    label(&alice, &format!("/projects/{there}"), "both");
    let path = issue(&bob, here, json!({"title": "T", "description": "see #1", "confidential": true}));
    changed(
        &alice,
        &path,
        json!({"labels": "both,gone", "milestone_id": goal, "assignee_ids": [bob.id, carl.id], "due_date": "2026-07-07", "discussion_locked": true}),
    );
    let _ = alice.post(&format!("{path}/time_estimate"), json!({"duration": "3h"})).assert_status(200);
    let _ = alice.post(&format!("{path}/add_spent_time"), json!({"duration": "1h"})).assert_status(200);
    let before = alice.get(&path).json();
    let new = moved(&alice, &path, there);
    assert_ne!(new["id"], before["id"]);
    assert_eq!((&new["iid"], &new["project_id"], &new["labels"]), (&json!(2), &json!(there), &json!(["both"])));
    for name in ["title", "author", "created_at", "state", "confidential", "due_date", "discussion_locked"] {
        assert_eq!(new[name], before[name], "{name}");
    }
    assert_eq!(new["description"], "see here#1");
    assert_eq!(new["milestone"]["id"], there_goal);
    assert_eq!(new["assignees"].as_array().map(Vec::len), Some(1), "{new}");
    assert_eq!(new["assignee"]["username"], "bob");
    assert_eq!(
        (&new["time_stats"]["time_estimate"], &new["time_stats"]["total_time_spent"]),
        (&json!(10_800), &json!(0))
    );
    assert_has(&new, &["_links", "subscribed"]);
    assert_eq!(alice.get(&format!("/projects/{there}/issues/2")).assert_status(200).json()["id"], new["id"]);
    assert_eq!(names(&alice.get(&format!("/projects/{there}/labels"))), ["both"]);
}

#[both_databases]
fn the_original_is_closed_and_knows_where_it_went(server: &TestServer) {
    let alice = server.user("alice");
    let (here, there) = (project(&alice, "here", "public"), project(&alice, "there", "public"));
    let path = titled(&alice, here, "t");
    let new = moved(&alice, &path, there);
    let old = alice.get(&path).assert_status(200).json();
    assert_eq!((&old["state"], &old["closed_by"]["username"]), (&json!("closed"), &json!("alice")));
    assert_eq!(old["moved_to_id"], new["id"]);
    assert_eq!(system_notes(&alice, &path), ["moved to there#1"]);
    assert_eq!(system_notes(&alice, &format!("/projects/{there}/issues/1")), ["moved from here#1"]);
    let again = alice.post(&format!("{path}/move"), json!({"to_project_id": there}));
    again.assert(400, json!({"message": REFUSED}));
}

#[both_databases]
fn a_mentioned_user_still_takes_part(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let (here, there) = (project(&alice, "here", "public"), project(&alice, "there", "public"));
    let path = issue(&alice, here, json!({"title": "t", "description": "for @bob"}));
    let note = comment(&alice, &path, "and @carl");
    moved(&alice, &path, there);
    let new = format!("/projects/{there}/issues/1");
    let people = || {
        let mut people = texts(&alice.get(&format!("{new}/participants")).assert_status(200), "username");
        people.sort();
        people
    };
    assert_eq!(people(), ["alice", "bob", "carl"]);
    for named in [&bob, &carl] {
        assert_eq!(named.get(&new).json()["subscribed"], true);
        assert_eq!(named.get("/todos").header("x-total"), "1", "no one is notified twice");
    }
    // Each text has its own: a reference that was removed from one is forgotten there.
    let copy = alice.get(&format!("{new}/notes?sort=asc")).json()[0].clone();
    assert_ne!(copy["id"], note);
    changed(&alice, &format!("{new}/notes/{}", copy["id"]), json!({"body": "and no-one"}));
    assert_eq!(people(), ["alice", "bob"]);
}

#[both_databases]
fn notes_and_reactions_go_along(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (here, there) = (project(&alice, "here", "public"), project(&alice, "there", "public"));
    let path = titled(&alice, here, "t");
    let first = comment(&bob, &path, "first");
    comment(&alice, &path, "second");
    let started = made(&bob, &format!("{path}/discussions"), json!({"body": "start"}));
    made(
        &alice,
        &format!("{path}/discussions/{}/notes", started["id"].as_str().expect("an id")),
        json!({"body": "answer"}),
    );
    made(&bob, &format!("{path}/award_emoji"), json!({"name": "heart"}));
    made(&bob, &format!("{path}/notes/{first}/award_emoji"), json!({"name": "tada"}));
    changed(&alice, &path, json!({"labels": "x"}));
    let _ = bob.post(&format!("{path}/todo"), json!({})).assert_status(200);
    let old = alice.get(&format!("{path}/notes?sort=asc")).json();
    let answer = moved(&alice, &path, there);
    let new = format!("/projects/{there}/issues/1");
    let shown = alice.get(&new).json();
    assert_eq!((&answer["user_notes_count"], &answer["upvotes"]), (&shown["user_notes_count"], &shown["upvotes"]));
    assert_eq!(answer["user_notes_count"], 4);
    let notes = alice.get(&format!("{new}/notes?sort=asc")).json();
    let pairs = |notes: &Value| {
        let notes = notes.as_array().expect("a list").iter();
        notes
            .map(|note| (note["body"].clone(), note["author"]["id"].clone(), note["created_at"].clone()))
            .collect::<Vec<_>>()
    };
    let (mut after, before) = (pairs(&notes), pairs(&old));
    assert_eq!(after.pop().expect("a note").0, "moved from here#1");
    assert_eq!(after, before);
    assert_eq!(alice.get(&format!("{new}/discussions")).json()[2]["notes"].as_array().map(Vec::len), Some(2));
    assert_eq!(texts(&alice.get(&format!("{new}/award_emoji")), "name"), ["heart"]);
    let copied = id(&notes[0]);
    assert_ne!(copied, first);
    assert_eq!(texts(&alice.get(&format!("{new}/notes/{copied}/award_emoji")), "name"), ["tada"]);
    let moved = alice.get(&new).json();
    assert_eq!(moved["user_notes_count"], 4);
    assert_eq!(alice.get(&format!("{new}/resource_label_events")).header("x-total"), "1");
    // Entries of to-do lists stay where they were.
    assert_eq!(bob.get(&format!("/todos?project_id={there}")).header("x-total"), "0");
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let (here, there) = (project(&alice, "here", "public"), project(&alice, "there", "public"));
    let path = format!("{}/move", titled(&alice, here, "t"));
    alice.post(&path, json!({})).assert(400, parameter("to_project_id is missing"));
    alice.post(&path, json!({"to_project_id": "x"})).assert(400, parameter("to_project_id is invalid"));
    alice.post(&path, json!({"to_project_id": 999_999})).assert(404, missing("Project"));
    let same = alice.post(&path, json!({"to_project_id": here}));
    same.assert(400, json!({"message": "Cannot move issue to project it originates from!"}));
    let nowhere = alice.post(&format!("/projects/{here}/issues/9/move"), json!({"to_project_id": there}));
    nowhere.assert(404, missing("Issue"));
    server.anonymous().post(&path, json!({"to_project_id": there})).assert(401, unauthorized());
    // Rights are asked first.
    let stranger = server.user("stranger");
    stranger.post(&path, json!({"to_project_id": here})).assert(400, json!({"message": REFUSED}));
}

#[both_databases]
fn both_projects_must_let_the_caller(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let open = project(&cast.owner, "open", "public");
    for user in [&cast.stranger, &cast.guest] {
        member(&cast.owner, &format!("/projects/{open}"), user.id, 20);
        let path = titled(user, cast.project, "own");
        user.post(&format!("{path}/move"), json!({"to_project_id": open})).assert(400, json!({"message": REFUSED}));
        let path = titled(user, open, "t");
        user.post(&format!("{path}/move"), json!({"to_project_id": cast.project}))
            .assert(400, json!({"message": REFUSED}));
    }
    for user in [&cast.reporter, &cast.developer, &cast.maintainer] {
        let path = titled(&cast.owner, cast.project, "t");
        user.post(&format!("{path}/move"), json!({"to_project_id": open})).assert(400, json!({"message": REFUSED}));
        member(&cast.owner, &format!("/projects/{open}"), user.id, 20);
        moved(user, &path, open);
    }
    moved(&cast.admin, &titled(&cast.owner, cast.project, "t"), open);
}

#[both_databases]
fn a_hidden_target_is_revealed_to_no_one_who_cannot_see_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (here, hidden) = (project(&alice, "here", "public"), project(&alice, "hidden", "private"));
    let path = titled(&bob, here, "t");
    let outsiders = bob.post(&format!("{path}/move"), json!({"to_project_id": hidden}));
    assert!(matches!(outsiders.status(), 400 | 404), "{}", outsiders.text());
    let new = moved(&alice, &path, hidden);
    let seen = bob.get(&path).assert_status(200);
    assert!(!seen.text().contains("hidden"), "{}", seen.text());
    assert_eq!(seen.json()["moved_to_id"], Value::Null);
    assert_eq!(alice.get(&path).json()["moved_to_id"], new["id"]);
    for list in ["notes", "discussions"] {
        let reply = bob.get(&format!("{path}/{list}"));
        assert!(!reply.text().contains("hidden"), "{}", reply.text());
        assert!(alice.get(&format!("{path}/{list}")).text().contains("hidden"));
    }
    assert!(!bob.get(&format!("/projects/{here}/events")).text().contains("hidden"));
}

#[both_databases]
fn files_are_copied_to_the_target(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (here, there) = (project(&alice, "here", "private"), project(&alice, "there", "private"));
    member(&alice, &format!("/projects/{there}"), bob.id, 10);
    let file = Multipart::default().file("file", "a.txt", b"text");
    let upload = alice.multipart("POST", &format!("/projects/{here}/uploads"), &file).assert_status(201).json();
    let markdown = upload["markdown"].as_str().expect("markdown");
    let path = issue(&alice, here, json!({"title": "t", "description": markdown}));
    let new = moved(&alice, &path, there);
    let text = new["description"].as_str().expect("a text").to_owned();
    let url = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("a link").0.to_owned();
    let path = if url.starts_with("/alice") { format!("/{url}") } else { format!("//alice/there{url}") };
    assert_eq!(bob.get(&path).assert_status(200).bytes(), b"text", "{text}");
}
