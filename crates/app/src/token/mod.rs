//! Access tokens.

mod create;
mod feed;
mod impersonation;
mod personal;

pub use create::{NewToken, issue};
pub use feed::{delete_feed_token, feed_token, reset_feed_token};
pub use impersonation::{create_impersonation, impersonation, impersonations, revoke_impersonation};
pub use personal::{
    ListTokens, create_limited, create_own, create_personal, list_personal, personal, revoke_personal, revoke_self,
    rotate, rotate_self, show_self,
};

use tenon_auth::Secret;
use tenon_domain::token::Token;

pub use tenon_storage::token::TokenOrder;

/// A token as answers show it.
#[derive(Debug, Clone)]
pub struct TokenView {
    /// The token.
    pub token: Token,
    /// True if it works now.
    pub active: bool,
    /// The secret, if it may be shown: at its making, and for impersonation tokens always.
    pub secret: Option<Secret>,
}
