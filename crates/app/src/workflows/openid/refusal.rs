//! Why a user of a provider does not get in.

use tenon_auth::IdTokenError;

use crate::session::SignInRefusal;

/// Why a user does not get in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenIdRefusal {
    /// The browser was not sent to this provider, or it took too long, or it has come back already.
    Unknown,
    /// The user, or the provider, has said no.
    Denied,
    /// The provider does not answer as it should.
    Unreachable,
    /// The token is not accepted.
    Token(IdTokenError),
    /// No user has this account, and the provider makes none.
    NoAccount,
    /// The provider has not verified the address of the new user.
    Unverified,
    /// Another user has the address. The account is theirs if they add it.
    EmailTaken,
    /// No account can be made: the problem, in a sentence.
    NotMade(String),
    /// Another user has this account.
    LinkedElsewhere,
    /// The user has the account, and does not get in.
    SignIn(SignInRefusal),
}

impl From<IdTokenError> for OpenIdRefusal {
    fn from(error: IdTokenError) -> Self {
        Self::Token(error)
    }
}
