//! Signing in with an account at a provider of `OpenID` Connect: the code flow, with PKCE. Accounts are linked by their users only.

mod account;
mod begin;
mod finish;
mod linked;
mod refusal;

pub use begin::Begun;
pub use finish::{Finished, OpenIdAnswer};
pub use linked::{LinkedAccount, list, unlink};
pub use refusal::OpenIdRefusal;
pub use tenon_auth::IdTokenError;

use serde::{Deserialize, Serialize};
use tenon_domain::time::TimeDelta;

use crate::core::app::App;
use crate::core::providers::SignInProvider;

/// The time in which a user has to come back from a provider.
const WITHIN: TimeDelta = TimeDelta::minutes(10);

/// The memory of a browser that was sent to a provider. It is stored sealed.
#[derive(Serialize, Deserialize)]
struct Journey {
    /// The name of the provider, and its address at that time.
    provider: String,
    issuer: String,
    /// Random texts: of the answer of the browser, of the token, and of the code.
    state: String,
    nonce: String,
    verifier: String,
    /// Where the browser goes afterwards.
    return_to: String,
    /// The user who adds the account to theirs; `None` if someone signs in.
    links_to: Option<i64>,
}

/// The address to which a provider sends the browser back.
fn redirect_uri(app: &App, provider: &SignInProvider) -> String {
    format!("{}/users/auth/{}/callback", app.base_url(), provider.name)
}
