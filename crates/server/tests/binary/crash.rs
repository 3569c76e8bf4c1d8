//! `kill -9` at any moment: acknowledged changes are there afterwards, others are done or were never begun.

use std::collections::BTreeSet;
use std::sync::mpsc;

use serde_json::json;
use tenon_testkit::{Backend, Client};

use crate::process::{Serving, database, run};

fn available() -> impl Iterator<Item = Backend> {
    [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available())
}

/// All projects, by path.
fn paths(root: &Client) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for page in 1.. {
        let reply = root.get(&format!("/projects?per_page=100&simple=true&page={page}")).assert_status(200);
        found.extend(reply.each("path").iter().map(|path| path.as_str().unwrap().to_owned()));
        if reply.header("x-next-page").is_empty() {
            return found;
        }
    }
    unreachable!("a list has an end")
}

#[test]
fn what_was_acknowledged_survives() {
    for backend in available() {
        let folder = tempfile::tempdir().unwrap();
        let (_database, url) = database(backend, folder.path());
        let mut acknowledged = BTreeSet::new();
        for round in 0..3 {
            let serving = Serving::start(folder.path(), &url);
            let (report, reports) = mpsc::channel();
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let (root, report) = (serving.root(), report.clone());
                    std::thread::spawn(move || {
                        for number in 0.. {
                            let path = format!("r{round}-w{writer}-n{number}");
                            // The server goes away in the middle of this: that request was not acknowledged.
                            match root.try_post("/projects", &json!({"path": path})) {
                                Some(201) => report.send(path).unwrap(),
                                Some(status) => assert!(status == 503, "{path}: {status}"),
                                None => break,
                            }
                        }
                    })
                })
                .collect();
            drop(report);
            acknowledged.extend(reports.iter().take(60));
            serving.kill();
            for writer in writers {
                writer.join().unwrap();
            }
            acknowledged.extend(reports.iter());
        }
        let serving = Serving::start(folder.path(), &url);
        let root = serving.root();
        let found = paths(&root);
        let lost: Vec<_> = acknowledged.difference(&found).collect();
        assert!(lost.is_empty(), "{backend:?}: {lost:?}");
        // Complete, and not only listed: every one can be read and has its owner as a member.
        for path in &found {
            let project = root.get(&format!("/projects/root%2F{path}")).assert_status(200).json();
            assert_eq!(project["permissions"]["project_access"]["access_level"], 40, "{path}");
        }
        serving.terminate();
        let data = folder.path().to_str().unwrap();
        assert_eq!(run(&["--data-dir", data, "--database-url", &url, "admin", "doctor"]).status.code(), Some(0));
    }
}

#[test]
fn acknowledged_issues_survive_whole_and_with_numbers_of_their_own() {
    for backend in available() {
        let folder = tempfile::tempdir().unwrap();
        let (_database, url) = database(backend, folder.path());
        let mut acknowledged = BTreeSet::new();
        for round in 0..3 {
            let serving = Serving::start(folder.path(), &url);
            if round == 0 {
                serving.root().post("/projects", json!({"path": "tracker"})).assert_status(201).json();
            }
            let (report, reports) = mpsc::channel();
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let (root, report) = (serving.root(), report.clone());
                    std::thread::spawn(move || {
                        for number in 0.. {
                            let title = format!("r{round} w{writer} n{number}");
                            let body =
                                json!({"title": title, "labels": "bug,crash", "description": "See #1.\n/estimate 1h"});
                            match root.try_post("/projects/root%2Ftracker/issues", &body) {
                                Some(201) => report.send(title).unwrap(),
                                Some(status) => assert!(status == 503, "{title}: {status}"),
                                None => break,
                            }
                        }
                    })
                })
                .collect();
            drop(report);
            acknowledged.extend(reports.iter().take(60));
            serving.kill();
            for writer in writers {
                writer.join().unwrap();
            }
            acknowledged.extend(reports.iter());
        }
        let serving = Serving::start(folder.path(), &url);
        let root = serving.root();
        let mut found = Vec::new();
        for page in 1.. {
            let path = format!("/projects/root%2Ftracker/issues?per_page=100&page={page}&sort=asc");
            let reply = root.get(&path).assert_status(200);
            found.extend(reply.json().as_array().unwrap().iter().cloned());
            if reply.header("x-next-page").is_empty() {
                assert_eq!(reply.header("x-total"), found.len().to_string(), "the total counts what is there");
                break;
            }
        }
        let titles: BTreeSet<String> = found.iter().map(|issue| issue["title"].as_str().unwrap().to_owned()).collect();
        let lost: Vec<_> = acknowledged.difference(&titles).collect();
        assert!(lost.is_empty(), "{backend:?}: {lost:?}");
        let iids: BTreeSet<i64> = found.iter().map(|issue| issue["iid"].as_i64().unwrap()).collect();
        assert_eq!(iids.len(), found.len(), "{backend:?}: a number was given out twice");
        for issue in &found {
            // Nothing is half-written: the labels of an issue are there with it.
            assert_eq!(issue["labels"], json!(["bug", "crash"]));
            assert_eq!(issue["time_stats"]["time_estimate"], 3600);
        }
        let open = &root.get("/projects/root%2Ftracker").json()["open_issues_count"];
        assert_eq!(open.as_u64().unwrap(), u64::try_from(found.len()).unwrap());
    }
}

#[test]
fn a_removal_that_was_cut_off_is_finished_by_the_next_process() {
    for backend in available() {
        let folder = tempfile::tempdir().unwrap();
        let (_database, url) = database(backend, folder.path());
        let serving = Serving::start(folder.path(), &url);
        let root = serving.root();
        let group = root.post("/groups", json!({"name": "Gone", "path": "gone"})).assert_status(201).json();
        for number in 0..10 {
            let body = json!({"path": format!("p{number}"), "namespace_id": group["id"]});
            root.post("/projects", body).assert_status(201).json();
        }
        root.delete("/groups/gone").assert_status(202).json();
        serving.kill();
        let serving = Serving::start(folder.path(), &url);
        let root = serving.root();
        assert_eq!(root.get("/groups/gone").status(), 404);
        assert_eq!(paths(&root), BTreeSet::new());
        // The path is free again as soon as the job is done, which only trying shows.
        let mut taken = 0;
        while root.post("/groups", json!({"name": "Gone", "path": "gone"})).status() != 201 {
            taken += 1;
            assert!(taken < 10_000, "{backend:?}: the removal was never finished");
        }
    }
}
