//! The failures of Git.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// The text that Git has printed to its error stream. It names paths of the server: it is for the log only, so it has
/// no `Display`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Log(pub(crate) String);

impl Log {
    /// True if Git says of a file that there is no room for it. Names that a caller has chosen stand in quotes, so that
    /// no line ends with one. Lines of another server begin with `remote: `.
    pub(crate) fn names_full_disk(&self) -> bool {
        let reasons = [
            ": No space left on device",
            ": Disk quota exceeded",
            ": File too large",
            // Of packs, with whatever errno.
            "' write error. Out of diskspace",
        ];
        let mut lines = self.0.lines().filter(|line| !line.starts_with("remote: "));
        lines.any(|line| reasons.iter().any(|reason| line.ends_with(reason)))
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A command of Git did not do its work. Never the caller's fault: mistakes of callers have types of their own.
///
/// Every function that asks a repository can fail with these errors, and names the others that it fails with:
///
/// - [`GitError::NoRepository`] if the repository is not there,
/// - [`GitError::Run`] or [`GitError::File`] if the machine fails,
/// - [`GitError::DiskFull`] if the disk is full,
/// - [`GitError::Timeout`], [`GitError::TooLarge`] or [`GitError::Cancelled`] if a limit or the caller's leaving ends
///   it,
/// - [`GitError::Failed`] or [`GitError::Unexpected`] if the repository is damaged.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program could not be started, or its pipes broke.
    #[error("git could not be run")]
    Run(#[source] io::Error),
    /// A file of the store could not be read or written.
    #[error("a file of the repository store could not be read or written")]
    File(#[source] io::Error),
    /// It worked longer than its limits on time or processor time and was killed.
    #[error("git {0} took longer than it may")]
    Timeout(&'static str),
    /// It printed more, or took more memory, than its limits allow.
    #[error("git {0} answered with more than it may, or needed more memory")]
    TooLarge(&'static str),
    /// It could not write what it had to: the disk is full.
    #[error("git {0} found the disk full")]
    DiskFull(&'static str),
    /// It was killed because nothing waits for its answer any more.
    #[error("git {0} was cancelled")]
    Cancelled(&'static str),
    /// It gave up.
    #[error("git {command} failed")]
    Failed {
        /// Which command.
        command: &'static str,
        /// Its exit code; `None` if a signal ended it.
        code: Option<i32>,
        /// The text that it has printed.
        log: Log,
    },
    /// Its answer has another form than its documentation says.
    #[error("git {0} answered in an unknown form")]
    Unexpected(&'static str),
    /// The repository's directory is not there.
    #[error("the repository is not there")]
    NoRepository,
    /// The program is older than the oldest version that this crate supports.
    #[error("git {found} is too old: {needed} or newer is needed")]
    TooOld {
        /// The version that the program prints.
        found: String,
        /// The oldest version that will do.
        needed: &'static str,
    },
}

impl GitError {
    /// The same error, or [`GitError::DiskFull`] if Git has failed and there is no room in `folder`. Git does not say
    /// why it could not write a ref, `HEAD` or the configuration. So a small file is written to find out.
    pub(crate) fn or_full_disk(self, folder: &Path) -> Self {
        match self {
            Self::Failed { command, .. } if has_no_room(folder) => Self::DiskFull(command),
            error => error,
        }
    }
}

/// A name that the sweep recognizes as that of an unfinished file.
const PROBE: &str = "tmp_room";
/// Bytes that the smallest file takes on most file systems.
const BLOCK: [u8; 4096] = [0; 4096];

fn has_no_room(folder: &Path) -> bool {
    let path = folder.join(PROBE);
    let probe = || {
        let mut file = File::create(&path)?;
        file.write_all(&BLOCK)?;
        file.sync_all()
    };
    let outcome: io::Result<()> = probe();
    let _ = fs::remove_file(&path);
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge];
    outcome.is_err_and(|error| full.contains(&error.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_without_a_reason_is_a_full_disk_where_nothing_can_be_written() {
        let failed = || GitError::Failed { command: "update-ref", code: Some(128), log: Log::default() };
        let folder = tempfile::tempdir().unwrap();
        let probe = folder.path().join(PROBE);
        assert!(matches!(failed().or_full_disk(folder.path()), GitError::Failed { .. }));
        // Writing to this device fails as on a full disk.
        std::os::unix::fs::symlink("/dev/full", &probe).unwrap();
        assert!(matches!(failed().or_full_disk(folder.path()), GitError::DiskFull("update-ref")));
        assert!(!probe.exists() && Path::new("/dev/full").exists());
        std::os::unix::fs::symlink("/dev/full", &probe).unwrap();
        assert!(matches!(GitError::NoRepository.or_full_disk(folder.path()), GitError::NoRepository));
        assert!(matches!(failed().or_full_disk(&folder.path().join("gone")), GitError::Failed { .. }));
    }
}
