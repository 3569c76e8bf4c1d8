//! Why a comment is not written, published or resolved.

/// Why a comment is not written, published or resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteRefusal {
    /// It is nothing that can be resolved.
    #[error("Discussion is not resolvable")]
    NotResolvable,
    /// It is a comment by itself.
    #[error("Individual notes can not be replied to")]
    NoReplies,
    /// The review has as many comments as is permitted.
    #[error("A review has at most {0} comments: publish those that are there")]
    TooManyDrafts(usize),
    /// The draft is none any more.
    #[error("This comment is not in your review any more: it was published or discarded. Your changes are not saved")]
    DraftGone,
}
