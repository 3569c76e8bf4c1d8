//! Many who write at once.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tenon_testkit::{Backend, TestServer};

/// How many write at once.
const WRITERS: usize = 64;
/// How many issues each of them opens; each gets one comment.
const EACH: usize = 4;

/// Both databases let one write at a time; everybody gets a turn.
fn run(server: &TestServer) {
    let root = server.root();
    let project = root.post("/projects", json!({"name": "tool"})).assert_status(201).json()["id"].clone();
    let issues = format!("/projects/{project}/issues");
    let start = std::sync::Barrier::new(WRITERS);
    let acknowledged: Vec<(i64, String)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (start, issues) = (&start, &issues);
                scope.spawn(move || {
                    let client = server.root();
                    start.wait();
                    (0..EACH)
                        .map(|number| {
                            let title = format!("{writer} {number}");
                            let made = client.post(issues, json!({"title": title})).assert_status(201).json();
                            let iid = made["iid"].as_i64().expect("a number");
                            let noted = client.post(&format!("{issues}/{iid}/notes"), json!({"body": title}));
                            assert_eq!(noted.status(), 201, "{}", noted.text());
                            (iid, title)
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        running.into_iter().flat_map(|thread| thread.join().expect("answers")).collect()
    });
    let mut found: Vec<Value> = Vec::new();
    for page in 1..=3 {
        let list = root.get(&format!("{issues}?per_page=100&page={page}")).assert_status(200).json();
        found.extend(list.as_array().expect("a list").iter().cloned());
    }
    let iids: BTreeSet<i64> = found.iter().filter_map(|issue| issue["iid"].as_i64()).collect();
    assert_eq!((iids.len(), found.len()), (WRITERS * EACH, WRITERS * EACH));
    for (iid, title) in &acknowledged {
        let issue = found.iter().find(|issue| issue["iid"] == *iid).unwrap_or_else(|| panic!("no issue {iid}"));
        assert_eq!((&issue["title"], &issue["user_notes_count"]), (&json!(title), &json!(1)));
    }
    assert_eq!(root.get(&format!("/projects/{project}")).json()["open_issues_count"], WRITERS * EACH);
}

#[test]
fn everybody_who_writes_gets_a_turn_on_sqlite() {
    run(&TestServer::start(Backend::Sqlite));
}

#[test]
fn everybody_who_writes_gets_a_turn_on_postgresql() {
    if Backend::Postgres.is_available() {
        run(&TestServer::start(Backend::Postgres));
    }
}
