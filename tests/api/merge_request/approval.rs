//! Approvals, requests for changes, and the rules of projects about them.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::{branch, cast, merge, message, offer, repository, simple, some, status, text, tip, unready, work, write};
use crate::support::*;

fn approvals(client: &Client, path: &str) -> Value {
    client.get(&format!("{path}/approvals")).assert_status(200).json()
}

fn counts(client: &Client, path: &str) -> Value {
    some(&approvals(client, path), &["approvals_required", "approvals_left", "approved"])
}

fn names(people: &Value) -> Vec<String> {
    let people = people.as_array().expect("a list");
    people.iter().map(|given| text(&given["user"]["username"])).collect()
}

/// Everyone's rule of a project, which requires so many approvals.
fn require(client: &Client, project: &str, count: i64) -> Value {
    let body = json!({"name": "All", "rule_type": "any_approver", "approvals_required": count});
    made(client, &format!("{project}/approval_rules"), body)
}

fn notes(client: &Client, path: &str) -> Vec<String> {
    let notes = client.get(&format!("{path}/notes?sort=asc")).assert_status(200).json();
    notes
        .as_array()
        .expect("a list")
        .iter()
        .filter(|note| note["system"] == true)
        .map(|note| text(&note["body"]))
        .collect()
}

#[both_databases]
fn developers_approve_what_others_have_written(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.maintainer, cast.project, "topic");
    for (role, client) in cast.everybody() {
        let may = matches!(role, "developer" | "owner" | "admin");
        assert_eq!(approvals(client, &path)["user_can_approve"], may, "{role}");
        for verdict in ["approve", "request_changes"] {
            let reply = client.post(&format!("{path}/{verdict}"), json!({}));
            if may {
                assert_eq!(reply.status(), 201, "{role}: {}", reply.json());
            } else {
                assert_eq!((reply.status(), reply.json()), (401, unauthorized()), "{role}");
            }
        }
    }
    server.anonymous().post(&format!("{path}/approve"), json!({})).assert(401, unauthorized());
    cast.owner.post(&format!("{}/merge_requests/9/approve", cast.path()), json!({})).assert(404, not_found());
    let found = approvals(&cast.owner, &path);
    assert_eq!(names(&found["changes_requested_by"]), ["developer", "owner", "root"]);
    assert_eq!(some(&found, &["approved_by", "approved"]), json!([[], true]));
}

#[both_databases]
fn an_approval_is_given_once_and_withdrawn_once(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.maintainer, cast.project, "topic");
    let approve = || cast.developer.post(&format!("{path}/approve"), json!({}));
    let given = approve().assert_status(201).json();
    assert_eq!(names(&given["approved_by"]), ["developer"]);
    assert_eq!(some(&given, &["user_has_approved", "user_can_approve"]), json!([true, false]));
    approve().assert(401, unauthorized());
    let withdraw = || cast.developer.post(&format!("{path}/unapprove"), json!({}));
    assert_eq!(withdraw().assert_status(201).json()["approved_by"], json!([]));
    withdraw().assert(404, not_found());
    assert_eq!(notes(&cast.owner, &path), ["approved this merge request", "unapproved this merge request"]);
    // A closed one is neither approved, nor is an approval withdrawn.
    let _ = approve().assert_status(201);
    changed(&cast.owner, &path, json!({"state_event": "close"}));
    cast.owner.post(&format!("{path}/approve"), json!({})).assert(401, unauthorized());
    withdraw().assert(401, unauthorized());
}

#[both_databases]
fn a_commit_that_was_not_seen_is_not_approved(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.maintainer, cast.project, "topic");
    let head = tip(&cast.owner, cast.project, "topic").expect("a branch");
    let refused = message(&format!("SHA does not match HEAD of source branch: {head}"));
    cast.developer.post(&format!("{path}/approve"), json!({"sha": "0".repeat(40)})).assert(409, refused);
    made(&cast.developer, &format!("{path}/approve"), json!({"sha": head}));
}

