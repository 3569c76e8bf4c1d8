//! A folder that can be put back to what it held.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// What tells a file from one that was written or put in its place since: the times of its last changes, its number and
/// its length.
#[derive(PartialEq, Eq)]
struct Stamp([i64; 4], u64, u64);

impl Stamp {
    fn of(file: &Metadata) -> Self {
        Self([file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()], file.ino(), file.len())
    }
}

/// A copy of a folder, and what the folder itself holds that is still as it was copied.
pub(crate) struct KeptFiles {
    copy: TempDir,
    unchanged: Mutex<HashMap<PathBuf, Stamp>>,
}

impl KeptFiles {
    /// Copies everything in `folder`. Nothing may change it at the same time.
    pub(crate) fn keep(folder: &Path) -> io::Result<Self> {
        let copy = tempfile::tempdir()?;
        let mut unchanged = HashMap::new();
        copy_missing(folder, copy.path(), &mut |from, _to| {
            unchanged.insert(from.to_owned(), Stamp::of(&from.symlink_metadata()?));
            Ok(())
        })?;
        Ok(Self { copy, unchanged: Mutex::new(unchanged) })
    }

    /// Makes `folder`, which was copied, hold what it held: removes what is new or has changed, and copies what is then
    /// missing. Most requests change a few files of hundreds.
    pub(crate) fn put_back(&self, folder: &Path) -> io::Result<()> {
        let mut unchanged = self.unchanged.lock().unwrap_or_else(PoisonError::into_inner);
        remove_changed(folder, self.copy.path(), &unchanged)?;
        copy_missing(self.copy.path(), folder, &mut |_from, to| {
            unchanged.insert(to.to_owned(), Stamp::of(&to.symlink_metadata()?));
            Ok(())
        })
    }
}

/// Copies each file of `from` that `to` does not have, and calls `copied` with where it was and where it is.
fn copy_missing(from: &Path, to: &Path, copied: &mut impl FnMut(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let (entry, target) = entry.map(|entry| (entry.path(), to.join(entry.file_name())))?;
        if entry.is_dir() {
            fs::create_dir(&target).or_else(|error| if target.is_dir() { Ok(()) } else { Err(error) })?;
            copy_missing(&entry, &target, copied)?;
        } else if !target.exists() {
            fs::copy(&entry, &target)?;
            copied(&entry, &target)?;
        }
    }
    Ok(())
}

/// Removes from `folder` what `copy` does not have, and each file that is not as it was.
fn remove_changed(folder: &Path, copy: &Path, unchanged: &HashMap<PathBuf, Stamp>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kept) = (entry.path(), copy.join(entry.file_name()));
        let metadata = entry.metadata()?;
        if !metadata.is_dir() {
            if unchanged.get(&path) != Some(&Stamp::of(&metadata)) {
                fs::remove_file(path)?;
            }
        } else if kept.is_dir() {
            remove_changed(&path, &kept, unchanged)?;
        } else {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_put_back_to_what_it_held() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("kept/below")).unwrap();
        for path in ["same", "changed", "kept/below/gone", "kept/replaced"] {
            fs::write(at(path), path).unwrap();
        }
        let kept = KeptFiles::keep(folder.path()).unwrap();
        // The second time, what the first one has put back is what has changed.
        for _ in 0..2 {
            fs::write(at("changed"), "DEGNAHC").unwrap();
            fs::write(at("new"), "new").unwrap();
            fs::create_dir(at("folder")).unwrap();
            fs::write(at("folder/new"), "new").unwrap();
            fs::remove_dir_all(at("kept/below")).unwrap();
            fs::write(at("draft"), "decalper/tpek/").unwrap();
            fs::rename(at("draft"), at("kept/replaced")).unwrap();
            kept.put_back(folder.path()).unwrap();
            for path in ["same", "changed", "kept/below/gone", "kept/replaced"] {
                assert_eq!(fs::read_to_string(at(path)).unwrap(), path);
            }
            assert!(!at("new").exists() && !at("folder").exists());
        }
    }
}
