//! Finding out again what lists show of a repository, after it has changed.

use serde::{Deserialize, Serialize};
use tenon_domain::id::ProjectId;
use tenon_domain::project::Project;
use tenon_domain::repository::License;
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::{BranchName, Repository, RepositoryKind, Store};
use tenon_storage::job::Queue;
use tenon_storage::repository::{RepositoryFacts, set_facts};
use tenon_storage::{StoreError, project};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job};

/// Finds out again what lists show of a repository, and keeps it quick to read.
#[derive(Serialize, Deserialize)]
pub(crate) struct RefreshRepository {
    pub(crate) project: i64,
}

impl Job for RefreshRepository {
    const KIND: &'static str = "refresh_repository";
    const QUEUE: Queue = Queue::Git;
}

impl AsyncJob for RefreshRepository {
    async fn run(self, app: &App) -> Result<(), AppError> {
        refresh(app, ProjectId::new(self.project)).await
    }
}

/// Finds out what lists show of a repository, and keeps it quick to read. Idempotent. Does nothing for a repository that is
/// deleted before or concurrently.
pub(crate) async fn refresh(app: &App, id: ProjectId) -> Result<(), AppError> {
    let app = app.clone();
    app.clone()
        .on_git(move || match app.refresh_now(id) {
            Err(_) if !app.has_repository(id) => Ok(()),
            result => result,
        })
        .await
}

impl App {
    fn refresh_now(&self, id: ProjectId) -> Result<(), AppError> {
        let store = &self.repositories().store;
        let repository = store.repository(id);
        let known = self.database().read(|tx| project::find(tx, id))?;
        let Some(known) = known.filter(|_| self.has_repository(id)) else { return Ok(()) };
        let mut facts = RepositoryFacts {
            wiki_size: size_of(store, &store.find(id, RepositoryKind::Wiki))?,
            ..RepositoryFacts::default()
        };
        if repository.exists() {
            self.find_facts(&known, &repository, &mut facts)?;
        }
        let stored = self.command(|command| {
            let now = command.now;
            Ok(set_facts(&mut command.tx, id, &facts, now)?)
        });
        match stored {
            // The project was deleted concurrently.
            Err(AppError::Internal(error)) if is_gone(&*error) => Ok(()),
            other => other,
        }
    }

    /// True if a project has a repository of either kind.
    fn has_repository(&self, id: ProjectId) -> bool {
        let store = &self.repositories().store;
        RepositoryKind::ALL.into_iter().any(|kind| store.find(id, kind).exists())
    }

    /// Finds out what lists show of the code, and lets clones begin where they are to.
    fn find_facts(
        &self,
        known: &Project,
        repository: &Repository,
        facts: &mut RepositoryFacts,
    ) -> Result<(), AppError> {
        facts.repository_size = size_of(&self.repositories().store, repository)?;
        let branch = known.default_branch.as_deref().and_then(|name| BranchName::parse(name).ok());
        let tip = match &branch {
            Some(branch) => repository.ref_target(&branch.full())?,
            None => None,
        };
        // Clones start from HEAD: it follows the project's setting, which names the branch to come while there is none.
        let unborn = || BranchName::parse(&known.unborn_branch).ok().filter(|_| known.default_branch.is_none());
        if let Some(branch) = branch.filter(|_| tip.is_some()).or_else(unborn)
            && repository.default_branch()?.as_ref() != Some(&branch)
        {
            repository.set_default_branch(&branch)?;
        }
        if let Some(tip) = tip {
            // First: what is asked below is answered by it.
            repository.write_commit_graph()?;
            facts.commit_count = repository.commit_count(&CommitQuery::new(CommitRange::From(tip)))?;
            facts.readme_path = repository.readme(tip, None)?.map(|path| path.to_string());
            facts.license =
                repository.license(tip)?.map(|file| (file.path, License::recognise(&file.text).key.to_owned()));
            facts.languages =
                repository.languages(tip)?.into_iter().map(|(name, percent)| (name, hundredths(percent))).collect();
        }
        Ok(())
    }
}

/// The bytes of a repository on disk; 0 if it is not there.
fn size_of(store: &Store, repository: &Repository) -> Result<i64, AppError> {
    let size = if repository.exists() { store.size(repository)? } else { 0 };
    Ok(i64::try_from(size).unwrap_or(i64::MAX))
}

/// Percent as they are stored: whole hundredths.
#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "percent are small")]
fn hundredths(percent: f64) -> i64 {
    (percent * 100.0).round() as i64
}

fn is_gone(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    matches!(error.downcast_ref::<StoreError>(), Some(StoreError::Reference))
}
