//! Passkeys of users. Signing in with them is in `session`.

mod add;
mod own;

pub use add::{Added, add, begin};
pub use own::{list, remove, rename};

pub use tenon_auth::PasskeyError;
pub use tenon_domain::passkey::Passkey;

use crate::core::app::App;
use crate::shared::access::passkey_proof::relying_party;

impl App {
    /// True if browsers make passkeys for this server: its address has a name, and its connections are secure.
    pub fn has_passkeys(&self) -> bool {
        relying_party(self).is_some()
    }
}
