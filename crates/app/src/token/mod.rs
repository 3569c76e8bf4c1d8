//! Access tokens.

mod create;
mod feed;
mod impersonation;
mod personal;

pub use create::{NewToken, issue};
pub use feed::{delete_feed_token, feed_token, reset_feed_token};
pub(crate) use impersonation::revoke as withdraw;
pub use impersonation::{create_impersonation, impersonation, impersonations, revoke_impersonation};
pub use personal::{
    ListTokens, create_limited, create_own, create_personal, list_personal, personal, revoke_personal, revoke_self,
    rotate, rotate_self, show_self,
};
pub(crate) use personal::{end_idle_bot, replace};

use tenon_auth::Secret;
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;
use tenon_domain::token::Token;
use tenon_domain::user::UserAction;

pub use tenon_storage::token::TokenOrder;

use crate::core::app::Command;
use crate::core::error::AppError;

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

impl TokenView {
    /// A token as answers show it at `now`, after its making.
    pub(crate) fn without_secret(token: Token, now: Timestamp) -> Self {
        Self { active: token.is_active(now), token, secret: None }
    }
}

/// The account of a person whom an administrator makes a token for. Fails with 403 for other accounts.
fn check_person(command: &mut Command<'_>, user: UserId) -> Result<(), AppError> {
    let found = command.query().account(user, UserAction::Administer)?;
    if found.is_person() { Ok(()) } else { Err(AppError::Forbidden) }
}
