//! Refusals of parts of lists.

/// Why a part of a list is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListRefusal {
    /// No index has the order that was asked for; names those that one has.
    #[error("Keyset pagination is not available for this order. It is for: {0}")]
    NoKeyset(&'static str),
    /// The token of a part is none that the list has given for this order.
    #[error("page_token is invalid")]
    InvalidToken,
}