#[both_databases]
fn a_merge_waits_for_the_approvals_that_a_rule_requires(server: &TestServer) {
    let cast = cast(server, "public");
    require(&cast.maintainer, &cast.path(), 2);
    let path = simple(&cast.maintainer, cast.project, "topic");
    let reason = || cast.owner.get(&path).assert_status(200).json()["detailed_merge_status"].clone();
    assert_eq!(counts(&cast.owner, &path), json!([2, 2, false]));
    assert_eq!(reason(), "not_approved");
    let listed = cast.owner.get(&format!("{}/merge_requests", cast.path())).json();
    assert_eq!(listed[0]["detailed_merge_status"], "not_approved");
    cast.maintainer.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    made(&cast.developer, &format!("{path}/approve"), json!({}));
    assert_eq!(counts(&cast.owner, &path), json!([2, 1, false]));
    made(&cast.owner, &format!("{path}/approve"), json!({}));
    assert_eq!(counts(&cast.owner, &path), json!([2, 0, true]));
    // One who asks for changes is in the way.
    made(&cast.admin, &format!("{path}/request_changes"), json!({}));
    assert_eq!(counts(&cast.owner, &path), json!([2, 0, false]));
    cast.maintainer.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    made(&cast.admin, &format!("{path}/unapprove"), json!({}));
    assert_eq!(reason(), "mergeable");
    // An approval counts as long as its user may approve.
    let member = format!("{}/members/{}", cast.path(), cast.developer.id);
    changed(&cast.owner, &member, json!({"access_level": 20}));
    assert_eq!(counts(&cast.owner, &path), json!([2, 1, false]));
    changed(&cast.owner, &member, json!({"access_level": 30}));
    assert_eq!(merge(&cast.maintainer, &path, json!({}))["state"], "merged");
}

#[both_databases]
fn the_author_approves_if_the_project_says_so(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    cast.developer.post(&format!("{path}/approve"), json!({})).assert(401, unauthorized());
    let settings = format!("{}/approvals", cast.path());
    let set = made(&cast.maintainer, &settings, json!({"merge_requests_author_approval": true}));
    assert_eq!(some(&set, &["merge_requests_author_approval", "reset_approvals_on_push"]), json!([true, true]));
    made(&cast.developer, &format!("{path}/approve"), json!({}));
    assert_eq!(names(&approvals(&cast.owner, &path)["approved_by"]), ["developer"]);
    made(&cast.maintainer, &settings, json!({"merge_requests_author_approval": false}));
    assert_eq!(approvals(&cast.owner, &path)["approved_by"], json!([]));
}

#[both_databases]
fn other_changes_take_the_approvals_away(server: &TestServer) {
    let cast = cast(server, "public");
    let (owner, project) = (&cast.owner, cast.project);
    branch(owner, project, "next", "main");
    let path = simple(&cast.maintainer, project, "topic");
    let approved = || names(&approvals(owner, &path)["approved_by"]);
    let approve = || made(&cast.developer, &format!("{path}/approve"), json!({}));
    approve();
    write(owner, project, "topic", "more.txt", "more");
    assert!(approved().is_empty());
    assert!(notes(owner, &path).contains(&"reset approvals by pushing to the branch".to_owned()));
    // The same changes on top of another commit are approved already.
    approve();
    write(owner, project, "main", "other.txt", "other");
    let _ = owner.put(&format!("{path}/rebase"), json!({})).assert_status(202);
    server.run_jobs();
    assert_eq!(approved(), ["developer"]);
    // Into another branch they bring more.
    changed(owner, &path, json!({"target_branch": "next"}));
    server.run_jobs();
    assert!(approved().is_empty());
    made(&cast.maintainer, &format!("{}/approvals", cast.path()), json!({"reset_approvals_on_push": false}));
    approve();
    write(owner, project, "topic", "again.txt", "again");
    assert_eq!(approved(), ["developer"]);
    // A push while it is closed counts as well.
    made(&cast.maintainer, &format!("{}/approvals", cast.path()), json!({"reset_approvals_on_push": true}));
    changed(owner, &path, json!({"state_event": "close"}));
    write(owner, project, "topic", "closed.txt", "closed");
    changed(owner, &path, json!({"state_event": "reopen"}));
    server.run_jobs();
    assert!(approved().is_empty());
}

