//! Changes of lines that comments propose, and the commits that apply them.

use std::thread;

use serde_json::{Value, json};
use tenon_app::CrashPoint;
use tenon_testkit::{Client, Reply, TestServer, both_databases};

use super::{cast, commit, fork, merge, message, offer, repository, simple, some, text, tip, with, work};
use crate::support::*;

/// A new file on topic whose bytes are no text.
fn binary(client: &Client, project: i64, file: &str) {
    let action = json!({"action": "create", "file_path": file, "content": "AApiCg==", "encoding": "base64"});
    commit(client, project, "topic", "Draw", &json!([action]));
}

/// Comments on a line of a file at the present head.
#[track_caller]
fn comment(client: &Client, path: &str, file: &str, line: i64, body: &str) -> Value {
    let refs = client.get(path).assert_status(200).json()["diff_refs"].clone();
    let place = json!({"position_type": "text", "old_path": file, "new_path": file, "new_line": line});
    let body = json!({"body": body, "position": with(refs, &place)});
    let discussion = made(client, &format!("{path}/discussions"), body);
    with(discussion["notes"][0].clone(), &json!({"discussion": discussion["id"]}))
}

/// Proposes another text for a line of topic.txt, and yields the id of the suggestion.
#[track_caller]
fn suggest(client: &Client, path: &str, line: i64, new: &str) -> i64 {
    id(&comment(client, path, "topic.txt", line, &format!("```suggestion\n{new}```"))["suggestions"][0])
}

fn apply(client: &Client, id: i64) -> Reply {
    client.put(&format!("/suggestions/{id}/apply"), json!({}))
}

fn apply_all(client: &Client, ids: &[i64]) -> Reply {
    client.put("/suggestions/batch_apply", json!({"ids": ids}))
}

/// The bytes of a file at the tip of topic.
#[track_caller]
fn content(client: &Client, project: i64, file: &str) -> String {
    client.get(&format!("/projects/{project}/repository/files/{file}/raw?ref=topic")).assert_status(200).text()
}

fn newest(client: &Client, project: i64) -> Value {
    let tip = tip(client, project, "topic").expect("a branch");
    client.get(&format!("/projects/{project}/repository/commits/{tip}")).assert_status(200).json()
}

#[both_databases]
fn a_block_on_a_line_is_a_suggestion(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let body = "Better:\n\n```suggestion:-1+0\neins\nzwei\n```\n\nor\n\n```suggestion\n```\n";
    let note = comment(&cast.owner, &path, "topic.txt", 2, body);
    let fields = ["from_line", "to_line", "appliable", "applied", "from_content", "to_content"];
    let want = [json!([1, 2, true, false, "one\ntwo\n", "eins\nzwei\n"]), json!([2, 2, true, false, "two\n", ""])];
    assert_eq!([0, 1].map(|at| some(&note["suggestions"][at], &fields)), want, "{note}");
    let listed = cast.owner.get(&format!("{path}/notes?sort=desc")).json()[0].clone();
    assert_eq!(listed["suggestions"], note["suggestions"]);
    // An answer proposes as well; a note that is on no line does not.
    let answers = format!("{path}/discussions/{}/notes", text(&note["discussion"]));
    let answer = made(&cast.developer, &answers, json!({"body": "```suggestion:-200+200\nx\n```"}));
    assert_eq!(some(&answer["suggestions"][0], &["from_line", "to_line"]), json!([1, 2]), "{answer}");
    let plain = made(&cast.owner, &format!("{path}/notes"), json!({"body": body}));
    assert_lacks(&plain, &["suggestions"]);
    // A new text has new suggestions; one that stays keeps its id.
    let one = format!("{path}/notes/{}", note["id"]);
    let edited = changed(&cast.owner, &one, json!({"body": body.replace("suggestion\n```", "suggestion\nzwei\n```")}));
    assert_eq!(edited["suggestions"][0], note["suggestions"][0]);
    assert_ne!(edited["suggestions"][1]["id"], note["suggestions"][1]["id"]);
    assert_eq!(changed(&cast.owner, &one, json!({"body": "never mind"}))["suggestions"], json!([]));
    // A line that is none, a block of another name, and a picture.
    for (line, body) in [(9, "```suggestion\nx\n```"), (1, "```suggestions\nx\n```"), (1, "`suggestion`")] {
        assert_eq!(comment(&cast.owner, &path, "topic.txt", line, body)["suggestions"], json!([]), "{body}");
    }
    binary(&cast.developer, cast.project, "a.png");
    server.run_jobs();
    assert_eq!(comment(&cast.owner, &path, "a.png", 2, "```suggestion\nx\n```")["suggestions"], json!([]));
}

