//! A server that makes backups by itself, and files of changes.

use std::fs;

use serde_json::{Value, json};
use tenon_testkit::{Backend, soon};

use super::{PROJECT, Site, assert_code, files};
use crate::process::{Serving, run, text};

/// The backups of a folder, as JSON.
fn listed(folder: &str, key: &str) -> Vec<Value> {
    let listed = run(&["backup", "list", "--json", "--to", folder, "--key-file", key]);
    text(&listed).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_server_makes_and_verifies_backups_by_itself() {
    let Site { folder, url, serving, .. } = Site::new(Backend::Sqlite);
    assert_eq!(serving.terminate().code(), Some(0));
    let (data, store) = (folder.path().join("data"), folder.path().join("store"));
    let keys = store.join("key");
    let store = store.to_str().unwrap().to_owned();
    let config = folder.path().join("tenon.toml");
    let key = folder.path().join("backup.key").to_str().unwrap().to_owned();
    assert_code(&run(&["backup", "keygen", &key]), 0);
    let section = format!("[backup]\nto = \"{store}\"\nevery = \"1h\"\nkey_file = \"{key}\"\nkeep_daily = 2\n");
    fs::write(&config, section).unwrap();
    let mut serving = Serving::start_with(&data, &url, &["--config", config.to_str().unwrap()]);
    soon("a backup is made and verified", || {
        listed(&store, &key).first().is_some_and(|it| !it["verified_at"].is_null())
    });
    let metrics = || serving.anonymous().get("//-/metrics").text();
    soon("it is told", || !metrics().contains("tenon_backup_last_verified_timestamp_seconds 0\n"));
    let told = metrics();
    assert!(told.contains("tenon_backup_failed 0\n") && told.contains("tenon_backup_bytes "), "{told}");
    assert!(keys.exists());
    // The next one is due in an hour, also for another process.
    serving.restart(&data, &url);
    assert_eq!(listed(&store, &key).len(), 1);
    assert_eq!(listed(&store, &key)[0]["findings"], json!([]));
}

#[test]
fn a_later_backup_writes_the_rows_that_have_changed() {
    let site = Site::new(Backend::Sqlite);
    let root = site.serving.root();
    for at in 0..300 {
        // Texts that do not pack well, so that all rows are larger than the first line of a file.
        let text: String = (0..40).map(|n| format!("{:x} ", (at * 7919 + n * 104_729) % 1_000_003)).collect();
        root.post(&format!("{PROJECT}/issues"), json!({"title": format!("row {at}"), "description": text}))
            .assert_status(201)
            .json();
    }
    assert_code(&site.create(&["--with-key"]), 0);
    let sizes = || -> Vec<(bool, u64)> {
        let file = |file: &std::path::PathBuf| {
            (file.to_string_lossy().contains(".changes."), fs::metadata(file).unwrap().len())
        };
        files(&site.store().join("db")).iter().map(file).collect()
    };
    let full = sizes()[0].1;
    let _ = root.put(&format!("{PROJECT}/issues/5"), json!({"title": "changed"})).assert_status(200);
    let _ = root.delete(&format!("{PROJECT}/issues/7")).assert_status(204);
    root.post(&format!("{PROJECT}/issues"), json!({"title": "new"})).assert_status(201).json();
    assert_code(&site.create(&["--with-key"]), 0);
    let changes: Vec<u64> = sizes().iter().filter(|(is_changes, _)| *is_changes).map(|(_, size)| *size).collect();
    assert!(changes.len() == 1 && changes[0] < full / 2, "{full} {changes:?}");
    let verified = run(&["backup", "verify", "--to", site.store().to_str().unwrap()]);
    assert_code(&verified, 0);
    let data = site.folder.path().join("restored");
    assert_code(&site.restore(&data, None, &[]), 0);
    let restored = Serving::start(&data, &format!("sqlite:{}", data.join("tenon.db").display()));
    let root = restored.root();
    assert_eq!(root.get(&format!("{PROJECT}/issues/5")).assert_status(200).json()["title"], "changed");
    let _ = root.get(&format!("{PROJECT}/issues/7")).assert_status(404);
    assert_eq!(root.get(&format!("{PROJECT}/issues?search=new&in=title")).assert_status(200).json()[0]["title"], "new");
    // All rows are written again if that is asked for, and if those of the earlier backup are damaged.
    let count = || sizes().iter().filter(|(is_changes, _)| !is_changes).count();
    assert_code(&site.create(&["--full"]), 0);
    assert_eq!(count(), 2);
    let newest =
        files(&site.store().join("db")).into_iter().filter(|file| !file.to_string_lossy().contains(".changes."));
    for file in newest {
        let mut bytes = fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, bytes).unwrap();
    }
    assert_code(&site.create(&[]), 0);
    assert_eq!(count(), 3);
    assert_code(&run(&["backup", "verify", "--to", site.store().to_str().unwrap()]), 0);
}
