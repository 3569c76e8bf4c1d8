//! From project and number to a merge request, in one step.

use std::ops::Deref;

use tenon_domain::issuable::IssuableAction;
use tenon_domain::merge_request::{MergeRequest, may_merge_into};
use tenon_domain::repository::ProtectionKind;
use tenon_storage::merge_request;

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::authorization::AuthorizedProject;
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::protection::ref_rules;

/// A merge request that the caller may use in the asked way.
#[derive(Clone)]
pub(crate) struct AuthorizedMergeRequest {
    /// The part that issues have as well, reached by `Deref`.
    shared: AuthorizedIssuable,
    pub(crate) request: MergeRequest,
}

impl Deref for AuthorizedMergeRequest {
    type Target = AuthorizedIssuable;

    fn deref(&self) -> &AuthorizedIssuable {
        &self.shared
    }
}

impl Query<'_> {
    /// The merge request of that number, if the caller may do `action` with it.
    pub(crate) fn merge_request(
        &mut self,
        of: &IssuableReference,
        action: IssuableAction,
    ) -> Result<AuthorizedMergeRequest, AppError> {
        let shared = self.issuable(of, action)?;
        let request = merge_request::find(&mut self.tx, shared.issuable.id)?;
        Ok(AuthorizedMergeRequest { shared, request: request.ok_or(AppError::NotFound(Missing::Record))? })
    }

    /// The merge request of that number. A caller who may know of it and not read it gets `refusal`.
    pub(super) fn merge_request_or(
        &mut self,
        of: &IssuableReference,
        refusal: AppError,
    ) -> Result<AuthorizedMergeRequest, AppError> {
        self.merge_request(of, IssuableAction::Read).map_err(|error| match error {
            AppError::Forbidden => refusal,
            error => error,
        })
    }
}

/// Checks that the caller may merge into a branch.
pub(super) fn may_merge(query: &mut Query<'_>, home: &AuthorizedProject, branch: &str) -> Result<bool, AppError> {
    let today = query.today();
    let rules = ref_rules(&mut query.tx, home.standing.viewer, &home.project, today)?;
    let rules = rules.covering(ProtectionKind::Branch, branch);
    Ok(may_merge_into(&home.standing, home.project.archived, &rules))
}
