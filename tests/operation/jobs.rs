//! Work that is interrupted is done all the same.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Multipart, TestServer, on_both};

/// A project with an upload, whose deletion has been asked for; its id.
fn doomed(server: &TestServer) -> i64 {
    let project = server.root().post("/projects", json!({"name": "tool"})).assert_status(201).json()["id"]
        .as_i64()
        .expect("an id");
    let file = Multipart::default().file("file", "a.txt", b"text");
    let _ = server.root().multipart("POST", &format!("/projects/{project}/uploads"), &file).assert_status(201);
    let _ = server.root().delete(&format!("/projects/{project}")).assert_status(202);
    project
}

/// How many files are stored.
fn files(server: &TestServer) -> usize {
    let mut count = 0;
    let mut folders = vec![server.objects()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { count += 1 }
        }
    }
    count
}

on_both! {
    fn a_deletion_takes_the_files_with_it(server) {
        doomed(server);
        assert_eq!(files(server), 1);
        assert_eq!(server.run_jobs(), 1);
        assert_eq!(files(server), 0);
        assert_eq!(server.run_jobs(), 0);
    }

    fn a_job_whose_runner_died_comes_back_after_its_lease(server) {
        let project = doomed(server);
        server.enqueue("delete_project", &json!({"kind": "delete_project", "project": project}));
        assert!(server.abandon_job(TimeDelta::minutes(15)));
        assert!(!server.abandon_job(TimeDelta::minutes(15)), "nobody else gets it meanwhile");
        assert_eq!((server.run_jobs(), files(server)), (0, 1));
        server.advance(TimeDelta::minutes(14));
        assert_eq!((server.run_jobs(), files(server)), (0, 1));
        server.advance(TimeDelta::minutes(2));
        assert_eq!((server.run_jobs(), files(server)), (1, 0));
        assert_eq!(server.run_jobs(), 0);
    }

    fn a_group_deletion_that_is_begun_again_ends_the_same(server) {
        let root = server.root();
        let group = root.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json()["id"].clone();
        for name in ["a", "b", "c"] {
            let _ = root.post("/projects", json!({"name": name, "namespace_id": group})).assert_status(201);
        }
        let _ = root.delete(&format!("/groups/{group}")).assert_status(202);
        server.enqueue("delete_group", &json!({"kind": "delete_group", "group": group}));
        for _ in 0..3 {
            assert!(server.abandon_job(TimeDelta::minutes(15)));
            server.advance(TimeDelta::minutes(16));
        }
        server.run_jobs();
        assert_eq!(root.get("/projects").json(), json!([]));
        let again = root.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
        assert_eq!(again["projects"], json!([]));
    }

    fn what_a_deleted_project_held_can_be_made_again(server) {
        let root = server.root();
        doomed(server);
        server.run_jobs();
        let again: Value = root.post("/projects", json!({"name": "tool"})).assert_status(201).json();
        assert_eq!(again["path_with_namespace"], "root/tool");
    }
}
