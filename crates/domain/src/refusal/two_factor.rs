//! Why a second factor is not set up or removed.

/// Why a second factor is not set up or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TwoFactorRefusal {
    /// There is one.
    #[error("Two-factor authentication is already enabled")]
    Enabled,
    /// Nothing was set up that could be confirmed.
    #[error("Two-factor authentication has not been set up yet")]
    NotBegun,
    /// One token is not to weaken the account of an administrator.
    #[error("Two-factor authentication for admins cannot be disabled via the API")]
    OfAdministrator,
    /// Without it, the user could not sign in any more.
    #[error("This is the only way to sign in to your account. Set a password first")]
    OnlyWay,
    /// There is none.
    #[error("Two-factor authentication is not enabled for this user")]
    NotEnabled,
}
