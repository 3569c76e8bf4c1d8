//! Why a milestone is not promoted.

/// Why a milestone is not promoted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MilestoneRefusal {
    /// The project is in no group.
    #[error("A milestone of a personal project cannot be promoted")]
    Personal,
}
