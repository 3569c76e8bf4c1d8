//! Which events each use case sends, counted: those that the reference of the API names, and no other.

use std::cell::RefCell;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Received, TestServer, both_databases};

use super::deliveries::Scene;
use crate::merge_request::{branch, offer, start_with, tip, work, write};
use crate::support::*;

/// Use cases whose deliveries were not the expected ones.
struct Table<'a> {
    server: &'a TestServer,
    scene: Scene,
    wrong: RefCell<Vec<String>>,
}

/// `merge_request update`, or `push` if there is no action.
fn event(received: &Received) -> String {
    let body = received.json();
    let kind = body["event_type"].as_str().or(body["object_kind"].as_str()).unwrap_or_default().to_owned();
    match (kind.as_str(), body["object_attributes"]["action"].as_str()) {
        ("issue" | "confidential_issue" | "merge_request", Some(action)) => format!("{kind} {action}"),
        _ => kind,
    }
}

impl<'a> Table<'a> {
    fn new(server: &'a TestServer) -> Self {
        let scene = Scene::new(server);
        Self { server, scene, wrong: RefCell::default() }
    }

    /// The deliveries since the last call, after all jobs.
    fn received(&self) -> Vec<Received> {
        self.server.run_jobs();
        self.scene.receiver.take()
    }

    /// Does something, and compares its deliveries with the expected ones. Nothing depends on the order of pushes among
    /// other kinds.
    fn case(&self, name: &str, work: impl FnOnce(), expected: &[&str]) {
        self.server.advance(TimeDelta::minutes(1));
        work();
        let mut sent: Vec<String> = self.received().iter().map(event).collect();
        sent.sort_by_key(|event| event == "push");
        if sent != expected {
            self.wrong.borrow_mut().push(format!("{name}: {sent:?} instead of {expected:?}"));
        }
    }

