//! Why a list of a board, or an issue in it, is not made or moved.

/// Why a list of a board, or an issue in it, is not made or moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardRefusal {
    /// No label of that id can be used there.
    #[error("Label not found!")]
    LabelNotFound,
    /// The list has that place already, or there is no such place.
    #[error("List could not be moved!")]
    ListNotMoved,
    /// Too many issues lie close together where the issue was to go.
    #[error("Issue could not be moved!")]
    IssueNotMoved,
}
