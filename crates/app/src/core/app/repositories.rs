//! The repositories of projects.

use tenon_domain::id::ProjectId;
use tenon_git::{BranchName, Repository, RepositoryKind};
use tenon_storage::project;

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::repositories::Repositories;

impl App {
    /// The store of repositories.
    pub(crate) fn repositories(&self) -> &Repositories {
        &self.parts().repositories
    }

    /// Removes the locks and unfinished files that killed processes of Git have left behind, and returns how many
    /// there were. Unfinished files of the store go as well. For the start of a process that is alone: locks of other processes that still work would be removed
    /// as well.
    pub fn sweep_repositories(&self) -> Result<usize, AppError> {
        self.objects().remove_unfinished()?;
        let swept = self.repositories().store.sweep(self.now())?;
        Ok(swept.locks + swept.remains)
    }

    /// Removes the repositories of a project, if there are any.
    pub(crate) async fn delete_repository(&self, project: ProjectId) -> Result<(), AppError> {
        let Repositories { store, archives, .. } = self.repositories().clone();
        self.on_git(move || {
            archives.forget(project).map_err(AppError::internal)?;
            for kind in RepositoryKind::ALL {
                store.delete(&store.find(project, kind))?;
            }
            Ok(())
        })
        .await
    }

    /// The repository of a project, made if it is not there yet. Idempotent.
    pub(crate) fn repository(&self, id: ProjectId) -> Result<Repository, AppError> {
        self.repository_of_kind(id, RepositoryKind::Code)
    }

    /// One of the repositories of a project, made if it is not there yet. Idempotent.
    pub(crate) fn repository_of_kind(&self, id: ProjectId, kind: RepositoryKind) -> Result<Repository, AppError> {
        let store = &self.repositories().store;
        let repository = store.find(id, kind);
        if repository.exists() {
            return Ok(repository);
        }
        let known = match kind {
            RepositoryKind::Code => self.database().read(|tx| project::find(tx, id))?,
            // The project may have been deleted while the caller waited.
            RepositoryKind::Wiki if self.database().read(|tx| project::find(tx, id))?.is_none() => {
                return Err(AppError::NotFound(Missing::Project));
            }
            RepositoryKind::Wiki => None,
        };
        let name = known.map_or_else(|| self.known_settings().first_branch().to_owned(), |known| known.unborn_branch);
        let branch = BranchName::parse(&name).map_err(AppError::internal)?;
        match store.create(&repository, &branch) {
            Ok(()) => Ok(repository),
            // A concurrent caller was faster.
            Err(_) if repository.exists() => Ok(repository),
            Err(error) => Err(error.into()),
        }
    }
}
