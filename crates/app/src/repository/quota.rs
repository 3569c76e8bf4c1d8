//! The quota of a repository's bytes. That of its refs is checked where they are written.

use tenon_domain::id::ProjectId;
use tenon_git::Repository;
use tenon_git::hook::QuarantinePaths;
use tenon_storage::repository::facts;

use super::judge::Judgement;
use crate::app::App;
use crate::error::AppError;
use crate::quota::{bytes_text, fits};

impl App {
    /// Refuses `more` bytes that a repository has no room for. Its size is the one last measured, which a job does after
    /// every change: writes at the same time may exceed the limit by what they bring themselves. What brings nothing is
    /// never refused, so that something can be removed.
    pub(super) fn check_repository_size(&self, project: ProjectId, more: u64) -> Result<(), AppError> {
        let limit = self.limits().quotas.repository;
        if more == 0 || limit == 0 {
            return Ok(());
        }
        let known = self.parts().database.read(|tx| facts(tx, &[project]).map_err(AppError::from))?;
        let kept = known.get(&project).map_or(0, |facts| u64::try_from(facts.repository_size).unwrap_or(0));
        if fits(kept, more, limit) {
            return Ok(());
        }
        let limit = bytes_text(limit);
        Err(AppError::QuotaExceeded(format!("This repository would exceed its limit of {limit} (quotas.repository)")))
    }

    /// Refuses a push whose objects, as they lie in quarantine, a repository has no room for.
    pub(super) fn check_push_size(
        &self,
        project: ProjectId,
        repository: &Repository,
        objects: &QuarantinePaths,
    ) -> Result<(), Judgement> {
        let more = repository.quarantine_size(objects).map_err(AppError::from)?;
        self.check_repository_size(project, more).map_err(|error| match error {
            AppError::QuotaExceeded(text) => Judgement::Refused(format!("{text}.")),
            other => Judgement::Failed(other),
        })
    }
}
