//! Administrators act as other users on pages: in a session of that user, which hangs on the administrator's own.

use tenon_auth::{Secret, digest};
use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_domain::refusal::ImpersonationRefusal;
use tenon_domain::session::{IMPERSONATION, Session, lifetime, shortened_user_agent};
use tenon_domain::time::TimeDelta;
use tenon_domain::user::UserAction;
use tenon_storage::session::{self, NewSession};

use super::start::{Browser, StartedSession};
use crate::core::app::Command;
use crate::core::error::{AppError, Missing};

/// Begins a session in which the calling administrator acts as `user`, for an hour at most. It ends with the caller's
/// own session, which is prolonged as by any use, and with the caller's rights. Refused for accounts that may not be
/// used, for the caller's own, and if the caller acts as another user already or was not identified by a session.
pub fn impersonate(command: &mut Command<'_>, user: UserId, browser: &Browser) -> Result<StartedSession, AppError> {
    let target = command.query().account(user, UserAction::Administer)?;
    let own = command.caller.session.as_deref().filter(|session| session.impersonator.is_none());
    let own = own.ok_or(AppError::Forbidden)?.clone();
    if own.user == target.id {
        return Err(ImpersonationRefusal::Oneself.into());
    }
    if !target.may_act() || target.bot {
        return Err(ImpersonationRefusal::Inactive.into());
    }
    prolong(command, &own)?;
    session::delete_impersonation(&mut command.tx, own.id)?;
    let cookie = Secret::generate(command.app.entropy());
    let user_agent = browser.user_agent.as_deref().map(shortened_user_agent);
    let new = NewSession {
        user: target.id,
        digest: &digest(cookie.expose()),
        address: browser.address.as_deref(),
        user_agent: user_agent.as_deref(),
        remembered: false,
        awaits_second_factor: false,
        created_at: command.now,
        expires_at: command.now + IMPERSONATION,
        impersonator: Some(own.id),
    };
    session::insert(&mut command.tx, &new)?;
    let event = command.event(EventKind::UserImpersonated).user(target.id);
    command.append(&event)?;
    let administrator = command.user()?.id;
    tracing::info!(%administrator, user = %target.id, "an administrator acts as another user");
    Ok(StartedSession { cookie, kept_for: None, second_factor_due: false })
}

/// Ends the session in which the caller acts as another user. Returns that user, and the administrator's own session
/// under a new cookie. 404 if the caller acts as no one else.
pub fn stop_impersonation(command: &mut Command<'_>) -> Result<(UserId, StartedSession), AppError> {
    let current = command.caller.session.as_deref().ok_or(AppError::NotFound(Missing::Plain))?;
    let (user, id) = (current.user, current.id);
    let impersonator = current.impersonator.ok_or(AppError::NotFound(Missing::Plain))?;
    let found = session::by_id(&mut command.tx, impersonator, command.now)?;
    let (administrator, own) = found.ok_or(AppError::Unauthenticated)?;
    session::delete(&mut command.tx, user, id)?;
    // The browser has lost the cookie of this session to the one that ends.
    let cookie = Secret::generate(command.app.entropy());
    session::set_digest(&mut command.tx, own.id, &digest(cookie.expose()))?;
    let kept_for = prolong(command, &own)?;
    tracing::info!(administrator = %administrator.id, %user, "an administrator no longer acts as another user");
    Ok((user, StartedSession { cookie, kept_for, second_factor_due: false }))
}

/// Notes that a session is used. Returns how long the browser keeps its cookie.
fn prolong(command: &mut Command<'_>, session: &Session) -> Result<Option<TimeDelta>, AppError> {
    let delay = command.query().settings()?.session_expire_delay;
    let lifetime = lifetime(delay, session.remembered);
    session::renew(&mut command.tx, session.id, command.now, command.now + lifetime)?;
    Ok(session.remembered.then_some(lifetime))
}
