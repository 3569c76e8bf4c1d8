//! Why a project is not created, shared or related to another.

/// Why a project is not created, shared or related to another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProjectRefusal {
    /// The owner has as many projects as is permitted.
    #[error("{}", project_limit(*.0))]
    Limit(i64),
    /// It is a fork.
    #[error("Project already forked")]
    AlreadyForked,
    /// A group above it permits no shares.
    #[error("The project sharing with group is disabled")]
    SharingLocked,
    /// It is within the other group.
    #[error("Project cannot be shared with the group it is in or one of its ancestors.")]
    SharedWithOwnGroup,
    /// It follows no repository of another server.
    #[error("The project is not mirrored")]
    NotMirrored,
}

fn project_limit(limit: i64) -> String {
    match limit {
        0 => "Personal project creation is not allowed. Please contact your administrator with questions".to_owned(),
        limit => format!("Your project limit is {limit} projects! Please contact your administrator to increase it"),
    }
}
