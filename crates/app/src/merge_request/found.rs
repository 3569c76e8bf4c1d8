//! From project and number to a merge request, in one step.

use tenon_domain::issuable::IssuableAction;
use tenon_domain::merge_request::{MergeRequest, may_merge_into};
use tenon_domain::repository::{ProtectionKind, Protections};
use tenon_storage::{merge_request, repository};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::authorization::FoundProject;
use crate::policy::issuable::{FoundIssuable, IssuableReference};

/// A merge request that the caller may use in the asked way.
#[derive(Clone)]
pub(crate) struct FoundMergeRequest {
    pub(crate) found: FoundIssuable,
    pub(crate) request: MergeRequest,
}

impl Query<'_> {
    /// The merge request of that number, if the caller may do `action` with it.
    pub(crate) fn merge_request(
        &mut self,
        of: &IssuableReference,
        action: IssuableAction,
    ) -> Result<FoundMergeRequest, AppError> {
        let found = self.issuable(of, action)?;
        let request = merge_request::find(&mut self.tx, found.issuable.id)?;
        Ok(FoundMergeRequest { found, request: request.ok_or(AppError::NotFound(Missing::Record))? })
    }
}

/// Whether the caller may merge into a branch.
pub(super) fn may_merge(query: &mut Query<'_>, home: &FoundProject, branch: &str) -> Result<bool, AppError> {
    let rules = repository::rules(&mut query.tx, home.project.id)?;
    let rules = Protections::covering(&rules, ProtectionKind::Branch, branch);
    Ok(may_merge_into(&home.standing, home.project.archived, &rules))
}
