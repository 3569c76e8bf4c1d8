//! Archives that are kept.

use std::path::PathBuf;

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::{commit, project};

/// The archives that are kept of a project.
fn kept(server: &TestServer, project: i64) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(server.data().join(format!("archives/{project}")));
    folder.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[both_databases]
fn an_archive_is_made_once_for_each_commit_path_and_format(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let file = json!({"branch": "main", "commit_message": "x", "content": "x"});
    alice.post(&format!("/projects/{tool}/repository/files/docs%2Fa.md"), file).assert_status(201).json();
    let path = format!("/projects/{tool}/repository/archive");
    let get = |rest: &str| alice.get(&format!("{path}{rest}")).assert_status(200).bytes().to_vec();
    let first = get(".zip");
    assert_eq!(kept(server, tool).len(), 1);
    // The kept archive is the one that is sent.
    let file = kept(server, tool).pop().expect("a file");
    assert_eq!(std::fs::read(&file).expect("a file"), first);
    std::fs::write(&file, "kept").expect("a file");
    assert_eq!(get(".zip"), b"kept");
    assert_eq!(get(".zip?sha=main"), b"kept");
    for rest in ["", ".zip?path=docs", ".tar"] {
        assert_ne!(get(rest), b"kept", "{rest}");
    }
    assert_eq!(kept(server, tool).len(), 4);
    commit(&alice, tool, "main", None, "another");
    assert_ne!(get(".zip"), b"kept", "a branch that has moved is another archive");
}

#[both_databases]
fn a_kept_archive_is_only_for_those_who_may_read_the_code(server: &TestServer) {
    let (alice, guest) = (server.user("alice"), server.user("guest"));
    let tool = project(&alice, "tool", "private");
    crate::member(&alice, tool, &guest, 10);
    let path = format!("/projects/{tool}/repository/archive");
    alice.get(&path).assert_status(200).bytes();
    assert_eq!((guest.get(&path).status(), server.anonymous().get(&path).status()), (403, 404));
}

#[both_databases]
fn unused_archives_and_those_of_a_deleted_project_are_removed(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, gone) = (project(&alice, "tool", "private"), project(&alice, "gone", "private"));
    for id in [tool, gone] {
        alice.get(&format!("/projects/{id}/repository/archive")).assert_status(200).bytes();
    }
    alice.delete(&format!("/projects/{gone}")).assert_status(202).json();
    server.run_jobs();
    assert_eq!((kept(server, tool).len(), kept(server, gone).len()), (1, 0));
    server.advance(TimeDelta::hours(25));
    server.enqueue("sweep_archives", &json!({"kind": "sweep_archives"}));
    server.run_jobs();
    assert_eq!(kept(server, tool).len(), 0);
}
