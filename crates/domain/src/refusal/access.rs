//! Why a caller may do nothing of this kind.

use crate::user::{AccountDemand, Exclusion};

/// Why a caller may do nothing of this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessRefusal {
    /// The state of the account shuts its user out.
    #[error("{}", .exclusion.words(.base_url))]
    Excluded {
        /// Why.
        exclusion: Exclusion,
        /// The address for signing in.
        base_url: String,
    },
    /// An administrator acts as the user, and it would outlive that, or only the user can promise it.
    #[error("This cannot be done while an administrator acts as the user")]
    Impersonated,
    /// Only administrators act as other users.
    #[error("Must be admin to use sudo")]
    SudoByOther,
    /// Only a token proves enough to act as another user.
    #[error("Must be authenticated using an OAuth or Personal Access Token to use sudo")]
    SudoWithoutToken,
    /// The user of a token has not accepted the terms.
    #[error(
        "You (@{username}) must accept the Terms of Service in order to perform this action. Please access Tenon from a \
         web browser to accept these terms."
    )]
    TermsNotAccepted {
        /// The user.
        username: String,
    },
    /// The user of a session has to do something first.
    #[error("{0}")]
    Demanded(AccountDemand),
    /// The request was not made with a personal access token.
    #[error("This endpoint requires token type to be a personal access token")]
    NotAPersonalToken,
}
