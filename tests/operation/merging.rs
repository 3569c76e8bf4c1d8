//! A merge changes two stores: if it is cut off in the middle, it is finished or taken back, and only one of several
//! wins.

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};
use tenon_app::repository::{Depth, Mending, reconcile_all};
use tenon_app::{CrashPoint, doctor};
use tenon_testkit::{Client, TestServer, both_databases};

const REQUEST: &str = "/projects/1/merge_requests/1";

/// A project whose issue 1 is closed by merge request 1, which offers next to main.
fn offered(server: &TestServer) -> Client {
    let root = server.root();
    let made = |path: &str, body: Value| {
        let _ = root.post(path, body).assert_status(201);
    };
    made("/projects", json!({"name": "tool", "initialize_with_readme": true}));
    made("/projects/1/issues", json!({"title": "Broken"}));
    change(&root, "next", Some("main"), "a");
    let offer = json!({"source_branch": "next", "target_branch": "main", "title": "Mend", "description": "Closes #1"});
    made("/projects/1/merge_requests", offer);
    root
}

/// One more commit on a branch.
fn change(client: &Client, branch: &str, from: Option<&str>, file: &str) {
    let actions = json!([{"action": "create", "file_path": file, "content": file}]);
    let mut commit = json!({"branch": branch, "commit_message": file, "actions": actions});
    if let Some(from) = from {
        commit["start_branch"] = json!(from);
    }
    let _ = client.post("/projects/1/repository/commits", commit).assert_status(201);
}

fn tip(client: &Client, branch: &str) -> Value {
    client.get(&format!("/projects/1/repository/branches/{branch}")).assert_status(200).json()["commit"].clone()
}

fn state(client: &Client) -> Value {
    client.get(REQUEST).assert_status(200).json()["state"].clone()
}

fn issue(client: &Client) -> Value {
    client.get("/projects/1/issues/1").assert_status(200).json()["state"].clone()
}

#[both_databases]
fn a_merge_that_stopped_before_the_branch_moved_is_taken_back(server: &TestServer) {
    let root = offered(server);
    let before = tip(&root, "main");
    server.end_next_at(CrashPoint::Locked);
    let _ = root.put(&format!("{REQUEST}/merge"), json!({})).assert_status(500);
    assert_eq!((state(&root), issue(&root)), (json!("locked"), json!("opened")));
    assert_eq!(
        root.put(&format!("{REQUEST}/merge"), json!({})).assert_status(406).json()["message"],
        "Method Not Allowed"
    );
    assert_eq!(server.app().recover_merges(true).expect("recovery"), 1);
    assert_eq!((state(&root), tip(&root, "main")), (json!("opened"), before));
    let _ = root.put(&format!("{REQUEST}/merge"), json!({})).assert_status(200);
    assert_eq!((state(&root), issue(&root)), (json!("merged"), json!("closed")));
    assert_eq!(server.app().recover_merges(true).expect("recovery"), 0);
}

#[both_databases]
fn a_merge_that_stopped_after_the_branch_moved_is_finished(server: &TestServer) {
    let root = offered(server);
    let head = tip(&root, "next")["id"].clone();
    server.end_next_at(CrashPoint::Moved);
    let _ = root.put(&format!("{REQUEST}/merge"), json!({})).assert_status(500);
    assert_eq!((state(&root), issue(&root)), (json!("locked"), json!("opened")));
    // It may still be under way, for all that others know.
    assert_eq!(server.app().recover_merges(false).expect("recovery"), 0);
    assert_eq!(server.app().recover_merges(true).expect("recovery"), 1);
    assert_eq!((state(&root), issue(&root)), (json!("merged"), json!("closed")));
    let (request, main) = (root.get(REQUEST).json(), tip(&root, "main"));
    assert_eq!(request["merge_commit_sha"], main["id"]);
    assert_eq!(main["parent_ids"][1], head);
    assert_eq!(request["merged_by"]["username"], "root");
}

#[both_databases]
fn a_merge_that_stopped_at_its_end_is_whole(server: &TestServer) {
    let root = offered(server);
    server.end_next_at(CrashPoint::Finished);
    let _ = root.put(&format!("{REQUEST}/merge"), json!({})).assert_status(500);
    assert_eq!((state(&root), issue(&root)), (json!("merged"), json!("closed")));
    assert_eq!(server.app().recover_merges(true).expect("recovery"), 0);
    // The reconciler finds the present tip of the branch.
    let unwell = || {
        let findings = doctor(server.app(), Mending::LookOnly, Depth::Contents).expect("a look");
        findings.into_iter().filter(|finding| !finding.healthy).map(|finding| finding.text).collect::<Vec<_>>()
    };
    assert_eq!(unwell().len(), 1, "{:?}", unwell());
    reconcile_all(server.app()).expect("reconciliation");
    server.run_jobs();
    assert_eq!(unwell(), Vec::<String>::new());
}

#[both_databases]
fn of_two_merges_at_once_one_succeeds(server: &TestServer) {
    let root = offered(server);
    let before = tip(&root, "main")["id"].clone();
    let barrier = Barrier::new(2);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let merge = || {
            barrier.wait();
            root.put(&format!("{REQUEST}/merge"), json!({})).status()
        };
        let both = [scope.spawn(merge), scope.spawn(merge)];
        both.map(|one| one.join().expect("an answer")).into()
    });
    let mut sorted = statuses;
    sorted.sort_unstable();
    assert_eq!(sorted, [200, 406]);
    assert_eq!(tip(&root, "main")["parent_ids"][0], before);
}

#[both_databases]
fn what_is_pushed_during_a_merge_is_not_lost(server: &TestServer) {
    let root = offered(server);
    for round in 0..4 {
        let (branch, file) = (format!("b{round}"), format!("f{round}"));
        change(&root, &branch, Some("main"), &file);
        let offer = json!({"source_branch": branch, "target_branch": "main", "title": branch});
        let iid = root.post("/projects/1/merge_requests", offer).assert_status(201).json()["iid"].clone();
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let merge = scope.spawn(|| {
                barrier.wait();
                root.put(&format!("/projects/1/merge_requests/{iid}/merge"), json!({})).status()
            });
            scope.spawn(|| {
                barrier.wait();
                change(&root, "main", None, &format!("pushed{round}"));
            });
            assert_eq!(merge.join().expect("an answer"), 200, "tried again where the branch had moved");
        });
        let tree = root.get("/projects/1/repository/tree?per_page=100").json().to_string();
        assert!(tree.contains(&format!("\"{file}\"")) && tree.contains(&format!("\"pushed{round}\"")), "{tree}");
    }
}
