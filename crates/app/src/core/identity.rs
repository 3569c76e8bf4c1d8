//! What a request presents about its caller, and what its route asks for.

use tenon_domain::token::ScopeRule;

/// A credential as it came with the request. Which place it came from, and which of several wins, is decided at the
/// edge.
#[derive(Clone)]
pub enum Credential {
    /// A personal, impersonation or OAuth token.
    Token(String),
    /// The session cookie, and the CSRF token that came beside it.
    Session {
        /// The cookie's value.
        id: String,
        /// Header `X-CSRF-Token` or parameter `authenticity_token`.
        csrf: Option<String>,
    },
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
    /// Whether the request only reads (GET and HEAD).
    pub reads: bool,
}

// Written by hand so that no secret can reach a log.
impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let credential = match &self.credential {
            None => "none",
            Some(Credential::Token(_)) => "token",
            Some(Credential::Session { .. }) => "session",
        };
        f.debug_struct("Identity").field("credential", &credential).field("guard", &self.guard).finish_non_exhaustive()
    }
}
