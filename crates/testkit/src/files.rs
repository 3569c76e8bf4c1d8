//! A folder that can be put back to its former contents.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// The mark by which a file differs from one that was written or put in its place since: the times of its last changes,
/// its number and its length.
#[derive(PartialEq, Eq)]
struct Stamp([i64; 4], u64, u64);

impl Stamp {
    fn of(file: &Metadata) -> Self {
        Self([file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()], file.ino(), file.len())
    }
}

/// The former contents of a folder by their paths below it: the stamps of files, and nothing of folders.
type Held = HashMap<PathBuf, Option<Stamp>>;

/// A copy of a folder, and the stamps of its files.
pub(crate) struct KeptFiles {
    copy: TempDir,
    held: Mutex<Held>,
}

impl KeptFiles {
    /// Copies everything in `folder`. Nothing may change it at the same time.
    pub(crate) fn keep(folder: &Path) -> io::Result<Self> {
        let copy = tempfile::tempdir()?;
        let mut held = Held::new();
        keep_below(Path::new(""), folder, copy.path(), &mut held)?;
        Ok(Self { copy, held: Mutex::new(held) })
    }

    /// Gives `folder`, which was copied, its former contents: removes new and changed files, and copies the missing
    /// ones. Most requests change a few files of hundreds.
    pub(crate) fn put_back(&self, folder: &Path) -> io::Result<()> {
        let held = &mut *self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unchanged = HashSet::new();
        remove_changed(Path::new(""), folder, held, &mut unchanged)?;
        let mut missing: Vec<_> = held.iter_mut().filter(|(path, _)| !unchanged.contains(*path)).collect();
        // A folder comes before its contents.
        missing.sort_unstable_by_key(|(path, _)| *path);
        for (path, stamp) in missing {
            let target = folder.join(path);
            if stamp.is_none() {
                fs::create_dir(target)?;
            } else {
                fs::copy(self.copy.path().join(path), &target)?;
                *stamp = Some(Stamp::of(&target.symlink_metadata()?));
            }
        }
        Ok(())
    }
}

/// Copies the contents of the folder `below` of `from` to `to`.
fn keep_below(below: &Path, from: &Path, to: &Path, held: &mut Held) -> io::Result<()> {
    for entry in fs::read_dir(from.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(to.join(&path))?;
            keep_below(&path, from, to, held)?;
            held.insert(path, None);
        } else {
            fs::copy(entry.path(), to.join(&path))?;
            held.insert(path, Some(Stamp::of(&entry.metadata()?)));
        }
    }
    Ok(())
}

/// Removes new and changed files from the folder `below` of `folder`. The other ones get into `unchanged`.
fn remove_changed(below: &Path, folder: &Path, held: &Held, unchanged: &mut HashSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        match (held.get(&path), entry.file_type()?.is_dir()) {
            (Some(None), true) => {
                remove_changed(&path, folder, held, unchanged)?;
                unchanged.insert(path);
            }
            (Some(Some(stamp)), false) if *stamp == Stamp::of(&entry.metadata()?) => {
                unchanged.insert(path);
            }
            (_, true) => fs::remove_dir_all(entry.path())?,
            (_, false) => fs::remove_file(entry.path())?,
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
        // The second time, the changed files are those that the first call has put back.
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
