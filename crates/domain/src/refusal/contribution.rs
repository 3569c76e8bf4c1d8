//! Why contributions are not sent.

/// Why contributions are not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContributionRefusal {
    /// The request names more projects than is permitted.
    #[error("project_ids is too long (maximum is {0})")]
    TooManyProjects(usize),
}
