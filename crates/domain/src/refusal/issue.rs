//! Why an issue is not opened, linked or moved.

/// Why an issue is not opened, linked or moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IssueRefusal {
    /// The number is not positive.
    #[error("iid is invalid")]
    InvalidIid,
    /// Another issue has the number.
    #[error("Duplicated issue")]
    Duplicated,
    /// Both are the same issue.
    #[error("Issue cannot be related to itself")]
    LinkedToItself,
    /// They are linked.
    #[error("Issue(s) already assigned")]
    AlreadyLinked,
    /// The caller may not move it there, or it was moved before.
    #[error("Cannot move issue due to insufficient permissions!")]
    MoveNotPermitted,
    /// The target is its own project.
    #[error("Cannot move issue to project it originates from!")]
    MovedToItself,
}
