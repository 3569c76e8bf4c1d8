//! The state of a repository on disk. It decides whether a process that began earlier still answers as a new one would.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long ago the folder of packs must have changed for the next change to have another time.
const UNCHANGED: Duration = Duration::from_secs(1);
/// Packs whose names tell two states of a repository apart.
const FEW_PACKS: usize = 32;

/// The packs of a repository on disk, which a process keeps in memory. Loose objects are looked for each time, and refs
/// are not asked for. Two states are equal if they are of the same folder and no pack has come or gone.
#[derive(Debug)]
pub(super) struct State {
    /// Held open: another folder, which takes the place of this one, cannot have its number.
    _folder: File,
    folder_id: (u64, u64),
    packs_id: (u64, u64),
    packs: Packs,
}

#[derive(Debug, PartialEq, Eq)]
enum Packs {
    /// By their names, each of which follows from the content. Git writes into their folder without adding a pack: the
    /// time of the folder changes more often than the packs do.
    Few(Vec<OsString>),
    /// By the time at which their folder has changed, in seconds and nanoseconds.
    Many(i64, i64),
}

impl State {
    /// The state of the repository at this path. `None` if there is none. `None` if it uses the objects of another one,
    /// whose packs may come and go as well. `None` if there are many packs, some of which have just come or gone.
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
        let folder = File::open(path).ok()?;
        let folder_id = id(&folder.metadata().ok()?);
        Some(Self {
            _folder: folder,
            folder_id,
            packs_id: id(&packs),
            packs: Packs::of(&objects.join("pack"), &packs)?,
        })
    }
}

impl Packs {
    /// `None` if there are many of which some have just come or gone, and if the folder cannot be read.
    fn of(folder: &Path, data: &Metadata) -> Option<Self> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).ok()? {
            let name = entry.ok()?.file_name();
            if Path::new(&name).extension().is_some_and(|it| it == "pack") {
                names.push(name);
            }
            if names.len() > FEW_PACKS {
                return Self::many(data);
            }
        }
        names.sort_unstable();
        Some(Self::Few(names))
    }

    fn many(data: &Metadata) -> Option<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "it is compared with the time of a folder, which the machine sets"
        )]
        let age = SystemTime::now().duration_since(data.modified().ok()?).ok()?;
        (age >= UNCHANGED).then(|| Self::Many(data.mtime(), data.mtime_nsec()))
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let parts = |it: &Self| (it.folder_id, it.packs_id);
        parts(self) == parts(other) && self.packs == other.packs
    }
}

fn id(data: &Metadata) -> (u64, u64) {
    (data.dev(), data.ino())
}
