//! The content of the store, whatever the database says.

use std::fs;
use std::path::PathBuf;

use tenon_domain::id::ProjectId;

use crate::error::GitError;
use crate::repository::Repository;
use crate::store::shards::{entries, shards};
use crate::store::{RepositoryKind, SET_ASIDE, Store};

impl Store {
    /// The repositories that are here, by the ids of their projects. Entries with other names than a repository are skipped.
    pub fn present(&self) -> Result<Vec<(ProjectId, RepositoryKind)>, GitError> {
        let mut found = Vec::new();
        for shard in shards(&self.root).map_err(GitError::File)? {
            for entry in entries(&shard.path()).map_err(GitError::File)? {
                let name = entry.file_name();
                let repository = |kind: RepositoryKind| {
                    let id = name.to_str()?.strip_suffix(kind.suffix())?.parse().ok().map(ProjectId::new)?;
                    (self.find(id, kind).path() == entry.path()).then_some((id, kind))
                };
                found.extend(RepositoryKind::ALL.into_iter().find_map(repository));
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Moves a repository to a place where no project finds it, and yields that place; `None` if it is not there. For
    /// repositories without a project: an administrator decides whether they are deleted.
    pub fn set_aside(&self, repository: &Repository) -> Result<Option<PathBuf>, GitError> {
        if !repository.exists() {
            return Ok(None);
        }
        let folder = self.root.join(SET_ASIDE);
        fs::create_dir_all(&folder).map_err(GitError::File)?;
        let place = tempfile::Builder::new().prefix("").tempdir_in(&folder).map_err(GitError::File)?.keep();
        let name = repository.path().file_name().unwrap_or_default();
        let place = place.join(name);
        fs::rename(repository.path(), &place).map_err(GitError::File)?;
        repository.end_kept();
        Ok(Some(place))
    }
}
