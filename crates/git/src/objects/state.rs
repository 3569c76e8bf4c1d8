//! How a repository is on disk: whether a process that began earlier still sees what is there, and nothing else.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long ago the folder of packs must have changed for the next change to have another time.
const UNCHANGED: Duration = Duration::from_secs(1);
/// Files whose names tell two states of a folder apart that has changed more recently.
const FEW_FILES: usize = 64;

/// What a repository is on disk, as far as a process keeps it in memory: packs. Loose objects are looked for each time,
/// and refs are not asked for. Two states are equal where it is the same folder and no pack has come or gone.
#[derive(Debug)]
pub(super) struct State {
    /// Held open: another folder, which takes the place of this one, cannot have its number.
    _folder: File,
    folder_id: (u64, u64),
    packs_id: (u64, u64),
    packs_changed: (i64, i64),
    /// The names of the packs, where their folder has changed so recently that the next change might have the same time. A
    /// name follows from the content.
    packs: Option<Vec<OsString>>,
}

impl State {
    /// The state of the repository at this path. `None` where there is none, where it uses the objects of another one,
    /// whose packs may come and go as well, and where many packs have just come or gone.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let objects = path.join("objects");
        let uses_others = !matches!(
            fs::symlink_metadata(objects.join("info/alternates")),
            Err(error) if error.kind() == io::ErrorKind::NotFound
        );
        if uses_others {
            return None;
        }
        let packs = fs::metadata(objects.join("pack")).ok()?;
        #[expect(
            clippy::disallowed_methods,
            reason = "it is compared with the time of a folder, which the machine sets"
        )]
        let age = SystemTime::now().duration_since(packs.modified().ok()?).ok()?;
        let names = if age < UNCHANGED { Some(names(&objects.join("pack"))?) } else { None };
        let folder = File::open(path).ok()?;
        let folder_id = id(&folder.metadata().ok()?);
        Some(Self {
            _folder: folder,
            folder_id,
            packs_id: id(&packs),
            packs_changed: (packs.mtime(), packs.mtime_nsec()),
            packs: names,
        })
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let parts = |it: &Self| (it.folder_id, it.packs_id, it.packs_changed);
        parts(self) == parts(other) && self.packs == other.packs
    }
}

/// The names in a folder, in order. `None` where there are many, and where it cannot be read.
fn names(folder: &Path) -> Option<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        if names.len() == FEW_FILES {
            return None;
        }
        names.push(entry.ok()?.file_name());
    }
    names.sort_unstable();
    Some(names)
}

fn id(data: &Metadata) -> (u64, u64) {
    (data.dev(), data.ino())
}