#[both_databases]
fn a_rule_counts_the_users_and_groups_that_it_names(server: &TestServer) {
    let cast = cast(server, "public");
    let security = group(&cast.owner, "security", "private");
    let rules = format!("{}/approval_rules", cast.path());
    let named = |client: &Client, body: Value| made(client, &rules, body);
    let one = named(&cast.owner, json!({"name": "Dev", "approvals_required": 1, "user_ids": [cast.developer.id]}));
    assert_eq!(some(&one, &["name", "rule_type", "approvals_required"]), json!(["Dev", "regular", 1]));
    assert_eq!(one["users"][0]["username"], "developer");
    let other = named(&cast.owner, json!({"name": "Security", "approvals_required": 1, "group_ids": [security]}));
    assert_eq!(some(&other["groups"][0], &["id", "full_path"]), json!([security, "security"]));
    let path = simple(&cast.maintainer, cast.project, "topic");
    made(&cast.admin, &format!("{path}/approve"), json!({}));
    assert_eq!(counts(&cast.owner, &path), json!([2, 2, false]));
    made(&cast.owner, &format!("{path}/approve"), json!({}));
    assert_eq!(counts(&cast.owner, &path), json!([2, 1, false]));
    let state = cast.owner.get(&format!("{path}/approval_state")).assert_status(200).json();
    let state: Vec<Value> =
        state["rules"].as_array().expect("rules").iter().map(|rule| some(rule, &["name", "approved"])).collect();
    assert_eq!(state, [json!(["Dev", false]), json!(["Security", true])]);
    made(&cast.developer, &format!("{path}/approve"), json!({}));
    assert_eq!(counts(&cast.owner, &path), json!([2, 0, true]));
    // Who may not see the group is told that there is one.
    let shown = cast.developer.get(&format!("{rules}/{}", id(&other))).assert_status(200).json();
    assert_eq!(some(&shown, &["groups", "contains_hidden_groups"]), json!([[], true]));
    // A change by one who does not see it leaves it there.
    changed(&cast.maintainer, &format!("{rules}/{}", id(&other)), json!({"group_ids": [], "name": "Safety"}));
    let shown = cast.owner.get(&format!("{rules}/{}", id(&other))).json();
    assert_eq!(some(&shown, &["name", "contains_hidden_groups"]), json!(["Safety", false]));
    assert_eq!(shown["groups"][0]["id"], security);
    changed(&cast.owner, &format!("{rules}/{}", id(&other)), json!({"group_ids": [], "usernames": ["owner"]}));
    let listed = cast.owner.get(&format!("{path}/approval_rules")).assert_status(200).json();
    assert_eq!(listed[1]["users"][0]["username"], "owner");
}

#[both_databases]
fn rules_are_for_maintainers_and_have_bounds(server: &TestServer) {
    let cast = cast(server, "public");
    let rules = format!("{}/approval_rules", cast.path());
    let body = || json!({"name": "Two", "approvals_required": 2});
    for (role, client) in cast.everybody() {
        let may = matches!(role, "maintainer" | "owner" | "admin");
        let reply = client.post(&rules, body());
        assert_eq!(reply.status(), if may { 201 } else { 403 }, "{role}");
        assert_eq!(client.get(&rules).status(), 200, "{role}");
        assert_eq!(client.get(&format!("{}/approvals", cast.path())).status(), if may { 200 } else { 403 }, "{role}");
        if may {
            let rule = id(&reply.json());
            changed(client, &format!("{rules}/{rule}"), json!({"approvals_required": 3}));
            let _ = client.delete(&format!("{rules}/{rule}")).assert_status(204);
            client.get(&format!("{rules}/{rule}")).assert(404, not_found());
        }
    }
    let owner = &cast.owner;
    let taken = json!({"message": {"name": ["has already been taken"]}});
    made(owner, &rules, body());
    owner.post(&rules, body()).assert(400, taken);
    require(owner, &cast.path(), 1);
    let second = json!({"name": "Other", "rule_type": "any_approver", "approvals_required": 1});
    let exists = json!({"message": {"rule_type": ["any-approver for the project already exists"]}});
    owner.post(&rules, second).assert(400, exists);
    let wrong = |body: Value, field: &str, problem: &str| {
        owner.post(&rules, body).assert(400, json!({"message": {field: [problem]}}));
    };
    wrong(json!({"name": "A", "approvals_required": 101}), "approvals_required", "must be between 0 and 100");
    wrong(json!({"name": "A", "approvals_required": -1}), "approvals_required", "must be between 0 and 100");
    wrong(json!({"name": "A", "approvals_required": 1, "user_ids": [999_999]}), "users", "are not found");
    wrong(json!({"name": "A", "approvals_required": 1, "group_ids": [999_999]}), "groups", "are not found");
    owner.post(&rules, json!({"name": "A"})).assert(400, parameter("approvals_required is missing"));
    owner.post(&rules, json!({"approvals_required": 1})).assert(400, parameter("name is missing"));
    let many: Vec<i64> = (1..=201).collect();
    let _ = owner.post(&rules, json!({"name": "A", "approvals_required": 1, "user_ids": many})).assert_status(400);
    // The number of everyone's rule is a setting as well.
    let settings = format!("{}/approvals", cast.path());
    assert_eq!(made(owner, &settings, json!({"approvals_before_merge": 3}))["approvals_before_merge"], 3);
    assert_eq!(owner.get(&rules).json().as_array().map(Vec::len), Some(2));
}

#[both_databases]
fn an_approval_lets_a_merge_go_on_that_waits(server: &TestServer) {
    let cast = cast(server, "public");
    require(&cast.maintainer, &cast.path(), 1);
    let path = simple(&cast.maintainer, cast.project, "topic");
    made(&cast.developer, &format!("{path}/approve"), json!({}));
    status(server, &cast.maintainer, &path, "running");
    changed(&cast.maintainer, &format!("{path}/merge"), json!({"merge_when_pipeline_succeeds": true}));
    made(&cast.developer, &format!("{path}/unapprove"), json!({}));
    status(server, &cast.maintainer, &path, "success");
    assert_eq!(cast.owner.get(&path).json()["state"], "opened");
    made(&cast.developer, &format!("{path}/approve"), json!({}));
    server.run_jobs();
    assert_eq!(cast.owner.get(&path).json()["state"], "merged");
}