#[both_databases]
fn a_suggestion_is_applied_by_one_commit_of_its_author(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let before = tip(&cast.owner, cast.project, "topic").expect("a branch");
    let note = comment(&cast.owner, &path, "topic.txt", 2, "```suggestion:-0+0\nzwei\n```");
    let one = id(&note["suggestions"][0]);
    let answer = apply(&cast.developer, one).assert_status(200).json();
    assert_eq!(some(&answer, &["id", "applied", "appliable"]), json!([one, true, false]), "{answer}");
    assert_eq!(content(&cast.owner, cast.project, "topic.txt"), "one\nzwei\n");
    let made = newest(&cast.owner, cast.project);
    let fields = ["message", "author_name", "committer_name", "parent_ids"];
    assert_eq!(some(&made, &fields), json!(["Apply 1 suggestion(s) to 1 file(s)", "owner", "developer", [before]]));
    // Its thread is resolved, and the push is noted like any other.
    let thread = cast.owner.get(&format!("{path}/discussions/{}", text(&note["discussion"]))).json();
    assert_eq!(thread["notes"][0]["resolved_by"]["username"], "developer", "{thread}");
    assert_eq!(cast.owner.get(&path).json()["sha"], made["id"]);
    let notes = system_notes(&cast.owner, &path);
    assert!(notes.contains(&"resolved all discussions".to_owned()), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("added 1 commit\n")), "{notes:?}");
    let events = cast.owner.get(&format!("{}/events?action=pushed", cast.path())).json();
    assert_eq!(events[0]["author"]["username"], "developer", "{events}");
    // A second press changes nothing.
    assert_eq!(apply(&cast.maintainer, one).assert_status(200).json()["applied"], true);
    assert_eq!(newest(&cast.owner, cast.project)["id"], made["id"]);
    // Nor does another text of the comment.
    let edited = changed(&cast.owner, &format!("{path}/notes/{}", note["id"]), json!({"body": "done"}));
    assert_eq!(edited["suggestions"][0]["applied"], true, "{edited}");
}

#[both_databases]
fn the_project_presets_the_text_of_the_commit(server: &TestServer) {
    let cast = cast(server, "public");
    let template = "%{username} (%{user_full_name}) takes %{suggestions_count} of %{files_count} on %{branch_name} of \
                    %{project_path}: %{file_path} %{unknown}";
    changed(&cast.owner, &cast.path(), json!({"suggestion_commit_message": template}));
    let path = simple(&cast.developer, cast.project, "topic");
    let note = comment(&cast.owner, &path, "topic.txt", 2, "```suggestion:-0+0\nzwei\n```");
    let _ = apply(&cast.developer, id(&note["suggestions"][0])).assert_status(200);
    let want = "developer (developer) takes 1 of 1 on topic of owner/tool: topic.txt %{unknown}";
    assert_eq!(newest(&cast.owner, cast.project)["message"], want);
}

