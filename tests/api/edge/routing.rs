//! Paths and methods.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn an_unknown_path_is_no_route(server: &TestServer) {
    for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
        for path in ["/nothing", "/", "", "/projects/1/nothing", "/users/1/2/3", "/session", "/license"] {
            server.root().send(method, path, None, Vec::new()).assert(404, json!({"error": "404 Not Found"}));
        }
    }
    let alice = server.user("alice");
    project(&alice, "tool", "public");
    alice.get("/projects/alice/tool").assert(404, json!({"error": "404 Not Found"}));
}

#[both_databases]
fn the_previous_api_is_gone_but_for_the_current_user(server: &TestServer) {
    let gone = json!({"error": "API V3 is no longer supported. Use API V4 instead."});
    for path in ["/api/v3/projects", "/api/v3", "/api/v3/", "/api/v3/user/keys"] {
        server.root().get(path).assert(410, gone.clone());
    }
    server.root().send("POST", "/api/v3/user", None, Vec::new()).assert(410, gone);
    assert_eq!(server.root().get("/api/v3/user").assert_status(200).json(), server.root().get("/user").json());
}

#[both_databases]
fn literal_slashes_that_separate_nothing_are_ignored(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    for path in
        [format!("/projects/{tool}/"), format!("/api/v4//projects///{tool}"), "/projects/alice%2Ftool/".to_owned()]
    {
        assert_eq!(alice.get(&path).assert_status(200).json()["id"], tool, "{path}");
    }
    let _ = alice.get("/projects/alice%2Ftool%2F").assert_status(404);
    let _ = alice.get("/projects/alice%2F%2Ftool").assert_status(404);
    let reply = raw_get(server, "//api//v4/projects/?per_page=1", b"");
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    let link = format!("<{}/api/v4/projects?", server.base());
    assert!(reply.contains(&link), "links have no slash too many: {reply}");
    let _ = alice.send("DELETE", "/projects//", None, Vec::new()).assert_status(405);
}

#[both_databases]
fn a_known_path_names_its_methods(server: &TestServer) {
    let reply = server.root().send("PATCH", "/projects", None, Vec::new()).assert_status(405);
    assert_eq!(reply.json()["error"], "405 Not Allowed");
    assert_eq!(reply.header("allow"), "OPTIONS, GET, HEAD, POST");
    let options = server.anonymous().send("OPTIONS", "/projects/1", None, Vec::new()).assert_status(204);
    for method in ["OPTIONS", "GET", "HEAD", "PUT", "DELETE"] {
        assert!(options.header("allow").contains(method), "{}", options.header("allow"));
    }
    server.anonymous().send("OPTIONS", "/nothing", None, Vec::new()).assert(404, json!({"error": "404 Not Found"}));
}

#[both_databases]
fn head_answers_like_get_without_a_body(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    for path in ["/projects".to_owned(), format!("/projects/{tool}"), "/user".to_owned(), "/projects/999999".to_owned()]
    {
        let (get, head) = (alice.get(&path), alice.head(&path));
        assert_eq!((get.status(), head.bytes().len()), (head.status(), 0), "{path}");
        for name in ["content-type", "x-total", "link", "etag", "content-length"] {
            assert_eq!(get.header(name), head.header(name), "{path} {name}");
        }
    }
    assert_eq!(alice.head("/projects").header("content-type"), "application/json");
}

#[both_databases]
fn the_format_behind_a_path_is_harmless(server: &TestServer) {
    let _ = server.root().get("/projects.json").assert_status(200);
    let _ = server.root().get("/user.json").assert_status(200);
    server
        .root()
        .get("/projects?format=xml")
        .assert(406, json!({"error": "The requested format 'xml' is not supported."}));
    let _ = server.root().get("/projects?format=json").assert_status(200);
}

#[both_databases]
fn a_dot_belongs_to_the_id(server: &TestServer) {
    let alice = server.user("alice");
    let made = made(&alice, "/projects", json!({"name": "tool.v2", "path": "tool.v2", "visibility": "public"}));
    for path in ["alice%2Ftool.v2", "alice%2ftool%2Ev2", "%61lice%2Ftool.v2"] {
        assert_eq!(alice.get(&format!("/projects/{path}")).assert_status(200).json()["id"], id(&made), "{path}");
    }
}
