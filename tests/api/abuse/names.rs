//! Paths and names that mean something to other programs, and names that look like others.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// No path for anything.
const NO_PATH: [&str; 19] = [
    "..",
    ".",
    ".git",
    "-x",
    "a/b",
    "%2e%2e",
    "%00",
    ".atom",
    "x.git",
    "x.GIT",
    "x.atom",
    "a\0b",
    "a b",
    "a\nb",
    "a\u{202e}b",
    "a\u{200b}b",
    "é",
    "a\\b",
    "x.",
];

fn user(path: &str) -> Value {
    json!({"email": "x@example.org", "username": path, "name": "x", "password": "correct horse", "skip_confirmation": true})
}

/// The text of a validation refusal about the field, which must be the only one.
fn refusal(client: &Client, route: &str, body: Value, attribute: &str) -> String {
    let reply = client.post(route, body.clone());
    assert_eq!(reply.status(), 400, "{route} {body}: {}", reply.text());
    let message = reply.json()["message"].clone();
    let text = match &message {
        // Groups report it as one flattened text.
        Value::String(text) => text.clone(),
        fields => fields[attribute][0].as_str().unwrap_or_else(|| panic!("{route} {body}: {message}")).to_owned(),
    };
    assert!(!text.is_empty());
    text
}

#[both_databases]
fn no_user_project_or_group_gets_a_path_that_means_something_else(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    let long = "x".repeat(256);
    for path in NO_PATH.into_iter().chain([long.as_str()]) {
        refusal(&root, "/users", user(path), "username");
        refusal(&alice, "/groups", json!({"name": "x", "path": path}), "path");
        // A project may end in a dot, as its rule has it.
        if path != "x." && path != "." && path != ".." {
            refusal(&alice, "/projects", json!({"name": "x", "path": path}), "path");
        }
    }
    for path in [".", ".."] {
        refusal(&alice, "/projects", json!({"name": "x", "path": path}), "path");
    }
}

#[both_databases]
fn names_of_the_servers_own_paths_are_reserved(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    for path in ["api", "admin", "uploads", "-", "API", "users", "robots.txt", "favicon.ico", ".well-known", "s"] {
        // `-` breaks the rule for characters as well; which of the two is reported does not matter.
        let reserved = |text: String| assert!(text.contains("is a reserved name") || path == "-", "{path}: {text}");
        reserved(refusal(&root, "/users", user(path), "username"));
        reserved(refusal(&alice, "/groups", json!({"name": "x", "path": path}), "path"));
    }
    let team = group(&alice, "team", "public");
    for path in ["badges", "blob", "raw", "tree", "wikis", "new", "edit", "RAW"] {
        let text = refusal(&alice, "/projects", json!({"name": "x", "path": path}), "path");
        assert_eq!(text, format!("{path} is a reserved name"));
        let text = refusal(&alice, "/groups", json!({"name": "x", "path": path, "parent_id": team}), "path");
        assert!(text.contains(&format!("{path} is a reserved name")), "{text}");
    }
    let _ = alice.post("/projects", json!({"name": "api"})).assert_status(201);
}

/// An edit is no way around.
#[both_databases]
fn an_edit_keeps_to_the_same_rules(server: &TestServer) {
    let alice = server.user("alice");
    let (team, tool) = (group(&alice, "team", "public"), project(&alice, "tool", "public"));
    for path in ["..", "a/b", "x.git", "-x", ""] {
        let _ = alice.put(&format!("/groups/{team}"), json!({"path": path})).assert_status(400);
        let _ = alice.put(&format!("/projects/{tool}"), json!({"path": path})).assert_status(400);
        let _ = server.root().put(&format!("/users/{}", alice.id), json!({"username": path})).assert_status(400);
    }
    let _ = alice.get("/projects/alice%2Ftool").assert_status(200);
}

/// In an address a path is decoded once, and only names something that is there.
#[both_databases]
fn odd_addresses_name_nothing(server: &TestServer) {
    let root = server.root();
    for path in ["..", "%2e%2e", "%2e%2e%2fetc", "%00", "%ff", "a%2F..%2Fb", "%252F", "a%5Cb", "'%20or%201=1"] {
        let status = root.get(&format!("/projects/{path}")).status();
        assert!(matches!(status, 404 | 400), "{path}: {status}");
        let status = root.get(&format!("/groups/{path}")).status();
        assert!(matches!(status, 404 | 400 | 200), "{path}: {status}");
    }
    root.get("/projects/%252e%252e").assert(404, missing("Project"));
}

#[both_databases]
fn names_are_the_same_in_any_case(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    let with = |username: &str, email: &str| json!({"email": email, "username": username, "name": "x", "password": "correct horse"});
    root.post("/users", with("ALICE", "other@example.org"))
        .assert(409, json!({"message": "Username has already been taken"}));
    root.post("/users", with("other", " ALICE@Example.ORG "))
        .assert(409, json!({"message": "Email has already been taken"}));
    root.post("/users", with("ROOT", "other@example.org"))
        .assert(409, json!({"message": "Username has already been taken"}));
    group(&alice, "team", "public");
    let taken = json!({"message": "Failed to save group {:path=>[\"has already been taken\"]}"});
    alice.post("/groups", json!({"name": "x", "path": "TEAM"})).assert(400, taken.clone());
    alice.post("/groups", json!({"name": "x", "path": "Alice"})).assert(400, taken);
    root.post("/users", with("Team", "other@example.org")).assert(400, field("username", "has already been taken"));
    project(&alice, "tool", "private");
    let reply = alice.post("/projects", json!({"name": "other", "path": "TOOL"}));
    reply.assert(400, field("path", "has already been taken"));
}

#[both_databases]
fn an_address_is_kept_in_one_form(server: &TestServer) {
    let body = json!({"email": "  Alice@EXAMPLE.org ", "username": "alice", "name": "x", "password": "correct horse"});
    assert_eq!(made(&server.root(), "/users", body)["email"], "alice@example.org");
}

/// Letters that look alike are still other letters, and no path has them.
#[both_databases]
fn homoglyphs_are_no_way_to_take_a_name(server: &TestServer) {
    let alice = server.user("alice");
    for path in ["аdmin", "ａdmin", "admın", "ADMİN"] {
        refusal(&alice, "/groups", json!({"name": "x", "path": path}), "path");
        refusal(&server.root(), "/users", user(path), "username");
    }
}
