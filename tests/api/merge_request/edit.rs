//! Changing merge requests.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use super::{branch, cast, fork, merge, offer, repository, simple, some, work, write};
use crate::support::*;

#[both_databases]
fn every_parameter_is_taken(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let goal = milestone(&cast.owner, &cast.path(), "v1");
    branch(&cast.owner, cast.project, "next", "main");
    for (given, field, want) in [
        (json!({"title": "  New  "}), "title", json!("New")),
        (json!({"description": "text"}), "description", json!("text")),
        (json!({"target_branch": "next"}), "target_branch", json!("next")),
        (json!({"labels": "b,a"}), "labels", json!(["a", "b"])),
        (json!({"labels": ["c"]}), "labels", json!(["c"])),
        (json!({"add_labels": "d"}), "labels", json!(["c", "d"])),
        (json!({"remove_labels": "c"}), "labels", json!(["d"])),
        (json!({"labels": ""}), "labels", json!([])),
        (json!({"remove_source_branch": true}), "force_remove_source_branch", json!(true)),
        (json!({"remove_source_branch": false}), "force_remove_source_branch", json!(false)),
        (json!({"squash": true}), "squash", json!(true)),
        (json!({"squash": false}), "squash", json!(false)),
        (json!({"discussion_locked": true}), "discussion_locked", json!(true)),
        (json!({"discussion_locked": false}), "discussion_locked", json!(false)),
        (json!({"state_event": "close"}), "state", json!("closed")),
        (json!({"state_event": "close"}), "state", json!("closed")),
        (json!({"state_event": "reopen"}), "state", json!("opened")),
        (json!({"state_event": "reopen"}), "state", json!("opened")),
        (json!({"description": ""}), "description", json!("")),
    ] {
        let request = changed(&cast.developer, &path, given.clone());
        assert_eq!(request[field], want, "{given}");
        assert_eq!(cast.owner.get(&path).json()[field], want, "{given}");
    }
    for nothing in [json!(0), json!(""), Value::Null] {
        let request = changed(&cast.developer, &path, json!({"assignee_id": cast.guest.id, "milestone_id": goal}));
        assert_eq!((&request["assignee"]["username"], &request["milestone"]["title"]), (&json!("guest"), &json!("v1")));
        let request = changed(&cast.developer, &path, json!({"assignee_id": nothing, "milestone_id": nothing}));
        assert_eq!(some(&request, &["assignee", "milestone"]), json!([null, null]), "{nothing}");
    }
    let request = changed(
        &cast.developer,
        &path,
        json!({"assignee_ids": [cast.guest.id, cast.owner.id], "reviewer_ids": [cast.owner.id]}),
    );
    assert_eq!(
        (request["assignees"].as_array().map(Vec::len), request["reviewers"].as_array().map(Vec::len)),
        (Some(2), Some(1))
    );
    let request = changed(&cast.developer, &path, json!({"assignee_ids": [], "reviewer_ids": [0]}));
    assert_eq!(some(&request, &["assignees", "assignee", "reviewers"]), json!([[], null, []]));
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let before = alice.get(&path).json();
    let nothing = "assignee_id, description, labels, milestone_id, remove_source_branch, state_event, target_branch, title, \
        discussion_locked, squash are missing, at least one parameter must be provided";
    for empty in [json!({}), json!({"unknown": 1}), json!({"source_branch": "main"})] {
        alice.put(&path, empty).assert(400, parameter(nothing));
    }
    for (name, value) in
        [("title", json!("")), ("title", Value::Null), ("target_branch", json!("")), ("target_branch", Value::Null)]
    {
        alice.put(&path, json!({"description": "x", name: value})).assert(400, parameter(&format!("{name} is empty")));
    }
    alice
        .put(&path, json!({"title": "é".repeat(256)}))
        .assert(400, field("title", "is too long (maximum is 255 characters)"));
    alice.put(&path, json!({"state_event": "merge"})).assert(400, parameter("state_event does not have a valid value"));
    for name in ["assignee_id", "milestone_id", "squash", "remove_source_branch", "discussion_locked"] {
        alice.put(&path, json!({name: "x y"})).assert(400, parameter(&format!("{name} is invalid")));
    }
    alice.put(&path, json!({"target_branch": "nowhere"})).assert(400, field("target_branch", "does not exist"));
    alice
        .put(&path, json!({"target_branch": "topic"}))
        .assert(422, parameter("You can not use same project/branch for source and target"));
    alice.put(&format!("/projects/{tool}/merge_requests/9"), json!({"title": "t"})).assert(404, not_found());
    server.anonymous().put(&path, json!({"title": "t"})).assert(401, unauthorized());
    assert_eq!(alice.get(&path).json(), before);
}

#[both_databases]
fn who_may_not_edit_is_refused(server: &TestServer) {
    let cast = cast(server, "public");
    work(&cast.developer, cast.project, "topic");
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({"assignee_id": cast.reporter.id}));
    let statuses = cast.statuses(|client| client.put(&path, json!({"title": "t"})));
    assert_eq!(statuses, [403, 403, 200, 200, 200, 200, 200]);
    // Those who may change only their own do not plan.
    let request = changed(
        &cast.reporter,
        &path,
        json!({"title": "mine", "labels": "x", "discussion_locked": true, "assignee_id": 0}),
    );
    assert_eq!(some(&request, &["title", "labels", "discussion_locked"]), json!(["mine", [], null]));
    assert_eq!(request["assignee"]["username"], "reporter");
    assert_eq!(changed(&cast.reporter, &path, json!({"state_event": "close"}))["state"], "closed");
}

