//! A machine that has no room for the data of requests. A limit on the size of files stands for a full disk: it needs
//! no rights.

use std::collections::BTreeSet;

use serde_json::json;
use tenon_testkit::{Client, Multipart};

use super::{Site, backends, commit, git, noise};
use crate::process::{Serving, database, run, tenon, text, with_room};

/// The titles of all issues.
fn titles(root: &Client) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for page in 1.. {
        let reply = root.get(&format!("/projects/root%2Fp/issues?per_page=100&page={page}")).assert_status(200);
        found.extend(reply.each("title").iter().map(|title| title.as_str().unwrap().to_owned()));
        if reply.header("x-next-page").is_empty() {
            return found;
        }
    }
    unreachable!("a list has an end")
}

#[test]
fn what_there_is_no_room_for_is_refused_as_such_and_all_else_goes_on() {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let (kept, url) = database(backend, &data);
        // The files of a first start are there.
        assert_eq!(Serving::start(&data, &url).terminate().code(), Some(0));
        let kib = std::fs::metadata(data.join("tenon.db")).map_or(0, |file| file.len() / 1024);
        let site = Site::on(folder, kept, Serving::start_with_room(&data, &url, kib + 1024), url.clone());
        let (root, full) = (&site.root, json!({"message": "507 Insufficient Storage"}));
        site.project("p", "private");
        let mut acknowledged = BTreeSet::new();
        let large = "x".repeat(100_000);
        for number in 0..200 {
            let title = format!("n{number}");
            let reply = root.post("/projects/root%2Fp/issues", json!({"title": title, "description": large}));
            if reply.status() != 201 {
                assert_eq!((reply.status(), reply.json()), (507, full.clone()), "{backend:?}");
                break;
            }
            acknowledged.insert(title);
        }
        // PostgreSQL has its files elsewhere.
        let is_file = backend == tenon_testkit::Backend::Sqlite;
        assert_eq!(acknowledged.len() < 200, is_file, "{backend:?}: {}", acknowledged.len());
        let file = Multipart::default().file("file", "a.bin", &noise(0..8_000_000));
        root.multipart("POST", "/projects/root%2Fp/uploads", &file).assert(507, full.clone());
        let here = site.working_copy("here", "main");
        commit(&here, "large", &noise(0..8_000_000), "large");
        git(&here, &["push", &site.mine("p"), "main"]).refused("The server's disk is full.");
        let content = String::from_utf8(vec![b'y'; 400_000]).unwrap();
        let actions: Vec<_> = (0..2)
            .map(|number| json!({"action": "create", "file_path": format!("f{number}"), "content": content}))
            .collect();
        let body = json!({"branch": "main", "commit_message": "m", "actions": actions});
        let committed = root.post("/projects/root%2Fp/repository/commits", body).status();
        assert!(matches!(committed, 201 | 507), "{backend:?}: {committed}");
        assert_eq!(titles(root), acknowledged);
        let Site { serving, folder, .. } = site;
        assert_eq!(serving.terminate().code(), Some(0));
        // With room again, acknowledged changes are there, and nothing is broken.
        let serving = Serving::start(&folder.path().join("data"), &url);
        assert_eq!(titles(&serving.root()), acknowledged);
        let body = json!({"title": "after", "description": large});
        serving.root().post("/projects/root%2Fp/issues", body).assert_status(201).json();
        assert_eq!(serving.terminate().code(), Some(0));
        let data = folder.path().join("data");
        let doctor = run(&["--data-dir", data.to_str().unwrap(), "--database-url", &url, "admin", "doctor"]);
        assert_eq!(doctor.status.code(), Some(0), "{}", text(&doctor));
    }
}

#[test]
fn a_start_on_a_full_disk_says_so_and_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let serve =
        tenon(&["serve", "--data-dir", data.to_str().unwrap(), "--listen", "127.0.0.1:0", "--ssh-listen", "off"]);
    for kib in [0, 1, 64, 512] {
        let ended = with_room(&serve, kib).output().unwrap();
        let complaint = String::from_utf8(ended.stderr.clone()).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{kib}: {ended:?}");
        assert!(complaint.contains("the disk is full: free some space"), "{kib}: {complaint}");
        assert!(complaint.contains(data.to_str().unwrap()), "{kib}: {complaint}");
    }
    // With room it starts as if nothing had been.
    let url = format!("sqlite:{}", data.join("tenon.db").display());
    let serving = Serving::start(&data, &url);
    assert_eq!(serving.root().get("/user").assert_status(200).json()["username"], "root");
    assert_eq!(serving.terminate().code(), Some(0));
}
