//! The body of each kind of events, as hooks receive it. `docs/webhooks.md` shows the same.

use std::path::Path;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Received, TestServer, both_databases};

use super::deliveries::Scene;
use crate::support::*;

/// The folder of the bodies, from the folder of this package, in which Cargo runs its tests.
const FOLDER: &str = "api/hook/payloads";

/// Compares a body with the one that is kept under `name`. `UPDATE_SNAPSHOTS=1` keeps the new body.
pub(super) fn assert_kept(server: &TestServer, name: &str, received: &Received) {
    let text = received.body.replace(server.base(), "https://git.example.org");
    let mut body: Value = serde_json::from_str(&text).expect("the body is JSON");
    hide_random(&mut body);
    let file = Path::new(FOLDER).join(format!("{name}.json"));
    let text = format!("{}\n", serde_json::to_string_pretty(&body).expect("JSON"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&file, &text).expect("a file that can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(kept, text, "UPDATE_SNAPSHOTS=1 rewrites {}; then read what changed", file.display());
}

/// Replaces values that are drawn at random, or depend on the port of the test.
fn hide_random(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), &field) {
                    ("discussion_id", Value::String(_)) => *field = json!("6a9c1750b37d513a43987b574953fceb50b03ce7"),
                    ("git_ssh_url" | "ssh_url" | "url", Value::String(url))
                        if url.starts_with("git@") || url.starts_with("ssh:") =>
                    {
                        let path = url.rsplit(['/', ':']).take(2).collect::<Vec<_>>();
                        *field = json!(format!("git@git.example.org:{}/{}", path[1], path[0]));
                    }
                    _ => hide_random(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_random),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// People without their pictures.
fn without_avatars(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let _ = fields.remove("avatar_url");
            fields.values_mut().for_each(without_avatars);
        }
        Value::Array(items) => items.iter_mut().for_each(without_avatars),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The only request that came since the last look.
pub(super) fn only(scene: &Scene, server: &TestServer) -> Received {
    server.run_jobs();
    let mut received = scene.receiver.take();
    assert_eq!(received.len(), 1, "{received:#?}");
    received.remove(0)
}

pub(super) fn commit(scene: &Scene, branch: &str, start: Option<&str>, message: &str, file: &str) {
    let mut asked = json!({"branch": branch, "commit_message": message, "actions": [{"action": "create", "file_path": file, "content": message}]});
    if let Some(start) = start {
        asked["start_branch"] = json!(start);
    }
    let _ = scene.alice.post(&format!("{}/repository/commits", scene.project), asked).assert_status(201);
}

#[both_databases]
fn pushes(server: &TestServer) {
    let scene = Scene::new(server);
    commit(&scene, "master", None, "First\n\nWith a text.", "a.txt");
    assert_kept(server, "push_new_branch", &only(&scene, server));
    server.advance(TimeDelta::minutes(1));
    commit(&scene, "master", None, "Second", "dir/b.txt");
    assert_kept(server, "push", &only(&scene, server));
    commit(&scene, "side", Some("master"), "Third", "c.txt");
    let side = only(&scene, server).json();
    assert_eq!((&side["total_commits_count"], side["commits"].as_array().map(Vec::len)), (&json!(1), Some(1)));
    let _ = scene.alice.delete(&format!("{}/repository/branches/side", scene.project)).assert_status(204);
    assert_kept(server, "push_removed_branch", &only(&scene, server));
    let tags = format!("{}/repository/tags", scene.project);
    let _ = scene.alice.post(&tags, json!({"tag_name": "v1", "ref": "master", "message": "One"})).assert_status(201);
    assert_kept(server, "tag_push", &only(&scene, server));
    let _ = scene.alice.delete(&format!("{tags}/v1")).assert_status(204);
    assert_kept(server, "tag_push_removed", &only(&scene, server));
}

#[both_databases]
fn a_branch_filter_is_for_pushes_of_branches_only(server: &TestServer) {
    let scene = Scene::new(server);
    let _ = scene
        .alice
        .put(&scene.hook, json!({"url": scene.receiver.url("/in"), "push_events_branch_filter": "release/*"}))
        .assert_status(200);
    commit(&scene, "master", None, "First", "a.txt");
    commit(&scene, "release/1.0", Some("master"), "Second", "b.txt");
    let _ = scene
        .alice
        .post(&format!("{}/repository/tags", scene.project), json!({"tag_name": "v1", "ref": "master"}))
        .assert_status(201);
    server.run_jobs();
    let refs: Vec<Value> = scene.receiver.take().iter().map(|one| one.json()["ref"].clone()).collect();
    assert_eq!(refs, ["refs/heads/release/1.0", "refs/tags/v1"]);
}

#[both_databases]
fn issues(server: &TestServer) {
    let scene = Scene::new(server);
    let alice = id(&scene.alice.get("/user").json());
    let asked = json!({"title": "Broken", "description": "It **fails**.", "labels": "bug", "assignee_ids": [alice], "due_date": "2026-04-01"});
    let issue = made(&scene.alice, &format!("{}/issues", scene.project), asked);
    assert_kept(server, "issue_open", &only(&scene, server));
    let path = format!("{}/issues/{}", scene.project, issue["iid"]);
    server.advance(TimeDelta::minutes(1));
    let _ = scene
        .alice
        .put(&path, json!({"title": "Very broken", "labels": "urgent", "assignee_ids": []}))
        .assert_status(200);
    assert_kept(server, "issue_update", &only(&scene, server));
    let _ = scene.alice.put(&path, json!({"state_event": "close"})).assert_status(200);
    assert_kept(server, "issue_close", &only(&scene, server));
    let _ = scene.alice.put(&path, json!({"state_event": "reopen", "title": "Still broken"})).assert_status(200);
    server.run_jobs();
    let actions: Vec<Value> =
        scene.receiver.take().iter().map(|one| one.json()["object_attributes"]["action"].clone()).collect();
    assert_eq!(actions, ["reopen", "update"]);
    let _ = made(&scene.alice, &format!("{}/issues", scene.project), json!({"title": "Secret", "confidential": true}));
    assert_kept(server, "confidential_issue", &only(&scene, server));
}

#[both_databases]
fn comments(server: &TestServer) {
    let scene = Scene::new(server);
    let iid = scene.issue("One")["iid"].clone();
    let _opened = only(&scene, server);
    let _ = scene
        .alice
        .post(&format!("{}/issues/{iid}/notes", scene.project), json!({"body": "I see it *too*."}))
        .assert_status(201);
    assert_kept(server, "note_on_issue", &only(&scene, server));
}

#[both_databases]
fn comments_on_snippets(server: &TestServer) {
    let scene = Scene::new(server);
    let snippets = format!("{}/snippets", scene.project);
    let body = json!({"title": "Start", "file_name": "start.sh", "code": "exec tenon\n", "visibility": "public"});
    let id = scene.alice.post(&snippets, body).assert_status(201).json()["id"].clone();
    let _ = scene.alice.post(&format!("{snippets}/{id}/notes"), json!({"body": "Short."})).assert_status(201);
    assert_kept(server, "note_on_snippet", &only(&scene, server));
}

#[both_databases]
fn wiki_pages(server: &TestServer) {
    let scene = Scene::new(server);
    let wiki = format!("{}/wikis", scene.project);
    let page = json!({"title": "guides/first steps", "content": "# One\n", "message": "Begin"});
    let _ = scene.alice.post(&wiki, page).assert_status(201);
    assert_kept(server, "wiki_page_create", &only(&scene, server));
    let one = format!("{wiki}/guides%2Ffirst-steps");
    let _ = scene.alice.put(&one, json!({"content": "# Two\n"})).assert_status(200);
    let body: Value = serde_json::from_str(&only(&scene, server).body).expect("JSON");
    assert_eq!(
        (&body["object_attributes"]["action"], &body["object_attributes"]["content"]),
        (&json!("update"), &json!("# Two\n"))
    );
    // Nothing changes.
    let _ = scene.alice.put(&one, json!({"content": "# Two\n"})).assert_status(200);
    let _ = scene.alice.delete(&one).assert_status(204);
    let body: Value = serde_json::from_str(&only(&scene, server).body).expect("JSON");
    assert_eq!(
        (&body["object_attributes"]["action"], &body["object_attributes"]["slug"]),
        (&json!("delete"), &json!("guides/first-steps"))
    );
}

#[both_databases]
fn merge_requests(server: &TestServer) {
    let scene = Scene::new(server);
    commit(&scene, "master", None, "First", "a.txt");
    commit(&scene, "side", Some("master"), "Second", "b.txt");
    server.run_jobs();
    let _pushed = scene.receiver.take();
    let asked = json!({"source_branch": "side", "target_branch": "master", "title": "Add b"});
    let request = made(&scene.alice, &format!("{}/merge_requests", scene.project), asked);
    let path = format!("{}/merge_requests/{}", scene.project, request["iid"]);
    assert_kept(server, "merge_request_open", &only(&scene, server));
    commit(&scene, "side", None, "Third", "c.txt");
    server.run_jobs();
    let received = scene.receiver.take();
    let updates: Vec<&Received> = received.iter().filter(|one| one.json()["object_kind"] == "merge_request").collect();
    let [update] = updates[..] else { panic!("one update: {received:#?}") };
    assert_kept(server, "merge_request_push", update);
    let _ = scene.alice.post(&format!("{path}/notes"), json!({"body": "Fine."})).assert_status(201);
    assert_kept(server, "note_on_merge_request", &only(&scene, server));
    let _ = scene.alice.put(&format!("{path}/merge"), json!({})).assert_status(200);
    server.run_jobs();
    let received = scene.receiver.take();
    let merges: Vec<&Received> =
        received.iter().filter(|one| one.json()["object_attributes"]["action"] == "merge").collect();
    let [merge] = merges[..] else { panic!("one merge: {received:#?}") };
    assert_kept(server, "merge_request_merge", merge);
}

#[both_databases]
fn a_change_of_assignees_is_one_person_and_a_list(server: &TestServer) {
    let scene = Scene::new(server);
    commit(&scene, "master", None, "First", "a.txt");
    commit(&scene, "side", Some("master"), "Second", "b.txt");
    let bob = server.user("bob");
    member(&scene.alice, &scene.project, bob.id, 30);
    let asked = json!({"source_branch": "side", "target_branch": "master", "title": "Add b"});
    let request = made(&scene.alice, &format!("{}/merge_requests", scene.project), asked);
    let path = format!("{}/merge_requests/{}", scene.project, request["iid"]);
    server.run_jobs();
    let _ = scene.receiver.take();
    let person = |id: i64, name: &str| json!({"id": id, "name": name, "username": name});
    let (alice, bob) = (person(scene.alice.id, "alice"), person(bob.id, "bob"));
    // The requested change, the one person before and after, and the lists.
    for (asked, before, after) in [
        (json!([bob["id"]]), vec![], vec![&bob]),
        (json!([alice["id"]]), vec![&bob], vec![&alice]),
        (json!([alice["id"], bob["id"]]), vec![&alice], vec![&alice, &bob]),
        (json!([bob["id"]]), vec![&alice, &bob], vec![&bob]),
        (json!([]), vec![&bob], vec![]),
    ] {
        let _ = scene
            .alice
            .put(&path, json!({"assignee_ids": asked, "title": format!("Add b {asked}")}))
            .assert_status(200);
        server.run_jobs();
        let received = scene.receiver.take();
        let [update] = &received[..] else { panic!("one update: {received:#?}") };
        let mut changes = update.json()["changes"].clone();
        without_avatars(&mut changes);
        let lists = json!({"previous": before, "current": after});
        let one = json!({"previous": before.first(), "current": after.first()});
        if before == after {
            assert_lacks(&changes, &["assignee", "assignees"]);
            continue;
        }
        assert_eq!(changes["assignees"], lists, "{asked}");
        if before.first() == after.first() {
            assert_lacks(&changes, &["assignee"]);
        } else {
            assert_eq!(changes["assignee"], one, "{asked}");
        }
    }
    let _ = scene.alice.put(&path, json!({"assignee_id": bob["id"]})).assert_status(200);
    assert_kept(server, "merge_request_update", &only(&scene, server));
}

#[both_databases]
fn comments_on_commits(server: &TestServer) {
    let scene = Scene::new(server);
    commit(&scene, "master", None, "First", "a.txt");
    let _pushed = only(&scene, server);
    let comments = format!("{}/repository/commits/master/comments", scene.project);
    let _ = scene.alice.post(&comments, json!({"note": "Why *this*?"})).assert_status(201);
    assert_kept(server, "note_on_commit", &only(&scene, server));
    let on_line = json!({"note": "Here", "path": "a.txt", "line": 1, "line_type": "new"});
    let _ = scene.alice.post(&comments, on_line).assert_status(201);
    assert_kept(server, "note_on_line_of_commit", &only(&scene, server));
    let _ = scene.alice.post(&format!("{}/test/note_events", scene.hook), json!({})).assert_status(201);
    assert_eq!(scene.receiver.take()[0].json()["object_attributes"]["note"], "Here");
}

#[both_databases]
fn jobs_and_pipelines(server: &TestServer) {
    let scene = Scene::new(server);
    commit(&scene, "master", None, "First", "a.txt");
    let _pushed = only(&scene, server);
    let post = |state: &str, name: &str| {
        let status = json!({"state": state, "name": name, "ref": "master"});
        let _ = scene.alice.post(&format!("{}/statuses/master", scene.project), status).assert_status(201);
        server.run_jobs();
        scene.receiver.take()
    };
    let kinds = |received: &[Received]| -> Vec<String> {
        let state = |body: Value| {
            body["build_status"].as_str().or(body["object_attributes"]["status"].as_str()).map(str::to_owned)
        };
        received
            .iter()
            .map(|one| {
                format!(
                    "{} {}",
                    one.header("x-gitlab-event").unwrap_or_default(),
                    state(one.json()).unwrap_or_default()
                )
            })
            .collect()
    };
    assert_eq!(kinds(&post("running", "build")), ["Job Hook running", "Pipeline Hook running"]);
    server.advance(TimeDelta::seconds(90));
    assert_eq!(kinds(&post("pending", "test")), ["Job Hook pending"]);
    assert_eq!(kinds(&post("success", "build")), ["Job Hook success"]);
    let ended = post("failed", "test");
    assert_eq!(kinds(&ended), ["Job Hook failed", "Pipeline Hook failed"]);
    assert_kept(server, "job", &ended[0]);
    assert_kept(server, "pipeline", &ended[1]);
    for (flag, kind) in [("job_events", "build"), ("pipeline_events", "pipeline")] {
        let _ = scene.alice.post(&format!("{}/test/{flag}", scene.hook), json!({})).assert_status(201);
        assert_eq!(scene.receiver.take()[0].json()["object_kind"], kind);
    }
    let _ = post("running", "again");
    let _ = scene.alice.post(&format!("{}/pipelines/1/cancel", scene.project), json!({})).assert_status(200);
    server.run_jobs();
    assert_eq!(kinds(&scene.receiver.take()), ["Job Hook canceled", "Pipeline Hook failed"]);
}
