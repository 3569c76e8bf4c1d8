//! PostgreSQL stops and starts again under a running server. Requests that are refused until then are refused as such.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use serde_json::json;
use tenon_testkit::postgres::Cluster;
use tenon_testkit::soon;

use crate::process::Serving;

#[test]
fn while_postgresql_is_away_every_request_is_503_and_nothing_acknowledged_is_lost() {
    let Some(cluster) = Cluster::start_another() else { return };
    cluster.create_database("outage", None).unwrap();
    // The databases of other tests may lose what was committed last.
    cluster.run("ALTER DATABASE outage SET synchronous_commit = on").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &cluster.url("outage"));
    let root = serving.root();
    root.post("/projects", json!({"path": "tracker"})).assert_status(201).json();
    let issues = "/projects/root%2Ftracker/issues";
    let (is_done, (report, reports)) = (AtomicBool::new(false), mpsc::channel());
    let seen = std::thread::scope(|scope| {
        let is_done = &is_done;
        for client in 0..8 {
            let (root, report) = (serving.root(), report.clone());
            scope.spawn(move || {
                for number in 0.. {
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                    let title = format!("c{client} n{number}");
                    let reply = if client % 2 == 0 {
                        root.post(issues, json!({"title": title, "labels": "bug"}))
                    } else {
                        root.get("/projects/root%2Ftracker")
                    };
                    let retry_after = reply.header("retry-after").clone();
                    report.send((reply.status(), retry_after, title)).unwrap();
                }
            });
        }
        drop(report);
        let (mut seen, mut acknowledged) = (BTreeMap::<u16, usize>::new(), BTreeSet::new());
        let mut take = |until: u16, count: usize| {
            let mut found = 0;
            for (status, retry_after, title) in &reports {
                *seen.entry(status).or_default() += 1;
                assert!(status != 503 || retry_after.parse::<u32>().is_ok_and(|seconds| seconds > 0), "{title}");
                if status == 201 {
                    acknowledged.insert(title);
                }
                found += usize::from(status == until);
                if found >= count {
                    break;
                }
            }
        };
        for how in ["fast", "immediate"] {
            take(201, 20);
            cluster.stop(how).unwrap();
            take(503, 20);
            cluster.start_again().unwrap();
            // It serves again by itself.
            take(201, 20);
        }
        // Ended connections only, one after the other, while the server runs on.
        for _ in 0..3 {
            let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'outage'";
            cluster.run(ended).unwrap();
            take(201, 20);
        }
        is_done.store(true, Ordering::Relaxed);
        take(0, 1);
        (seen, acknowledged)
    });
    let (seen, acknowledged) = seen;
    let others: Vec<_> = seen.keys().filter(|status| ![200, 201, 503].contains(*status)).collect();
    assert!(others.is_empty(), "{seen:?}");
    let mut found = BTreeSet::new();
    for page in 1.. {
        let reply = root.get(&format!("{issues}?per_page=100&page={page}")).assert_status(200);
        for issue in reply.json().as_array().unwrap() {
            // Whole, or not at all.
            assert_eq!(issue["labels"], json!(["bug"]), "{issue}");
            found.insert(issue["title"].as_str().unwrap().to_owned());
        }
        if reply.header("x-next-page").is_empty() {
            break;
        }
    }
    let lost: Vec<_> = acknowledged.difference(&found).collect();
    assert!(lost.is_empty(), "{lost:?}");
    // Another server is still refused: the right to serve was taken again.
    let other = tempfile::tempdir().unwrap();
    let url = cluster.url("outage");
    let data = other.path().to_str().unwrap();
    let arguments =
        ["serve", "--data-dir", data, "--listen", "127.0.0.1:0", "--ssh-listen", "off", "--database-url", &url];
    soon("the server holds its database again", || {
        // "tenon" in ASCII, and two more: the lock of the server.
        let lock = 0x0074_656e_6f6e_i64 + 2;
        let held = format!(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
             AND (classid::bigint << 32) + objid::bigint = {lock}"
        );
        cluster.count(&held).unwrap() > 0
    });
    let second = crate::process::run(&arguments);
    assert_eq!(second.status.code(), Some(1), "{second:?}");
    assert!(String::from_utf8_lossy(&second.stderr).contains(&format!("process {}", serving.id())), "{second:?}");
    assert_eq!(serving.terminate().code(), Some(0));
}
