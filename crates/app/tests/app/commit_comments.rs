//! Comments on commits.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::{commit, member, project};

#[both_databases]
fn comments_on_a_commit_come_in_the_order_in_which_they_were_made(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let sha = commit(&alice, tool, "main", None, "one");
    let path = format!("/projects/{tool}/repository/commits/{sha}/comments");
    let said = bob.post(&path, json!({"note": "first"})).assert_status(201).json();
    for (field, value) in
        [("note", json!("first")), ("path", Value::Null), ("line", Value::Null), ("line_type", Value::Null)]
    {
        assert_eq!(said[field], value, "{field}");
    }
    assert_eq!(said["author"]["username"], "bob");
    assert!(said["created_at"].is_string(), "{said}");
    let short = sha.get(..8).expect("digits");
    let other = format!("/projects/{tool}/repository/commits/{short}/comments");
    alice.post(&other, json!({"note": "second"})).assert_status(201).json();
    let found = server.anonymous().get(&path).assert_status(200);
    assert_eq!(found.each("note"), ["first", "second"]);
    assert_eq!(found.header("X-Total"), "2");
    assert_eq!(alice.get(&format!("{path}?per_page=1&page=2")).each("note"), ["second"]);
    assert_eq!(alice.get(&format!("/projects/{tool}/repository/commits/main~9/comments")).status(), 404);
}

#[both_databases]
fn a_comment_keeps_its_line_only_where_the_commit_changes_it(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let file = |content: &str, action: &str| {
        json!({"branch": "main", "commit_message": "x",
        "actions": [{"action": action, "file_path": "a.txt", "content": content}]})
    };
    let commits = format!("/projects/{tool}/repository/commits");
    let lines = |changed: &str| format!("{}{changed}\n{}", "x\n".repeat(9), "y\n".repeat(10));
    alice.post(&commits, file(&lines("old"), "create")).assert_status(201).json();
    let made = alice.post(&commits, file(&lines("new"), "update")).assert_status(201).json();
    let path = format!("{commits}/{}/comments", made["id"].as_str().expect("an id"));
    for (file, line, kind, is_kept) in [
        ("a.txt", 10, "new", true),
        ("a.txt", 10, "old", true),
        ("a.txt", 1, "new", false),
        ("a.txt", 99, "new", false),
        ("b.txt", 10, "new", false),
    ] {
        let body = json!({"note": "n", "path": file, "line": line, "line_type": kind});
        let said = alice.post(&path, body).assert_status(201).json();
        let want = if is_kept { json!([file, line, kind]) } else { json!([null, null, null]) };
        assert_eq!(json!([said["path"], said["line"], said["line_type"]]), want, "{file} {line} {kind}");
    }
}

#[both_databases]
fn only_who_may_read_the_code_comments_and_says_something(server: &TestServer) {
    let (alice, guest, reporter) = (server.user("alice"), server.user("guest"), server.user("reporter"));
    let tool = project(&alice, "tool", "private");
    member(&alice, tool, &guest, 10);
    member(&alice, tool, &reporter, 20);
    let sha = commit(&alice, tool, "main", None, "one");
    let path = format!("/projects/{tool}/repository/commits/{sha}/comments");
    let body = json!({"note": "n"});
    assert_eq!(server.anonymous().post(&path, body.clone()).status(), 401);
    assert_eq!(server.anonymous().get(&path).status(), 404);
    assert_eq!(server.user("stranger").post(&path, body.clone()).status(), 404);
    assert_eq!((guest.get(&path).status(), guest.post(&path, body.clone()).status()), (403, 403));
    assert_eq!((reporter.get(&path).status(), reporter.post(&path, body.clone()).status()), (200, 201));
    let missing = format!("/projects/{tool}/repository/commits/{}/comments", "1".repeat(40));
    alice.post(&missing, body.clone()).assert(404, json!({"message": "404 Commit Not Found"}));
    assert_eq!(alice.post(&path, json!({})).status(), 400);
    assert_eq!(alice.post(&path, json!({"note": " "})).status(), 400);
    let half = alice.post(&path, json!({"note": "n", "path": "a"})).assert_status(400).text();
    assert!(half.contains("line is missing") && half.contains("line_type is missing"), "{half}");
    alice.post(&format!("/projects/{tool}/archive"), json!({})).assert_status(200).json();
    assert_eq!((alice.get(&path).status(), alice.post(&path, body).status()), (200, 403));
}

#[both_databases]
fn a_commit_that_was_commented_on_outlives_its_branch(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let sha = commit(&alice, tool, "topic", Some("main"), "one");
    let path = format!("/projects/{tool}/repository/commits/{sha}/comments");
    alice.post(&path, json!({"note": "n"})).assert_status(201).json();
    alice.delete(&format!("/projects/{tool}/repository/branches/topic")).assert_status(204).json();
    let repository = server.data().join(format!("repositories/{tool:03}/{tool}.git"));
    let refs = std::fs::read_dir(repository.join("refs/keep-around")).map(Iterator::count).unwrap_or_default();
    let packed = std::fs::read_to_string(repository.join("packed-refs")).unwrap_or_default();
    assert!(refs > 0 || packed.contains("refs/keep-around/"), "nothing keeps it");
    assert_eq!(alice.get(&path).assert_status(200).each("note"), ["n"]);
}
