//! Maintenance: a repository stays fast and small.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use tenon_domain::time::{TimeDelta, Timestamp};

use crate::command::budget::Budget;
use crate::error::GitError;
use crate::repository::Repository;

const TIME: Duration = Duration::from_hours(1);

/// Files that are no longer found quickly once there are many of them.
const MANY_LOOSE: usize = 1000;
const MANY_PACKS: usize = 20;
/// The interval in which unreachable objects are looked for, in a repository that has some.
const INTERVAL: TimeDelta = TimeDelta::days(7);
/// A file of our own in the repository: it was last tidied when this file says, in seconds since 1970.
const STAMP: &str = "tenon-maintained";

impl Repository {
    /// Brings the commit graph up to date: to be done after every change of a branch, in the background. Without it,
    /// questions about history take a hundred times as long.
    pub fn write_commit_graph(&self) -> Result<(), GitError> {
        self.git("commit-graph")
            .args(["write", "--reachable", "--changed-paths", "--split", "--no-progress"])
            .time(TIME)
            .budget(Budget::Maintenance)
            .bytes()?;
        Ok(())
    }

    /// True if [`Repository::maintain`] has something to do at `now`: very many files, or some and a week has gone by.
    /// Only reads the directory. `false` if the repository is not there.
    pub fn is_untidy(&self, now: Timestamp) -> Result<bool, GitError> {
        let objects = self.path().join("objects");
        let mut loose = 0;
        for number in 0..=u8::MAX {
            loose += count(&objects.join(format!("{number:02x}")), "")?;
        }
        let packs = count(&objects.join("pack"), ".pack")?;
        if loose > MANY_LOOSE || packs > MANY_PACKS {
            return Ok(true);
        }
        let stamp = fs::read_to_string(self.path().join(STAMP)).ok().and_then(|text| text.trim().parse().ok());
        let is_due =
            stamp.and_then(|seconds| Timestamp::from_timestamp(seconds, 0)).is_none_or(|last| now - last > INTERVAL);
        Ok(is_due && (loose > 0 || packs > 1))
    }

    /// [`Repository::maintain`], and a note that it was done at `now`.
    pub fn maintain_at(&self, now: Timestamp) -> Result<(), GitError> {
        self.maintain()?;
        fs::write(self.path().join(STAMP), now.timestamp().to_string()).map_err(GitError::File)
    }

    /// Packs refs and objects, and drops objects that were unreachable for two weeks. Until then a deleted commit can
    /// still be fetched by its name. To be done now and then, in the background.
    pub fn maintain(&self) -> Result<(), GitError> {
        self.git("pack-refs").args(["--all", "--prune"]).time(TIME).budget(Budget::Maintenance).bytes()?;
        self.git("reflog")
            .args(["expire", "--expire=90.days.ago", "--expire-unreachable=2.weeks.ago", "--all"])
            .time(TIME)
            .budget(Budget::Maintenance)
            .bytes()?;
        self.git("repack")
            .args(["-d", "--cruft", "--quiet", "--cruft-expiration=2.weeks.ago"])
            .time(TIME)
            .budget(Budget::Maintenance)
            .bytes()?;
        self.git("prune").arg("--expire=2.weeks.ago").time(TIME).budget(Budget::Maintenance).bytes()?;
        // No process holds the removed packs any more.
        self.end_kept();
        self.write_commit_graph()
    }

    /// Packs loose objects, together with the packs that are small beside them (a geometric progression of sizes). It reads
    /// what it packs, and not the whole history. Nothing is dropped. To be done in the background.
    pub fn pack_new(&self) -> Result<(), GitError> {
        self.git("repack")
            .args(["-d", "--geometric=2", "--no-write-bitmap-index", "--quiet"])
            .time(TIME)
            .budget(Budget::Maintenance)
            .bytes()?;
        // No process holds the removed packs any more.
        self.end_kept();
        Ok(())
    }

    /// Deletes the files that can be made anew from refs and packs, and makes them: graphs of commits, bitmaps and
    /// indexes of packs. For a repository that is not sound; only while no process writes to it.
    pub fn renew_indexes(&self) -> Result<(), GitError> {
        let objects = self.path().join("objects");
        let pack = objects.join("pack");
        remove_all(&objects.join("info/commit-graphs"), "")?;
        remove_all(&objects.join("info"), "commit-graph")?;
        remove_all(&pack, "multi-pack-index")?;
        for suffix in [".bitmap", ".rev"] {
            remove_all(&pack, suffix)?;
        }
        for file in files(&pack, ".pack")? {
            // An intact index is made again as it was. The name begins with a slash: it cannot be an option.
            self.git("index-pack").arg(pack.join(&file)).time(TIME).budget(Budget::Maintenance).bytes()?;
        }
        self.write_commit_graph()
    }
}

/// The names of the files in a folder that end like this; none if the folder is not there.
fn files(folder: &Path, suffix: &str) -> Result<Vec<String>, GitError> {
    let found = match fs::read_dir(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(GitError::File(error)),
    };
    // Files come and go while Git works.
    let names = found.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
    Ok(names.filter(|name| name.ends_with(suffix)).collect())
}

fn count(folder: &Path, suffix: &str) -> Result<usize, GitError> {
    Ok(files(folder, suffix)?.len())
}

fn remove_all(folder: &Path, suffix: &str) -> Result<(), GitError> {
    for name in files(folder, suffix)? {
        let path = folder.join(name);
        if path.is_file() {
            fs::remove_file(path).map_err(GitError::File)?;
        }
    }
    Ok(())
}
