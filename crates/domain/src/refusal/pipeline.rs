//! Why the state of a job is not recorded.

use crate::pipeline::InvalidMove;

/// Why the state of a job is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PipelineRefusal {
    /// The name is none that a ref can have.
    #[error("ref is invalid")]
    InvalidRef,
    /// A job in its state does not come into that one.
    #[error("{0}")]
    Move(InvalidMove),
    /// The pipeline has as many as is permitted.
    #[error("A pipeline has {0} jobs at most")]
    TooManyJobs(usize),
}
