//! Names and texts that would do harm.

use tenon_app::Limits;

use super::*;

#[both_databases]
fn titles_lead_nowhere_else(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "home", "c");
    let long = "x".repeat(300);
    let deep = "a/".repeat(40) + "b";
    for title in [
        "..",
        "../x",
        "a/../b",
        ".",
        "a/./b",
        ".git/x",
        "a/.GIT/b",
        "git~1/x",
        "a\\b",
        "a//b",
        "x\u{202e}y",
        &long,
        &deep,
    ] {
        let refused = alice.post(&wiki, json!({"title": title, "content": "c"}));
        refused.assert(400, field("title", "is invalid"));
        let refused = alice.put(&format!("{wiki}/home"), json!({"title": format!("/{title}")}));
        refused.assert(400, field("title", "is invalid"));
    }
    for title in ["a\0b", "a\nb"] {
        let status = alice.post(&wiki, json!({"title": title, "content": "c"})).status();
        assert!(matches!(status, 201 | 400), "{status}");
    }
    for slug in [
        "..",
        "%2e%2e",
        "..%2f..%2fx",
        "a%00b",
        "%ff",
        ".git%2Fconfig",
        "home.md",
        "a%2F%2Fb",
        "%2F",
        "%5c",
        &long,
        &deep,
    ] {
        let status = alice.get(&format!("{wiki}/{slug}")).status();
        assert!(matches!(status, 400 | 404), "{slug}: {status}");
    }
    let pages = alice.get(&wiki).assert_status(200).json();
    assert!(pages.as_array().expect("a list").iter().all(|page| page["slug"] != ".."));
}

#[both_databases]
fn a_page_has_a_bound(server: &TestServer) {
    let (alice, wiki) = world(server);
    let root = server.root();
    let _ = root.put("/application/settings", json!({"wiki_page_max_content_bytes": 1024})).assert_status(200);
    let text = "is too long (1025 bytes). The maximum size is 1024 bytes.";
    let long = "x".repeat(1025);
    alice.post(&wiki, json!({"title": "t", "content": long})).assert(400, field("content", text));
    let _ = page(&alice, &wiki, "t", &"x".repeat(1024));
    alice.put(&format!("{wiki}/t"), json!({"content": long})).assert(400, field("content", text));
}

#[both_databases]
fn a_pushed_page_that_is_too_long_is_not_read(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "home", "c");
    let huge = "x".repeat((16 << 20) + 1);
    pushed::push(server, &wiki, &[("100644", b"huge.md", &huge)]);
    let text = "The page has more than 16777216 bytes. Clone the wiki to read it.";
    alice.get(&format!("{wiki}/huge")).assert(422, parameter(text));
    let text = "The pages have more than 16777216 bytes together. Ask for each of them.";
    alice.get(&format!("{wiki}?with_content=true")).assert(422, parameter(text));
    assert_eq!(slugs(&alice, &wiki), ["home", "huge"]);
    // It can be removed.
    let _ = alice.delete(&format!("{wiki}/huge")).assert_status(204);
}

#[both_databases]
fn a_file_in_the_way_of_a_folder_is_no_fault(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "home", "c");
    pushed::push(server, &wiki, &[("100644", b"plain", "x"), ("120000", b"out", "/etc")]);
    for title in ["plain/x", "out/passwd"] {
        let status = alice.post(&wiki, json!({"title": title, "content": "c"})).status();
        assert_eq!(status, 400, "{title}");
    }
    alice.get(&format!("{wiki}/out%2Fpasswd")).assert(404, missing("Wiki Page"));
}

#[test]
fn a_wiki_that_is_full_takes_no_more() {
    let mut limits = Limits::default();
    limits.quotas.repository = 1 << 20;
    let server = TestServer::start_with(tenon_testkit::Backend::Sqlite, limits);
    let (alice, wiki) = world(&server);
    let _ = page(&alice, &wiki, "home", "c");
    server.run_jobs();
    let full = alice.post(&wiki, json!({"title": "t", "content": "x".repeat(1 << 20)}));
    assert_eq!(full.status(), 413);
}
