//! The folder of backups: files that are written once and never changed.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::error::BackupError;
use crate::lock::Lock;
use crate::seal::{BackupKey, Clear, Sealing};

/// The file that makes a folder one of backups.
const HEAD: &str = "tenon-backup.json";
/// The version of the format.
pub(crate) const FORMAT: u32 = 1;
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
    /// The key by which its files are sealed; `None` if they are plain.
    key: Option<BackupKey>,
}

/// The properties of all backups of a folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    format: u32,
    /// The server whose backups these are.
    instance: String,
    /// Nothing is encrypted.
    plain: bool,
    /// The name of the key by which all else is encrypted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// A file of the folder, as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Its path from the folder on.
    pub(crate) path: String,
    /// Bytes of the file.
    pub(crate) size: u64,
    /// The SHA-256 of its bytes in clear, in hexadecimal digits.
    pub(crate) sha256: String,
}

impl Folder {
    /// The folder of the backups of `instance`, which is made if it is not there. Refused if it is not empty and not one of
    /// backups, if the backups are those of another server or encrypted otherwise than by `key`, and if it lies in the data
    /// folder `data`.
    pub fn open_to_write(
        root: &Path,
        instance: &str,
        data: &Path,
        key: Option<BackupKey>,
    ) -> Result<Self, BackupError> {
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
            let name = key.as_ref().map(BackupKey::name);
            let head = Head { format: FORMAT, instance: instance.to_owned(), plain: name.is_none(), key: name };
            let text = serde_json::to_vec_pretty(&head).map_err(|error| BackupError::at(&real)(error.into()))?;
            let plain = Self { root: real.clone(), head, key: None };
            plain.put(HEAD, &mut &*text)?;
        }
        let folder = Self::open(&real, key)?;
        if folder.head.instance != instance {
            let text = format!("{} has the backups of another server: name a folder of its own", root.display());
            return Err(BackupError::Refused(text));
        }
        Ok(folder)
    }

    /// A folder that has backups, encrypted by `key` or plain. Refused if it is none, if a newer version of the program has made it,
    /// and if its key is another one.
    pub fn open(root: &Path, key: Option<BackupKey>) -> Result<Self, BackupError> {
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
        let name = key.as_ref().map(BackupKey::name);
        if head.key != name || head.plain != name.is_none() {
            let why = match name {
                None => "is encrypted: name the file of its key (--key-file)",
                Some(_) if head.plain => "is not encrypted: name another folder, or leave out the file of the key",
                Some(_) => "is encrypted by another key: name the file of that one",
            };
            return Err(BackupError::Refused(format!("{} {why}", root.display())));
        }
        Ok(Self { root: root.to_owned(), head, key })
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
        let sink = Sealing::new(self.key.as_ref(), file).map_err(BackupError::at(&place))?;
        Ok(Unfinished { folder: self, sink, size: 0, digest: Sha256::new() })
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

    /// A file to be read, in clear.
    pub(crate) fn open_part(&self, path: &str) -> Result<Clear, BackupError> {
        let place = self.place(path)?;
        let file = File::open(&place).map_err(|error| match error.kind() {
            ErrorKind::NotFound => BackupError::damaged(path, "it is missing"),
            _ => BackupError::at(&place)(error),
        })?;
        match &self.key {
            None => Ok(Clear::Plain(file)),
            Some(key) => Ok(Clear::Sealed(Box::new(key.unseal(path, file)?))),
        }
    }

    /// The bytes of a part in clear, which are those of the manifest.
    pub(crate) fn read(&self, part: &Part) -> Result<Vec<u8>, BackupError> {
        let mut bytes = Vec::new();
        self.copy(part, &mut bytes)?;
        Ok(bytes)
    }

    /// A file with the bytes of a part in clear: that of the folder, or a copy in `scratch`.
    pub(crate) fn clear_file(&self, part: &Part, scratch: &Path) -> Result<ClearFile, BackupError> {
        if self.key.is_none() {
            self.check(part)?;
            return Ok(ClearFile::Own(self.place(&part.path)?));
        }
        let mut file = NamedTempFile::new_in(scratch).map_err(BackupError::at(scratch))?;
        self.copy(part, &mut file)?;
        Ok(ClearFile::Copy(file))
    }

    /// The name of a file with these bytes.
    pub(crate) fn name_of_bytes(&self, bytes: &[u8]) -> String {
        self.name_of(hex::encode(Sha256::digest(bytes)))
    }

    /// The name of a file with bytes of this SHA-256.
    pub(crate) fn name_of(&self, sha256: String) -> String {
        match &self.key {
            None => sha256,
            Some(key) => key.keyed(&sha256),
        }
    }

    /// True if its files are encrypted.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.key.is_some()
    }

    /// A part that is packed by zstd, to be read.
    pub(crate) fn unpacked(&self, part: &Part) -> Result<impl Read + use<>, BackupError> {
        zstd::Decoder::new(self.open_part(&part.path)?).map_err(BackupError::at(&self.root))
    }

    /// Reads a part wholly and compares it with what the manifest says of it.
    pub(crate) fn check(&self, part: &Part) -> Result<(), BackupError> {
        self.copy(part, &mut io::sink())
    }

    /// Writes the bytes of a part in clear to `sink`, and compares them with what the manifest says.
    pub(crate) fn copy(&self, part: &Part, sink: &mut dyn Write) -> Result<(), BackupError> {
        self.check_size(part)?;
        let mut digest = Digester { sink, digest: Sha256::new() };
        io::copy(&mut self.open_part(&part.path)?, &mut digest).map_err(|error| match error.raw_os_error() {
            Some(_) => BackupError::at(&self.root.join(&part.path))(error),
            None => BackupError::damaged(&part.path, error.to_string()),
        })?;
        if hex::encode(digest.digest.finalize()) != part.sha256 {
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
        Lock::take(&self.root)
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

/// A file with the bytes of a part in clear. A copy is removed when this is dropped.
pub(crate) enum ClearFile {
    Own(PathBuf),
    Copy(NamedTempFile),
}

impl AsRef<Path> for ClearFile {
    fn as_ref(&self) -> &Path {
        match self {
            Self::Own(path) => path,
            Self::Copy(file) => file.path(),
        }
    }
}

/// A sink that keeps the digest of its bytes.
struct Digester<'s> {
    sink: &'s mut dyn Write,
    digest: Sha256,
}

impl Write for Digester<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.sink.write(bytes)?;
        self.digest.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// A file on its way into the folder. Dropped, it leaves nothing.
pub(crate) struct Unfinished<'f> {
    folder: &'f Folder,
    sink: Sealing,
    size: u64,
    digest: Sha256,
}

