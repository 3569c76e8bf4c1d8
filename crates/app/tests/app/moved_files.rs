//! Files that follow a moved issue.

use serde_json::json;
use tenon_testkit::{Client, Multipart, TestServer, both_databases};

use crate::{member, project};

/// The Markdown of a new file in a project.
fn upload(client: &Client, project: i64, text: &[u8]) -> String {
    let file = Multipart::default().file("file", "a.txt", text);
    let made = client.multipart("POST", &format!("/projects/{project}/uploads"), &file).assert_status(201).json();
    made["markdown"].as_str().expect("a text").to_owned()
}

/// The address that Markdown links to.
fn address(markdown: &str) -> &str {
    markdown.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("a link").0
}

/// An issue with this description, moved: what it is then.
fn moved(client: &Client, from: i64, to: i64, description: &str) -> serde_json::Value {
    let body = json!({"title": "t", "description": description});
    let iid = client.post(&format!("/projects/{from}/issues"), body).assert_status(201).json()["iid"].clone();
    let path = format!("/projects/{from}/issues/{iid}");
    client.post(&format!("{path}/notes"), json!({"body": format!("again {description}")})).assert_status(201).json();
    client.post(&format!("{path}/move"), json!({"to_project_id": to})).assert_status(200).json()
}

#[both_databases]
fn a_file_is_served_in_both_projects_after_a_move(server: &TestServer) {
    let alice = server.user("alice");
    let (here, there) = (project(&alice, "here", "private"), project(&alice, "there", "private"));
    let markdown = upload(&alice, here, b"text");
    let new = moved(&alice, here, there, &markdown);
    assert_eq!(new["description"], markdown);
    for name in ["here", "there"] {
        let path = format!("//alice/{name}{}", address(&markdown));
        assert_eq!(alice.get(&path).assert_status(200).bytes(), b"text", "{name}");
    }
    // A file that was moved stays when the project that it came from goes.
    alice.delete(&format!("/projects/{here}")).assert_status(202).json();
    server.run_jobs();
    assert_eq!(alice.get(&format!("//alice/there{}", address(&markdown))).assert_status(200).bytes(), b"text");
}

#[both_databases]
fn a_file_of_a_third_project_does_not_follow(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let secret = project(&alice, "secret", "private");
    let markdown = upload(&alice, secret, b"secret");
    let (here, there) = (project(&bob, "here", "private"), project(&bob, "there", "private"));
    moved(&bob, here, there, &markdown);
    moved(&bob, here, there, &format!("![x](/alice/secret{})", address(&markdown)));
    let path = address(&markdown);
    assert_eq!(bob.get(&format!("//bob/there{path}")).status(), 404);
    let folder = server.objects().join(format!("uploads/{there}"));
    assert!(!folder.exists(), "{}", folder.display());
}

#[both_databases]
fn files_follow_an_issue_that_a_quick_action_moves(server: &TestServer) {
    let alice = server.user("alice");
    let here = project(&alice, "here", "private");
    project(&alice, "there", "private");
    let markdown = upload(&alice, here, b"text");
    let body = json!({"title": "t", "description": markdown});
    alice.post(&format!("/projects/{here}/issues"), body).assert_status(201).json();
    server.run_jobs();
    let note = json!({"body": "/move alice/there"});
    assert_eq!(alice.post(&format!("/projects/{here}/issues/1/notes"), note).status(), 202);
    let path = format!("//alice/there{}", address(&markdown));
    assert_eq!(alice.get(&path).status(), 404, "a job does it");
    assert_eq!(server.run_jobs(), 1);
    assert_eq!(alice.get(&path).assert_status(200).bytes(), b"text");
}

#[both_databases]
fn nothing_is_copied_for_who_may_not_move(server: &TestServer) {
    let (alice, guest) = (server.user("alice"), server.user("guest"));
    let (here, there) = (project(&alice, "here", "public"), project(&alice, "there", "public"));
    member(&alice, here, &guest, 10);
    let markdown = upload(&alice, here, b"text");
    let body = json!({"title": "t", "description": markdown});
    alice.post(&format!("/projects/{here}/issues"), body).assert_status(201).json();
    let refused = guest.post(&format!("/projects/{here}/issues/1/move"), json!({"to_project_id": there}));
    assert_eq!(refused.status(), 400);
    let folder = server.objects().join(format!("uploads/{there}"));
    assert!(!folder.exists(), "{}", folder.display());
}
