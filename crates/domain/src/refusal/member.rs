//! Why users do not become members.

/// Why users do not become members.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionRefusal {
    /// The user is a member.
    #[error("Member already exists")]
    AlreadyMember,
    /// The request names no user.
    #[error("user_id is invalid")]
    NoUsers,
    /// The request names more users than is permitted.
    #[error("Too many users specified (limit is {0})")]
    TooMany(usize),
}
