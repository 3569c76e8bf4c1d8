//! How much a user may keep in snippets.

use tenon_app::Limits;

use super::*;

fn of_size(bytes: usize) -> Value {
    json!({"title": "t", "files": [{"file_path": "a", "content": "x".repeat(bytes)}]})
}

#[both_databases]
fn a_snippet_has_so_many_files_and_bytes(server: &TestServer) {
    let alice = server.user("alice");
    let files = |count: usize| -> Value {
        let file = |number| json!({"file_path": format!("f{number}"), "content": "x"});
        json!({"title": "t", "files": (0..count).map(file).collect::<Vec<_>>()})
    };
    let path = format!("/snippets/{}", id(&made(&alice, "/snippets", files(10))));
    let many = field("files", "are too many (maximum is 10)");
    alice.post("/snippets", files(11)).assert(400, many.clone());
    alice.post("/snippets", files(900)).assert(400, many.clone());
    let more = json!({"files": [{"action": "create", "file_path": "more", "content": "x"}]});
    alice.put(&path, more).assert(400, many);
    let _ = server.root().put("/application/settings", json!({"snippet_size_limit": 100})).assert_status(200);
    let _ = made(&alice, "/snippets", of_size(100));
    let long = field("content", "is too long (maximum is 100 bytes)");
    alice.post("/snippets", of_size(101)).assert(400, long);
    let _ = server.root().put("/application/settings", json!({"snippet_size_limit": 52_428_800})).assert_status(200);
    let _ = made(&alice, "/snippets", of_size(2 << 20));
    let long = field("content", "is too long (maximum is 2097152 bytes)");
    alice.post("/snippets", of_size((2 << 20) + 1)).assert(400, long);
    assert_eq!(alice.post("/snippets", of_size(9 << 20)).status(), 413);
}

#[both_databases]
fn a_user_has_so_many_snippets_with_so_many_bytes(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.snippets = 2;
    limits.contents.snippet_bytes = 100;
    let server = &TestServer::beside_with(server, limits);
    let [alice, bob] = server.users(["alice", "bob"]);
    let path = format!("/snippets/{}", id(&made(&alice, "/snippets", of_size(40))));
    let text = "413 Request Entity Too Large - The snippets of one user may take 100 bytes (contents.snippet_bytes)";
    alice.post("/snippets", of_size(61)).assert(413, json!({"message": text}));
    let there = format!("/projects/{}/snippets", project(&alice, "tool", "public"));
    let second = json!({"title": "t", "file_name": "a", "code": "x".repeat(60), "visibility": "public"});
    let _ = made(&alice, &there, second.clone());
    alice.put(&path, json!({"content": "x".repeat(41)})).assert(413, json!({"message": text}));
    let _ = changed(&alice, &path, json!({"content": "x".repeat(39)}));
    let _ = changed(&alice, &path, json!({"title": "u"}));
    let many = field("base", "An account has at most 2 snippets");
    alice.post("/snippets", of_size(1)).assert(400, many);
    let _ = made(&bob, "/snippets", of_size(100));
}
