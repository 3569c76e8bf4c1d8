//! Why a list of users is not removed.

/// Why a list of users is not removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeatureFlagRefusal {
    /// A strategy names it.
    #[error("User list is associated with a strategy")]
    ListInUse,
}