#[both_databases]
fn who_asks_for_changes_puts_them_on_the_list_of_the_author(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.maintainer, cast.project, "topic");
    made(&cast.developer, &format!("{path}/request_changes"), json!({}));
    let todos = cast.maintainer.get("/todos").assert_status(200).json();
    assert_eq!(some(&todos[0], &["action_name", "target_type"]), json!(["review_submitted", "MergeRequest"]));
    assert_eq!(todos[0]["author"]["username"], "developer");
    made(&cast.developer, &format!("{path}/approve"), json!({}));
    assert_eq!(notes(&cast.owner, &path), ["requested changes", "approved this merge request"]);
    let events = cast.developer.get("/events?action=approved").assert_status(200).json();
    assert_eq!(some(&events[0], &["action_name", "target_type"]), json!(["approved", "MergeRequest"]));
}

#[both_databases]
fn approvals_of_archived_and_private_projects(server: &TestServer) {
    let cast = cast(server, "private");
    let path = simple(&cast.maintainer, cast.project, "topic");
    cast.stranger.post(&format!("{path}/approve"), json!({})).assert(404, missing("Project"));
    cast.stranger.get(&format!("{path}/approvals")).assert(404, missing("Project"));
    cast.guest.post(&format!("{path}/approve"), json!({})).assert(401, unauthorized());
    made(&cast.developer, &format!("{path}/approve"), json!({}));
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    for verdict in ["approve", "request_changes", "unapprove"] {
        cast.developer.post(&format!("{path}/{verdict}"), json!({})).assert(401, unauthorized());
    }
    assert_eq!(names(&approvals(&cast.owner, &path)["approved_by"]), ["developer"]);
}

#[both_databases]
fn many_approve_at_once(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({}));
    let bob = server.user("bob");
    member(&alice, &format!("/projects/{tool}"), bob.id, 30);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let tries: Vec<_> =
            (0..4).map(|_| scope.spawn(|| bob.post(&format!("{path}/approve"), json!({})).status())).collect();
        tries.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 3, "{statuses:?}");
    assert_eq!(notes(&alice, &path), ["approved this merge request"]);
}

#[both_databases]
fn a_merge_request_requires_more_approvals_than_its_project(server: &TestServer) {
    let cast = cast(server, "public");
    let author = &cast.maintainer;
    branch(author, cast.project, "topic", "main");
    write(author, cast.project, "topic", "new.txt", "new");
    let body = json!({
        "source_branch": "topic", "target_branch": "main", "title": "One", "approvals_before_merge": 2,
    });
    let offered = made(author, &format!("{}/merge_requests", cast.path()), body);
    assert_eq!(offered["approvals_before_merge"], 2);
    let path = format!("{}/merge_requests/{}", cast.path(), offered["iid"]);
    let read = || author.get(&path).json()["approvals_before_merge"].clone();
    assert_eq!((read(), counts(author, &path)), (json!(2), json!([2, 2, false])));
    let reason = || author.get(&path).json()["detailed_merge_status"].clone();
    assert_eq!(reason(), "not_approved");
    author.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    for (left, client) in [(1, &cast.developer), (0, &cast.owner)] {
        made(client, &format!("{path}/approve"), json!({}));
        assert_eq!(counts(author, &path), json!([2, left, left == 0]));
    }
    // The number of the project is the smallest that counts.
    require(&cast.owner, &cast.path(), 1);
    for (number, counted) in [
        (json!(3), json!([3, 1, false])),
        (json!(0), json!([1, 0, true])),
        (json!(4), json!([4, 2, false])),
        (Value::Null, json!([1, 0, true])),
    ] {
        let after = changed(author, &path, json!({"approvals_before_merge": number}));
        assert_eq!((&after["approvals_before_merge"], counts(author, &path)), (&number, counted));
    }
    for wrong in [-1, 101] {
        let refused = author.put(&path, json!({"approvals_before_merge": wrong})).assert_status(400).json();
        assert_eq!(refused["message"]["approvals_before_merge"], json!(["must be between 0 and 100"]));
    }
    assert_eq!(cast.reporter.put(&path, json!({"approvals_before_merge": 0})).status(), 403);
    let settings = cast.owner.get(&format!("{}/approvals", cast.path())).json();
    assert_eq!(settings["disable_overriding_approvers_per_merge_request"], false);
    assert_eq!(reason(), "mergeable");
    assert_eq!(merge(author, &path, json!({}))["state"], "merged");
}
