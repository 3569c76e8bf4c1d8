//! The terms of service, which users have to accept if the settings say so.

use tenon_auth::digest;
use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::terms;

/// The terms that users have to accept, in Markdown; `None` if there are none. Everyone may read them.
pub fn text(query: &mut Query<'_>) -> Result<Option<String>, AppError> {
    Ok(query.settings()?.terms.clone())
}

/// True if a user has to accept the terms before anything else. One who has accepted an earlier text has not to.
pub fn must_accept(query: &mut Query<'_>, user: UserId) -> Result<bool, AppError> {
    Ok(terms::must_accept(&mut query.tx, user)?)
}

/// The caller accepts the present terms. Fails with 404 if there are none.
pub fn accept(command: &mut Command<'_>) -> Result<(), AppError> {
    command.refuse_impersonated()?;
    let (user, now) = (command.user()?.id, command.now);
    let present = text(&mut command.query())?.ok_or(AppError::NotFound(Missing::Plain))?;
    tenon_storage::terms::accept(&mut command.tx, user, &digest(&present), now)?;
    let event = command.event(EventKind::TermsAccepted).user(user);
    command.append(&event)
}
