//! A repository begins and ends.

use std::fs;
use std::io;
use std::path::Path;

use crate::error::GitError;
use crate::name::BranchName;
use crate::repository::Repository;
use crate::store::{Store, TEMPORARY};

impl Store {
    /// Makes an empty repository whose `HEAD` names `default_branch`. It is complete when it appears, even if the
    /// server dies. Fails with [`GitError::File`] (`AlreadyExists`) if it is there already.
    pub fn create(&self, repository: &Repository, default_branch: &BranchName) -> Result<(), GitError> {
        let draft = self.temporary_folder()?;
        let path = draft.path().join("it.git");
        self.init(&path, default_branch.as_str()).map_err(|error| error.or_full_disk(draft.path()))?;
        self.move_into_place(&path, repository)
    }

    /// Makes an empty repository in a folder that is not there, to be moved into its place later.
    pub(crate) fn init(&self, path: &Path, default_branch: &str) -> Result<(), GitError> {
        self.engine
            .command("init")
            .args(["--quiet", "--bare", "--template=", "--object-format=sha1"])
            .arg(format!("--initial-branch={default_branch}"))
            .operands([path])
            .bytes()
            .map(drop)
    }

    /// Removes a repository: out of the way at once, its files afterwards. `false` if it is not there.
    pub fn delete(&self, repository: &Repository) -> Result<bool, GitError> {
        let grave =
            tempfile::Builder::new().prefix("old-").tempdir_in(self.root.join(TEMPORARY)).map_err(GitError::File)?;
        match fs::rename(repository.path(), grave.path().join("it.git")) {
            Ok(()) => {
                // No process holds its files any more.
                repository.end_kept();
                grave.close().map_err(GitError::File).map(|()| true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(GitError::File(error)),
        }
    }
}
