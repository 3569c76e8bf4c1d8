//! Where repositories live.

use std::path::{Path, PathBuf};

use tenon_domain::id::ProjectId;
use tenon_domain::limits::Limits;
use tenon_git::{BranchName, Engine, EngineSettings, GitError, Repository, Store};

use super::archive_cache::ArchiveCache;
use crate::app::App;
use crate::error::AppError;

/// What the application needs to work with repositories.
#[derive(Debug, Clone)]
pub struct Repositories {
    /// Where they lie.
    pub store: Store,
    /// The socket on which the hooks of pushes ask.
    pub socket: PathBuf,
    /// Where bodies of requests lie while they are received, in files without a name.
    pub(super) spool: PathBuf,
    /// Archives that were made.
    pub(super) archives: ArchiveCache,
}

impl Repositories {
    /// Repositories, the configuration of Git and the socket of hooks, all in one folder. `hook_program` is started as the
    /// hooks of pushes; without one, no push is judged. `limits` bounds what processes of Git may spend. Makes what is not there; fails where Git is missing or too old.
    pub fn in_folder(folder: &Path, hook_program: Option<PathBuf>, limits: &Limits) -> Result<Self, GitError> {
        let limits = limits.clone();
        let settings = EngineSettings { hook_program, limits, ..EngineSettings::new(folder.join("git")) };
        let store = Store::open(Engine::open(&settings)?, &folder.join("repositories"))?;
        // Absolute, because hooks work in the folder of their repository.
        let socket = std::path::absolute(folder.join("hooks.sock")).map_err(GitError::File)?;
        // Made by the engine.
        let spool = folder.join("git");
        Ok(Self { store, socket, spool, archives: ArchiveCache::in_folder(folder.join("archives")) })
    }
}

/// The branch that a new repository points at until somebody pushes.
const FIRST_BRANCH: &str = "main";

impl App {
    /// Where repositories lie.
    pub(crate) fn repositories(&self) -> &Repositories {
        &self.parts().repositories
    }

    /// Removes what killed processes of Git have left behind, and yields how much that was. For the start of a process that
    /// is alone: locks of others that still work would go as well.
    pub fn sweep_repositories(&self) -> Result<usize, AppError> {
        let swept = self.repositories().store.sweep(self.now())?;
        Ok(swept.locks + swept.remains)
    }

    /// Removes the repository of a project, if there is one.
    pub(crate) async fn delete_repository(&self, project: ProjectId) -> Result<(), AppError> {
        let Repositories { store, archives, .. } = self.repositories().clone();
        self.on_git(move || {
            archives.forget(project).map_err(AppError::internal)?;
            Ok(store.delete(&store.repository(project)).map(drop)?)
        })
        .await
    }

    /// The repository of a project, made if it is not there yet. Making it twice does no harm.
    pub(crate) fn repository(&self, project: ProjectId) -> Result<Repository, AppError> {
        let store = &self.repositories().store;
        let repository = store.repository(project);
        if repository.exists() {
            return Ok(repository);
        }
        let branch = BranchName::parse(FIRST_BRANCH).map_err(AppError::internal)?;
        match store.create(&repository, &branch) {
            Ok(()) => Ok(repository),
            // Somebody else was faster.
            Err(_) if repository.exists() => Ok(repository),
            Err(error) => Err(error.into()),
        }
    }
}

impl From<GitError> for AppError {
    fn from(error: GitError) -> Self {
        match error {
            // What a repository holds is for its users to say: too much of it is no fault of the server.
            GitError::TooLarge(_) => Self::TooLarge,
            GitError::Timeout(command) => {
                tracing::warn!(command, "git took longer than it may");
                Self::TookTooLong { retry_after: 10 }
            }
            // Nothing waits for this answer.
            GitError::Cancelled(_) => Self::Busy { retry_after: 1 },
            other => Self::internal(other),
        }
    }
}
