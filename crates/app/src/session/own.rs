//! The caller's own sessions.

use tenon_domain::id::SessionId;
use tenon_domain::session::Session;
use tenon_storage::session;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};

/// The caller's sessions, last used first. There are never more than `limits.sessions.per_user`.
pub fn list(query: &mut Query<'_>) -> Result<Vec<Session>, AppError> {
    let (user, now) = (query.user()?.id, query.now);
    let most = i64::try_from(query.app.limits().sessions.per_user).unwrap_or(i64::MAX);
    Ok(session::of_user(&mut query.tx, user, most, now)?)
}

/// Ends one of the caller's sessions. 404 if it is not one of them.
pub fn end(command: &mut Command<'_>, id: SessionId) -> Result<(), AppError> {
    let user = command.user()?.id;
    if session::delete(&mut command.tx, user, id)? {
        return Ok(());
    }
    Err(AppError::NotFound(Missing::Plain))
}

/// Ends all sessions of the caller but the one that asks.
pub fn end_others(command: &mut Command<'_>) -> Result<(), AppError> {
    let user = command.user()?.id;
    let current = command.caller.session.as_ref().map(|session| session.id).ok_or(AppError::Forbidden)?;
    Ok(session::delete_others(&mut command.tx, user, current)?)
}

/// Ends the session that asks; nothing if there is none. If an administrator acts as another user, theirs ends too.
pub fn sign_out(command: &mut Command<'_>) -> Result<(), AppError> {
    let Some(current) = command.caller.session.as_deref() else { return Ok(()) };
    let ended = match current.impersonator {
        Some(impersonator) => {
            let found = session::by_id(&mut command.tx, impersonator, command.now)?;
            found.map(|(user, session)| (user.id, session.id))
        }
        None => Some((current.user, current.id)),
    };
    if let Some((user, id)) = ended {
        session::delete(&mut command.tx, user, id)?;
    }
    Ok(())
}
