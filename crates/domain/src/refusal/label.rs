//! Why a label is not saved or promoted.

/// Why a label is not saved or promoted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelRefusal {
    /// There is one of that name.
    #[error("Label already exists")]
    Taken,
    /// The project is in no group.
    #[error("A label of a personal project cannot be promoted")]
    Personal,
}
