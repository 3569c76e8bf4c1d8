//! The lock of a folder of backups: one command writes at a time.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::error::BackupError;

/// The file that is locked by who writes.
const LOCK: &str = "lock";

/// The right to write to a folder. The file says which backup had it last.
pub(crate) struct Lock {
    file: File,
    place: PathBuf,
    /// True if the file system has locks.
    is_sure: bool,
}

impl Lock {
    /// Takes the lock of a folder, until the result is dropped or the process ends. Refused if another command has it.
    pub(crate) fn take(folder: &Path) -> Result<Self, BackupError> {
        let place = folder.join(LOCK);
        let file = File::options().create(true).truncate(false).read(true).write(true).open(&place);
        let file = file.map_err(BackupError::at(&place))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file, place, is_sure: true }),
            Err(TryLockError::WouldBlock) => {
                let text = format!("another command writes to {}: try again when it has ended", folder.display());
                Err(BackupError::Refused(text))
            }
            // A file system without locks: the pin still keeps two backups of one server apart.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                Ok(Self { file, place, is_sure: false })
            }
            Err(TryLockError::Error(error)) => Err(BackupError::at(&place)(error)),
        }
    }

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