#[both_databases]
fn several_are_one_commit_or_none(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let body = "a\r\nb\r\nc";
    let actions = json!([{"action": "create", "file_path": "win.txt", "content": body}]);
    commit(&cast.developer, cast.project, "topic", "More", &actions);
    server.run_jobs();
    let first = suggest(&cast.owner, &path, 1, "eins\nund\n");
    let second = suggest(&cast.maintainer, &path, 2, "zwei\n");
    let third = id(&comment(&cast.owner, &path, "win.txt", 3, "```suggestion:-1+0\nx\ny\n```")["suggestions"][0]);
    let clash = suggest(&cast.maintainer, &path, 2, "other\n");
    let before = newest(&cast.owner, cast.project)["id"].clone();
    let overlap = message("Suggestions are not applicable as their lines cannot overlap: topic.txt");
    apply_all(&cast.developer, &[first, second, third, clash]).assert(400, overlap);
    apply_all(&cast.developer, &[first, 99_999]).assert(404, not_found());
    apply_all(&cast.developer, &[]).assert(400, message("Select at least one suggestion"));
    assert_eq!(newest(&cast.owner, cast.project)["id"], before);
    let body = json!({"ids": [third, first, second, first], "commit_message": "As *you* like"});
    let answer = cast.developer.put("/suggestions/batch_apply", body).assert_status(200).json();
    assert_eq!(answer.as_array().map(Vec::len), Some(3));
    assert!(answer.as_array().expect("a list").iter().all(|one| one["applied"] == true), "{answer}");
    let made = newest(&cast.owner, cast.project);
    assert_eq!(some(&made, &["message", "author_name", "parent_ids"]), json!(["As *you* like", "developer", [before]]));
    assert_eq!(content(&cast.owner, cast.project, "topic.txt"), "eins\nund\nzwei\n");
    assert_eq!(content(&cast.owner, cast.project, "win.txt"), "a\r\nx\r\ny");
    // The other one is outdated now, and says so.
    let late = message("Can't apply as these lines were changed in a more recent version: topic.txt");
    apply(&cast.developer, clash).assert(400, late);
    let last = cast.owner.get(&format!("{path}/notes?sort=desc&per_page=100")).json();
    let shown =
        last.as_array().expect("a list").iter().find(|note| note["suggestions"][0]["id"] == clash).expect("a note");
    assert_eq!(shown["suggestions"][0]["appliable"], false, "{shown}");
    // Several authors are named.
    let [one, two] = [suggest(&cast.owner, &path, 1, "1\n"), suggest(&cast.maintainer, &path, 3, "3\n")];
    let _ = apply_all(&cast.developer, &[one, two]).assert_status(200);
    let message = text(&newest(&cast.owner, cast.project)["message"]);
    let words = "Apply 2 suggestion(s) to 1 file(s)\n\nCo-authored-by: owner <owner@noreply.";
    assert!(message.starts_with(words) && message.contains("\nCo-authored-by: maintainer <"), "{message}");
    // The project has a message of its own, with placeholders.
    let template =
        "%{username}: %{suggestions_count} in %{files_count} of %{project_name} (%{file_paths}, %{branch_name})";
    changed(&cast.owner, &cast.path(), json!({"suggestion_commit_message": template}));
    let one = suggest(&cast.owner, &path, 1, "first\n");
    let _ = apply(&cast.developer, one).assert_status(200);
    assert_eq!(newest(&cast.owner, cast.project)["title"], "developer: 1 in 1 of tool (topic.txt, topic)");
}

#[both_databases]
fn lines_are_found_where_they_are_now(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let one = suggest(&cast.owner, &path, 2, "zwei\n");
    let change = |content: &str| {
        let actions = json!([{"action": "update", "file_path": "topic.txt", "content": content}]);
        commit(&cast.developer, cast.project, "topic", "Change", &actions);
        server.run_jobs();
    };
    let appliable = || {
        let notes = cast.owner.get(&format!("{path}/notes?sort=asc&activity_filter=only_comments")).json();
        notes[0]["suggestions"][0]["appliable"].clone()
    };
    change("zero\none\nTWO\n");
    assert_eq!(appliable(), false);
    change("zero\none\ntwo\nthree\n");
    assert_eq!(appliable(), true);
    let _ = apply(&cast.developer, one).assert_status(200);
    assert_eq!(content(&cast.owner, cast.project, "topic.txt"), "zero\none\nzwei\nthree\n");
    let gone = suggest(&cast.owner, &path, 1, "null\n");
    let same = suggest(&cast.owner, &path, 1, "zero\n");
    apply(&cast.developer, same).assert(400, message("This suggestion already matches its content: topic.txt"));
    let actions = json!([{"action": "delete", "file_path": "topic.txt"}]);
    commit(&cast.developer, cast.project, "topic", "Remove", &actions);
    let words = "Can't apply as the file was deleted or renamed: topic.txt";
    apply(&cast.developer, gone).assert(400, message(words));
    binary(&cast.developer, cast.project, "topic.txt");
    let words = "Can't apply as the file is not a text that can be changed here: topic.txt";
    apply(&cast.developer, gone).assert(400, message(words));
}

