//! Changing issues.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

/// The refusal of an edit without anything to change.
const NOTHING: &str = "title, description, assignee_ids, assignee_id, milestone_id, discussion_locked, labels, \
                       created_at, due_date, confidential, state_event are missing, at least one parameter must be \
                       provided";

#[both_databases]
fn every_attribute_can_be_changed(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    let path = titled(&alice, tool, "old");
    for (body, name, want) in [
        (json!({"title": " new "}), "title", json!("new")),
        (json!({"description": "text"}), "description", json!("text")),
        (json!({"labels": "b,a"}), "labels", json!(["a", "b"])),
        (json!({"due_date": "2026-12-24"}), "due_date", json!("2026-12-24")),
        (json!({"confidential": true}), "confidential", json!(true)),
        (json!({"discussion_locked": true}), "discussion_locked", json!(true)),
        (json!({"state_event": "close"}), "state", json!("closed")),
    ] {
        let issue = changed(&alice, &path, body.clone());
        assert_eq!(issue[name], want, "{body}");
        assert_eq!(alice.get(&path).json()[name], want, "{body}");
    }
    assert_eq!(changed(&alice, &path, json!({"milestone_id": goal}))["milestone"]["id"], goal);
    let assigned = changed(&alice, &path, json!({"assignee_ids": [bob.id]}));
    assert_eq!((&assigned["assignee"]["id"], &assigned["assignees"][0]["id"]), (&json!(bob.id), &json!(bob.id)));
    assert_has(&assigned, &["subscribed", "_links"]);
    // Fields that were not sent stayed.
    let now = alice.get(&path).json();
    let got = (&now["title"], &now["description"], &now["labels"], &now["due_date"], &now["state"]);
    assert_eq!(got, (&json!("new"), &json!("text"), &json!(["a", "b"]), &json!("2026-12-24"), &json!("closed")));
}

#[both_databases]
fn what_is_empty_is_taken_away(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    let other = milestone(&alice, &format!("/projects/{}", project(&alice, "other", "public")), "foreign");
    let full = json!({"labels": "a", "assignee_ids": [alice.id], "milestone_id": goal, "due_date": "2026-05-05"});
    let path = titled(&alice, tool, "t");
    for (name, empty, field, want) in [
        ("labels", json!(""), "labels", json!([])),
        ("labels", json!([]), "labels", json!([])),
        ("assignee_ids", json!([0]), "assignee", Value::Null),
        ("assignee_ids", json!(0), "assignee", Value::Null),
        ("assignee_ids", json!(""), "assignee", Value::Null),
        ("assignee_ids", json!([]), "assignee", Value::Null),
        ("assignee_id", json!(0), "assignee", Value::Null),
        ("assignee_id", json!(""), "assignee", Value::Null),
        ("milestone_id", json!(0), "milestone", Value::Null),
        ("milestone_id", json!(""), "milestone", Value::Null),
        ("milestone_id", json!(null), "milestone", Value::Null),
        ("milestone_id", json!(other), "milestone", Value::Null),
        ("milestone_id", json!(999_999), "milestone", Value::Null),
        ("due_date", json!(""), "due_date", Value::Null),
        ("due_date", json!(null), "due_date", Value::Null),
    ] {
        let before = changed(&alice, &path, full.clone());
        assert_ne!(before[field], want, "{name} {empty}");
        assert_eq!(changed(&alice, &path, json!({name: empty}))[field], want, "{name} {empty}");
    }
    changed(&alice, &path, full);
    let form = alice.form("PUT", &path, "assignee_ids[]=&labels=&milestone_id=&due_date=").assert_status(200).json();
    let got = (&form["assignees"], &form["labels"], &form["milestone"], &form["due_date"]);
    assert_eq!(got, (&json!([]), &json!([]), &Value::Null, &Value::Null));
}

