//! Discussions about lines that a push changes.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_testkit::{Backend, Client, GIT_SCRIPT, TestServer, both_databases};

use super::note::start_with;
use super::{branch, cast, commit, offer, simple, some, text, with, write};
use crate::support::*;

/// As [`cast`], with a project that resolves discussions about lines that are gone.
fn resolving(server: &TestServer) -> Cast {
    let cast = cast(server, "public");
    changed(&cast.owner, &cast.path(), json!({"resolve_outdated_diff_discussions": true}));
    cast
}

/// Begins a discussion about a line of a file, and yields its path.
#[track_caller]
fn about(client: &Client, path: &str, file: &str, line: &Value) -> String {
    let refs = client.get(path).assert_status(200).json()["diff_refs"].clone();
    let place = json!({"position_type": "text", "old_path": file, "new_path": file});
    let position = with(with(refs, &place), line);
    let discussion = made(client, &format!("{path}/discussions"), json!({"body": "why?", "position": position}));
    format!("{path}/discussions/{}", text(&discussion["id"]))
}

/// Who has resolved a discussion.
#[track_caller]
fn resolved_by(client: &Client, discussion: &str) -> Value {
    let note = client.get(discussion).assert_status(200).json()["notes"][0].clone();
    assert_eq!(note["resolved"], !note["resolved_by"].is_null());
    note["resolved_by"]["username"].clone()
}

/// Gives a file another content in a push.
fn push(server: &TestServer, client: &Client, project: i64, file: &str, content: &str) {
    let actions = json!([{"action": "update", "file_path": file, "content": content}]);
    commit(client, project, "topic", "Change it", &actions);
    server.run_jobs();
}

#[both_databases]
fn a_push_resolves_discussions_about_lines_that_it_changes(server: &TestServer) {
    let cast = resolving(server);
    let path = simple(&cast.developer, cast.project, "topic");
    let [first, second] = [1, 2].map(|line| about(&cast.developer, &path, "topic.txt", &json!({"new_line": line})));
    let general = start_with(&cast.developer, &path, "and?");
    made(&cast.owner, &format!("{second}/notes"), json!({"body": "because"}));
    push(server, &cast.maintainer, cast.project, "topic.txt", "zero\none\nzwei\n");
    let states = || [&first, &second, &general].map(|discussion| resolved_by(&cast.owner, discussion));
    assert_eq!(states(), [Value::Null, json!("maintainer"), Value::Null]);
    let notes = cast.owner.get(&second).json()["notes"].clone();
    assert_eq!(some(&notes[1], &["resolved", "type"]), json!([true, "DiffNote"]), "{notes}");
    // A discussion about the version before the newest, whose line goes only now.
    push(server, &cast.developer, cast.project, "topic.txt", "zero\neins\nzwei\n");
    assert_eq!(states(), [json!("developer"), json!("maintainer"), Value::Null]);
    let all = "resolved all discussions".to_owned();
    assert!(!system_notes(&cast.owner, &path).contains(&all));
    changed(&cast.developer, &general, json!({"resolved": true}));
    assert!(system_notes(&cast.owner, &path).contains(&all));
}

#[both_databases]
fn the_last_discussion_that_a_push_resolves_is_noted(server: &TestServer) {
    let cast = resolving(server);
    let path = simple(&cast.developer, cast.project, "topic");
    let _discussion = about(&cast.owner, &path, "topic.txt", &json!({"new_line": 2}));
    push(server, &cast.maintainer, cast.project, "topic.txt", "one\n");
    let notes = cast.owner.get(&format!("{path}/notes")).each("body");
    assert_eq!(notes.iter().filter(|body| **body == "resolved all discussions").count(), 1, "{notes:?}");
}

#[both_databases]
fn a_removed_line_is_talked_about_until_it_is_back(server: &TestServer) {
    let cast = resolving(server);
    write(&cast.owner, cast.project, "main", "a.txt", "one\ntwo\nthree\n");
    branch(&cast.developer, cast.project, "topic", "main");
    push(server, &cast.developer, cast.project, "a.txt", "one\nthree\n");
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({}));
    let discussion = about(&cast.owner, &path, "a.txt", &json!({"old_line": 2}));
    push(server, &cast.developer, cast.project, "a.txt", "zero\none\nthree\n");
    assert_eq!(resolved_by(&cast.owner, &discussion), Value::Null);
    push(server, &cast.developer, cast.project, "a.txt", "zero\none\ntwo\nthree\n");
    assert_eq!(resolved_by(&cast.owner, &discussion), "developer");
}

