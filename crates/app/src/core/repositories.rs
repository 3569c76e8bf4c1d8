//! The store of repositories, and of the data kept beside them.

use std::path::{Path, PathBuf};

use tenon_domain::limits::Limits;
use tenon_git::{Engine, EngineSettings, GitError, Store};

use crate::core::archive_cache::ArchiveCache;
use crate::core::counting::Counting;

/// The application's access to repositories.
#[derive(Debug, Clone)]
pub struct Repositories {
    /// Their folder.
    pub store: Store,
    /// The socket on which the hooks of pushes ask.
    pub socket: PathBuf,
    /// The folder for bodies of requests while they are received, in files without a name.
    pub(crate) spool: PathBuf,
    /// Archives that were made.
    pub(crate) archives: ArchiveCache,
    /// The counts that are under way.
    pub(crate) counting: Counting,
}

impl Repositories {
    /// Repositories, the configuration of Git and the socket of hooks, all in one folder. `hook_program` is started as
    /// the hooks of pushes; without one, no push is judged. `limits` bounds what processes of Git may spend. Makes what
    /// is missing; fails if Git is missing or too old.
    pub fn in_folder(folder: &Path, hook_program: Option<PathBuf>, limits: &Limits) -> Result<Self, GitError> {
        let limits = limits.clone();
        let settings = EngineSettings { hook_program, limits, ..EngineSettings::new(folder.join("git")) };
        let store = Store::open(Engine::open(&settings)?, &folder.join("repositories"))?;
        // Absolute, because hooks work in the folder of their repository.
        let socket = std::path::absolute(folder.join("hooks.sock")).map_err(GitError::File)?;
        // Made by the engine.
        let spool = folder.join("git");
        let archives = ArchiveCache::in_folder(folder.join("archives"));
        Ok(Self { store, socket, spool, archives, counting: Counting::default() })
    }
}
