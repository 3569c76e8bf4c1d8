//! Applications that act for users (OAuth 2.0): where they may be redirected to, what they prove, what they are granted.

mod application;
mod challenge;
mod device;
mod redirect;
mod refresh;

pub use application::{Application, ApplicationAction, ClientKind, Registration, check_application, decide};
pub use challenge::{CodeChallenge, InvalidChallenge, is_verifier};
pub use device::{DeviceDecision, DeviceGrant, DevicePoll, UserCode};
pub use redirect::{check_redirect_uris, is_registered, redirect_uris};
pub use refresh::{RefreshTokens, RefreshUse, ReplacedRefresh};

use crate::id::{ApplicationId, GrantId, UserId};
use crate::time::Timestamp;
use crate::token::Scopes;

/// What a user has allowed an application to do, or what an application does for itself. Everything that is issued for it
/// ends with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Unique on the server.
    pub id: GrantId,
    /// To whom; `None` where a user signed in with a password and no application was named.
    pub application: Option<ApplicationId>,
    /// For whom; `None` where an application acts for itself.
    pub user: Option<UserId>,
    /// What it may be used for at most.
    pub scopes: Scopes,
    /// The authorization code, where it began with one.
    pub code: Option<Code>,
    /// Whether it was withdrawn.
    pub revoked: bool,
    /// When it ends, unless it is refreshed before.
    pub expires_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What an authorization code is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// Where it was sent. The same has to be named when it is exchanged.
    pub redirect_uri: String,
    /// What has to be proved when it is exchanged.
    pub challenge: Option<CodeChallenge>,
    /// What the ID token repeats (`OpenID` Connect).
    pub nonce: Option<String>,
    /// Whether it was exchanged.
    pub used: bool,
}

impl Grant {
    /// Whether anything can still be had for it.
    #[must_use]
    pub fn is_active(&self, now: Timestamp) -> bool {
        !self.revoked && now < self.expires_at
    }
}
