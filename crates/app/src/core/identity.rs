//! The credentials of a request, and the scopes that its route asks for.

use tenon_domain::id::UserId;
use tenon_domain::token::ScopeRule;

/// A credential as it came with the request. Which place it came from, and which of several wins, is decided at the
/// edge.
#[derive(Clone)]
pub enum Credential {
    /// A personal, impersonation or OAuth token.
    Token(String),
    /// The token of feeds of a user, for the address of a feed.
    FeedToken(String),
    /// The session cookie, and the CSRF token that came beside it.
    Session {
        /// The cookie's value.
        id: String,
        /// Header `X-CSRF-Token` or parameter `authenticity_token`.
        csrf: Option<String>,
        /// True if a page is asked for, which itself leads the user to what is demanded first. Elsewhere a session
        /// proves nothing before that is done.
        on_page: bool,
    },
    /// A user whom the program that links this crate has authenticated itself. No request can present it.
    User(UserId),
    /// As `User`, for a user who has just proved on a page who they are: a deactivated account is open to that.
    SignIn(UserId),
}

/// Who must be calling for a route to answer at all. Finer questions are the abilities' business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Works without signing in, on public data.
    Anyone,
    /// 401 without a user.
    SignedIn,
    /// 401 without a user, 403 for those who are not administrators.
    Administrator,
}

/// The credentials of a request, and what its route demands of them.
#[derive(Clone)]
pub struct Identity {
    /// The credential, if any came.
    pub credential: Option<Credential>,
    /// Whom the caller wants to act as: a user id or user name.
    pub sudo: Option<String>,
    /// Who may call.
    pub guard: Guard,
    /// Which scopes open the route.
    pub scopes: ScopeRule,
    /// True if the request only reads (GET and HEAD).
    pub reads: bool,
}

/// For programs that link this crate and have no routes.
impl Identity {
    /// A user whom the calling program has authenticated itself: may do what that user may. Refused if the account may
    /// not be used or is gone.
    pub fn user(id: UserId) -> Self {
        Self::signed_in(Credential::User(id))
    }

    /// A user who is signing in, and has just proved who they are. Refused if the account may not be signed in to.
    pub(crate) fn signing_in(id: UserId) -> Self {
        Self::signed_in(Credential::SignIn(id))
    }

    /// The user of a token that has the scope `api`.
    pub fn token(secret: impl Into<String>) -> Self {
        Self::signed_in(Credential::Token(secret.into()))
    }

    /// No user: sees what is public.
    pub fn anonymous() -> Self {
        Self { credential: None, sudo: None, guard: Guard::Anyone, scopes: ScopeRule::Api, reads: false }
    }

    fn signed_in(credential: Credential) -> Self {
        Self { credential: Some(credential), guard: Guard::SignedIn, ..Self::anonymous() }
    }
}

// Written by hand so that no secret can reach a log.
impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let credential = match &self.credential {
            None => "none",
            Some(Credential::Token(_)) => "token",
            Some(Credential::FeedToken(_)) => "feed token",
            Some(Credential::Session { .. }) => "session",
            Some(Credential::User(_)) => "user",
            Some(Credential::SignIn(_)) => "sign-in",
        };
        f.debug_struct("Identity").field("credential", &credential).field("guard", &self.guard).finish_non_exhaustive()
    }
}
