//! The journal of a restore: how far it is, so that the same command continues after a crash.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tenon_app::DatabaseUrl;

use crate::error::BackupError;
use crate::folder::Folder;
use crate::manifest::Manifest;

/// The file in the folder of a restore that says what is restored.
const JOURNAL: &str = "restore.json";
/// The beginning of the name of a journal that is being written.
const JOURNAL_DRAFT: &str = "restore.json-";
/// The file in it that is locked by who restores.
const LOCK: &str = "restore.lock";

/// How far a restore is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Journal {
    backup: String,
    instance: String,
    /// The SHA-256 of the address of the database.
    database: String,
    /// True if the database may have been written to.
    pub(crate) is_loading: bool,
    /// True if the database has all rows.
    pub(crate) is_loaded: bool,
    /// The damaged parts that were left out, when all else is restored.
    #[serde(default)]
    pub(crate) left_out: Vec<String>,
}

impl Journal {
    /// The journal of a restore that has done nothing yet.
    pub(crate) fn new(folder: &Folder, manifest: &Manifest, url: &DatabaseUrl) -> Self {
        Self {
            backup: manifest.id.clone(),
            instance: folder.instance().to_owned(),
            database: hex::encode(Sha256::digest(format!("{url:?}"))),
            is_loading: false,
            is_loaded: false,
            left_out: Vec::new(),
        }
    }

    /// Writes it to the folder of the restore, at once and durably.
    pub(crate) fn write(&self, draft: &Path) -> Result<(), BackupError> {
        let path = draft.join(JOURNAL);
        let text = serde_json::to_vec(self).map_err(|error| BackupError::at(&path)(error.into()))?;
        let written = || {
            let mut file = tempfile::Builder::new().prefix(JOURNAL_DRAFT).tempfile_in(draft)?;
            file.write_all(&text)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)
        };
        written().map(drop).map_err(BackupError::at(&path))
    }

    /// True if both are about the same backup and the same place.
    fn is_of(&self, other: &Self) -> bool {
        (&self.backup, &self.instance, &self.database) == (&other.backup, &other.instance, &other.database)
    }
}

/// Begins in an empty folder, or continues an earlier attempt. Returns the progress of that.
pub(crate) fn begin(draft: &Path, data_dir: &Path, journal: Journal) -> Result<Journal, BackupError> {
    match fs::read(draft.join(JOURNAL)) {
        Ok(text) => {
            let begun: Option<Journal> = serde_json::from_slice(&text).ok();
            begun.filter(|begun| begun.is_of(&journal)).ok_or_else(|| {
                BackupError::Refused(format!(
                    "{} has what another restore into {} has left, of another backup or into another database: remove it, \
                     then try again",
                    draft.display(),
                    data_dir.display()
                ))
            })
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(draft).map_err(BackupError::at(draft))?;
            let mut entries = fs::read_dir(draft).map_err(BackupError::at(draft))?;
            // An earlier try may have been killed while it wrote its first journal.
            if entries.any(|entry| entry.is_ok_and(|entry| !is_draft_of_journal(&entry))) {
                return Err(BackupError::Refused(format!(
                    "{} is in the way: remove it, then try again",
                    draft.display()
                )));
            }
            journal.write(draft)?;
            Ok(journal)
        }
        Err(error) => Err(BackupError::at(draft)(error)),
    }
}

/// The right to work in the draft, until the result is dropped or the process ends.
pub(crate) fn lock(draft: &Path) -> Result<File, BackupError> {
    let place = draft.join(LOCK);
    let file =
        File::options().create(true).truncate(false).write(true).open(&place).map_err(BackupError::at(&place))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(BackupError::Refused(format!("another restore works in {}", draft.display())))
        }
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
            Err(BackupError::at(&place)(error))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn is_draft_of_journal(entry: &fs::DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(JOURNAL_DRAFT.as_bytes())
}

/// Removes unfinished journals of earlier attempts. The caller holds the lock of the folder.
pub(crate) fn clear_drafts_of_journal(draft: &Path) -> Result<(), BackupError> {
    for entry in fs::read_dir(draft).map_err(BackupError::at(draft))? {
        let entry = entry.map_err(BackupError::at(draft))?;
        if is_draft_of_journal(&entry) {
            fs::remove_file(entry.path()).map_err(BackupError::at(draft))?;
        }
    }
    Ok(())
}

/// Ends an earlier try that was cut off when its draft had already become the data folder. Yields what that has left out; `None` if
/// there is no such try of the same restore.
pub(crate) fn finish_last(data_dir: &Path, journal: &Journal) -> Result<Option<Vec<String>>, BackupError> {
    let Ok(text) = fs::read(data_dir.join(JOURNAL)) else { return Ok(None) };
    let begun: Option<Journal> = serde_json::from_slice(&text).ok();
    let Some(begun) = begun.filter(|begun| begun.is_of(journal)) else { return Ok(None) };
    let _lock = lock(data_dir)?;
    clear_journal(data_dir)?;
    Ok(Some(begun.left_out))
}

/// Removes the files of a restore from a data folder that is complete.
pub(crate) fn clear_journal(data_dir: &Path) -> Result<(), BackupError> {
    let cleared = || {
        fs::remove_file(data_dir.join(LOCK))?;
        // As long as it is there, the same command ends what it has begun.
        fs::remove_file(data_dir.join(JOURNAL))?;
        data_dir.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
    };
    cleared().map_err(BackupError::at(data_dir))
}
