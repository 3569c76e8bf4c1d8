//! Removing old backups.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Datelike as _, Utc};

use crate::error::BackupError;
use crate::folder::{Folder, UNFINISHED};
use crate::manifest::{Listing, Summary, list, verified_path};

/// How long a file stays that no backup needs: a backup that writes now has no manifest yet.
const GRACE: Duration = Duration::from_hours(24);

/// How many backups to keep: the newest one of each of so many hours, days, weeks and months that have any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Of hours.
    pub hourly: usize,
    /// Of days.
    pub daily: usize,
    /// Of weeks.
    pub weekly: usize,
    /// Of months.
    pub monthly: usize,
}

/// The backups and files that were removed, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The names of backups that go.
    pub backups: Vec<String>,
    /// How many backups stay.
    pub kept: usize,
    /// Files that no backup needs.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Removes the backups that are not to be kept, and the files that none needs any more. The newest backup always stays. With
/// `dry_run` it only says what it would do. `now` is compared with the times of files.
pub fn prune(folder: &Folder, keep: Keep, dry_run: bool, now: SystemTime) -> Result<Pruned, BackupError> {
    let _lock = folder.lock()?;
    let Listing { backups: all, unreadable } = list(folder)?;
    if let Some(error) = unreadable.into_iter().next() {
        // Its files are not known, and must not go.
        let text = format!("{error}: remove that file if the backup is lost, then try again");
        return Err(BackupError::Refused(text));
    }
    let kept = kept(&all, keep);
    let (stay, go): (Vec<&Summary>, Vec<&Summary>) = all.iter().partition(|it| kept.contains(it.manifest.id.as_str()));
    let mut pruned = Pruned { kept: stay.len(), ..Pruned::default() };
    for Summary { manifest, .. } in go {
        if !dry_run {
            folder.remove(&manifest.path())?;
            let verified = verified_path(manifest);
            if folder.size(&verified) > 0 {
                folder.remove(&verified)?;
            }
        }
        pruned.backups.push(manifest.id.clone());
    }
    let needed: HashSet<&str> = stay.iter().flat_map(|it| it.manifest.parts()).map(|part| part.path.as_str()).collect();
    for start in ["db", "files", "git", "key", UNFINISHED] {
        for path in folder.paths_below(start)? {
            if needed.contains(path.as_str()) || !folder.is_older(&path, now, GRACE) {
                continue;
            }
            pruned.bytes += folder.size(&path);
            pruned.files += 1;
            if !dry_run {
                folder.remove(&path)?;
            }
        }
    }
    Ok(pruned)
}

/// The names of the backups that stay.
fn kept(all: &[Summary], keep: Keep) -> HashSet<&str> {
    type Period = fn(DateTime<Utc>) -> String;
    let periods: [(usize, Period); 4] = [
        (keep.hourly, |at| at.format("%F %H").to_string()),
        (keep.daily, |at| at.format("%F").to_string()),
        (keep.weekly, |at| format!("{} {}", at.iso_week().year(), at.iso_week().week())),
        (keep.monthly, |at| at.format("%Y-%m").to_string()),
    ];
    let mut kept: HashSet<&str> = all.last().map(|newest| newest.manifest.id.as_str()).into_iter().collect();
    for (most, period) in periods {
        let mut seen = HashSet::new();
        for Summary { manifest, .. } in all.iter().rev() {
            if seen.len() < most && seen.insert(period(manifest.created_at)) {
                kept.insert(manifest.id.as_str());
            }
        }
    }
    kept
}
