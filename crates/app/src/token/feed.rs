//! Tokens of feeds: a feed reader reads feeds as their user, and nothing else.

use tenon_auth::{Secret, digest};
use tenon_domain::event::EventKind;
use tenon_storage::token;

use crate::core::app::{Command, Query};
use crate::core::error::AppError;

/// The caller's token of feeds. `None` if they have none, act as another user, or if the settings accept none.
pub fn feed_token(query: &mut Query<'_>) -> Result<Option<Secret>, AppError> {
    let user = query.user()?.id;
    if query.caller.is_impersonated() || !query.settings()?.feed_tokens {
        return Ok(None);
    }
    let sealed = token::sealed_feed_token(&mut query.tx, user)?;
    let open = sealed.map(|sealed| query.app.vault().open(&sealed)).transpose();
    // A token that cannot be opened is replaced by its user.
    Ok(open.unwrap_or_default().map(Secret::given))
}

/// Gives the caller, in a session of a browser, a new token of feeds in place of the one that they have.
pub fn reset_feed_token(command: &mut Command<'_>) -> Result<(), AppError> {
    command.refuse_impersonated()?;
    if command.caller.session.is_none() || !command.query().settings()?.feed_tokens {
        return Err(AppError::Forbidden);
    }
    let user = command.user()?.id;
    let secret = Secret::generate(command.app.entropy());
    let sealed = command.app.vault().seal(command.app.entropy(), secret.expose()).map_err(AppError::internal)?;
    token::set_feed_token(&mut command.tx, user, &digest(secret.expose()), &sealed)?;
    let event = command.event(EventKind::TokenCreated).user(user);
    command.append(&event)
}

/// Deletes the token of feeds of the caller, in a session of a browser. Nothing happens if they have none.
pub fn delete_feed_token(command: &mut Command<'_>) -> Result<(), AppError> {
    command.refuse_impersonated()?;
    if command.caller.session.is_none() {
        return Err(AppError::Forbidden);
    }
    let user = command.user()?.id;
    if !token::delete_feed_token(&mut command.tx, user)? {
        return Ok(());
    }
    let event = command.event(EventKind::TokenRevoked).user(user);
    command.append(&event)
}