#[both_databases]
fn a_file_that_is_renamed_keeps_its_discussions_and_one_that_is_gone_does_not(server: &TestServer) {
    let cast = resolving(server);
    let path = simple(&cast.developer, cast.project, "topic");
    let discussion = about(&cast.owner, &path, "topic.txt", &json!({"new_line": 1}));
    let moved = json!([{"action": "move", "previous_path": "topic.txt", "file_path": "other.txt"}]);
    commit(&cast.developer, cast.project, "topic", "Move it", &moved);
    server.run_jobs();
    assert_eq!(resolved_by(&cast.owner, &discussion), Value::Null);
    let gone =
        json!([{"action": "delete", "file_path": "other.txt"}, {"action": "create", "file_path": "b", "content": "b"}]);
    commit(&cast.developer, cast.project, "topic", "Delete it", &gone);
    server.run_jobs();
    assert_eq!(resolved_by(&cast.owner, &discussion), "developer");
}

#[both_databases]
fn what_is_opened_again_stays_open_and_so_does_what_is_said_about_a_line_that_was_gone(server: &TestServer) {
    let cast = resolving(server);
    let path = simple(&cast.developer, cast.project, "topic");
    let place = json!({"new_line": 2});
    let opened = about(&cast.owner, &path, "topic.txt", &place);
    let refs = cast.owner.get(&path).json()["diff_refs"].clone();
    push(server, &cast.developer, cast.project, "topic.txt", "one\nzwei\n");
    assert_eq!(resolved_by(&cast.owner, &opened), "developer");
    changed(&cast.owner, &opened, json!({"resolved": false}));
    // By a reviewer who still has the version before on the screen.
    let position =
        with(with(refs, &json!({"position_type": "text", "old_path": "topic.txt", "new_path": "topic.txt"})), &place);
    let late = made(&cast.owner, &format!("{path}/discussions"), json!({"body": "why?", "position": position}));
    let late = format!("{path}/discussions/{}", text(&late["id"]));
    push(server, &cast.developer, cast.project, "topic.txt", "one\nzwei\ndrei\n");
    assert_eq!([&opened, &late].map(|it| resolved_by(&cast.owner, it)), [Value::Null, Value::Null]);
}

#[both_databases]
fn a_removed_line_is_talked_about_in_a_file_that_the_target_renames(server: &TestServer) {
    let cast = resolving(server);
    let lines: String = (0..20).map(|number| format!("line {number}\n")).collect();
    write(&cast.owner, cast.project, "main", "a.txt", &lines);
    branch(&cast.developer, cast.project, "topic", "main");
    push(server, &cast.developer, cast.project, "a.txt", &lines.replace("line 9\n", ""));
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({}));
    let discussion = about(&cast.owner, &path, "a.txt", &json!({"old_line": 10}));
    let moved = json!([{"action": "move", "previous_path": "a.txt", "file_path": "b.txt"}]);
    commit(&cast.owner, cast.project, "main", "Move it", &moved);
    // The target is merged into the source.
    let merge = offer(&cast.developer, cast.project, "main", "topic", &json!({}));
    let _ = cast.owner.put(&format!("{merge}/merge"), json!({})).assert_status(200);
    server.run_jobs();
    let now = cast.owner.get(&format!("{path}/changes")).assert_status(200).json();
    assert_eq!(now["changes"][0]["new_path"], "b.txt");
    assert_eq!(resolved_by(&cast.owner, &discussion), Value::Null);
    push(server, &cast.developer, cast.project, "b.txt", &lines.replace("line 3\n", ""));
    assert_eq!(resolved_by(&cast.owner, &discussion), "developer");
}

#[both_databases]
fn only_projects_that_ask_for_it_resolve_by_pushes(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let discussion = about(&cast.owner, &path, "topic.txt", &json!({"new_line": 2}));
    push(server, &cast.developer, cast.project, "topic.txt", "one\nzwei\n");
    assert_eq!(resolved_by(&cast.owner, &discussion), Value::Null);
}

#[test]
fn a_push_is_recorded_where_git_cannot_compare() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        // Git fails if a file says so.
        let script =
            "if [ -e \"$0.broken\" ]; then case \"$*\" in *diff-tree*--raw*) exit 128;; esac; fi\nexec git \"$@\"";
        let server = TestServer::start_with_git(backend, Limits::without_rates(), script);
        let cast = resolving(&server);
        let path = simple(&cast.developer, cast.project, "topic");
        let discussion = about(&cast.owner, &path, "topic.txt", &json!({"new_line": 2}));
        let broken = server.data().join(format!("{GIT_SCRIPT}.broken"));
        std::fs::write(&broken, "").expect("a file");
        push(&server, &cast.developer, cast.project, "topic.txt", "one\nzwei\n");
        std::fs::remove_file(&broken).expect("a file");
        let tip = cast.owner.get(&format!("/projects/{}/repository/branches/topic", cast.project)).json();
        assert_eq!(cast.owner.get(&path).json()["sha"], tip["commit"]["id"]);
        assert_eq!(resolved_by(&cast.owner, &discussion), Value::Null);
    }
}
