//! Why a group is not shared or moved.

/// Why a group is not shared or moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupRefusal {
    /// The group is the other one, or within it.
    #[error("Group cannot be shared with itself or one of its ancestors.")]
    SharedWithItself,
    /// The group at the top permits shares within its hierarchy only.
    #[error("Sharing with groups outside the hierarchy is not permitted by the top-level group")]
    SharedOutside,
    /// It is shared with that group.
    #[error("Group already shared with this group")]
    AlreadyShared,
    /// It cannot be moved there.
    #[error("Transfer failed: {0}")]
    Transfer(TransferObstacle),
}

/// Why a group cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransferObstacle {
    /// It is at the top.
    #[error("Group is already a root group.")]
    AlreadyAtTop,
    /// It is below that group.
    #[error("Group is already associated to the parent group.")]
    AlreadyThere,
    /// The caller may not make groups there.
    #[error("You don't have enough permissions.")]
    NotPermitted,
    /// Its path is one of the server's at the top.
    #[error("The group's path is reserved at the top level.")]
    ReservedPath,
    /// The target is the group, or within it.
    #[error("A group cannot be moved below itself.")]
    BelowItself,
    /// Groups lie within each other only so deep.
    #[error("The groups would be nested too deeply.")]
    TooDeep,
    /// It is more open than the target; says so.
    #[error("{0}")]
    TooOpen(String),
    /// A group or project below it would have a path that is too long.
    #[error("A path would be too long.")]
    PathTooLong,
    /// The target has a group of that path.
    #[error("The parent group already has a subgroup with the same path.")]
    PathTaken,
}
