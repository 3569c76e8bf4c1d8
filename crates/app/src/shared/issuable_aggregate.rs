//! An issue or merge request with its associations, as one value.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{LabelId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind, check_description, check_title};
use tenon_domain::merge_request::{MAX_REQUIRED, MergeRequest};
use tenon_domain::time_tracking::MAX_SECONDS;
use tenon_storage::{issuable, merge_request};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;

/// An issue or merge request with its labels and assignees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IssuableAggregate {
    pub(crate) issuable: Issuable,
    /// The other half of a merge request.
    pub(crate) request: Option<MergeRequest>,
    /// By name.
    pub(crate) labels: Vec<(LabelId, String)>,
    /// In the order in which they were named.
    pub(crate) assignees: Vec<UserId>,
    /// The reviewers of a merge request, in that order.
    pub(crate) reviewers: Vec<UserId>,
}

impl IssuableAggregate {
    /// One that carries nothing yet.
    pub(crate) fn bare(issuable: Issuable, request: Option<MergeRequest>) -> Self {
        Self { issuable, request, labels: Vec::new(), assignees: Vec::new(), reviewers: Vec::new() }
    }

    /// As it is stored.
    pub(crate) fn load(command: &mut Command<'_>, issuable: &Issuable) -> Result<Self, AppError> {
        Self::read(&mut command.query(), issuable)
    }

    /// As [`IssuableAggregate::load`], for a use case that only reads.
    pub(crate) fn read(query: &mut Query<'_>, issuable: &Issuable) -> Result<Self, AppError> {
        let id = issuable.id;
        let (request, reviewers) = match issuable.kind {
            IssuableKind::Issue => (None, Vec::new()),
            IssuableKind::MergeRequest => (
                merge_request::find(&mut query.tx, id)?,
                merge_request::reviewers(&mut query.tx, &[id])?.remove(&id).unwrap_or_default(),
            ),
        };
        Ok(Self {
            issuable: issuable.clone(),
            request,
            reviewers,
            labels: issuable::label_names(&mut query.tx, &[id])?.remove(&id).unwrap_or_default(),
            assignees: issuable::assignees(&mut query.tx, &[id])?.remove(&id).unwrap_or_default(),
        })
    }

    /// Checks its fields.
    pub(crate) fn check(&self) -> Result<(), AppError> {
        let mut errors = FieldErrors::default();
        check_title(&mut errors, &self.issuable.title);
        check_description(&mut errors, self.issuable.description.as_deref().unwrap_or_default());
        errors.require(self.issuable.time_estimate <= MAX_SECONDS, "time_estimate", "is too large");
        errors.require(self.issuable.total_time_spent <= MAX_SECONDS, "time_spent", "is too large");
        let required = self.request.as_ref().and_then(|request| request.approvals_before_merge).unwrap_or(0);
        if !(0..=MAX_REQUIRED).contains(&required) {
            errors.add("approvals_before_merge", format!("must be between 0 and {MAX_REQUIRED}"));
        }
        Ok(errors.into_result()?)
    }
}
