//! Files that are attached to wikis.

use tenon_testkit::Multipart;

use super::*;

fn attach(client: &Client, wiki: &str, name: &str, bytes: &[u8]) -> tenon_testkit::Reply {
    client.multipart("POST", &format!("{wiki}/attachments"), &Multipart::default().file("file", name, bytes))
}

#[both_databases]
fn a_file_is_attached(server: &TestServer) {
    let (alice, wiki) = world(server);
    let made = attach(&alice, &wiki, "dk.png", b"picture").assert_status(201).json();
    let path = made["file_path"].as_str().expect("a path");
    let parts: Vec<&str> = path.split('/').collect();
    assert_eq!((parts[0], parts[1].len(), parts[2]), ("uploads", 32, "dk.png"));
    let want = json!({
        "file_name": "dk.png", "file_path": path, "branch": "main",
        "link": {"url": path, "markdown": format!("![dk]({path})")},
    });
    assert_eq!(made, want);
    assert_eq!(pushed::git(server, &wiki, &["log", "--format=%s"]), "Upload attachment dk.png");
    assert_eq!(pushed::git(server, &wiki, &["show", &format!("HEAD:{path}")]), "picture");
    // It is no page, and pages can be made beside it.
    assert_eq!(alice.get(&wiki).assert_status(200).json(), json!([]));
    let _ = page(&alice, &wiki, "home", "c");
    for (name, stored, markdown) in [
        ("a b(1).txt", "a_b_1_.txt", "[a_b_1_.txt]"),
        ("x.svg", "x.svg", "![x.svg]"),
        ("../../etc/passwd", "passwd", "[passwd]"),
    ] {
        let made = attach(&alice, &wiki, name, b"x").assert_status(201).json();
        assert_eq!(made["file_name"], stored);
        assert!(made["link"]["markdown"].as_str().expect("a text").starts_with(markdown), "{made}");
    }
}

#[both_databases]
fn what_is_no_file_is_refused(server: &TestServer) {
    let (alice, wiki) = world(server);
    let path = format!("{wiki}/attachments");
    alice.post(&path, json!({})).assert(400, parameter("file is missing"));
    alice.post(&path, json!({"file": "x"})).assert(400, parameter("file is invalid"));
    for name in ["..", ".git", "."] {
        assert_eq!(attach(&alice, &wiki, name, b"x").status(), 400, "{name}");
    }
    let to = |branch: &str| {
        let body = Multipart::default().file("file", "a.txt", b"x").text("branch", branch);
        alice.multipart("POST", &path, &body)
    };
    for branch in ["other", "..", "a b"] {
        let _ = to(branch).assert_status(400);
    }
    let _ = to("main").assert_status(201);
    let _ = to("").assert_status(201);
    let _ = to("other").assert_status(400);
    let most = 10 * 1024 * 1024;
    let _ = attach(&alice, &wiki, "a.bin", &vec![0; most + 1]).assert_status(413);
}
