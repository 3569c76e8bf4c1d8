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
    /// True if the user acts as an administrator.
    pub administers: bool,
}

/// Which rights of a user count for work outside of their requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    /// All rights of the account.
    OfAccount,
    /// Those of a client of Git: no rights of an administrator if that is a mode to be entered.
    WithoutSession,
    /// Those of the request that has asked for the work.
    OfRequest {
        /// True if the user acted as an administrator.
        administers: bool,
    },
}

impl Caller {
    /// The user, with the rights of the account, for what is done in their name outside of their requests.
    pub(crate) fn of(user: User) -> Self {
        Self { administers: user.admin, user: Some(Box::new(user)), ..Self::default() }
    }

    /// True if an administrator acts as the user on pages.
    pub fn is_impersonated(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.impersonator.is_some())
    }

    /// The caller as abilities see it.
    pub fn viewer(&self) -> Viewer {
        match &self.user {
            None => Viewer::Anonymous,
            Some(user) => Viewer::User { id: user.id, admin: self.administers, external: user.external },
        }
    }
}
