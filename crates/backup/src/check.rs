//! Comparing the files of a backup with its manifest.

use crate::error::BackupError;
use crate::folder::Folder;
use crate::manifest::Manifest;
use crate::progress::{Progress, Step};

/// The files that were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// Files.
    pub parts: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Compares every file that a backup needs with its manifest: its size only, or all its bytes. Fails at the first one that is
/// missing or damaged.
pub fn verify_parts(
    folder: &Folder,
    manifest: &Manifest,
    size_only: bool,
    progress: &dyn Progress,
) -> Result<Checked, BackupError> {
    let mut checked = Checked { parts: 0, bytes: 0 };
    progress.begin(Step::Parts, manifest.parts().count());
    for part in manifest.parts() {
        if size_only {
            folder.check_size(part)?;
        } else {
            folder.check(part)?;
        }
        checked.parts += 1;
        checked.bytes += part.size;
        progress.advance(1);
    }
    progress.end();
    Ok(checked)
}
