//! Why a release is not made or changed.

use crate::field_errors::FieldErrors;

/// Why a release is not made or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseRefusal {
    /// Some fields are not valid.
    #[error("Validation failed: {}", .0.sentences())]
    Invalid(FieldErrors),
    /// The request changes nothing.
    #[error("params is empty")]
    NoChanges,
    /// The name is none that a tag can have.
    #[error("Tag name invalid")]
    InvalidTag,
    /// The tag does not exist, and the request does not say at which commit it is to be made.
    #[error("Ref is not specified")]
    NoRef,
    /// The tag has a release.
    #[error("Release already exists")]
    Exists,
    /// The request names more than is permitted.
    #[error("A release cannot have more than {0} milestones")]
    TooManyMilestones(usize),
    /// The project can use no milestones of these titles.
    #[error("Milestone(s) not found: {}", .0.join(", "))]
    MilestonesMissing(Vec<String>),
    /// It would have more than is permitted.
    #[error("A release cannot have more than {0} links")]
    TooManyLinks(usize),
}
