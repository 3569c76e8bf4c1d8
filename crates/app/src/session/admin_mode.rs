//! The mode of administrators: if the settings ask for it, an administrator acts as such in a session for a limited time.

use tenon_auth::Secret;
use tenon_domain::session::ADMIN_MODE;
use tenon_storage::{session, two_factor};

use crate::core::app::{App, Command, Query};
use crate::core::confirmation::Confirmed;
use crate::core::error::AppError;
use crate::core::identity::Identity;

/// The state of the mode in the session that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdminMode {
    /// The caller is no administrator, acts as one without it, or has no session of their own.
    NotNeeded,
    /// An administrator acts as any other user.
    Left,
    /// An administrator acts as such.
    Entered,
}

/// The mode of the caller.
pub fn admin_mode(query: &mut Query<'_>) -> Result<AdminMode, AppError> {
    let caller = query.caller;
    let is_administrator = caller.user.as_ref().is_some_and(|user| user.admin);
    if !is_administrator || caller.session.is_none() || caller.is_impersonated() || !query.settings()?.admin_mode {
        return Ok(AdminMode::NotNeeded);
    }
    Ok(if query.is_admin() { AdminMode::Entered } else { AdminMode::Left })
}

/// True if the caller has an authenticator, whose code is needed to enter the mode.
pub fn admin_mode_takes_code(query: &mut Query<'_>) -> Result<bool, AppError> {
    let user = query.user()?.id;
    let factor = two_factor::find(&mut query.tx, user)?;
    Ok(factor.is_some_and(|factor| factor.enabled_at.is_some()))
}

impl App {
    /// Lets the calling administrator act as such in this session for six hours. `code` is that of the authenticator, or a
    /// recovery code; it does not matter if the user has no authenticator. Fails if either is wrong, with 429 if too many
    /// were, and with 403 for other callers and if the settings do not ask for the mode.
    pub async fn enter_admin_mode(&self, identity: &Identity, password: Secret, code: Secret) -> Result<(), AppError> {
        let asked = |query: &mut Query<'_>| {
            if admin_mode(query)? == AdminMode::NotNeeded {
                return Err(AppError::Forbidden);
            }
            Ok((query.user()?.id, admin_mode_takes_code(query)?))
        };
        let (user, takes_code) = self.read(identity, asked).await?;
        let confirmed = self.confirm_password(identity, password).await?;
        let confirmed = confirmed.ok_or_else(|| AppError::invalid("password", "is invalid"))?;
        if takes_code && !self.verify_second_factor(user, code).await? {
            return Err(AppError::invalid("code", "is invalid"));
        }
        self.write(identity, move |command| enter(command, &confirmed)).await
    }
}

fn enter(command: &mut Command<'_>, confirmed: &Confirmed) -> Result<(), AppError> {
    let user = command.user()?.id;
    confirmed.check(user)?;
    if admin_mode(&mut command.query())? == AdminMode::NotNeeded {
        return Err(AppError::Forbidden);
    }
    let session = command.caller.session.as_ref().ok_or(AppError::Forbidden)?.id;
    session::set_admin_mode(&mut command.tx, session, Some(command.now + ADMIN_MODE))?;
    tracing::info!(%user, "an administrator has entered the mode of administrators");
    Ok(())
}

/// Lets the caller act as any other user in this session again.
pub fn leave_admin_mode(command: &mut Command<'_>) -> Result<(), AppError> {
    let session = command.caller.session.as_ref().ok_or(AppError::Forbidden)?.id;
    session::set_admin_mode(&mut command.tx, session, None)?;
    Ok(())
}