#[both_databases]
fn labels_are_replaced_added_and_removed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = issue(&alice, tool, json!({"title": "t", "labels": "a,b"}));
    let labels = |body: Value| changed(&alice, &path, body)["labels"].clone();
    assert_eq!(labels(json!({"labels": "b,c"})), json!(["b", "c"]));
    assert_eq!(labels(json!({"add_labels": "d, b"})), json!(["b", "c", "d"]));
    assert_eq!(labels(json!({"remove_labels": "b,unknown"})), json!(["c", "d"]));
    assert_eq!(labels(json!({"add_labels": ["x"], "remove_labels": ["c"]})), json!(["d", "x"]));
    assert_eq!(labels(json!({"title": "u"})), json!(["d", "x"]));
    let known = names(&alice.get(&format!("/projects/{tool}/labels")));
    assert_eq!(known, ["a", "b", "c", "d", "x"]);
    assert_eq!(labels(json!({"remove_labels": " <b>x</b>"})), json!(["d"]));
}

#[both_databases]
fn labels_that_are_set_and_added_are_counted_together(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    let some = |from: usize, to: usize| (from..to).map(|number| format!("l{number}")).collect::<Vec<_>>();
    let most = json!({"labels": some(0, 300), "add_labels": some(200, 500)});
    let count = |issue: &Value| issue["labels"].as_array().map(Vec::len);
    assert_eq!(count(&changed(&alice, &path, most)), Some(500));
    let refused = field("labels", "are too many (maximum is 500)");
    alice.put(&path, json!({"add_labels": "one more"})).assert(400, refused.clone());
    alice.put(&path, json!({"labels": some(0, 300), "add_labels": some(300, 501)})).assert(400, refused);
    let before = alice.get(&path).json()["labels"].clone();
    let _ = alice.post(&format!("/projects/{tool}/labels"), json!({"name": "a", "color": "red"})).assert_status(201);
    let _ = alice.post(&format!("{path}/notes"), json!({"body": "/label ~a"}));
    assert_eq!(alice.get(&path).json()["labels"], before);
    assert_eq!(count(&changed(&alice, &path, json!({"title": "u", "remove_labels": "l0"}))), Some(499));
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let path = titled(&alice, tool, "t");
    for nothing in [json!({}), json!({"unknown": 1}), json!({"updated_at": "2026-01-01T00:00:00Z"})] {
        alice.put(&path, nothing).assert(400, parameter(NOTHING));
    }
    for (name, value) in [
        ("confidential", json!("maybe")),
        ("discussion_locked", json!(7)),
        ("due_date", json!("x")),
        ("milestone_id", json!("x")),
        ("assignee_ids", json!(["x"])),
        ("assignee_id", json!({})),
        ("title", json!({})),
        ("updated_at", json!("x")),
    ] {
        let reply = alice.put(&path, json!({"description": "d", name: value}));
        reply.assert(400, parameter(&format!("{name} is invalid")));
    }
    for odd in ["closed", "CLOSE", "merge"] {
        alice.put(&path, json!({"state_event": odd})).assert(400, parameter("state_event does not have a valid value"));
    }
    for blank in ["", "  "] {
        alice.put(&path, json!({"title": blank})).assert(400, field("title", "can't be blank"));
    }
    alice
        .put(&path, json!({"title": "x".repeat(256)}))
        .assert(400, field("title", "is too long (maximum is 255 characters)"));
    alice.put(&format!("/projects/{tool}/issues/9"), json!({"title": "t"})).assert(404, not_found());
    alice
        .put(&format!("/projects/{tool}/issues/x"), json!({"title": "t"}))
        .assert(400, parameter("issue_iid is invalid"));
    server.anonymous().put(&path, json!({"title": "t"})).assert(401, unauthorized());
    server.user("bob").put(&path, json!({"title": "t"})).assert(404, missing("Project"));
    alice.put("/projects/999999/issues/1", json!({})).assert(400, parameter(NOTHING));
    let kept = alice.get(&path).json();
    assert_eq!((&kept["title"], &kept["description"]), (&json!("t"), &Value::Null));
}

