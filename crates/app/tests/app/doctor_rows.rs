//! Counters, indexes and files that do not agree with the rows are found and mended.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::json;
use tenon_app::repository::{Depth, Mending};
use tenon_app::{Finding, doctor};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, Multipart, TestServer, both_databases};

/// The counters and files that are not well, or were not before they were repaired.
fn faults(server: &TestServer, mending: Mending) -> Vec<Finding> {
    let found = doctor(server.app(), mending, Depth::Connectivity).expect("a working server");
    let is_fault = |one: &Finding| !one.healthy || one.text.contains("(repaired)");
    found.into_iter().filter(|one| matches!(one.subject, "counters" | "files" | "rows")).filter(is_fault).collect()
}

/// A group with a project that has a bit of everything.
fn fill(server: &TestServer) {
    let root = server.root();
    let post = |path: &str, body| root.post(path, body).assert_status(201).json();
    post("/groups", json!({"name": "crew", "path": "crew"}));
    post("/groups", json!({"name": "deck", "path": "deck", "parent_id": 2}));
    post("/projects", json!({"path": "engine", "namespace_id": 2, "initialize_with_readme": true}));
    for title in ["a pump", "a valve"] {
        post("/projects/1/issues", json!({"title": title, "labels": "bug"}));
    }
    post("/projects/1/issues/1/notes", json!({"body": "a word"}));
    post("/projects/1/issues/1/award_emoji", json!({"name": "thumbsup"}));
    post("/projects/1/issues/1/award_emoji", json!({"name": "thumbsdown"}));
    post("/snippets", json!({"title": "t", "file_name": "a", "content": "ä"}));
    post("/projects/1/milestones", json!({"title": "one"}));
    post("/groups/2/milestones", json!({"title": "two"}));
    let _ = root.post("/projects/1/star", json!({}));
    post("/projects/1/fork", json!({"namespace": "root"}));
    let change = json!({"branch": "topic", "start_branch": "main", "content": "x", "commit_message": "topic"});
    post("/projects/1/repository/files/topic", change);
    post("/projects/1/merge_requests", json!({"source_branch": "topic", "target_branch": "main", "title": "a topic"}));
    post("/projects/1/hooks", json!({"url": "https://hooks.example.org/", "issues_events": true}));
    post("/projects/1/issues", json!({"title": "told to the hook"}));
    let deployment = json!({"environment": "e", "sha": "main", "ref": "main", "tag": false, "status": "success"});
    post("/projects/1/deployments", deployment);
    post("/projects/1/feature_flags_user_lists", json!({"name": "friends", "user_xids": "ada"}));
    let form = Multipart::default().file("file", "drawing.txt", b"a drawing");
    root.multipart("POST", "/projects/1/uploads", &form).assert_status(201).json();
    server.run_jobs();
}

/// A statement that plants a fault, and the finding that names it.
const PLANTED: [(&str, &str); 23] = [
    ("UPDATE projects SET star_count = 7 WHERE id = 1", "stars of projects: wrong: 1"),
    ("UPDATE projects SET forks_count = 0 WHERE id = 1", "forks of projects: wrong: 1"),
    ("UPDATE projects SET open_issues_count = -1", "open issues of projects: wrong: 2"),
    ("UPDATE issuables SET user_notes_count = 5 WHERE id = 1", "comments of issues and merge requests: wrong: 1"),
    ("UPDATE issuables SET upvotes = 3 WHERE id = 1", "votes for issues and merge requests: wrong: 1"),
    ("UPDATE issuables SET downvotes = 0 WHERE id = 1", "votes against issues and merge requests: wrong: 1"),
    (
        "UPDATE issuable_counts SET count = 9 WHERE kind = 'merge_request'",
        "issues and merge requests by state: wrong: 2",
    ),
    ("DELETE FROM issuable_counts WHERE kind = 'issue'", "issues and merge requests by state: wrong: 1"),
    ("UPDATE label_counts SET count = count + 1", "issues and merge requests by label: wrong: 2"),
    ("DELETE FROM upload_totals WHERE uploader_id = 0", "sizes of uploads: wrong: 1"),
    ("UPDATE upload_totals SET size = 1 WHERE uploader_id > 0", "sizes of uploads: wrong: 2"),
    ("UPDATE snippets SET size = 1", "sizes of snippets: wrong: 1"),
    ("UPDATE repository_facts SET lfs_size = 1 WHERE project_id = 1", "sizes of LFS objects: wrong: 1"),
    ("UPDATE hook_event_bytes SET bytes = bytes + 1", "sizes of hook events: wrong: 2"),
    ("DELETE FROM namespace_closure WHERE ancestor_id = 2 AND depth = 1", "groups above groups: wrong: 1"),
    ("UPDATE namespace_closure SET depth = 3 WHERE ancestor_id = 2 AND depth = 1", "groups above groups: wrong: 2"),
    ("UPDATE iid_counters SET last_iid = 1 WHERE kind = 'issue'", "numbers of issues: wrong: 1"),
    ("DELETE FROM iid_counters WHERE kind = 'merge_request'", "numbers of merge requests: wrong: 1"),
    (
        "UPDATE iid_counters SET last_iid = 0 WHERE kind = 'milestone' AND project_id = 1",
        "numbers of milestones of projects: wrong: 1",
    ),
    (
        "DELETE FROM iid_counters WHERE kind = 'milestone' AND namespace_id = 2",
        "numbers of milestones of groups: wrong: 1",
    ),
    ("DELETE FROM iid_counters WHERE kind = 'deployment'", "numbers of deployments: wrong: 1"),
    ("UPDATE iid_counters SET last_iid = 0 WHERE kind = 'user_list'", "numbers of lists of users: wrong: 1"),
    (
        "UPDATE issuables SET deleted_at = created_at WHERE kind = 'merge_request'",
        "words of issues and merge requests: wrong: 1",
    ),
];

