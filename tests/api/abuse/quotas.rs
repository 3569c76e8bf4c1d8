//! The limits of kept data: uploads, repositories, refs.

use serde_json::json;
use tenon_app::Limits;
use tenon_testkit::{Backend, Client, Multipart, Reply, TestServer};

use crate::merge_request::{branch, fork, message, some, write};
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
        // The refused uploads left nothing behind.
        assert_eq!(stored(server.objects().join("uploads")), 3);
        // Remains of an account still count; remains of a project are removed with it.
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
    other_noise(bytes, 0x2545_F491_4F6C_DD1D)
}

/// The same, another text for each `state`.
fn other_noise(bytes: usize, mut state: u64) -> String {
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

/// A project that takes about 525 kB, and a fork of it whose branch `topic` has a file of that size more.
fn with_fork(server: &TestServer, alice: &Client, bob: &Client, size: usize) -> (i64, i64) {
    let tool = project(alice, "tool", "public");
    write(alice, tool, "main", "a", &other_noise(700_000, 1));
    server.run_jobs();
    let copy = fork(server, bob, tool);
    branch(bob, copy, "topic", "main");
    write(bob, copy, "topic", "b", &other_noise(size, 2));
    server.run_jobs();
    (tool, copy)
}

const FULL: &str = "This repository would exceed its limit of 1 MiB (quotas.repository)";

#[test]
fn a_fork_brings_no_more_into_its_target_than_that_has_room_for() {
    with(&[("quotas.repository", 1 << 20)], |server| {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let (tool, copy) = with_fork(server, &alice, &bob, 400_000);
        for (file, bytes, state) in [("c", 400_000, 3), ("c2", 150_000, 7)] {
            write(&alice, tool, "main", file, &other_noise(bytes, state));
            server.run_jobs();
        }
        let offer = json!({"source_branch": "topic", "target_branch": "main", "title": "t", "target_project_id": tool});
        let request = made(&bob, &format!("/projects/{copy}/merge_requests"), offer);
        let path = format!("/projects/{tool}/merge_requests/{}", request["iid"]);
        let error = format!("The commits do not fit into the target project. {FULL}.");
        let fields = ["state", "merge_status", "merge_error", "sha", "changes_count"];
        let unmeasured = json!(["opened", "cannot_be_merged", error, null, null]);
        assert_eq!(some(&request, &fields), unmeasured);
        server.run_jobs();
        assert_eq!(some(&alice.get(&path).assert_status(200).json(), &fields), unmeasured);
        for list in ["commits", "versions", "diffs", "closes_issues"] {
            assert_eq!(alice.get(&format!("{path}/{list}")).assert_status(200).json(), json!([]), "{list}");
        }
        assert_eq!(alice.get(&format!("{path}/changes")).assert_status(200).json()["changes"], json!([]));
        assert_eq!(alice.put(&format!("{path}/merge"), json!({})).status(), 405);
        let size =
            || alice.get(&format!("/projects/{tool}?statistics=true")).json()["statistics"]["repository_size"].as_u64();
        assert!(size().is_some_and(|size| size < 1 << 20), "{:?}", size());
        // A change within the limit is measured, and merged.
        branch(&bob, copy, "small", "main");
        write(&bob, copy, "small", "d", "little");
        let offer = json!({"source_branch": "small", "target_branch": "main", "title": "t", "target_project_id": tool});
        let request = made(&bob, &format!("/projects/{copy}/merge_requests"), offer);
        assert_eq!(some(&request, &["merge_status", "merge_error"]), json!(["can_be_merged", null]));
        let path = format!("/projects/{tool}/merge_requests/{}", request["iid"]);
        // A push that does not fit leaves the last version that did.
        let head = request["sha"].clone();
        write(&bob, copy, "small", "e", &other_noise(180_000, 4));
        server.run_jobs();
        let later = alice.get(&path).assert_status(200).json();
        assert_eq!(some(&later, &["merge_status", "merge_error", "sha"]), json!(["cannot_be_merged", error, head]));
        alice.put(&format!("{path}/merge"), json!({})).assert(413, refusal(FULL));
    });
}

#[test]
fn what_merge_requests_have_brought_counts_at_once() {
    with(&[("quotas.repository", 1 << 20)], |server| {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let (tool, copy) = with_fork(server, &alice, &bob, 200_000);
        write(&alice, tool, "main", "c", &other_noise(250_000, 3));
        server.run_jobs();
        branch(&bob, copy, "other", "main");
        write(&bob, copy, "other", "x", &other_noise(300_000, 5));
        let offered = |branch: &str| {
            let body =
                json!({"source_branch": branch, "target_branch": "main", "title": "t", "target_project_id": tool});
            made(&bob, &format!("/projects/{copy}/merge_requests"), body)["merge_status"].clone()
        };
        assert_eq!(offered("topic"), "can_be_merged");
        // No job has measured the target since.
        assert_eq!(offered("other"), "cannot_be_merged");
    });
}

#[test]
fn a_full_repository_takes_nothing_new_whatever_makes_it() {
    with(&[("quotas.repository", 400_000)], |server| {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "public");
        let at = format!("/projects/{tool}");
        let first = write(&alice, tool, "main", "a", "one");
        let second = write(&alice, tool, "main", "b", "two");
        branch(&alice, tool, "old", &first);
        branch(&alice, tool, "topic", &first);
        write(&alice, tool, "topic", "c", "three");
        branch(&alice, tool, "later", &first);
        write(&alice, tool, "later", "d", "four");
        let offer = |name: &str| {
            let body = json!({"source_branch": name, "target_branch": "main", "title": name});
            format!("{at}/merge_requests/{}", made(&alice, &format!("{at}/merge_requests"), body)["iid"])
        };
        let (topic, later) = (offer("topic"), offer("later"));
        let refs = alice.get(&topic).json()["diff_refs"].clone();
        let position = json!({
            "base_sha": refs["base_sha"], "start_sha": refs["start_sha"], "head_sha": refs["head_sha"],
            "new_path": "c", "new_line": 1,
        });
        let body = json!({"body": "```suggestion\ndrei\n```", "position": position});
        let suggestion =
            made(&alice, &format!("{topic}/discussions"), body)["notes"][0]["suggestions"][0]["id"].clone();
        branch(&alice, tool, "large", "main");
        let room = || {
            server.run_jobs();
            let size = alice.get(&format!("{at}?statistics=true")).json()["statistics"]["repository_size"].as_u64();
            usize::try_from(400_000_u64.saturating_sub(size.expect("a size"))).expect("a number")
        };
        // The stored data are smaller than the text, except for the last few bytes.
        for number in 0.. {
            let room = room();
            if room == 0 {
                break;
            }
            write(&alice, tool, "large", &format!("large{number}"), &noise(room.saturating_sub(50).max(1)));
        }
        let full = refusal("This repository would exceed its limit of 400000 bytes (quotas.repository)");
        let commits = format!("{at}/repository/commits");
        alice.post(&format!("{commits}/{second}/cherry_pick"), json!({"branch": "old"})).assert(413, full.clone());
        alice.post(&format!("{commits}/{second}/revert"), json!({"branch": "main"})).assert(413, full.clone());
        alice.put(&format!("{topic}/merge"), json!({})).assert(413, full.clone());
        alice.put(&format!("{later}/merge"), json!({"squash": true})).assert(413, full.clone());
        alice.put(&format!("{later}/rebase"), json!({})).assert(413, full.clone());
        alice.get(&format!("{later}/merge_ref")).assert(413, full.clone());
        alice.put(&format!("/suggestions/{suggestion}/apply"), json!({})).assert(413, full.clone());
        let tags = format!("{at}/repository/tags");
        alice.post(&tags, json!({"tag_name": "v1", "ref": "main", "message": "one"})).assert(413, full.clone());
        let empty = json!({"action": "create", "file_path": "empty", "content": ""});
        let body = json!({"branch": "main", "commit_message": "more", "actions": [empty]});
        alice.post(&commits, body).assert(413, full);
        // A push that brings nothing is never refused.
        branch(&alice, tool, "new", "main");
        made(&alice, &tags, json!({"tag_name": "v2", "ref": "main"}));
        let _ = alice.delete(&format!("{at}/repository/branches/large")).assert_status(204);
    });
}

#[test]
fn refs_made_over_the_api_have_a_limit() {
    with(&[("quotas.refs", 3)], |server| {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "public");
        let at = format!("/projects/{tool}/repository");
        write(&alice, tool, "main", "a", "one");
        branch(&alice, tool, "x", "main");
        made(&alice, &format!("{at}/tags"), json!({"tag_name": "v1", "ref": "main"}));
        let refused = message("A repository cannot have more than 3 branches and tags");
        alice.post(&format!("{at}/branches"), json!({"branch": "y", "ref": "main"})).assert(400, refused.clone());
        alice.post(&format!("{at}/tags"), json!({"tag_name": "v2", "ref": "main"})).assert(400, refused.clone());
        let body = json!({"branch": "z", "start_branch": "main", "commit_message": "m",
            "actions": [{"action": "create", "file_path": "f", "content": "c"}]});
        alice.post(&format!("{at}/commits"), body).assert(400, refused);
        let _ = alice.delete(&format!("{at}/tags/v1")).assert_status(204);
        branch(&alice, tool, "y", "main");
    });
}
