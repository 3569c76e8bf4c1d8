//! Work that is interrupted is done all the same.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenon_app::error::AppError;
use tenon_app::jobs::{DeadJob, Pace, counts, recover, report};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Multipart, TestServer, both_databases, soon};

/// A project with an upload, whose deletion has been asked for.
fn doomed(server: &TestServer, name: &str) {
    let project =
        server.root().post("/projects", json!({"name": name})).assert_status(201).json()["id"].as_i64().expect("an id");
    let file = Multipart::default().file("file", "a.txt", b"text");
    let _ = server.root().multipart("POST", &format!("/projects/{project}/uploads"), &file).assert_status(201);
    let _ = server.root().delete(&format!("/projects/{project}")).assert_status(202);
}

/// The pace of a runner that must not wait for the next read of the queue.
fn unhurried() -> Pace {
    Pace { idle: Duration::from_hours(1), ..Pace::default() }
}

/// How many files are stored.
fn files(server: &TestServer) -> usize {
    let mut count = 0;
    let mut folders = vec![server.objects()];
    while let Some(folder) = folders.pop() {
        // A job may be removing it.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { count += 1 }
        }
    }
    count
}

/// The only job that was given up.
fn only_dead_job(server: &TestServer) -> DeadJob {
    let (_states, mut dead) = report(server.app(), 10).expect("a queue");
    assert_eq!(dead.len(), 1, "{dead:?}");
    dead.remove(0)
}

#[both_databases]
fn a_deletion_takes_the_files_with_it(server: &TestServer) {
    doomed(server, "tool");
    assert_eq!(files(server), 1);
    assert_eq!(server.run_jobs(), 1);
    assert_eq!(files(server), 0);
    assert_eq!(server.run_jobs(), 0);
}

#[both_databases]
fn a_job_whose_runner_died_comes_back_after_its_lease(server: &TestServer) {
    doomed(server, "tool");
    assert!(server.abandon_job(TimeDelta::minutes(15)));
    assert!(!server.abandon_job(TimeDelta::minutes(15)), "no other runner gets it until then");
    assert_eq!((server.run_jobs(), files(server)), (0, 1));
    server.advance(TimeDelta::minutes(14));
    assert_eq!((server.run_jobs(), files(server)), (0, 1));
    server.advance(TimeDelta::minutes(2));
    assert_eq!((server.run_jobs(), files(server)), (1, 0));
    assert_eq!(server.run_jobs(), 0);
}

#[both_databases]
fn a_group_deletion_that_is_begun_again_ends_the_same(server: &TestServer) {
    let root = server.root();
    let group = root.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json()["id"].clone();
    for name in ["a", "b", "c"] {
        let _ = root.post("/projects", json!({"name": name, "namespace_id": group})).assert_status(201);
    }
    let _ = root.delete(&format!("/groups/{group}")).assert_status(202);
    for _ in 0..3 {
        assert!(server.abandon_job(TimeDelta::minutes(15)));
        server.advance(TimeDelta::minutes(16));
    }
    server.run_jobs();
    assert_eq!(root.get("/projects").json(), json!([]));
    let again = root.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    assert_eq!(again["projects"], json!([]));
}

#[both_databases]
fn what_a_deleted_project_held_can_be_made_again(server: &TestServer) {
    let root = server.root();
    doomed(server, "tool");
    server.run_jobs();
    let again: Value = root.post("/projects", json!({"name": "tool"})).assert_status(201).json();
    assert_eq!(again["path_with_namespace"], "root/tool");
}
#[both_databases]
fn work_that_is_asked_for_while_it_is_done_waits_for_the_runner_that_is_at_it(server: &TestServer) {
    let work = json!({"kind": "sweep_archives"});
    server.enqueue("sweep_archives", &work);
    server.enqueue("sweep_archives", &work);
    assert!(server.abandon_job(TimeDelta::minutes(15)), "one runner is at it");
    server.enqueue("sweep_archives", &work);
    assert_eq!(server.run_jobs(), 0, "never twice at once");
    server.advance(TimeDelta::minutes(16));
    assert_eq!(server.run_jobs(), 1);
}

#[both_databases]
fn a_job_that_fails_is_given_up_after_twelve_times(server: &TestServer) {
    server.database().execute(
        "INSERT INTO jobs (kind, payload, run_at, created_at)
             VALUES ('gone', '{}', '2020-01-01 00:00:00', '2020-01-01 00:00:00')",
    );
    for _ in 1..12 {
        // The end of its process is no failure.
        assert!(server.abandon_job(TimeDelta::minutes(15)));
        server.advance(TimeDelta::minutes(16));
        assert_eq!(server.run_jobs(), 1);
        assert_eq!(counts(server.app()).expect("a queue"), (1, 0));
        server.advance(TimeDelta::hours(1));
    }
    assert_eq!(server.run_jobs(), 1);
    let dead = only_dead_job(server);
    assert_eq!((dead.failures, dead.deaths), (12, 11));
    assert_eq!(dead.error.as_deref(), Some("failed 12 times, at last: internal fault: no job is called \"gone\""));
    server.advance(TimeDelta::days(1));
    assert_eq!(server.run_jobs(), 0);
}

