//! The folder of backups: files that are written once and never changed.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::error::BackupError;

/// The file that makes a folder one of backups.
const HEAD: &str = "tenon-backup.json";
/// The version of the format.
pub(crate) const FORMAT: u32 = 1;
/// The file that is locked by who writes.
const LOCK: &str = "lock";
/// Files that are being written, which a crash leaves behind.
pub(crate) const UNFINISHED: &str = "unfinished";

/// True if a folder has backups, or had.
#[must_use]
pub fn is_folder_of_backups(root: &Path) -> bool {
    root.join(HEAD).exists()
}

/// A folder of backups of one server.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    head: Head,
}

/// The properties of all backups of a folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    format: u32,
    /// The server whose backups these are.
    instance: String,
    /// Nothing is encrypted.
    plain: bool,
}

/// A file of the folder, as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Its path from the folder on.
    pub(crate) path: String,
    /// Bytes.
    pub(crate) size: u64,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub(crate) sha256: String,
}

impl Folder {
    /// The folder of the backups of `instance`, which is made if it is not there. Refused if it is not empty and not one of
    /// backups, if the backups are those of another server, and if it lies in the data folder `data`.
    pub fn open_to_write(root: &Path, instance: &str, data: &Path) -> Result<Self, BackupError> {
        if root.is_symlink() {
            return Err(BackupError::Refused(format!("{} is a link: name the folder it leads to", root.display())));
        }
        fs::create_dir_all(root).map_err(BackupError::at(root))?;
        let real = fs::canonicalize(root).map_err(BackupError::at(root))?;
        if fs::canonicalize(data).is_ok_and(|data| real.starts_with(data)) {
            let text =
                format!("{} lies in the data folder: what damages the one takes the other along", root.display());
            return Err(BackupError::Refused(text));
        }
        if !real.join(HEAD).exists() {
            let mut entries = fs::read_dir(&real).map_err(BackupError::at(&real))?;
            // The first backup may have been killed before it has written the head.
            if entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() != UNFINISHED)) {
                let text = format!("{} is not empty and is no folder of backups: name an empty one", root.display());
                return Err(BackupError::Refused(text));
            }
            let head = Head { format: FORMAT, instance: instance.to_owned(), plain: true };
            let text = serde_json::to_vec_pretty(&head).map_err(|error| BackupError::at(&real)(error.into()))?;
            let folder = Self { root: real.clone(), head };
            folder.put(HEAD, &mut &*text)?;
        }
        let folder = Self::open(&real)?;
        if folder.head.instance != instance {
            let text = format!("{} has the backups of another server: name a folder of its own", root.display());
            return Err(BackupError::Refused(text));
        }
        Ok(folder)
    }

    /// A folder that has backups. Refused if it is none, and if a newer version of the program has made it.
    pub fn open(root: &Path) -> Result<Self, BackupError> {
        let path = root.join(HEAD);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let text = format!("{} is no folder of backups: there is no {HEAD} in it", root.display());
                return Err(BackupError::Refused(text));
            }
            Err(error) => return Err(BackupError::at(&path)(error)),
        };
        let head: Head =
            serde_json::from_slice(&text).map_err(|error| BackupError::damaged(HEAD, error.to_string()))?;
        if head.format > FORMAT {
            let text = format!("the backups have the format {}: use a newer version of tenon", head.format);
            return Err(BackupError::Refused(text));
        }
        Ok(Self { root: root.to_owned(), head })
    }

    /// Writes a file of which the folder has none yet. If it has one, that stays.
    pub(crate) fn put(&self, path: &str, content: &mut dyn Read) -> Result<Part, BackupError> {
        let mut unfinished = self.begin()?;
        io::copy(content, &mut unfinished).map_err(BackupError::at(&self.root))?;
        unfinished.keep(path)
    }

    /// A file that is written piece by piece and gets its name when it is finished.
    pub(crate) fn begin(&self) -> Result<Unfinished<'_>, BackupError> {
        let place = self.root.join(UNFINISHED);
        fs::create_dir_all(&place).map_err(BackupError::at(&place))?;
        // A name that [`Self::remove`] takes: what a crash leaves behind is removed later.
        let file = tempfile::Builder::new().prefix("part-").tempfile_in(&place).map_err(BackupError::at(&place))?;
        Ok(Unfinished { folder: self, file, size: 0, digest: Sha256::new() })
    }

    /// The place of a file. Fails if its path is not one that [`Self::put`] makes: a manifest may come from anywhere.
    pub(crate) fn place(&self, path: &str) -> Result<PathBuf, BackupError> {
        let is_plain = |piece: &str| {
            !piece.is_empty()
                && !piece.starts_with('.')
                && piece.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
        };
        if path.len() > 200 || !path.split('/').all(is_plain) {
            return Err(BackupError::damaged("the manifest", "it names a file outside of the folder"));
        }
        Ok(self.root.join(path))
    }

    /// A file to be read.
    pub(crate) fn open_part(&self, path: &str) -> Result<File, BackupError> {
        let place = self.place(path)?;
        File::open(&place).map_err(|error| match error.kind() {
            ErrorKind::NotFound => BackupError::damaged(path, "it is missing"),
            _ => BackupError::at(&place)(error),
        })
    }

    /// A part that is packed by zstd, to be read.
    pub(crate) fn unpacked(&self, part: &Part) -> Result<impl Read + use<>, BackupError> {
        zstd::Decoder::new(self.open_part(&part.path)?).map_err(BackupError::at(&self.root))
    }

    /// Reads a part wholly and compares it with what the manifest says of it.
    pub(crate) fn check(&self, part: &Part) -> Result<(), BackupError> {
        let mut file = self.open_part(&part.path)?;
        self.check_size(part)?;
        let mut digest = Digester(Sha256::new());
        io::copy(&mut file, &mut digest).map_err(BackupError::at(&self.root.join(&part.path)))?;
        if hex::encode(digest.0.finalize()) != part.sha256 {
            return Err(BackupError::damaged(&part.path, "its bytes are not those of the backup"));
        }
        Ok(())
    }

    /// Compares the size of a part with what the manifest says.
    pub(crate) fn check_size(&self, part: &Part) -> Result<(), BackupError> {
        let place = self.place(&part.path)?;
        match fs::symlink_metadata(&place) {
            Ok(found) if found.is_file() && found.len() == part.size => Ok(()),
            Ok(_) => Err(BackupError::damaged(&part.path, format!("it does not have {} bytes", part.size))),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(BackupError::damaged(&part.path, "it is missing")),
            Err(error) => Err(BackupError::at(&place)(error)),
        }
    }

    /// True if there is such a part, of the size that it should have.
    pub(crate) fn has(&self, part: &Part) -> bool {
        self.check_size(part).is_ok()
    }

    /// The paths of all files below `start`.
    pub(crate) fn paths_below(&self, start: &str) -> Result<Vec<String>, BackupError> {
        let mut found = Vec::new();
        let mut folders = vec![start.to_owned()];
        while let Some(folder) = folders.pop() {
            let place = self.root.join(&folder);
            let entries = match fs::read_dir(&place) {
                Ok(entries) => entries,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(BackupError::at(&place)(error)),
            };
            for entry in entries {
                let entry = entry.map_err(BackupError::at(&place))?;
                let Some(path) = entry.file_name().to_str().map(|name| format!("{folder}/{name}")) else { continue };
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(path),
                    Ok(kind) if kind.is_file() => found.push(path),
                    Ok(_) | Err(_) => {}
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The bytes of a file; 0 if it is gone.
    pub(crate) fn size(&self, path: &str) -> u64 {
        fs::metadata(self.root.join(path)).map_or(0, |found| found.len())
    }

    /// True if a file was written longer than `age` ago.
    pub(crate) fn is_older(&self, path: &str, now: SystemTime, age: Duration) -> bool {
        let written = fs::metadata(self.root.join(path)).and_then(|found| found.modified());
        written.is_ok_and(|written| now.duration_since(written).is_ok_and(|passed| passed > age))
    }

    /// Removes a file.
    pub(crate) fn remove(&self, path: &str) -> Result<(), BackupError> {
        let place = self.place(path)?;
        fs::remove_file(&place).map_err(BackupError::at(&place))
    }

    /// The right to write to the folder, until the result is dropped or the process ends. Refused if another command has it.
    pub(crate) fn lock(&self) -> Result<Lock, BackupError> {
        let place = self.root.join(LOCK);
        let file = File::options().create(true).truncate(false).read(true).write(true).open(&place);
        let file = file.map_err(BackupError::at(&place))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { file, place, is_sure: true }),
            Err(TryLockError::WouldBlock) => {
                let text = format!("another command writes to {}: try again when it has ended", self.root.display());
                Err(BackupError::Refused(text))
            }
            // A file system without locks: the pin still keeps two backups of one server apart.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                Ok(Lock { file, place, is_sure: false })
            }
            Err(TryLockError::Error(error)) => Err(BackupError::at(&place)(error)),
        }
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The server whose backups these are.
    #[must_use]
    pub fn instance(&self) -> &str {
        &self.head.instance
    }
}

