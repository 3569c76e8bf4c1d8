//! Requests that ask for too much.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

fn post(server: &TestServer, body: String) -> u16 {
    server.root().send("POST", "/projects", Some("application/json"), body.into_bytes()).status()
}

#[both_databases]
fn no_page_is_longer_than_a_hundred(server: &TestServer) {
    for number in 0..101 {
        project(&server.root(), &format!("p{number}"), "public");
    }
    let reply = server.root().get("/projects?per_page=100000").assert_status(200);
    assert_eq!((ids(&reply).len(), reply.header("x-per-page").as_str()), (100, "100"));
    assert!(
        reply.header("link").contains("per_page=100>") || reply.header("link").contains("per_page=100&"),
        "{}",
        reply.header("link")
    );
    for (query, length, page) in [
        ("per_page=-1", 20, "1"),
        ("per_page=0", 20, "1"),
        ("page=0", 20, "1"),
        ("page=-5", 20, "1"),
        ("page=&per_page=", 20, "1"),
    ] {
        let reply = server.root().get(&format!("/projects?{query}")).assert_status(200);
        assert_eq!((ids(&reply).len(), reply.header("x-page").as_str()), (length, page), "{query}");
    }
}

#[both_databases]
fn a_page_beyond_the_last_is_empty(server: &TestServer) {
    project(&server.root(), "tool", "public");
    for page in ["2", "1000000000000000000", "9223372036854775807"] {
        let reply = server.root().get(&format!("/projects?page={page}")).assert_status(200);
        assert_eq!(
            (reply.json(), reply.header("x-total").as_str(), reply.header("x-next-page").as_str()),
            (json!([]), "1", ""),
            "{page}"
        );
        assert_eq!(reply.header("x-prev-page"), "", "{page}");
    }
}

#[both_databases]
fn a_page_that_is_no_number_is_refused(server: &TestServer) {
    let root = server.root();
    root.get("/projects?page=abc&per_page=abc").assert(400, parameter("page is invalid, per_page is invalid"));
    for value in ["abc", "1.5", "1e3", "0x10", "99999999999999999999", "NaN", "1;2"] {
        root.get(&format!("/users?per_page={value}")).assert(400, parameter("per_page is invalid"));
        root.get(&format!("/groups?page={value}")).assert(400, parameter("page is invalid"));
    }
}

#[both_databases]
fn a_body_that_is_too_deep_is_refused(server: &TestServer) {
    let deep = |open: &str, close: &str| {
        format!("{{\"name\":\"x\",\"tag_list\":{}1{}}}", open.repeat(10_000), close.repeat(10_000))
    };
    assert_eq!(post(server, deep("[", "]")), 400);
    assert_eq!(post(server, deep("{\"a\":", "}")), 400);
    let nested = format!("name=x&a{}=1", "[b]".repeat(10_000));
    let status = server.root().form("POST", "/projects", &nested).status();
    assert!(matches!(status, 400 | 413), "{status}");
}

/// A body that is too long is not waited for.
#[both_databases]
fn a_body_that_is_announced_as_too_long_is_refused(server: &TestServer) {
    let head = "POST /api/v4/groups HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
                Private-Token: root-token-of-every-test-server\r\nContent-Length: 104857600\r\n\r\n";
    let answer = raw(server, head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.ends_with(r#"{"message":"413 Request Entity Too Large"}"#), "{answer}");
}

#[both_databases]
fn a_list_of_a_million_is_refused(server: &TestServer) {
    let items = format!("{{\"name\":\"x\",\"tag_list\":[{}\"a\"]}}", "\"a\",".repeat(1_000_000));
    let status = post(server, items);
    assert!(matches!(status, 400 | 413), "{status}");
    let keys: String = (0..100_000).map(|number| format!("k{number}=1&")).collect();
    let status = server.root().form("POST", "/projects", &keys).status();
    assert!(matches!(status, 400 | 413), "{status}");
}

#[both_databases]
fn numbers_that_are_none_are_refused(server: &TestServer) {
    assert_eq!(post(server, "{\"name\":\"x\",\"namespace_id\":1e999}".to_owned()), 400);
    assert_eq!(post(server, format!("{{\"name\":\"x\",\"namespace_id\":{}}}", "9".repeat(10_000))), 400);
    assert_eq!(post(server, "{\"name\":\"x\",\"namespace_id\":NaN}".to_owned()), 400);
    assert_eq!(post(server, "{\"name\":\"x\",\"namespace_id\":1.5}".to_owned()), 400);
}

/// Of a key that is there twice, the last counts.
#[both_databases]
fn a_repeated_key_is_no_way_around_a_check(server: &TestServer) {
    let body = "{\"name\":\"../x\",\"path\":\"..\",\"name\":\"fine\",\"path\":\"fine\"}";
    let reply = server.root().send("POST", "/projects", Some("application/json"), body.as_bytes().to_vec());
    match reply.status() {
        201 => assert_eq!((&reply.json()["name"], &reply.json()["path"]), (&json!("fine"), &json!("fine"))),
        status => assert_eq!(status, 400, "{}", reply.text()),
    }
}

/// Many keys in an address.
#[both_databases]
fn a_query_of_a_hundred_thousand_keys_is_refused(server: &TestServer) {
    let keys: String = (0..9_000).map(|number| format!("k{number}=1&")).collect();
    let answer = raw_get(server, &format!("/api/v4/projects?{keys}"), b"");
    let status = answer.get(9..12).unwrap_or_default();
    assert!(matches!(status, "200" | "400" | "413" | "414"), "{}", &answer[..100.min(answer.len())]);
    let keys: String = (0..100_000).map(|number| format!("k{number}=1&")).collect();
    let answer = refused_early(server, &keys);
    assert!(["", "400", "413", "414", "431"].contains(&answer.as_str()), "{answer}");
    let _ = server.root().get("/user").assert_status(200);
}

/// Values far beyond the allowed range.
#[both_databases]
fn dates_beyond_the_calendar_are_refused(server: &TestServer) {
    let root = server.root();
    for date in ["2026-02-30", "2026-13-01", "99999-01-01", "today", "-1"] {
        let reply =
            root.post("/users/1/impersonation_tokens", json!({"name": "t", "scopes": ["api"], "expires_at": date}));
        reply.assert(400, parameter("expires_at is invalid"));
        root.get(&format!("/users?created_after={date}")).assert(400, parameter("created_after is invalid"));
    }
    let far: Value = json!({"name": "t", "scopes": ["api"], "expires_at": "9999-12-31"});
    assert_eq!(made(&root, "/users/1/impersonation_tokens", far)["expires_at"], "9999-12-31");
}

/// The status of a GET with a query that is too long to be read; empty if the server ended the connection during
/// sending.
fn refused_early(server: &TestServer, query: &str) -> String {
    use std::io::{Read as _, Write as _};
    let address = server.base().strip_prefix("http://").expect("an address");
    let mut stream = std::net::TcpStream::connect(address).expect("a connection");
    let sent = stream
        .write_all(format!("GET /api/v4/projects?{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes());
    let mut answer = Vec::new();
    if sent.is_err() || stream.read_to_end(&mut answer).is_err() {
        return String::new();
    }
    String::from_utf8_lossy(answer.get(9..12).unwrap_or_default()).into_owned()
}