#[both_databases]
fn who_may_push_to_the_branch_applies(server: &TestServer) {
    let cast = cast(server, "private");
    let path = simple(&cast.developer, cast.project, "topic");
    let one = suggest(&cast.owner, &path, 2, "zwei\n");
    server.anonymous().put(&format!("/suggestions/{one}/apply"), json!({})).assert(401, unauthorized());
    for (role, client) in cast.everybody() {
        if matches!(role, "developer" | "maintainer" | "owner" | "admin") {
            continue;
        }
        let reply = apply(client, one);
        let want = if role == "reporter" { 403 } else { 404 };
        assert_eq!(reply.status(), want, "{role}: {}", reply.json());
        if want == 404 {
            assert_eq!(reply.json(), apply(client, 99_999).assert_status(404).json(), "{role}");
        }
    }
    // A protected branch, an archived project, and a closed merge request.
    let protect = json!({"name": "topic", "push_access_level": 40});
    made(&cast.owner, &format!("{}/protected_branches", cast.path()), protect);
    let words = "403 Forbidden - You are not allowed to push into this branch";
    apply(&cast.developer, one).assert(403, message(words));
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    let _ = apply(&cast.owner, one).assert_status(403);
    let _ = cast.owner.post(&format!("{}/unarchive", cast.path()), json!({})).assert_status(200);
    changed(&cast.owner, &path, json!({"state_event": "close"}));
    let words = "This merge request is closed. To apply this suggestion, edit this file directly";
    apply(&cast.owner, one).assert(400, message(words));
    changed(&cast.owner, &path, json!({"state_event": "reopen"}));
    let _ = apply(&cast.owner, one).assert_status(200);
    let late = suggest(&cast.owner, &path, 1, "eins\n");
    merge(&cast.owner, &path, json!({}));
    let words = "This merge request was merged. To apply this suggestion, edit this file directly";
    apply(&cast.owner, late).assert(400, message(words));
}

#[both_databases]
fn a_fork_gets_the_commit_and_a_branch_that_is_gone_does_not(server: &TestServer) {
    let alice = server.user("alice");
    let bob = server.user("bob");
    let tool = repository(&alice, "tool", "public");
    let fork = fork(server, &bob, tool);
    work(&bob, fork, "topic");
    let path = offer(&bob, fork, "topic", "main", &json!({"target_project_id": tool}));
    let one = suggest(&alice, &path, 2, "zwei\n");
    let _ = apply(&alice, one).assert_status(403);
    let _ = apply(&bob, one).assert_status(200);
    assert_eq!(content(&bob, fork, "topic.txt"), "one\nzwei\n");
    server.run_jobs();
    let late = suggest(&alice, &path, 1, "eins\n");
    let _ = bob.delete(&format!("/projects/{fork}/repository/branches/topic")).assert_status(204);
    let reply = apply(&bob, late).assert_status(400).json();
    let words = text(&reply["message"]);
    assert!(words.contains("deleted") || words.contains("closed"), "{words}");
}

#[both_databases]
fn a_commit_that_was_cut_off_is_finished_by_the_next_press(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    for (line, place) in [(1, CrashPoint::Locked), (2, CrashPoint::Moved)] {
        let one = suggest(&cast.owner, &path, line, &format!("{line}\n"));
        let before = newest(&cast.owner, cast.project)["id"].clone();
        server.end_next_at(place);
        let _ = apply(&cast.developer, one).assert_status(500);
        assert_eq!(apply(&cast.developer, one).assert_status(200).json()["applied"], true, "{place:?}");
        let made = newest(&cast.owner, cast.project);
        assert_eq!(made["parent_ids"], json!([before]), "{place:?}");
        server.run_jobs();
    }
    assert_eq!(content(&cast.owner, cast.project, "topic.txt"), "1\n2\n");
}

