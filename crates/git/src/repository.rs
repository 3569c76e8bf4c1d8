//! A repository that commands work in. What can be asked of it stands in the files named after the answers.

use std::path::{Path, PathBuf};

use tenon_domain::limits::Limits;

use crate::command::Command;
use crate::engine::{Engine, Known};

/// A bare repository. Cheap to clone. Having one does not mean that its directory is there: commands then fail with
/// [`crate::GitError::NoRepository`].
#[derive(Debug, Clone)]
pub struct Repository {
    engine: Engine,
    path: PathBuf,
}

impl Repository {
    pub(crate) fn new(engine: Engine, path: PathBuf) -> Self {
        Self { engine, path }
    }

    /// The bare repository's directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What processes of Git may spend, and what may be read.
    pub(crate) fn limits(&self) -> &Limits {
        self.engine.limits()
    }

    /// What was found out about objects.
    pub(crate) fn remembered(&self) -> &Known {
        self.engine.known()
    }

    pub(crate) fn git(&self, name: &'static str) -> Command {
        self.engine.command(name).inside(&self.path)
    }
}
