//! The repositories of projects.

use tenon_domain::id::ProjectId;
use tenon_git::{BranchName, Repository};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::repositories::Repositories;

/// The branch that HEAD of a new repository names until the first push, where the settings name none.
const FIRST_BRANCH: &str = "main";

impl App {
    /// Where repositories lie.
    pub(crate) fn repositories(&self) -> &Repositories {
        &self.parts().repositories
    }

    /// Removes the locks and unfinished files that killed processes of Git have left behind, and returns how many
    /// there were. For the start of a process that is alone: locks of other processes that still work would be removed
    /// as well.
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

    /// The repository of a project, made if it is not there yet. Idempotent.
    pub(crate) fn repository(&self, project: ProjectId) -> Result<Repository, AppError> {
        let store = &self.repositories().store;
        let repository = store.repository(project);
        if repository.exists() {
            return Ok(repository);
        }
        let settings = self.known_settings();
        let name = settings.default_branch_name.as_deref().unwrap_or(FIRST_BRANCH);
        let branch = BranchName::parse(name).map_err(AppError::internal)?;
        match store.create(&repository, &branch) {
            Ok(()) => Ok(repository),
            // A concurrent caller was faster.
            Err(_) if repository.exists() => Ok(repository),
            Err(error) => Err(error.into()),
        }
    }
}
