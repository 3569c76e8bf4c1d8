//! The quota of a repository's bytes, for everything that brings objects. That of its refs is checked when refs are
//! written (`update_refs` of the Git crate, and `judge.rs` for pushes).

use tenon_domain::id::ProjectId;
use tenon_domain::refusal::Quota;
use tenon_git::{Oid, RefName, Repository, RepositoryKind};
use tenon_storage::repository::facts;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::enqueue;
use crate::policy::quota::fits;
use crate::repository::refresh::RefreshRepository;

impl App {
    /// Refuses `more` bytes that a repository has no room for, with [`AppError::QuotaExceeded`]. Its size is the one
    /// last measured, which a job does after every change: writes at the same time may exceed the limit by what they
    /// bring themselves. A change without new objects is never refused, so that something can be removed.
    pub(crate) fn check_repository_size(&self, project: ProjectId, more: u64) -> Result<(), AppError> {
        self.check_size_of_kind(project, RepositoryKind::Code, more)
    }

    /// As [`App::check_repository_size`], of one of the repositories of a project. Each may have as much as the other.
    pub(crate) fn check_size_of_kind(
        &self,
        project: ProjectId,
        kind: RepositoryKind,
        more: u64,
    ) -> Result<(), AppError> {
        if more == 0 || self.repository_limit() == 0 {
            return Ok(());
        }
        let known = self.parts().database.read(|tx| facts(tx, &[project]).map_err(AppError::from))?;
        let kept = known.get(&project).map_or(0, |facts| match kind {
            RepositoryKind::Code => facts.repository_size,
            RepositoryKind::Wiki => facts.wiki_size,
        });
        self.check_size(u64::try_from(kept).unwrap_or(0), more)
    }

    /// As [`App::check_repository_size`], for a few objects whose size is not known before Git has made them, such as those of
    /// a merge: a repository that is full takes none.
    pub(crate) fn check_room(&self, project: ProjectId) -> Result<(), AppError> {
        self.check_repository_size(project, 1)
    }

    /// Copies what `commit` needs from the repository of another project into that of a project, under this name, if there is room for
    /// it, with the LFS objects that it names. The size of the project's repository is measured first: many may bring something before a job measures it.
    pub(crate) fn fetch_within_quota(
        &self,
        project: ProjectId,
        (source, from): (ProjectId, &Repository),
        commit: Oid,
        name: &RefName,
    ) -> Result<(), AppError> {
        let store = &self.repositories().store;
        let repository = store.repository(project);
        if self.repository_limit() != 0 {
            self.check_size(store.size(&repository)?, repository.missing_size(from, commit)?)?;
        }
        self.bring_lfs_objects(project, (source, from), commit)?;
        repository.fetch_from(from, commit, name)?;
        self.command(|command| enqueue(command, &RefreshRepository { project: project.get() }))
    }

    /// Bytes that a repository may have: the limit of the configuration or that of the settings, whichever is less; 0 for none.
    pub(crate) fn repository_limit(&self) -> u64 {
        let limits = [self.limits().quotas.repository, self.known_settings().repository_bytes.unwrap_or(0)];
        limits.into_iter().filter(|limit| *limit != 0).min().unwrap_or(0)
    }

    fn check_size(&self, kept: u64, more: u64) -> Result<(), AppError> {
        let limit = self.repository_limit();
        if more == 0 || fits(kept, more, limit) {
            return Ok(());
        }
        Err(AppError::QuotaExceeded(Quota::Repository(limit)))
    }
}