#[both_databases]
fn the_update_of_the_branch_is_recorded_once_wherever_it_was_cut_off(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let pushes = || {
        let events = cast.owner.get(&format!("{}/events?action=pushed", cast.path())).json();
        let of = |event: &&Value| event["push_data"]["commit_title"] == "Apply 1 suggestion(s) to 1 file(s)";
        events.as_array().expect("a list").iter().filter(of).count()
    };
    for (line, place, presses) in [(1, CrashPoint::Moved, 1), (2, CrashPoint::Finished, 0)] {
        let one = suggest(&cast.owner, &path, line, &format!("{line}\n"));
        server.end_next_at(place);
        let _ = apply(&cast.developer, one).assert_status(500);
        for _ in 0..presses {
            let _ = apply(&cast.developer, one).assert_status(200);
        }
        let tip = tip(&cast.owner, cast.project, "topic").expect("a branch");
        let stored = server.database().count(&format!("SELECT count(*) FROM refs WHERE oid = '{tip}'"));
        assert_eq!((stored, pushes()), (1, usize::try_from(line).expect("a number")), "{place:?}");
        // It was recorded as a whole: another press changes nothing.
        assert_eq!(apply(&cast.developer, one).assert_status(200).json()["applied"], true, "{place:?}");
        assert_eq!(pushes(), usize::try_from(line).expect("a number"), "{place:?}");
        server.run_jobs();
        assert_eq!(cast.owner.get(&path).json()["sha"], tip, "{place:?}");
    }
}

#[both_databases]
fn lines_end_as_the_file_has_them(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let actions = json!([{"action": "create", "file_path": "win.txt", "content": "a\r\nb\r\nc"}]);
    commit(&cast.developer, cast.project, "topic", "More", &actions);
    server.run_jobs();
    let last = id(&comment(&cast.owner, &path, "win.txt", 3, "```suggestion\nx\ny\n```")["suggestions"][0]);
    let first = id(&comment(&cast.owner, &path, "win.txt", 1, "```suggestion\r\n1\r\n2\r\n```")["suggestions"][0]);
    let _ = apply_all(&cast.developer, &[first, last]).assert_status(200);
    assert_eq!(content(&cast.owner, cast.project, "win.txt"), "1\r\n2\r\nb\r\nx\r\ny");
}

#[both_databases]
fn the_replaced_lines_of_a_comment_are_bounded_together(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let lines = format!("{}\n", "x".repeat(15 << 10)).repeat(4);
    let actions = json!([{"action": "create", "file_path": "wide.txt", "content": lines}]);
    commit(&cast.developer, cast.project, "topic", "More", &actions);
    server.run_jobs();
    let block = "```suggestion:-0+3\ny\n```\n\n";
    let made = |blocks: usize| {
        let note = comment(&cast.owner, &path, "wide.txt", 1, &block.repeat(blocks));
        note["suggestions"].as_array().map(Vec::len)
    };
    assert_eq!((made(4), made(5)), (Some(4), Some(0)), "256 KiB");
}

#[both_databases]
fn a_button_that_is_pressed_at_once_makes_one_commit(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    let before = newest(&cast.owner, cast.project)["id"].clone();
    let one = suggest(&cast.owner, &path, 1, "eins\n");
    let other = suggest(&cast.owner, &path, 2, "zwei\n");
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(apply(&cast.developer, one).assert_status(200).json()["applied"], true));
        }
    });
    assert_eq!(newest(&cast.owner, cast.project)["parent_ids"], json!([before]));
    let before = newest(&cast.owner, cast.project)["id"].clone();
    let _ = apply_all(&cast.developer, &[one, other]).assert_status(200);
    assert_eq!(newest(&cast.owner, cast.project)["parent_ids"], json!([before]));
    assert_eq!(content(&cast.owner, cast.project, "topic.txt"), "eins\nzwei\n");
}
