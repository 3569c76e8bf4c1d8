//! Who is calling.

use tenon_domain::access::Viewer;
use tenon_domain::session::Session;
use tenon_domain::token::Token;
use tenon_domain::user::User;

/// Who is calling, after credentials, sudo and the route's guard have been dealt with.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The user as whom the request acts.
    pub user: Option<Box<User>>,
    /// The token that identified the caller.
    pub token: Option<Box<Token>>,
    /// The session of the browser that identified the caller.
    pub session: Option<Box<Session>>,
    /// True if the user only stands for what no user has done: it is noted in their name, and they need not know of it.
    pub stands_in: bool,
}

impl Caller {
    /// True if an administrator acts as the user on pages.
    pub fn is_impersonated(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.impersonator.is_some())
    }

    /// The caller as abilities see it.
    pub fn viewer(&self) -> Viewer {
        match &self.user {
            None => Viewer::Anonymous,
            Some(user) => Viewer::User { id: user.id, admin: user.admin, external: user.external },
        }
    }
}
