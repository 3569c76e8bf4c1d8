//! Applications that act for users (OAuth 2.0): their redirects, proofs and grants.

mod application;
mod challenge;
mod device;
mod redirect;
mod refresh;

pub use application::{Application, ApplicationAction, ClientKind, Registration, check_application, decide};
pub use challenge::{CodeChallenge, InvalidChallenge, is_verifier};
pub use device::{DeviceDecision, DeviceGrant, DevicePoll, UserCode};
pub use redirect::{PlainHttp, check_redirect_uris, is_registered, redirect_uris};
pub use refresh::{RefreshTokens, RefreshUse, ReplacedRefresh};

use crate::id::{ApplicationId, GrantId, UserId};
use crate::time::Timestamp;
use crate::token::Scopes;

/// A user's permission for an application, or the permission of an application that acts for itself. Everything that is
/// issued for it ends with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Unique on the server.
    pub id: GrantId,
    /// To whom; `None` if a user signed in with a password and no application was named.
    pub application: Option<ApplicationId>,
    /// For whom; `None` if an application acts for itself.
    pub user: Option<UserId>,
    /// The most scopes that it allows.
    pub scopes: Scopes,
    /// The authorization code, if it began with one.
    pub code: Option<Code>,
    /// True if it was withdrawn.
    pub revoked: bool,
    /// When it ends, unless it is refreshed before.
    pub expires_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The facts to which an authorization code is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The address to which it was sent. The same has to be named when it is exchanged.
    pub redirect_uri: String,
    /// The proof that its exchange needs.
    pub challenge: Option<CodeChallenge>,
    /// The value that the ID token repeats (`OpenID` Connect).
    pub nonce: Option<String>,
    /// True if it was exchanged.
    pub used: bool,
}

impl Grant {
    /// True if anything can still be had for it.
    #[must_use]
    pub fn is_active(&self, now: Timestamp) -> bool {
        !self.revoked && now < self.expires_at
    }
}
