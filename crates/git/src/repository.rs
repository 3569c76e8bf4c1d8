//! A repository that commands work in. The files named after the answers have its questions.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_domain::limits::Limits;

use crate::command::Command;
use crate::engine::{Engine, Known};
use crate::error::GitError;
use crate::objects::Objects;
use crate::remembered::Question;

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

    pub(crate) fn limits(&self) -> &Limits {
        self.engine.limits()
    }

    pub(crate) fn remembered(&self) -> &Known {
        self.engine.known()
    }

    /// The reason why a command has failed that writes a ref, `HEAD` or the configuration.
    pub(crate) fn write_failure(&self, error: GitError) -> GitError {
        error.or_full_disk(&self.path.join("objects"))
    }

    pub(crate) fn git(&self, name: &'static str) -> Command {
        self.engine.command(name).inside(&self.path)
    }

    /// The directory of its objects, as the list of alternates of another repository takes it.
    pub(crate) fn as_alternate(&self) -> OsString {
        quoted(&self.path.join("objects"))
    }

    pub(crate) fn objects(&self) -> Objects {
        Objects::kept(self.engine.program(), &self.engine.known().pool, &self.path)
    }

    /// Ends the processes that are kept for this repository, so that none holds files that it has removed.
    pub(crate) fn end_kept(&self) {
        self.engine.known().pool.forget(&self.path);
    }

    /// The answer to this question: as it is remembered, or else by `find`, which must depend on nothing but the
    /// objects in the question. Failures are not remembered.
    pub(crate) fn remember<Q: Question>(
        &self,
        question: Q,
        find: impl FnOnce() -> Result<Q::Answer, GitError>,
    ) -> Result<Arc<Q::Answer>, GitError> {
        if let Some(answer) = self.recall(&question) {
            return Ok(answer);
        }
        let answer = Arc::new(find()?);
        self.remembered().answers.put(&self.path, question, Arc::clone(&answer));
        Ok(answer)
    }

    /// The answer to this question, if it is remembered.
    pub(crate) fn recall<Q: Question>(&self, question: &Q) -> Option<Arc<Q::Answer>> {
        self.remembered().answers.get(&self.path, question)
    }
}

/// A folder as the list of alternates takes it: in quotes, so that a colon does not begin another one.
fn quoted(folder: &Path) -> OsString {
    let mut text = vec![b'"'];
    for byte in OsStr::as_bytes(folder.as_os_str()) {
        if matches!(byte, b'"' | b'\\') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text.push(b'"');
    OsString::from_vec(text)
}