impl Unfinished<'_> {
    /// The name of a file with what was written so far.
    pub(crate) fn name(&self) -> String {
        self.folder.name_of(hex::encode(self.digest.clone().finalize()))
    }

    /// The bytes that were written so far.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Gives it its name, once its bytes are on the disk. A file of this name with the same bytes stays, and this one goes.
    pub(crate) fn keep(self, path: &str) -> Result<Part, BackupError> {
        let place = self.folder.place(path)?;
        let sha256 = hex::encode(self.digest.finalize());
        let file = self.sink.finish().map_err(BackupError::at(&place))?;
        let size = file.as_file().metadata().map_err(BackupError::at(&place))?.len();
        let part = Part { path: path.to_owned(), size, sha256 };
        let parent = place.parent().unwrap_or(&self.folder.root);
        fs::create_dir_all(parent).map_err(BackupError::at(parent))?;
        file.as_file().sync_all().map_err(BackupError::at(&place))?;
        match file.persist_noclobber(&place) {
            Ok(_) => File::open(parent).and_then(|folder| folder.sync_all()).map_err(BackupError::at(parent))?,
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                // Sealed twice, the same bytes may take more room. Earlier manifests name the file that is there.
                let there = Part { size: self.folder.size(path), ..part.clone() };
                if self.folder.check(&there).is_ok() {
                    return Ok(there);
                }
                // The name of a file of the store follows from its bytes: one that has others is damaged.
                error.file.persist(&place).map_err(|error| BackupError::at(&place)(error.error))?;
            }
            Err(error) => return Err(BackupError::at(&place)(error.error)),
        }
        Ok(part)
    }
}

impl Write for Unfinished<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.sink.write(bytes)?;
        self.digest.update(bytes.get(..count).unwrap_or_default());
        self.size = self.size.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