#[both_databases]
fn counters_are_compared_with_the_rows_and_made_anew(server: &TestServer) {
    fill(server);
    assert_eq!(faults(server, Mending::LookOnly), [], "everything agrees before");
    for (statement, text) in PLANTED {
        server.database().execute(statement);
        let named = |found: &[Finding]| found.iter().any(|one| one.text.starts_with(text));
        let found = faults(server, Mending::LookOnly);
        assert!(named(&found) && found.iter().all(|one| !one.healthy), "{statement}: {found:?}");
        let repaired = faults(server, Mending::Repair);
        assert!(named(&repaired) && repaired.iter().all(|one| one.healthy), "{statement}: {repaired:?}");
        assert_eq!(faults(server, Mending::LookOnly), [], "{statement}");
    }
    let words = match server.backend() {
        Backend::Sqlite => "DELETE FROM issuable_search WHERE rowid = 1",
        Backend::Postgres => "DELETE FROM issuable_search WHERE issuable_id = 1",
    };
    server.database().execute(words);
    let search = || server.root().get("/projects/1/issues?search=pump").json().as_array().unwrap().len();
    assert_eq!(search(), 0);
    assert_eq!(faults(server, Mending::Repair).len(), 1);
    assert_eq!(search(), 1);
}

#[both_databases]
fn files_without_a_row_are_moved_away_and_missing_ones_named(server: &TestServer) {
    fill(server);
    let folder = server.data().join("objects");
    let stray = |name: &str, days: u64| {
        let path = folder.join("uploads/1").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "left").unwrap();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(server.now().timestamp()).unwrap());
        File::options().write(true).open(&path).unwrap().set_modified(now - Duration::from_hours(24 * days)).unwrap();
        path
    };
    let (old, young) = (stray("old/file.txt", 2), stray("young/file.txt", 0));
    let found = faults(server, Mending::LookOnly);
    assert!(found.len() == 1 && found[0].text.starts_with("files that no row names: 1, 4 bytes: --fix"), "{found:?}");
    let mended = faults(server, Mending::Repair);
    assert!(mended.len() == 1 && mended[0].healthy, "{mended:?}");
    assert!(!old.exists() && young.exists());
    assert_eq!(fs::read(folder.join("lost/uploads/1/old/file.txt")).unwrap(), b"left");
    assert_eq!(faults(server, Mending::LookOnly), []);
    // Many at once are a sign that the database is another one.
    for number in 0..21 {
        let _ = stray(&format!("many{number}/file.txt"), 2);
    }
    let found = faults(server, Mending::Repair);
    assert!(found[0].text.contains("may be the wrong database") && !found[0].healthy, "{found:?}");
    assert!(folder.join("uploads/1/many0/file.txt").exists());
    server.advance(TimeDelta::days(3));
    let uploads = "SELECT COUNT(*) FROM uploads";
    assert_eq!(server.database().count(uploads), 1);
    fs::remove_dir_all(folder.join("uploads")).unwrap();
    let found = faults(server, Mending::Repair);
    assert!(found.len() == 1 && found[0].text.contains("drawing.txt: a row names it, and it is missing"), "{found:?}");
    assert_eq!(server.database().count(uploads), 1, "no row goes");
}

#[both_databases]
fn bots_without_a_home_or_a_token_are_found_and_removed(server: &TestServer) {
    let root = server.root();
    let _ = root.post("/projects", json!({"path": "engine"})).assert_status(201);
    for name in ["a", "b", "c"] {
        let body = json!({"name": name, "scopes": ["api"], "access_level": 30});
        let _ = root.post("/projects/1/access_tokens", body).assert_status(201);
    }
    let found = |mending| {
        let all = doctor(server.app(), mending, Depth::Connectivity).expect("a working server");
        all.into_iter().filter(|one| one.subject == "bots").map(|one| (one.healthy, one.text)).collect::<Vec<_>>()
    };
    let well = vec![(true, "all have a token and a project or group".to_owned())];
    assert_eq!(found(Mending::LookOnly), well);
    server.database().execute("DELETE FROM bots WHERE user_id = (SELECT MIN(user_id) FROM bots)");
    server.database().execute("DELETE FROM tokens WHERE user_id = (SELECT MAX(user_id) FROM bots)");
    let text = "without a token, or without a project or group: 2";
    assert_eq!(found(Mending::LookOnly), [(false, format!("{text}: --fix removes them"))]);
    assert_eq!(found(Mending::Repair), [(true, format!("{text} (repaired)"))]);
    assert_eq!(found(Mending::LookOnly), well);
    server.run_jobs();
    let users = root.get("/users?exclude_humans=true&exclude_internal=true").assert_status(200).json();
    assert_eq!(users.as_array().map(Vec::len), Some(1));
}