#[both_databases]
fn whose_branch_it_is_decides_what_becomes_of_it(server: &TestServer) {
    let cast = cast(server, "public");
    let bob = server.user("bob");
    let copy = fork(server, &bob, cast.project);
    work(&bob, copy, "topic");
    let path = offer(&bob, copy, "topic", "main", &json!({"target_project_id": cast.project}));
    let fields = ["force_remove_source_branch", "allow_collaboration"];
    let all = |value: bool| json!({"remove_source_branch": value, "allow_collaboration": value});
    for other in [&cast.developer, &cast.owner] {
        assert_eq!(some(&changed(other, &path, all(true)), &fields), json!([false, false]));
    }
    assert_eq!(some(&changed(&bob, &path, all(true)), &fields), json!([true, true]));
    assert_eq!(
        some(&changed(&cast.developer, &path, all(false)), &fields),
        json!([false, false]),
        "no is for everybody"
    );
}

#[both_databases]
fn closing_and_reopening_is_noted(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    server.advance(TimeDelta::minutes(1));
    let closed = changed(&alice, &path, json!({"state_event": "close"}));
    assert_eq!((&closed["closed_by"]["username"], &closed["closed_at"]), (&json!("alice"), &closed["updated_at"]));
    let opened = changed(&alice, &path, json!({"state_event": "reopen"}));
    assert_eq!(some(&opened, &["closed_by", "closed_at", "merge_status"]), json!([null, null, "can_be_merged"]));
    assert_eq!(system_notes(&alice, &path), ["closed", "reopened"]);
    merge(&alice, &path, json!({}));
    for event in ["close", "reopen"] {
        assert_eq!(changed(&alice, &path, json!({"state_event": event, "title": event}))["state"], "merged", "{event}");
    }
    assert_eq!(changed(&alice, &path, json!({"labels": "late"}))["labels"], json!(["late"]));
}

#[both_databases]
fn another_target_is_measured_at_once(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "next", "main");
    let start = write(&alice, tool, "next", "topic.txt", "something else\n");
    let path = simple(&alice, tool, "topic");
    let before = alice.get(&path).json();
    let request = changed(&alice, &path, json!({"target_branch": "next"}));
    assert_eq!(
        some(&request, &["target_branch", "merge_status", "has_conflicts", "sha"]),
        json!(["next", "cannot_be_merged", true, before["sha"]])
    );
    assert_eq!(request["diff_refs"]["start_sha"], start);
    assert_eq!(system_notes(&alice, &path), ["changed target branch from `main` to `next`"]);
    assert_eq!(alice.get(&format!("{path}/versions")).header("x-total"), "2");
    // The same once more is nothing.
    changed(&alice, &path, json!({"target_branch": "next"}));
    assert_eq!(system_notes(&alice, &path).len(), 1);
}

#[both_databases]
fn another_open_one_is_in_the_way(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "next", "main");
    let first = simple(&alice, tool, "topic");
    let second = offer(&alice, tool, "topic", "next", &json!({}));
    let refusal = json!({"message": ["Another open merge request already exists for this source branch: !1"]});
    alice.put(&second, json!({"target_branch": "main", "title": "x"})).assert(409, refusal.clone());
    changed(&alice, &first, json!({"state_event": "close"}));
    changed(&alice, &second, json!({"target_branch": "main"}));
    let refusal = json!({"message": ["Another open merge request already exists for this source branch: !2"]});
    alice.put(&first, json!({"state_event": "reopen"})).assert(409, refusal);
    assert_eq!(
        (&alice.get(&first).json()["state"], &alice.get(&second).json()["title"]),
        (&json!("closed"), &json!("topic"))
    );
}

#[both_databases]
fn a_title_that_says_not_yet_is_noted(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    assert_eq!(changed(&alice, &path, json!({"title": "WIP: topic"}))["work_in_progress"], true);
    assert_eq!(changed(&alice, &path, json!({"title": "topic"}))["work_in_progress"], false);
    changed(
        &alice,
        &path,
        json!({"title": "other", "description": "text", "discussion_locked": true, "labels": "bug"}),
    );
    changed(&alice, &path, json!({"assignee_id": alice.id}));
    changed(&alice, &path, json!({"assignee_id": 0}));
    let notes = system_notes(&alice, &path);
    let want = [
        "marked as a **Work In Progress**",
        "unmarked as a **Work In Progress**",
        "changed title from **topic** to **other**",
        "changed the description",
        "locked this merge request",
        "assigned to @alice",
        "unassigned @alice",
    ];
    assert_eq!(notes, want);
}

#[both_databases]
fn quick_actions_in_a_description_are_carried_out(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let request =
        changed(&cast.developer, &path, json!({"description": "text\n/label ~\"bug\"\n/assign @guest\n/estimate 1h"}));
    assert_eq!((&request["description"], &request["assignee"]["username"]), (&json!("text"), &json!("guest")));
    assert_eq!(request["time_stats"]["time_estimate"], 3600);
}
