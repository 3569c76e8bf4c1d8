//! Removing old backups.

use std::fs::{self, File};
use std::time::Duration;

use tenon_testkit::Backend;

use super::{Site, assert_code, commit, files};
use crate::process::{run, text};

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