/// Runs a statement that the foreign keys of the database do not allow.
fn execute_unchecked(server: &TestServer, statement: &str) {
    let unchecked = match server.backend() {
        Backend::Sqlite => "PRAGMA foreign_keys = OFF",
        Backend::Postgres => "SET session_replication_role = replica",
    };
    server.database().execute(&format!("{unchecked}; {statement}"));
}

#[both_databases]
fn rows_that_name_what_is_not_there_are_moved_to_a_file(server: &TestServer) {
    fill(server);
    let alice = server.user("alice");
    let member = json!({"user_id": alice.id, "access_level": 30});
    let _ = server.root().post("/projects/1/members", member).assert_status(201);
    let members = "SELECT COUNT(*) FROM members";
    let before = server.database().count(members);
    execute_unchecked(server, &format!("UPDATE members SET user_id = 4711 WHERE user_id = {}", alice.id));
    let text = "members: rows that name one of users that is not there: 1";
    let found = faults(server, Mending::LookOnly);
    assert!(found.len() == 1 && found[0].text == format!("{text}: --fix moves them to lost/"), "{found:?}");
    let repaired = faults(server, Mending::Repair);
    assert!(repaired.len() == 1 && repaired[0].healthy && repaired[0].text.starts_with(text), "{repaired:?}");
    assert_eq!(faults(server, Mending::LookOnly), []);
    assert_eq!(server.database().count(members), before - 1);
    let kept = fs::read_dir(server.data().join("objects/lost/rows")).unwrap().next().unwrap().unwrap();
    let row: serde_json::Value = serde_json::from_slice(&fs::read(kept.path()).unwrap()).unwrap();
    assert_eq!((&row["user_id"], &row["access_level"]), (&json!(4711), &json!(30)));
    // A column that may be empty is cleared, and the row stays.
    execute_unchecked(server, "UPDATE issuables SET milestone_id = 4711 WHERE id = 1");
    let text = "issuables: rows that name one of milestones that is not there: 1";
    let found = faults(server, Mending::LookOnly);
    assert!(
        found.iter().any(|one| one.text == format!("{text}: --fix clears that and keeps them in lost/")),
        "{found:?}"
    );
    assert!(faults(server, Mending::Repair).iter().all(|one| one.healthy));
    let cleared = "SELECT COUNT(*) FROM issuables WHERE id = 1 AND milestone_id IS NULL";
    assert_eq!((faults(server, Mending::LookOnly), server.database().count(cleared)), (vec![], 1));
    // A comment would go with its issue.
    execute_unchecked(server, "UPDATE issuables SET author_id = 4711 WHERE id = 1");
    for mending in [Mending::LookOnly, Mending::Repair] {
        let found = faults(server, mending);
        let named = found.iter().find(|one| one.text.starts_with("issuables: rows that name one of users"));
        assert!(named.is_some_and(|one| !one.healthy && one.text.ends_with("from a backup")), "{found:?}");
    }
    assert_eq!(server.database().count("SELECT COUNT(*) FROM issuables WHERE id = 1"), 1);
}

#[both_databases]
fn removals_whose_job_was_lost_are_queued_again(server: &TestServer) {
    fill(server);
    let alice = server.user("alice");
    let moment = "deleting_at = '2020-01-01 00:00:00'";
    server.database().execute(&format!("UPDATE projects SET {moment} WHERE id = 1"));
    server.database().execute(&format!("UPDATE users SET {moment} WHERE id = {}", alice.id));
    server.database().execute(&format!("UPDATE namespaces SET {moment} WHERE parent_id = 2"));
    let text = "projects, groups and accounts that wait for a removal without a job: 3";
    let found = faults(server, Mending::LookOnly);
    assert!(found.len() == 1 && found[0].text == format!("{text}: --fix queues it"), "{found:?}");
    let repaired = faults(server, Mending::Repair);
    assert!(repaired.len() == 1 && repaired[0].healthy && repaired[0].text.starts_with(text), "{repaired:?}");
    assert_eq!(faults(server, Mending::LookOnly), []);
    server.run_jobs();
    for table in ["projects WHERE id = 1", "users WHERE username = 'alice'", "namespaces WHERE parent_id = 2"] {
        assert_eq!(server.database().count(&format!("SELECT COUNT(*) FROM {table}")), 0, "{table}");
    }
}