/// The right to write to a folder. The file says which backup had it last.
pub(crate) struct Lock {
    file: File,
    place: PathBuf,
    /// True if the file system has locks.
    is_sure: bool,
}

impl Lock {
    /// The backup that had the lock last, if it has certainly ended: it ran on this machine, and since its last start. `None` if
    /// that is not known.
    pub(crate) fn ended_backup(&mut self) -> Option<String> {
        let mut text = String::new();
        (&self.file).take(MOST_OF_LOCK).read_to_string(&mut text).ok()?;
        let (id, start) = text.trim_end().split_once(' ')?;
        (self.is_sure && start == start_of_machine()?).then(|| id.to_owned())
    }

    /// Notes that the backup `id` has the lock.
    pub(crate) fn note(&mut self, id: &str) -> Result<(), BackupError> {
        let Some(start) = start_of_machine() else { return Ok(()) };
        let mut noted = || {
            self.file.set_len(0)?;
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(format!("{id} {start}\n").as_bytes())?;
            self.file.sync_all()
        };
        noted().map_err(BackupError::at(&self.place))
    }
}

/// The most bytes of the file of a lock.
const MOST_OF_LOCK: u64 = 200;

/// A name that this machine has from one start to the next. Locks of its processes are sure to keep them apart.
fn start_of_machine() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

