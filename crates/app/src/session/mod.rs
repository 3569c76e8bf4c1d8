//! Sessions of browsers: signing in with a password, signing out, the list of one's own sessions, and administrators who act as other
//! users.

mod admin_mode;
mod impersonation;
mod own;
mod passkey;
mod start;

pub use admin_mode::{AdminMode, admin_mode, admin_mode_takes_code, leave_admin_mode};
pub use impersonation::{impersonate, stop_impersonation};
pub use own::{end, end_others, list, sign_out};
pub use start::{AwaitedFactor, Browser, SignIn, SignInRefusal, SignedIn, StartedSession};
pub(crate) use start::{follow_up, start_or_await};

use tenon_auth::{CsrfToken, Secret};

use crate::core::app::App;

impl App {
    /// A random secret: a name for a browser in which no user has signed in.
    pub fn new_secret(&self) -> Secret {
        Secret::generate(self.entropy())
    }

    /// A token of forms, as a page shows it.
    pub fn masked(&self, token: &CsrfToken) -> String {
        token.masked(self.entropy())
    }
}