#[both_databases]
fn a_job_that_ends_its_process_is_given_up_after_fifty_times(server: &TestServer) {
    server.enqueue("sweep_archives", &json!({"kind": "sweep_archives"}));
    for _ in 0..50 {
        assert!(server.abandon_job(TimeDelta::minutes(15)));
        server.advance(TimeDelta::minutes(16));
    }
    assert_eq!(server.run_jobs(), 0);
    let dead = only_dead_job(server);
    assert_eq!((dead.failures, dead.deaths), (0, 50));
    assert_eq!(dead.error.as_deref(), Some("the process ended 50 times before the job did"));
}

#[both_databases]
fn the_jobs_of_a_killed_process_are_run_by_the_next_one_and_once(server: &TestServer) {
    for key in ["a", "b"] {
        server.enqueue("delete_object", &json!({"kind": "delete_object", "key": key}));
        assert!(server.abandon_job(TimeDelta::minutes(15)));
    }
    assert_eq!(server.run_jobs(), 0);
    assert_eq!(recover(server.app()).expect("a queue"), 2);
    assert_eq!(recover(server.app()).expect("a queue"), 0);
    assert_eq!((server.run_jobs(), server.run_jobs()), (2, 0));
    server.advance(TimeDelta::hours(1));
    assert_eq!(server.run_jobs(), 0);
}

#[both_databases]
fn many_light_jobs_are_all_run_once(server: &TestServer) {
    for number in 0..150 {
        server.enqueue("delete_object", &json!({"kind": "delete_object", "key": format!("avatars/{number}")}));
        server.enqueue("forget_unseen", &json!({"kind": "forget_unseen", "user": 1000 + number}));
    }
    let done: usize = std::thread::scope(|scope| {
        let both = [(); 2].map(|()| scope.spawn(|| server.run_jobs()));
        both.into_iter().map(|running| running.join().expect("jobs done")).sum()
    });
    assert_eq!(done + server.run_jobs(), 300);
}

#[both_databases]
fn a_sleeping_runner_is_woken_by_what_a_request_asks_for(server: &TestServer) {
    let _running = server.start_jobs(unhurried());
    for name in ["a", "b", "c"] {
        doomed(server, name);
        soon("the file is removed", || files(server) == 0);
    }
}

#[both_databases]
fn an_idle_runner_writes_nothing(server: &TestServer) {
    server.run_jobs();
    // No work follows from this.
    let project = server.root().post("/projects", json!({"name": "tool"})).assert_status(201).json()["id"].clone();
    let _ = server.root().post(&format!("/projects/{project}/issues"), json!({"title": "t"})).assert_status(201);
    // Another writer would have to wait until this transaction ends.
    let done = server.app().database().write(|_tx| Ok::<_, AppError>(server.run_jobs())).expect("a transaction");
    assert_eq!(done, 0);
}

#[both_databases]
fn the_use_of_a_token_can_be_seen_within_seconds(server: &TestServer) {
    let _running = server.start_jobs(unhurried());
    let is_known = |user: i64| {
        let path = format!("/personal_access_tokens?user_id={user}");
        !server.root().get(&path).assert_status(200).json()[0]["last_used_at"].is_null()
    };
    let active_on =
        |user: i64| server.root().get(&format!("/users/{user}")).assert_status(200).json()["last_activity_on"].clone();
    // Values that are remembered when the server starts may be written at once.
    for name in ["alice", "bob"] {
        let user = server.user(name);
        let _ = user.get("/user").assert_status(200);
        let since = Instant::now();
        soon("the use is written", || is_known(user.id));
        assert!(since.elapsed() < Duration::from_mins(1));
        assert_eq!(active_on(user.id), Value::Null, "only work with Git is activity");
    }
    let _ = server.root().post("/projects", json!({"name": "tool", "visibility": "public"})).assert_status(201);
    let user = server.user("carol");
    let git = server.anonymous().basic("carol", &user.token);
    let _ = git.get("//root/tool.git/info/refs?service=git-upload-pack").assert_status(200);
    let since = Instant::now();
    soon("the use with Git is written", || is_known(user.id) && !active_on(user.id).is_null());
    assert!(since.elapsed() < Duration::from_mins(1));
    assert_eq!(active_on(user.id), json!(server.now().date_naive().to_string()));
}
