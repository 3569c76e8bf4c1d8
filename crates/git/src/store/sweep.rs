//! The files that killed processes have left behind.

use std::fs;
use std::io;
use std::path::Path;

use tenon_domain::time::{TimeDelta, Timestamp};

use crate::crash_report;
use crate::error::GitError;
use crate::store::shards::{entries, shards};
use crate::store::{Store, TEMPORARY};

/// The name of [`TEMPORARY`] before version 0.1.
const FORMER_TEMPORARY: &str = "+passing";

/// How many files a sweep has removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Lock files: each would have blocked its ref for ever.
    pub locks: usize,
    /// Objects and packs that were never finished, and repositories on their way in or out.
    pub remains: usize,
}

impl Store {
    /// Removes lock files, and unfinished objects that are older than an hour at `now`. To be called before the first
    /// request: a process that still works would lose its lock.
    pub fn sweep(&self, now: Timestamp) -> Result<Swept, GitError> {
        let mut swept = Swept::default();
        for folder in [TEMPORARY, FORMER_TEMPORARY] {
            for entry in entries(&self.root.join(folder)).map_err(GitError::File)? {
                swept.remains += usize::from(fs::remove_dir_all(entry.path()).is_ok());
            }
        }
        for shard in shards(&self.root).map_err(GitError::File)? {
            for repository in entries(&shard.path()).map_err(GitError::File)? {
                sweep_repository(&repository.path(), now, &mut swept).map_err(GitError::File)?;
            }
        }
        Ok(swept)
    }
}

fn sweep_repository(path: &Path, now: Timestamp, swept: &mut Swept) -> io::Result<()> {
    let objects = path.join("objects");
    for folder in [path, &objects.join("info"), &objects.join("info/commit-graphs"), &objects.join("pack")] {
        for entry in entries(folder)? {
            remove_lock(&entry, swept);
        }
    }
    swept.remains += crash_report::remove_all(path);
    sweep_refs(&path.join("refs"), swept)?;
    for folder in [&objects, &objects.join("pack")] {
        for entry in entries(folder)? {
            let name = entry.file_name();
            let is_unfinished = name.as_encoded_bytes().starts_with(b"tmp_");
            if is_unfinished && is_old(&entry, now) {
                let path = entry.path();
                let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                swept.remains += usize::from(removed.is_ok());
            }
        }
    }
    Ok(())
}

fn sweep_refs(folder: &Path, swept: &mut Swept) -> io::Result<()> {
    for entry in entries(folder)? {
        if entry.file_type()?.is_dir() {
            sweep_refs(&entry.path(), swept)?;
        } else {
            remove_lock(&entry, swept);
        }
    }
    Ok(())
}

fn remove_lock(entry: &fs::DirEntry, swept: &mut Swept) {
    // No ref can be named so.
    if entry.file_name().as_encoded_bytes().ends_with(b".lock") {
        swept.locks += usize::from(fs::remove_file(entry.path()).is_ok());
    }
}

fn is_old(entry: &fs::DirEntry, now: Timestamp) -> bool {
    let changed = entry.metadata().and_then(|data| data.modified());
    changed.is_ok_and(|changed| now - Timestamp::from(changed) > TimeDelta::hours(1))
}