#[both_databases]
fn closing_and_reopening_leave_their_marks(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 20);
    let path = titled(&alice, tool, "t");
    let closed = changed(&bob, &path, json!({"state_event": "close"}));
    assert_eq!((&closed["state"], &closed["closed_by"]["username"]), (&json!("closed"), &json!("bob")));
    assert_has(&closed["closed_by"], &BASIC_USER);
    assert_eq!(closed["closed_at"], closed["updated_at"]);
    server.advance(TimeDelta::hours(1));
    let opened = changed(&alice, &path, json!({"state_event": "reopen"}));
    assert_eq!(
        (&opened["state"], &opened["closed_at"], &opened["closed_by"]),
        (&json!("opened"), &Value::Null, &Value::Null)
    );
    assert_eq!(system_notes(&alice, &path), ["closed", "reopened"]);
}

#[both_databases]
fn closing_a_closed_issue_changes_nothing(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 20);
    let path = titled(&alice, tool, "t");
    let opened = changed(&bob, &path, json!({"state_event": "reopen"}));
    assert_eq!((&opened["state"], &opened["updated_at"]), (&json!("opened"), &opened["created_at"]));
    let closed = changed(&alice, &path, json!({"state_event": "close"}));
    server.advance(TimeDelta::hours(1));
    let again = changed(&bob, &path, json!({"state_event": "close"}));
    for name in ["state", "closed_at", "closed_by", "updated_at"] {
        assert_eq!(again[name], closed[name], "{name}");
    }
    assert_eq!(system_notes(&alice, &path), ["closed"]);
    assert_eq!(alice.get(&format!("{path}/resource_state_events")).header("x-total"), "1");
}

#[both_databases]
fn state_and_other_attributes_change_together(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let issue = changed(&alice, &path, json!({"state_event": "close", "title": "done", "labels": "x"}));
    assert_eq!((&issue["state"], &issue["title"], &issue["labels"]), (&json!("closed"), &json!("done"), &json!(["x"])));
    // A refused part refuses the whole.
    let _ = alice.put(&path, json!({"state_event": "reopen", "title": ""})).assert_status(400);
    assert_eq!(alice.get(&path).json()["state"], "closed");
}

#[both_databases]
fn changes_move_the_date_of_the_last_change(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let mut last = alice.get(&path).json()["updated_at"].as_str().expect("a date").to_owned();
    for body in [
        json!({"title": "u"}),
        json!({"labels": "a"}),
        json!({"labels": ""}),
        json!({"assignee_ids": [alice.id]}),
        json!({"due_date": "2026-08-08"}),
        json!({"confidential": true}),
        json!({"state_event": "close"}),
        json!({"description": "d"}),
        json!({"discussion_locked": true}),
    ] {
        server.advance(TimeDelta::minutes(1));
        let now = changed(&alice, &path, body.clone())["updated_at"].as_str().expect("a date").to_owned();
        assert!(now > last, "{body}: {now} after {last}");
        last = now;
    }
    server.advance(TimeDelta::minutes(1));
    comment(&alice, &path, "a note");
    let noted = alice.get(&path).json()["updated_at"].as_str().expect("a date").to_owned();
    assert!(noted > last);
    server.advance(TimeDelta::minutes(1));
    made(&alice, &format!("{path}/award_emoji"), json!({"name": "heart"}));
    assert_eq!(alice.get(&path).json()["updated_at"], noted);
}

