//! Headers of answers: pages, caches, other sites.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn every_page_leads_to_its_neighbours(server: &TestServer) {
    let alice = server.user("alice");
    for number in 0..5 {
        project(&alice, &format!("p{number}"), "public");
    }
    let reply = alice.get("/projects?per_page=2&page=2&sort=asc&search=").assert_status(200);
    let headers = ["x-total", "x-total-pages", "x-per-page", "x-page", "x-next-page", "x-prev-page"]
        .map(|name| reply.header(name));
    assert_eq!(headers, ["5", "3", "2", "2", "3", "1"]);
    let link = |page: u32, rel: &str| {
        format!("<{}/api/v4/projects?page={page}&per_page=2&search=&sort=asc>; rel=\"{rel}\"", server.base())
    };
    assert_eq!(reply.header("link"), [link(1, "prev"), link(3, "next"), link(1, "first"), link(3, "last")].join(", "));
    let last = alice.get("/projects?per_page=2&page=3");
    assert_eq!((last.header("x-next-page").as_str(), ids(&last).len()), ("", 1));
    let empty = alice.get("/projects?search=nothing");
    assert_eq!((empty.header("x-total").as_str(), empty.header("x-total-pages").as_str()), ("0", "1"));
}

#[both_databases]
fn walking_the_links_sees_everything_once(server: &TestServer) {
    let alice = server.user("alice");
    for number in 0..7 {
        project(&alice, &format!("p{number}"), "public");
    }
    let mut next = Some("/projects?per_page=3".to_owned());
    let mut seen = Vec::new();
    while let Some(path) = next.take() {
        let reply = alice.get(&path).assert_status(200);
        seen.extend(ids(&reply));
        let link = reply.header("link");
        next = link.split(", ").find(|part| part.ends_with("rel=\"next\"")).map(|part| {
            let url = part.trim_start_matches('<').split('>').next().expect("an address").to_owned();
            url.strip_prefix(server.base()).expect("the server's own address").to_owned()
        });
    }
    seen.sort_unstable();
    assert_eq!((seen.len(), seen.windows(2).all(|pair| pair[0] != pair[1])), (7, true));
}

#[both_databases]
fn every_answer_carries_the_same_headers(server: &TestServer) {
    for path in ["/projects", "/user", "/nothing", "/projects/999999"] {
        let reply = server.root().get(path);
        assert_eq!(reply.header("content-type"), "application/json", "{path}");
        assert_eq!(reply.header("x-frame-options"), "SAMEORIGIN");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert!(!reply.header("x-request-id").is_empty() && !reply.header("x-runtime").is_empty());
        assert!(reply.header("vary").contains("Origin"));
    }
    let (one, two) = (server.root().get("/user"), server.root().get("/user"));
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[both_databases]
fn what_has_not_changed_is_not_sent_again(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    for path in [format!("/projects/{tool}"), "/projects".to_owned()] {
        let first = alice.get(&path).assert_status(200);
        let tag = first.header("etag");
        assert!(tag.starts_with("W/\""), "{tag}");
        let again = alice.header("If-None-Match", &tag).get(&path).assert_status(304);
        assert!(again.bytes().is_empty() && again.header("content-type").is_empty());
        let _ = alice.header("If-None-Match", "W/\"other\"").get(&path).assert_status(200);
    }
    let tag = alice.get(&format!("/projects/{tool}")).header("etag");
    let _ = alice.put(&format!("/projects/{tool}"), json!({"description": "new"})).assert_status(200);
    let _ = alice.header("If-None-Match", &tag).get(&format!("/projects/{tool}")).assert_status(200);
}

#[both_databases]
fn other_sites_may_read_without_credentials(server: &TestServer) {
    let foreign = server.anonymous().header("Origin", "https://elsewhere.example");
    let reply = foreign.get("/projects").assert_status(200);
    assert!(matches!(reply.header("access-control-allow-origin").as_str(), "*" | "https://elsewhere.example"));
    assert_ne!(reply.header("access-control-allow-credentials"), "true");
    let exposed = reply.header("access-control-expose-headers").to_ascii_lowercase();
    for name in ["link", "x-total", "x-total-pages", "x-per-page", "x-page", "x-next-page", "x-prev-page"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let preflight = foreign
        .header("Access-Control-Request-Method", "DELETE")
        .header("Access-Control-Request-Headers", "private-token, x-odd")
        .send("OPTIONS", "/projects/1", None, Vec::new());
    assert!(matches!(preflight.status(), 200 | 204), "{}", preflight.status());
    let allowed = preflight.header("access-control-allow-headers").to_ascii_lowercase();
    assert!(allowed.contains("private-token") && allowed.contains("x-odd"), "{allowed}");
    assert!(preflight.header("access-control-allow-methods").contains("DELETE"));
    let refused = foreign.get("/user").assert_status(401);
    assert!(!refused.header("access-control-allow-origin").is_empty(), "a page must be able to read why");
}

#[both_databases]
fn moments_are_written_in_one_way(server: &TestServer) {
    let made = made(&server.root(), "/projects", json!({"name": "tool"}));
    for name in ["created_at", "last_activity_at"] {
        let text = made[name].as_str().expect("a moment");
        assert!(text.len() == 24 && text.starts_with("2026-03-02T12:0") && text.ends_with('Z'), "{text}");
    }
}

#[both_databases]
fn the_version_has_three_numbers(server: &TestServer) {
    let version = server.root().get("/version").assert_status(200).json();
    let parts: Vec<_> = version["version"].as_str().expect("a version").split('.').map(str::parse::<u32>).collect();
    assert!(parts.len() == 3 && parts.iter().all(Result::is_ok), "{version}");
    assert!(version["revision"].is_string());
    let metadata = server.root().get("/metadata").assert_status(200).json();
    assert_eq!((&metadata["version"], &metadata["enterprise"]), (&version["version"], &json!(false)));
    assert_has(&metadata["kas"], &["enabled", "externalUrl", "version"]);
    server.anonymous().get("/version").assert(401, unauthorized());
}
