//! Uploads.

use serde_json::json;
use tenon_testkit::{Multipart, TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn an_upload_says_how_to_use_it(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/uploads", project(&alice, "tool", "public"));
    for (name, alt, mark) in [
        ("a.png", "a", "!"),
        ("film.mp4", "film", "!"),
        ("a.svg", "a.svg", "!"),
        ("notes.txt", "notes.txt", ""),
        ("größe.txt", "größe.txt", ""),
    ] {
        let made =
            alice.multipart("POST", &path, &Multipart::default().file("file", name, b"text")).assert_status(201).json();
        assert_has(&made, &["alt", "url", "markdown"]);
        let url = made["url"].as_str().expect("an address");
        assert_eq!(made["alt"], alt);
        assert_eq!(made["markdown"], format!("{mark}[{alt}]({url})"));
        assert!(url.starts_with("/uploads/") && url.ends_with(&format!("/{name}")), "{url}");
    }
}

#[both_databases]
fn what_is_no_file_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/uploads", project(&alice, "tool", "public"));
    alice.multipart("POST", &path, &Multipart::default().text("other", "x")).assert(400, parameter("file is missing"));
    alice.multipart("POST", &path, &Multipart::default().text("file", "x")).assert(400, parameter("file is invalid"));
    alice.post(&path, json!({"file": "x"})).assert(400, parameter("file is invalid"));
    alice.post("/projects/999999/uploads", json!({"file": "x"})).assert(400, parameter("file is invalid"));
    let file = Multipart::default().file("file", "a.txt", b"text");
    alice.multipart("POST", "/projects/999999/uploads", &file).assert(404, missing("Project"));
    server.anonymous().multipart("POST", &path, &file).assert(401, unauthorized());
}

#[both_databases]
fn an_upload_over_the_limit_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/uploads", project(&alice, "tool", "public"));
    let large = vec![b'x'; 10 * 1024 * 1024 + 1];
    let reply = alice.multipart("POST", &path, &Multipart::default().file("file", "a.bin", &large));
    reply.assert(413, json!({"message": "413 Request Entity Too Large"}));
    let _ = alice.multipart("POST", &path, &Multipart::default().file("file", "a.bin", &large[1..])).assert_status(201);
}

#[both_databases]
fn an_archived_project_takes_no_uploads(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "public");
    let file = Multipart::default().file("file", "a.txt", b"text");
    let path = format!("/projects/{project}/uploads");
    let kept = alice.multipart("POST", &path, &file).assert_status(201).json();
    let _ = alice.post(&format!("/projects/{project}/archive"), json!({})).assert_status(200);
    let _ = alice.multipart("POST", &path, &file).assert_status(403);
    let _ = server
        .anonymous()
        .get(&format!("//alice/tool{}", kept["url"].as_str().expect("an address")))
        .assert_status(200);
}

#[both_databases]
fn an_upload_moves_with_its_project(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let project = project(&alice, "tool", "public");
    let made = alice
        .multipart(
            "POST",
            &format!("/projects/{project}/uploads"),
            &Multipart::default().file("file", "a.txt", b"text"),
        )
        .json();
    let url = made["url"].as_str().expect("an address");
    let _ = alice.put(&format!("/projects/{project}/transfer"), json!({"namespace": team})).assert_status(200);
    assert_eq!(server.anonymous().get(&format!("//team/tool{url}")).assert_status(200).bytes(), b"text");
    let _ = server.anonymous().get(&format!("//alice/tool{url}")).assert_status(404);
    assert_eq!(server.anonymous().get(&format!("//-/project/{project}{url}")).assert_status(200).bytes(), b"text");
}

#[both_databases]
fn no_two_uploads_share_an_address(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/uploads", project(&alice, "tool", "public"));
    let file = Multipart::default().file("file", "a.txt", b"text");
    let both = [(); 2].map(|()| alice.multipart("POST", &path, &file).assert_status(201).json()["url"].clone());
    assert_ne!(both[0], both[1]);
}

#[both_databases]
fn a_project_may_let_everybody_have_files_by_their_addresses(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let path = format!("/projects/{tool}");
    let file = Multipart::default().file("file", "a.txt", b"text");
    let made = alice.multipart("POST", &format!("{path}/uploads"), &file).assert_status(201).json();
    let address = format!("//-/project/{tool}{}", made["url"].as_str().expect("an address"));
    let stranger = server.anonymous();
    let hidden = stranger.get(&address).assert_status(404).text();
    changed(&alice, &path, json!({"enforce_auth_checks_on_uploads": false}));
    assert_eq!(stranger.get(&address).assert_status(200).bytes(), b"text");
    // Another name is missing as it is in a project that is hidden.
    assert_eq!(stranger.get(&address.replace("a.txt", "b.txt")).assert_status(404).text(), hidden);
    changed(&alice, &path, json!({"enforce_auth_checks_on_uploads": true}));
    let _ = stranger.get(&address).assert_status(404);
}
