//! Why deployments are not listed or removed.

/// Why deployments are not listed or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeploymentRefusal {
    /// A list is filtered by the moment of the last change, and ordered by something else.
    #[error("`updated_at` filter and `updated_at` sorting must be paired")]
    UnpairedFilter,
    /// It is under way.
    #[error("Cannot destroy running deployment")]
    Running,
    /// It is what the environment has.
    #[error("Deployment currently deployed to environment")]
    Current,
}
