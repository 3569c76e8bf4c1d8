//! Archives that were made, kept for a while: making one costs far more than sending it.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;
use tenon_auth::digest;
use tenon_domain::id::ProjectId;
use tenon_git::GitStream;

/// How long an archive is kept after it was last asked for.
const KEPT: Duration = Duration::from_hours(24);
/// The most bytes of all archives together.
const MOST: u64 = 2 << 30;
/// A larger one is made anew each time.
const LARGEST: u64 = 512 << 20;

/// The archives that were made, each in a file below a folder of its project.
#[derive(Debug, Clone)]
pub(crate) struct ArchiveCache {
    folder: PathBuf,
}

impl ArchiveCache {
    /// A cache in a folder, which is made with its first archive.
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The archive of that key, if it was made; from now on it is the newest.
    pub(crate) fn find(&self, project: ProjectId, key: &str, now: SystemTime) -> Option<File> {
        let file = File::options().read(true).write(true).open(self.place(project, key)).ok()?;
        // A file that cannot be touched is only removed earlier.
        let _ = file.set_modified(now);
        Some(file)
    }

    /// The content of `stream`, kept under that key once all of it has been read. If there is no room to write, it is
    /// only passed on.
    pub(crate) fn keep(&self, project: ProjectId, key: &str, now: SystemTime, stream: GitStream) -> Kept {
        let place = self.place(project, key);
        let draft = place.parent().and_then(|folder| {
            fs::create_dir_all(folder).ok()?;
            tempfile::Builder::new().prefix("new-").tempfile_in(folder).ok()
        });
        Kept { stream, draft, size: 0, place, now, cache: self.clone() }
    }

    /// Removes the archives of a project.
    pub(crate) fn forget(&self, project: ProjectId) -> io::Result<()> {
        match fs::remove_dir_all(self.folder.join(project.to_string())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes what was not requested for a day, and then the oldest until the rest is not too much.
    pub(crate) fn sweep(&self, now: SystemTime) -> io::Result<()> {
        self.trim(now, MOST)
    }

    fn trim(&self, now: SystemTime, most: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for folder in entries(&self.folder)? {
            let inside = entries(&folder)?;
            if inside.is_empty() {
                // Fails, as it should, if an archive was stored there concurrently.
                let _ = fs::remove_dir(&folder);
            }
            for path in inside {
                let Ok(data) = fs::metadata(&path) else { continue };
                files.push((data.modified()?, data.len(), path));
            }
        }
        files.sort();
        let mut sum: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (modified, size, path) in files {
            let is_old = now.duration_since(modified).is_ok_and(|age| age > KEPT);
            if is_old || sum > most {
                // Readers keep the file that they have opened.
                let _ = fs::remove_file(path);
                sum = sum.saturating_sub(size);
            }
        }
        Ok(())
    }

    fn place(&self, project: ProjectId, key: &str) -> PathBuf {
        self.folder.join(project.to_string()).join(digest(key))
    }
}

/// An archive that is made and kept at once.
pub(crate) struct Kept {
    stream: GitStream,
    draft: Option<NamedTempFile>,
    size: u64,
    place: PathBuf,
    now: SystemTime,
    cache: ArchiveCache,
}

impl Kept {
    fn write(&mut self, part: &[u8]) {
        self.size = self.size.saturating_add(u64::try_from(part.len()).unwrap_or(u64::MAX));
        let fits = self.size <= LARGEST;
        if !fits || self.draft.as_mut().is_some_and(|draft| draft.write_all(part).is_err()) {
            self.draft = None;
        }
    }

    /// The whole of it has been read: it takes its place.
    fn evict(&mut self) {
        let Some(draft) = self.draft.take() else { return };
        let kept = draft.as_file().set_modified(self.now).and_then(|()| {
            draft.persist(&self.place).map_err(|error| error.error)?;
            self.cache.sweep(self.now)
        });
        if let Err(error) = kept {
            tracing::warn!(%error, "an archive could not be kept");
        }
    }
}

impl Read for Kept {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(into)?;
        match into.get(..count).filter(|part| !part.is_empty()) {
            Some(part) => self.write(part),
            None if into.is_empty() => {}
            None => self.evict(),
        }
        Ok(count)
    }
}

/// The paths in a folder; none when it is not there.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => Ok(found.filter_map(Result::ok).map(|entry| entry.path()).collect()),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    /// A cache with archives of ten bytes each, put there an hour apart; the time of the last.
    fn filled(count: u32) -> (tempfile::TempDir, ArchiveCache, SystemTime) {
        let folder = tempfile::tempdir().unwrap();
        let cache = ArchiveCache::in_folder(folder.path().join("archives"));
        let project = ProjectId::new(1);
        fs::create_dir_all(cache.place(project, "").parent().unwrap()).unwrap();
        let mut now = SystemTime::UNIX_EPOCH;
        for number in 0..count {
            now += HOUR;
            let place = cache.place(project, &number.to_string());
            fs::write(&place, "0123456789").unwrap();
            File::options().write(true).open(&place).unwrap().set_modified(now).unwrap();
        }
        (folder, cache, now)
    }

    fn present(cache: &ArchiveCache, count: u32) -> Vec<u32> {
        (0..count).filter(|number| cache.place(ProjectId::new(1), &number.to_string()).exists()).collect()
    }

    #[test]
    fn what_was_not_asked_for_in_a_day_is_removed() {
        let (_folder, cache, now) = filled(30);
        cache.sweep(now).unwrap();
        assert_eq!(present(&cache, 30), (5..30).collect::<Vec<_>>());
        assert!(cache.find(ProjectId::new(1), "5", now).is_some());
        cache.sweep(now + 20 * HOUR).unwrap();
        assert_eq!(present(&cache, 30), [5, 25, 26, 27, 28, 29]);
        cache.sweep(now + 200 * HOUR).unwrap();
        assert_eq!(present(&cache, 30), [0_u32; 0]);
    }

    #[test]
    fn the_oldest_go_until_the_rest_is_not_too_much() {
        let (_folder, cache, now) = filled(5);
        assert!(cache.find(ProjectId::new(1), "0", now + HOUR).is_some());
        cache.trim(now, 25).unwrap();
        assert_eq!(present(&cache, 5), [0, 4]);
        cache.trim(now, 20).unwrap();
        assert_eq!(present(&cache, 5), [0, 4]);
    }

    #[test]
    fn archives_belong_to_one_project_and_go_with_it() {
        let (_folder, cache, now) = filled(2);
        assert!(cache.find(ProjectId::new(2), "0", now).is_none());
        cache.forget(ProjectId::new(2)).unwrap();
        assert_eq!(present(&cache, 2), [0, 1]);
        cache.forget(ProjectId::new(1)).unwrap();
        assert_eq!(present(&cache, 2), [0_u32; 0]);
    }
}
