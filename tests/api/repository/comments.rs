//! Comments on commits.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

/// A comment without its date.
#[track_caller]
fn undated(comment: &Value) -> Value {
    assert!(comment["created_at"].is_string(), "{comment}");
    some(comment, &["note", "path", "line", "line_type"])
}

/// A commit that changes the second of four lines of `a.txt`.
fn change(client: &Client) -> (i64, String) {
    let tool = repository(client, "tool", "public");
    write(client, tool, "main", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    let actions = json!([{"action": "update", "file_path": "a.txt", "content": "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n"}]);
    let sha = commit(client, tool, "main", "Change", &actions);
    (tool, format!("{}/commits/{sha}/comments", at(tool)))
}

#[both_databases]
fn comments_come_in_the_order_in_which_they_were_made(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, path) = change(&alice);
    let first = made(&alice, &path, json!({"note": "Fine *work*"}));
    let author = alice.get("/user").json();
    let want = json!({"note": "Fine *work*", "path": null, "line": null, "line_type": null, "author": basic(&author), "created_at": first["created_at"]});
    assert_eq!(first, want);
    let bob = server.user("bob");
    let second = made(&bob, &path.replace(&sha_of(&path), "main"), json!({"note": "Indeed"}));
    assert_eq!(second["author"]["username"], "bob");
    let list = server.anonymous().get(&path).assert_status(200);
    assert_eq!((list.json(), list.header("x-total")), (json!([first, second]), "2".to_owned()));
    assert_eq!(alice.get(&format!("{path}?per_page=1&page=2")).each("note"), ["Indeed"]);
    // They are of one commit, not of its branch.
    write(&alice, tool, "main", "b.txt", "b");
    assert_eq!(alice.get(&path.replace(&sha_of(&path), "main")).json(), json!([]));
}

#[both_databases]
fn a_comment_is_on_a_line_that_the_commit_changes(server: &TestServer) {
    let alice = server.user("alice");
    let (_, path) = change(&alice);
    let on = |path_in: &str, line: i64, side: &str| {
        undated(&made(&alice, &path, json!({"note": "n", "path": path_in, "line": line, "line_type": side})))
    };
    for (line, side) in [(2, "new"), (2, "old"), (5, "new")] {
        assert_eq!(on("a.txt", line, side), json!(["n", "a.txt", line, side]));
    }
    // A comment on a line that the difference does not show is one on the commit.
    for (file, line) in [("a.txt", 9), ("a.txt", 0), ("a.txt", -1), ("nowhere.txt", 2), ("README.md", 1)] {
        assert_eq!(on(file, line, "new"), json!(["n", null, null, null]), "{file} {line}");
    }
    assert_eq!(
        alice.get(&path).each("line"),
        [json!(2), json!(2), json!(5), json!(null), json!(null), json!(null), json!(null), json!(null)]
    );
}

#[both_databases]
fn a_comment_that_is_half_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let (_, path) = change(&alice);
    for (body, text) in [
        (json!({}), "note is missing"),
        (json!({"note": " "}), "note is empty"),
        (json!({"note": "n", "path": "a.txt"}), "line is missing, line_type is missing"),
        (json!({"note": "n", "path": "a.txt", "line": 2}), "line_type is missing"),
        (json!({"note": "n", "path": "a.txt", "line": "two", "line_type": "new"}), "line is invalid"),
        (
            json!({"note": "n", "path": "a.txt", "line": 2, "line_type": "both"}),
            "line_type does not have a valid value",
        ),
    ] {
        alice.post(&path, body).assert(400, parameter(text));
    }
    alice.post(&path.replace(&sha_of(&path), "nowhere"), json!({"note": "n"})).assert(404, missing("Commit"));
    assert_eq!(alice.get(&path).json(), json!([]));
}

#[both_databases]
fn who_reads_the_code_comments(server: &TestServer) {
    let cast = cast(server, "private");
    let path = format!("{}/commits/main/comments", at(cast.project));
    let make = |client: &Client| client.post(&path, json!({"note": "n"}));
    assert_eq!(cast.statuses(make), [404, 403, 201, 201, 201, 201, 201]);
    server.anonymous().get(&path).assert(404, missing("Project"));
    make(&server.anonymous()).assert(401, unauthorized());
    archive(&cast.owner, cast.project);
    make(&cast.owner).assert(403, forbidden());
    assert_eq!(cast.reporter.get(&path).assert_status(200).header("x-total"), "5");
}

#[both_databases]
fn comments_outlive_the_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let sha = work(&alice, tool, "topic");
    let path = format!("{}/commits/{sha}/comments", at(tool));
    made(&alice, &path, json!({"note": "Keep it"}));
    let _ = alice.delete(&format!("{}/branches/topic", at(tool))).assert_status(204);
    assert_eq!(alice.get(&path).assert_status(200).each("note"), ["Keep it"]);
}

/// The commit in a path of comments.
fn sha_of(path: &str) -> String {
    path.split('/').nth(5).unwrap_or_default().to_owned()
}
