//! What may be kept: uploads, repositories, refs.

use serde_json::json;
use tenon_app::Limits;
use tenon_testkit::{Backend, Client, Multipart, Reply, TestServer};

use crate::support::*;

/// Runs a test on both databases, with these limits in force.
fn with(set: &[(&str, u64)], run: impl Fn(&TestServer)) {
    let mut limits = Limits::without_rates();
    for (name, number) in set {
        limits.set(name, *number).expect("a limit");
    }
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if backend.is_available() {
            run(&TestServer::start_with(backend, limits.clone()));
        }
    }
}

fn upload(client: &Client, project: i64, bytes: usize) -> Reply {
    let form = Multipart::default().file("file", "a.bin", &vec![b'x'; bytes]);
    client.multipart("POST", &format!("/projects/{project}/uploads"), &form)
}

fn refusal(text: &str) -> serde_json::Value {
    json!({"message": format!("413 Request Entity Too Large - {text}")})
}

#[test]
fn the_uploads_of_a_project_have_a_limit_for_all_together() {
    with(&[("quotas.uploads", 10)], |server| {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let (tool, other) = (project(&alice, "tool", "public"), project(&alice, "other", "public"));
        let _ = upload(&alice, tool, 6).assert_status(201);
        let text = "The uploads of this project may take 10 bytes (quotas.uploads)";
        upload(&bob, tool, 5).assert(413, refusal(text));
        let _ = upload(&bob, tool, 4).assert_status(201);
        upload(&alice, tool, 1).assert(413, refusal(text));
        let _ = upload(&alice, other, 10).assert_status(201);
        // What was refused left nothing behind.
        assert_eq!(stored(server.objects().join("uploads")), 3);
        // What an account has left behind counts on; what goes with its project does not.
        let _ = server.root().delete(&format!("/users/{}", bob.id)).assert_status(204);
        server.run_jobs();
        upload(&alice, tool, 1).assert(413, refusal(text));
        let _ = alice.delete(&format!("/projects/{tool}")).assert_status(202);
        server.run_jobs();
        assert_eq!(stored(server.objects().join("uploads")), 1);
    });
}

/// The files below a folder.
fn stored(folder: std::path::PathBuf) -> usize {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.map(|path| if path.is_dir() { stored(path) } else { 1 }).sum()
}

#[test]
fn uploads_at_the_same_time_do_not_exceed_the_limit() {
    with(&[("quotas.uploads", 10)], |server| {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "public");
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let uploads: Vec<_> = (0..4).map(|_| scope.spawn(|| upload(&alice, tool, 4).status())).collect();
            uploads.into_iter().map(|upload| upload.join().expect("an answer")).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 2, "{statuses:?}");
        assert!(statuses.iter().all(|status| matches!(status, 201 | 413)), "{statuses:?}");
    });
}

#[test]
fn who_is_not_a_member_may_upload_less() {
    with(&[("quotas.uploads_of_outsider", 10)], |server| {
        let (alice, bob, carol) = (server.user("alice"), server.user("bob"), server.user("carol"));
        let (tool, other) = (project(&alice, "tool", "public"), project(&alice, "other", "public"));
        let _ = upload(&bob, tool, 6).assert_status(201);
        let text = "Uploads to a project that you are not a member of may take 10 bytes (quotas.uploads_of_outsider)";
        upload(&bob, tool, 5).assert(413, refusal(text));
        for (client, project) in [(&bob, other), (&carol, tool), (&alice, tool)] {
            let _ = upload(client, project, 10).assert_status(201);
        }
        let _ = upload(&alice, tool, 11).assert_status(201);
        let _ = upload(&server.root(), tool, 11).assert_status(201);
        member(&alice, &format!("/projects/{tool}"), bob.id, 10);
        let _ = upload(&bob, tool, 11).assert_status(201);
    });
}

/// Text that does not get smaller when it is packed.
fn noise(bytes: usize) -> String {
    let mut state: u64 = 0x2545_F491_4F6C_DD1D;
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(digits[usize::try_from(state % 64).expect("a small number")])
    };
    (0..bytes).map(next).collect()
}

#[test]
fn a_commit_over_the_api_that_a_repository_has_no_room_for_is_refused() {
    with(&[("quotas.repository", 1 << 20)], |server| {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "public");
        let write = |name: &str, content: &str| {
            let body = json!({"branch": "main", "content": content, "commit_message": "more"});
            alice.post(&format!("/projects/{tool}/repository/files/{name}"), body)
        };
        let _ = write("a", &noise(900_000)).assert_status(201);
        server.run_jobs();
        let text = "This repository would exceed its limit of 1 MiB (quotas.repository)";
        write("b", &noise(400_000)).assert(413, refusal(text));
        let action = json!({"action": "create", "file_path": "c", "content": noise(400_000)});
        let body = json!({"branch": "main", "commit_message": "more", "actions": [action]});
        alice.post(&format!("/projects/{tool}/repository/commits"), body).assert(413, refusal(text));
        let _ = write("d", "little").assert_status(201);
        let gone = format!("/projects/{tool}/repository/files/a?branch=main&commit_message=less");
        let _ = alice.delete(&gone).assert_status(204);
    });
}
