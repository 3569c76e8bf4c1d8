//! Why an administrator does not act as a user.

/// Why an administrator does not act as a user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImpersonationRefusal {
    /// The account is the administrator's own.
    #[error("You are signed in to this account already")]
    Oneself,
    /// The account may not be used.
    #[error("Only an active account can be impersonated")]
    Inactive,
}
