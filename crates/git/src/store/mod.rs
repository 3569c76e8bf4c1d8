//! The places of repositories.

mod create;
mod fork;
mod import;
mod inventory;
mod mirror;
mod shards;
mod sweep;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tenon_domain::id::ProjectId;

use crate::engine::Engine;
use crate::error::GitError;
use crate::repository::Repository;

pub use import::{ImportError, ImportLimits, ImportSource, InvalidSource};
pub use mirror::{MirrorChange, MirrorFetch, MirrorRequest};
pub use sweep::Swept;

/// The directory of unfinished and of removed repositories. Its content is deleted at each start.
const TEMPORARY: &str = "+tmp";

/// The directory of repositories that belong to no project: an administrator decides about them.
const SET_ASIDE: &str = "+set-aside";

/// The directory with all repositories. A repository's place follows from its project's id, never from a name. So
/// moving a project moves no file, and no name can lead elsewhere.
#[derive(Debug, Clone)]
pub struct Store {
    engine: Engine,
    root: PathBuf,
}

/// Which of a project's repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RepositoryKind {
    /// The project's code.
    Code,
    /// The project's wiki.
    Wiki,
}

impl RepositoryKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Code, Self::Wiki];

    /// The end of the name of its directory.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Code => ".git",
            Self::Wiki => ".wiki.git",
        }
    }
}

impl Store {
    /// Makes the directory if it is not there. Fails if that cannot be done.
    pub fn open(engine: Engine, root: &Path) -> Result<Self, GitError> {
        fs::create_dir_all(root.join(TEMPORARY)).map_err(GitError::File)?;
        Ok(Self { engine, root: fs::canonicalize(root).map_err(GitError::File)? })
    }

    /// The repository of a project's code, whether or not it is there.
    #[must_use]
    pub fn repository(&self, project: ProjectId) -> Repository {
        self.find(project, RepositoryKind::Code)
    }

    /// One of a project's repositories, whether or not it is there.
    #[must_use]
    pub fn find(&self, project: ProjectId, kind: RepositoryKind) -> Repository {
        let id = project.get();
        let name = format!("{id}{}", kind.suffix());
        // No directory holds more than a few thousand entries, whatever the number of projects.
        let shard = format!("{:03}", id.rem_euclid(1000));
        Repository::new(self.engine.clone(), self.root.join(shard).join(name))
    }

    /// The engine that works here.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The bytes of all files of a repository, each counted once even if a fork shares it.
    pub fn size(&self, repository: &Repository) -> Result<u64, GitError> {
        size(repository.path()).map_err(GitError::File)
    }

    /// A new empty directory for unfinished work; its owner removes it.
    pub(crate) fn temporary_folder(&self) -> Result<tempfile::TempDir, GitError> {
        tempfile::Builder::new().prefix("new-").tempdir_in(self.root.join(TEMPORARY)).map_err(GitError::File)
    }

    /// Gives a finished repository its place. Fails with `AlreadyExists` if the place is taken.
    pub(crate) fn move_into_place(&self, finished: &Path, repository: &Repository) -> Result<(), GitError> {
        let place = repository.path();
        let folder = place.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(GitError::File)?;
        // `rename` replaces nothing but an empty directory, which no repository is.
        let moved = || {
            fs::rename(finished, place)?;
            fs::File::open(folder)?.sync_all()
        };
        moved().map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty => GitError::File(io::ErrorKind::AlreadyExists.into()),
            _ => GitError::File(error),
        })
    }
}

impl Repository {
    /// True if its directory is there.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.path().join("HEAD").exists()
    }
}

/// The bytes of all files in a directory.
pub(crate) fn size(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        // Files come and go while Git works.
        let Ok(entry) = entry else { continue };
        let Ok(data) = entry.metadata() else { continue };
        sum += if data.is_dir() { size(&entry.path()).unwrap_or_default() } else { data.len() };
    }
    Ok(sum)
}
