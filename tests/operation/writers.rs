//! Many who write at once.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tenon_testkit::{Backend, TestServer};

/// How many write at once.
const WRITERS: usize = 64;
/// How many issues each of them opens; each gets one comment.
const EACH: usize = 4;

/// SQLite lets one write at a time; everybody else has to get a turn, or be told that there is none.
#[test]
fn everybody_who_writes_gets_a_turn_or_is_told_to_come_again() {
    let server = TestServer::start(Backend::Sqlite);
    let root = server.root();
    let project = root.post("/projects", json!({"name": "tool"})).assert_status(201).json()["id"].clone();
    let issues = format!("/projects/{project}/issues");
    let start = std::sync::Barrier::new(WRITERS);
    let acknowledged: Vec<(i64, String, bool)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (server, start, issues) = (&server, &start, &issues);
                scope.spawn(move || {
                    let client = server.root();
                    start.wait();
                    (0..EACH)
                        .filter_map(|number| {
                            let title = format!("{writer} {number}");
                            let reply = client.post(issues, json!({"title": title}));
                            assert!(matches!(reply.status(), 201 | 503), "{}: {}", reply.status(), reply.text());
                            let iid = reply.json()["iid"].as_i64()?;
                            let noted = client.post(&format!("{issues}/{iid}/notes"), json!({"body": title})).status();
                            assert!(matches!(noted, 201 | 503), "{noted}");
                            Some((iid, title, noted == 201))
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
    assert_eq!((iids.len(), found.len()), (acknowledged.len(), acknowledged.len()));
    for (iid, title, noted) in &acknowledged {
        let issue = found.iter().find(|issue| issue["iid"] == *iid).unwrap_or_else(|| panic!("no issue {iid}"));
        assert_eq!((&issue["title"], &issue["user_notes_count"]), (&json!(title), &json!(i64::from(*noted))));
    }
    assert!(!acknowledged.is_empty());
    assert_eq!(root.get(&format!("/projects/{project}")).json()["open_issues_count"], acknowledged.len());
}
