//! The work of each hour.

use serde_json::json;
use tenon_app::doctor;
use tenon_app::jobs::start_schedule;
use tenon_app::repository::{Depth, Mending};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::{commit, project};

/// The files of a folder of a project's repository.
fn count(server: &TestServer, project: i64, folder: &str) -> usize {
    let folder = server.data().join(format!("repositories/{:03}/{project}.git/{folder}", project % 1000));
    std::fs::read_dir(folder).map(Iterator::count).unwrap_or_default()
}

/// True if database and repositories agree.
fn is_well(server: &TestServer) -> bool {
    doctor(server.app(), Mending::LookOnly, Depth::Contents)
        .expect("a working server")
        .iter()
        .all(|finding| finding.healthy)
}

#[both_databases]
fn the_schedule_runs_each_hour_however_often_it_was_started(server: &TestServer) {
    for _ in 0..3 {
        start_schedule(server.app()).expect("a queue");
    }
    assert_eq!(server.run_jobs(), 0);
    for _ in 0..3 {
        server.advance(TimeDelta::hours(1));
        // The hour itself, the scan of the repositories, the sweep of the archives, what applications had been
        // granted, old events of hooks, LFS objects of no project, memberships that are over, accounts that are not used, and deliveries without a job.
        assert_eq!(server.run_jobs(), 9);
        assert_eq!(server.run_jobs(), 0);
    }
}

#[both_databases]
fn hours_in_which_nothing_ran_are_not_made_up_for(server: &TestServer) {
    start_schedule(server.app()).expect("a queue");
    server.advance(TimeDelta::days(2));
    start_schedule(server.app()).expect("a queue");
    assert_eq!(server.run_jobs(), 9);
    server.advance(TimeDelta::hours(1));
    assert_eq!(server.run_jobs(), 9);
}

#[both_databases]
fn untidy_repositories_are_packed_once(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let sha = commit(&alice, tool, "main", None, "one");
    server.run_jobs();
    start_schedule(server.app()).expect("a queue");
    server.advance(TimeDelta::hours(1));
    server.run_jobs();
    assert_eq!(count(server, tool, "refs/heads"), 0, "refs are packed");
    assert_eq!(alice.get(&format!("/projects/{tool}/repository/branches/main")).json()["commit"]["id"], sha);
    commit(&alice, tool, "main", None, "two");
    server.run_jobs();
    server.advance(TimeDelta::hours(1));
    server.run_jobs();
    assert_eq!(count(server, tool, "refs/heads"), 1, "a new commit is no reason");
}

#[both_databases]
fn a_ref_that_the_database_has_missed_is_recorded_after_a_while(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let sha = commit(&alice, tool, "main", None, "one");
    server.run_jobs();
    let seen = || alice.get(&format!("/projects/{tool}/events?action=pushed")).header("X-Total");
    let before = seen();
    let folder = format!("repositories/{tool:03}/{tool}.git/refs/heads/missed");
    std::fs::write(server.data().join(folder), format!("{sha}\n")).expect("a file");
    start_schedule(server.app()).expect("a queue");
    server.advance(TimeDelta::hours(1));
    server.run_jobs();
    assert!(!is_well(server), "a push may be recording it");
    server.advance(TimeDelta::minutes(2));
    server.run_jobs();
    assert!(is_well(server));
    // It is not known who pushed.
    assert_eq!(seen(), before);
    server.enqueue("reconcile_repository", &json!({"kind": "reconcile_repository", "project": tool}));
    assert_eq!(server.run_jobs(), 1, "there is nothing to refresh");
}

#[both_databases]
fn refs_that_moved_unnoticed_are_all_recorded_however_many_there_are(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let sha = commit(&alice, tool, "main", None, "one");
    server.run_jobs();
    let refs = server.data().join(format!("repositories/{:03}/{tool}.git/refs/heads", tool % 1000));
    // More than one transaction records.
    for number in 0..450 {
        std::fs::write(refs.join(format!("topic{number}")), format!("{sha}\n")).expect("a ref");
    }
    assert!(!is_well(server));
    doctor(server.app(), Mending::Repair, Depth::Contents).expect("a working server");
    server.run_jobs();
    assert!(is_well(server));
}
