//! Why a badge is not changed.

/// Why a badge is not changed: it belongs to a group, and the request names a project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadgeRefusal {
    /// It would be changed.
    #[error("To edit a Group badge please use the Group endpoint")]
    Edited,
    /// It would be deleted.
    #[error("To delete a Group badge please use the Group endpoint")]
    Deleted,
}