    #[track_caller]
    fn end(self) {
        let wrong = self.wrong.into_inner();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[both_databases]
fn each_use_case_of_issues_sends_its_events(server: &TestServer) {
    let table = Table::new(server);
    let (alice, me) = ((*table.scene.alice).clone(), table.scene.alice.id);
    let home = table.scene.project.clone();
    let bob = server.user("bob");
    member(&alice, &home, bob.id, 30);
    label(&alice, &home, "bug");
    let milestone = milestone(&alice, &home, "v1");
    let _ = table.received();
    let issues = format!("{home}/issues");
    let one = format!("{issues}/1");
    let put = |body: Value| drop(alice.put(&one, body).assert_status(200));
    let post = |path: &str, body: Value| drop(alice.post(&format!("{one}/{path}"), body));
    let open = "issue open";
    let update = "issue update";
    table.case(
        "open",
        || drop(made(&alice, &issues, json!({"title": "One", "labels": "bug", "assignee_ids": [bob.id]}))),
        &[open],
    );
    let commands = "Text\n/label ~bug\n/assign @bob\n/milestone %v1\n/estimate 1h\n/title Other";
    table.case(
        "open with quick actions",
        || drop(made(&alice, &issues, json!({"title": "Two", "description": commands}))),
        &[open],
    );
    table.case(
        "open as closed",
        || drop(made(&alice, &issues, json!({"title": "Three", "description": "/close"}))),
        &[open, "issue close"],
    );
    table.case(
        "open with a command that changes nothing",
        || drop(made(&alice, &issues, json!({"title": "Four", "description": "/todo"}))),
        &[open],
    );
    table.case("title", || put(json!({"title": "First"})), &[update]);
    table.case("the same title", || put(json!({"title": "First"})), &[]);
    table.case("description", || put(json!({"description": "Text"})), &[update]);
    table.case(
        "description with quick actions",
        || put(json!({"description": "News\n/estimate 2h\n/unlabel ~bug"})),
        &[update],
    );
    table.case(
        "description and state",
        || put(json!({"description": "Old", "state_event": "close"})),
        &["issue close", update],
    );
    table.case("reopen", || put(json!({"state_event": "reopen"})), &["issue reopen"]);
    table.case("reopen what is open", || put(json!({"state_event": "reopen"})), &[]);
    table.case("labels", || put(json!({"labels": "bug,new"})), &[update]);
    table.case("assignees", || put(json!({"assignee_ids": [me]})), &[update]);
    table.case("milestone", || put(json!({"milestone_id": milestone})), &[update]);
    table.case("due date", || put(json!({"due_date": "2026-12-24"})), &[update]);
    table.case(
        "several at once",
        || put(json!({"title": "A", "labels": "", "milestone_id": 0, "assignee_ids": []})),
        &[update],
    );
    table.case("lock", || put(json!({"discussion_locked": true})), &[update]);
    table.case("unlock", || put(json!({"discussion_locked": false})), &[update]);
    table.case("close", || put(json!({"state_event": "close"})), &["issue close"]);
    table.case("close what is closed", || put(json!({"state_event": "close"})), &[]);
    table.case("reopen again", || put(json!({"state_event": "reopen"})), &["issue reopen"]);
    table.case("note", || post("notes", json!({"body": "Hello"})), &["note"]);
    let note = id(&alice.get(&format!("{one}/notes?sort=desc")).json()[0]);
    table.case(
        "edit a note",
        || drop(alice.put(&format!("{one}/notes/{note}"), json!({"body": "Bye"})).assert_status(200)),
        &[],
    );
    table.case("award on a note", || post(&format!("notes/{note}/award_emoji"), json!({"name": "heart"})), &[]);
    table.case("note that mentions", || post("notes", json!({"body": "@bob #2 please"})), &["note"]);
    table.case("delete a note", || drop(alice.delete(&format!("{one}/notes/{note}")).assert_status(204)), &[]);
    table.case("note that closes", || post("notes", json!({"body": "Done\n/close"})), &["note", "issue close"]);
    table.case(
        "commands only",
        || post("notes", json!({"body": "/reopen\n/label ~bug\n/assign @bob"})),
        &["issue reopen", update],
    );
    table.case("a command for oneself", || post("notes", json!({"body": "/subscribe"})), &[]);
    table.case("estimate", || post("time_estimate", json!({"duration": "3h"})), &[update]);
    table.case("spent time", || post("add_spent_time", json!({"duration": "1h"})), &[update]);
    table.case("reset of spent time", || post("reset_spent_time", json!({})), &[update]);
    table.case("reset of the estimate", || post("reset_time_estimate", json!({})), &[update]);
    table.case("award", || post("award_emoji", json!({"name": "thumbsup"})), &[]);
    table.case("subscribe", || post("subscribe", json!({})), &[]);
    table.case("unsubscribe", || post("unsubscribe", json!({})), &[]);
    table.case("todo", || post("todo", json!({})), &[]);
    table.case("read", || drop((alice.get(&one), bob.get(&one), alice.get(&issues))), &[]);
    table.case("confidential", || put(json!({"confidential": true})), &["confidential_issue update"]);
    table.case("confidential note", || post("notes", json!({"body": "Psst"})), &["confidential_note"]);
    table.case("open again", || put(json!({"confidential": false})), &[update]);
    let other = project(&alice, "other", "public");
    table.case("move", || post("move", json!({"to_project_id": other})), &["issue close"]);
    table.case("delete", || drop(alice.delete(&format!("{issues}/2")).assert_status(204)), &[]);
    table.end();
}

#[both_databases]
#[expect(clippy::too_many_lines, reason = "one line for each use case")]
fn each_use_case_of_merge_requests_sends_its_events(server: &TestServer) {
    let table = Table::new(server);
    let (alice, me) = ((*table.scene.alice).clone(), table.scene.alice.id);
    let home = table.scene.project.clone();
    let project: i64 = home.trim_start_matches("/projects/").parse().expect("an id");
    let bob = server.user("bob");
    member(&alice, &home, bob.id, 30);
    label(&alice, &home, "bug");
    let milestone = milestone(&alice, &home, "v1");
    write(&alice, project, "main", "README.md", "tool");
    for name in ["one", "two", "three", "four", "five"] {
        work(&alice, project, name);
    }
    branch(&alice, project, "release", "main");
    let _ = table.received();
    let (open, update) = ("merge_request open", "merge_request update");
    let requests = format!("{home}/merge_requests");
    let one = format!("{requests}/1");
    let put = |body: Value| drop(alice.put(&one, body).assert_status(200));
    let post = |path: &str, body: Value| drop(alice.post(&format!("{one}/{path}"), body));
    let more = json!({"labels": "bug", "assignee_id": bob.id});
    table.case("open", || drop(offer(&alice, project, "one", "main", &more)), &[open]);
    let commands = json!({"description": "Text\n/label ~bug\n/assign @bob\n/title Draft: two"});
    table.case("open with quick actions", || drop(offer(&alice, project, "two", "main", &commands)), &[open]);
    table.case(
        "read",
        || drop((alice.get(&one), bob.get(&one), alice.get(&requests), alice.get(&format!("{one}/changes")))),
        &[],
    );
    table.case("title", || put(json!({"title": "First"})), &[update]);
    table.case("the same title", || put(json!({"title": "First"})), &[]);
    table.case("draft", || put(json!({"title": "Draft: First"})), &[update]);
    table.case("ready", || put(json!({"title": "First"})), &[update]);
    table.case(
        "description with quick actions",
        || put(json!({"description": "News\n/estimate 2h\n/unlabel ~bug"})),
        &[update],
    );
    table.case("labels", || put(json!({"labels": "bug,new"})), &[update]);
    table.case("assignee", || put(json!({"assignee_id": me})), &[update]);
    table.case("reviewers", || put(json!({"reviewer_ids": [bob.id]})), &[update]);
    table.case("milestone", || put(json!({"milestone_id": milestone})), &[update]);
    table.case("squash", || put(json!({"squash": true})), &[update]);
    table.case("no squash", || put(json!({"squash": false})), &[update]);
    table.case("lock", || put(json!({"discussion_locked": true})), &[update]);
    table.case("unlock", || put(json!({"discussion_locked": false})), &[update]);
    table.case("target", || put(json!({"target_branch": "release"})), &[update]);
    table.case("target again", || put(json!({"target_branch": "main"})), &[update]);
    table.case("close", || put(json!({"state_event": "close"})), &["merge_request close"]);
    table.case("close what is closed", || put(json!({"state_event": "close"})), &[]);
    table.case("reopen", || put(json!({"state_event": "reopen"})), &["merge_request reopen"]);
    table.case(
        "close and edit",
        || put(json!({"state_event": "close", "title": "Second"})),
        &["merge_request close", update],
    );
    table.case(
        "reopen and edit",
        || put(json!({"state_event": "reopen", "title": "First"})),
        &["merge_request reopen", update],
    );
    table.case("reopen what is open", || put(json!({"state_event": "reopen"})), &[]);
    table.case("push", || drop(write(&alice, project, "one", "more.txt", "m")), &[update, "push"]);
    table.case("push to the target", || drop(write(&alice, project, "main", "news.txt", "n")), &["push"]);
    table.case("close before a push", || put(json!({"state_event": "close"})), &["merge_request close"]);
    table.case("push while closed", || drop(write(&alice, project, "one", "late.txt", "l")), &["push"]);
    table.case("reopen after that push", || put(json!({"state_event": "reopen"})), &["merge_request reopen"]);
    table.case("note", || post("notes", json!({"body": "Hello"})), &["note"]);
    let talk = RefCell::new(String::new());
    table.case("a discussion", || drop(talk.replace(start_with(&alice, &one, "Why?"))), &["note"]);
    table.case("resolve", || drop(alice.put(&talk.borrow(), json!({"resolved": true})).assert_status(200)), &[]);
    table.case("note that closes", || post("notes", json!({"body": "No\n/close"})), &["note", "merge_request close"]);
    table.case("commands only", || post("notes", json!({"body": "/reopen"})), &["merge_request reopen"]);
    table.case("estimate", || post("time_estimate", json!({"duration": "3h"})), &[update]);
    table.case("spent time", || post("add_spent_time", json!({"duration": "1h"})), &[update]);
    table.case("award", || post("award_emoji", json!({"name": "thumbsup"})), &[]);
    table.case("subscribe", || post("subscribe", json!({})), &[]);
    table.case("todo", || post("todo", json!({})), &[]);
    table.case("rebase", || drop(alice.put(&format!("{one}/rebase"), json!({})).assert_status(202)), &[update, "push"]);
    let head = tip(&alice, project, "one").expect("a branch");
    let status = |state: &str| {
        let body = json!({"state": state, "ref": "one", "name": "build"});
        drop(made(&alice, &format!("{home}/statuses/{head}"), body));
    };
    table.case("a pipeline", || status("pending"), &["build", "pipeline"]);
    let accept = format!("{one}/merge");
    let wait = || drop(alice.put(&accept, json!({"merge_when_pipeline_succeeds": true})).assert_status(200));
    table.case("wait for the pipeline", wait, &[]);
    table.case(
        "wait no more",
        || drop(alice.put(&format!("{one}/cancel_merge_when_pipeline_succeeds"), json!({})).assert_status(200)),
        &[],
    );
    table.case("wait again", wait, &[]);
    table.case("close what waits", || put(json!({"state_event": "close"})), &["merge_request close"]);
    table.case("reopen what has waited", || put(json!({"state_event": "reopen"})), &["merge_request reopen"]);
    table.case("wait once more", wait, &[]);
    table.case("the pipeline succeeds", || status("success"), &["build", "pipeline", "merge_request merge", "push"]);
    table.case("edit what is merged", || put(json!({"title": "Was first"})), &[update]);
    let three = offer(&alice, project, "three", "main", &json!({}));
    let _ = table.received();
    table.case(
        "merge",
        || drop(alice.put(&format!("{three}/merge"), json!({"should_remove_source_branch": true})).assert_status(200)),
        &["merge_request merge", "push", "push"],
    );
    offer(&alice, project, "four", "main", &json!({}));
    let _ = table.received();
    table.case(
        "the source goes",
        || drop(alice.delete(&format!("{home}/repository/branches/four")).assert_status(204)),
        &["merge_request close", "push"],
    );
    offer(&alice, project, "five", "release", &json!({}));
    let _ = table.received();
    let head = tip(&alice, project, "five").expect("a branch");
    let merged = || {
        let _ = alice.delete(&format!("{home}/repository/branches/release")).assert_status(204);
        branch(&alice, project, "release", &head);
    };
    table.case("the target is made anew with it", merged, &["push", "push"]);
    table.end();
}

/// A receiver that starts a pipeline for each of these events starts one.
#[both_databases]
fn a_reopened_merge_request_tells_of_its_head(server: &TestServer) {
    let scene = Scene::new(server);
    let project: i64 = scene.project.trim_start_matches("/projects/").parse().expect("an id");
    write(&scene.alice, project, "main", "README.md", "tool");
    let sha = work(&scene.alice, project, "topic");
    let path = offer(&scene.alice, project, "topic", "main", &json!({}));
    let reopened = |push: &dyn Fn() -> String| {
        let _ = scene.alice.put(&path, json!({"state_event": "close"})).assert_status(200);
        let head = push();
        server.run_jobs();
        let _ = scene.receiver.take();
        let _ = scene.alice.put(&path, json!({"state_event": "reopen"})).assert_status(200);
        server.run_jobs();
        let received = scene.receiver.take();
        let [reopened] = &received[..] else { panic!("one event: {received:#?}") };
        let body = reopened.json();
        assert_eq!(body["object_attributes"]["last_commit"]["id"], head);
        assert_eq!(body["object_attributes"].get("oldrev"), None);
        assert_eq!(body["changes"]["state"], json!({"previous": "closed", "current": "opened"}));
        let shown = scene.alice.get(&path).json();
        assert_eq!((&shown["sha"], &shown["merge_status"]), (&json!(head), &json!("can_be_merged")));
        scene.alice.get(&format!("{path}/versions")).header("x-total")
    };
    assert_eq!(reopened(&|| sha.clone()), "2");
    assert_eq!(reopened(&|| write(&scene.alice, project, "topic", "late.txt", "l")), "3");
}
