//! Why a backup or a restore did not end well.

use std::io;
use std::path::{Path, PathBuf};

use tenon_app::error::AppError;
use tenon_git::GitError;
use tenon_storage::StoreError;
use tenon_storage::backup::RowsError;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// It was not begun: the text says why, and what to do.
    #[error("{0}")]
    Refused(String),
    /// It was given up: the text says why.
    #[error("{0}")]
    GivenUp(&'static str),
    /// A file of the backup is missing, or is not what the manifest says.
    #[error("{part} is damaged: {why}")]
    Damaged {
        /// The file, from the folder of backups on.
        part: String,
        /// The fault.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The thread that renews the pin could not be started.
    #[error("no thread")]
    Thread(#[source] io::Error),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Rows could not be written out or loaded.
    #[error("the rows of the database")]
    Rows(#[from] RowsError),
    /// Git cannot be used.
    #[error("Git cannot be used: install git 2.43 or newer")]
    Engine(#[source] GitError),
    /// A repository could not be packed or restored.
    #[error("the repository of project {project}")]
    Git {
        /// The project.
        project: i64,
        /// Why.
        #[source]
        source: GitError,
    },
    /// The store of files failed.
    #[error("the store of files")]
    Objects(#[source] AppError),
}

impl BackupError {
    /// The failure of a file.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + use<'_> {
        move |source| Self::File { path: path.to_owned(), source }
    }

    pub(crate) fn damaged(part: &str, why: impl Into<String>) -> Self {
        Self::Damaged { part: part.to_owned(), why: why.into() }
    }
}

/// An error with its causes, in a line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