/// A sink that keeps the digest of its bytes.
struct Digester(Sha256);

impl Write for Digester {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file on its way into the folder. Dropped, it leaves nothing.
pub(crate) struct Unfinished<'f> {
    folder: &'f Folder,
    file: NamedTempFile,
    size: u64,
    digest: Sha256,
}

impl Unfinished<'_> {
    /// The SHA-256 of what was written so far.
    pub(crate) fn digest(&self) -> String {
        hex::encode(self.digest.clone().finalize())
    }

    /// The bytes that were written so far.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Gives it its name, once its bytes are on the disk. A file of this name and size stays, and this one goes.
    pub(crate) fn keep(self, path: &str) -> Result<Part, BackupError> {
        let place = self.folder.place(path)?;
        let part = Part { path: path.to_owned(), size: self.size, sha256: self.digest() };
        let parent = place.parent().unwrap_or(&self.folder.root);
        fs::create_dir_all(parent).map_err(BackupError::at(parent))?;
        self.file.as_file().sync_all().map_err(BackupError::at(&place))?;
        match self.file.persist_noclobber(&place) {
            Ok(_) => File::open(parent).and_then(|folder| folder.sync_all()).map_err(BackupError::at(parent))?,
            // The name of a file of the store follows from its bytes: one that has others is damaged.
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists && self.folder.has(&part) => {}
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                error.file.persist(&place).map_err(|error| BackupError::at(&place)(error.error))?;
            }
            Err(error) => return Err(BackupError::at(&place)(error.error)),
        }
        Ok(part)
    }
}

impl Write for Unfinished<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.digest.update(bytes.get(..count).unwrap_or_default());
        self.size = self.size.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
