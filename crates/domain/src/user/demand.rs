//! Duties of a user before anything else in a browser.

/// The first duty of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AccountDemand {
    /// To choose a password: someone else has set the present one.
    #[error("Your password has expired. Please sign in to Tenon and change it.")]
    ChangePassword,
    /// To accept the terms.
    #[error("You must accept the Terms of Service. Please sign in to Tenon and accept them.")]
    AcceptTerms,
    /// To set up a second factor: the time for that is over.
    #[error("You must set up two-factor authentication. Please sign in to Tenon.")]
    SetUpSecondFactor,
    /// To see that a second factor has to be set up; nothing else yet. A client that cannot show it demands it.
    #[error("You must set up two-factor authentication. Please sign in to Tenon.")]
    AnnounceSecondFactor,
}
