//! Descriptions of limits, and the reasons why one cannot be set.

/// One limit, for documentation and diagnosis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitInfo {
    /// Its group and its name, joined by a dot: `push.commands`.
    pub name: String,
    /// The number in force.
    pub value: u64,
    /// The unit of the number: `count`, `bytes` or `seconds`. `count`, `bytes` or `seconds`.
    pub unit: &'static str,
    /// The thing that it bounds.
    pub description: String,
}

/// Why a limit cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// There is no limit of that name.
    #[error("there is no limit {0:?}: docs/limits.md lists them")]
    Unknown(String),
    /// The number cannot be used.
    #[error("{0}: the number is out of range")]
    OutOfRange(String),
}