#[both_databases]
fn every_change_is_recorded_in_a_note(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    let path = titled(&alice, tool, "old");
    for body in [
        json!({"title": "new"}),
        json!({"description": "text"}),
        json!({"assignee_ids": [bob.id]}),
        json!({"assignee_ids": []}),
        json!({"milestone_id": goal}),
        json!({"milestone_id": 0}),
        json!({"due_date": "2026-09-20"}),
        json!({"due_date": ""}),
        json!({"confidential": true}),
        json!({"confidential": false}),
        json!({"discussion_locked": true}),
        json!({"discussion_locked": false}),
        json!({"state_event": "close"}),
    ] {
        let before = system_notes(&alice, &path).len();
        changed(&alice, &path, body.clone());
        assert_eq!(system_notes(&alice, &path).len(), before + 1, "{body}");
        // The same once more changes nothing.
        changed(&alice, &path, body.clone());
        assert_eq!(system_notes(&alice, &path).len(), before + 1, "again {body}");
    }
    let said = system_notes(&alice, &path);
    for want in [
        "changed the description",
        "assigned to @bob",
        "unassigned @bob",
        "removed milestone",
        "changed due date to September 20, 2026",
        "removed due date",
        "made the issue confidential",
        "made the issue visible to everyone",
        "locked this issue",
        "unlocked this issue",
        "closed",
    ] {
        assert!(said.iter().any(|body| body == want), "no {want:?}: {said:?}");
    }
    assert!(said[0].starts_with("changed title from"), "{said:?}");
    assert_eq!(alice.get(&path).json()["user_notes_count"], 0);
}

#[both_databases]
fn editing_deals_with_the_editors_todos(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    for body in
        [json!({"title": "u"}), json!({"description": "d"}), json!({"labels": "x"}), json!({"state_event": "close"})]
    {
        let path = titled(&alice, tool, "t");
        let _ = alice.post(&format!("{path}/todo"), json!({})).assert_status(200);
        assert_eq!(alice.get("/todos").header("x-total"), "1");
        changed(&alice, &path, body.clone());
        assert_eq!(alice.get("/todos").header("x-total"), "0", "{body}");
    }
}

#[both_databases]
fn weight_and_type_are_stored_and_noted(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let (reporter, guest) = (&cast.reporter, &cast.guest);
    let shown = |issue: &str| {
        let issue = reporter.get(issue).json();
        (issue["weight"].clone(), issue["issue_type"].clone(), issue["type"].clone())
    };
    let usual = issue(reporter, cast.project, json!({"title": "usual"}));
    assert_eq!(shown(&usual), (Value::Null, json!("issue"), json!("ISSUE")));
    let own = issue(reporter, cast.project, json!({"title": "own", "weight": 4, "issue_type": "test_case"}));
    assert_eq!(shown(&own), (json!(4), json!("test_case"), json!("TEST_CASE")));
    changed(reporter, &own, json!({"weight": 0}));
    changed(reporter, &own, json!({"issue_type": "task"}));
    assert_eq!(shown(&own), (json!(0), json!("task"), json!("TASK")));
    changed(reporter, &own, json!({"title": "other"}));
    assert_eq!(shown(&own), (json!(0), json!("task"), json!("TASK")));
    changed(reporter, &own, json!({"weight": null}));
    assert_eq!(shown(&own).0, Value::Null);
    let notes = system_notes(reporter, &own);
    for text in ["changed weight to **0**", "removed the weight", "changed type from test_case to task"] {
        assert!(notes.iter().any(|note| note == text), "{text}: {notes:?}");
    }
    for weight in [-1, 1_000_001] {
        let refused = field("weight", "must be between 0 and 1000000");
        reporter.put(&own, json!({"weight": weight, "title": "new"})).assert(400, refused.clone());
        let path = format!("/projects/{}/issues", cast.project);
        reporter.post(&path, json!({"title": "new", "weight": weight})).assert(400, refused);
    }
    reporter.put(&own, json!({"weight": "much"})).assert(400, parameter("weight is invalid"));
    reporter.put(&own, json!({"issue_type": "epic"})).assert(400, parameter("issue_type does not have a valid value"));
    assert_eq!(reporter.get(&own).json()["title"], "other");
    // As other fields of those who look after the project.
    let theirs = issue(guest, cast.project, json!({"title": "theirs", "weight": 7}));
    assert_eq!(shown(&theirs).0, Value::Null);
}
