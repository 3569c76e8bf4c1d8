//! Removing old backups, and going on after a backup that was killed.

use std::fs::{self, File};
use std::time::Duration;

use tenon_testkit::{Backend, soon};

use super::{PROJECT, Site, assert_code, assert_refused, commit, files};
use crate::process::{run, tenon, text};

#[test]
fn old_backups_go_and_what_the_others_need_stays() {
    let site = Site::new(Backend::Sqlite);
    for _ in 0..3 {
        commit(&site.serving.root(), &format!("f{}", files(&site.data()).len()));
        assert_code(&site.create(&[]), 0);
    }
    let store = site.store();
    let prune = |more: &[&str]| {
        let mut arguments = vec!["backup", "prune", "--to", store.to_str().unwrap()];
        arguments.extend(more);
        let output = run(&arguments);
        assert_code(&output, 0);
        text(&output)
    };
    let count = files(&store).len();
    let only_newest =
        ["--keep-hourly", "0", "--keep-daily", "0", "--keep-weekly", "0", "--keep-monthly", "0", "--dry-run"];
    assert!(prune(&only_newest).contains("Would keep backups: 1. Would remove backups: 2, files: 0"));
    assert_eq!(files(&store).len(), count);
    // All were made in one hour, or two.
    assert!(prune(&["--dry-run"]).contains("Would keep backups: "));
    assert!(prune(&only_newest[..8]).contains("Kept backups: 1. Removed backups: 2, files: 0"));
    // A backup that was killed leaves a part behind.
    fs::write(store.join("unfinished/part-left"), "x").unwrap();
    // Files are kept for a day, in case a backup that is being made needs them.
    for file in files(&store) {
        let file = File::options().write(true).open(&file).unwrap();
        let old = file.metadata().unwrap().modified().unwrap() - Duration::from_hours(25);
        file.set_modified(old).unwrap();
    }
    let pruned = prune(&only_newest[..8]);
    assert!(pruned.contains("Kept backups: 1. Removed backups: 0, files: 4"), "{pruned}");
    assert_code(&run(&["backup", "verify", "--to", store.to_str().unwrap()]), 0);
    assert_code(&site.create(&[]), 0);
}

/// True if a backup works, or was killed while it did.
fn is_at_work(site: &Site) -> bool {
    let mut names = fs::read_dir(site.data()).unwrap().map(|entry| entry.unwrap().file_name());
    names.any(|name| name.to_str().unwrap().starts_with("+backup-"))
}

/// Begins a backup and kills it when it has its pin.
fn begin_and_kill(site: &Site) {
    let (data, store) = (site.data(), site.store());
    let words = ["backup", "create", "--to", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
    let mut killed = tenon(&[&words[..], &["--database-url", &site.url]].concat()).spawn().unwrap();
    // Its folder for work comes after its pin.
    soon("the backup works", || is_at_work(site));
    killed.kill().unwrap();
    killed.wait().unwrap();
}

#[test]
fn a_backup_follows_at_once_on_one_that_was_killed() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let site = Site::new(backend);
        begin_and_kill(&site);
        // Another folder does not know that it has ended.
        assert_refused(&site.create_in(&site.folder.path().join("other"), &[]), "another backup of this server runs");
        assert_code(&site.create(&[]), 0);
        assert!(!is_at_work(&site));
        // Its pin is gone with that of the next one.
        assert_code(&site.create_in(&site.folder.path().join("other"), &[]), 0);
    }
}

#[test]
fn a_removal_that_was_cut_off_is_no_finding() {
    let mut site = Site::new(Backend::Sqlite);
    begin_and_kill(&site);
    // The removal waits for the pin. Its first step is done by hand.
    site.serving.root().delete(PROJECT).assert_status(202).json();
    let (data, url) = (site.data(), site.url.clone());
    site.serving.restart_killed(&data, &url);
    let uploads = files(&data.join("objects/uploads"));
    assert_eq!(uploads.len(), 1);
    fs::remove_file(&uploads[0]).unwrap();
    assert_code(&site.create(&[]), 0);
}
