//! The applications that may act for the caller, as the caller sees and ends that.

use tenon_domain::id::ApplicationId;
use tenon_domain::oauth::Application;
use tenon_domain::time::Timestamp;
use tenon_domain::token::{Scope, Scopes};
use tenon_storage::oauth::{application, device, grant};

use super::revoke::end_grant;
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};

/// Grants that are read at once. A user has a few with each application (`limits.oauth.grants`).
const MOST: i64 = 500;

/// An application that may act for the caller.
#[derive(Debug, Clone)]
pub struct AuthorizedApplication {
    /// The application.
    pub application: Application,
    /// Its scopes, by all grants together.
    pub scopes: Scopes,
    /// When it was last authorized.
    pub authorized_at: Timestamp,
}

/// The applications that may act for the caller now, the one that was authorized last first.
pub fn list_authorized(query: &mut Query<'_>) -> Result<Vec<AuthorizedApplication>, AppError> {
    let (user, now) = (query.user()?.id, query.now);
    let grants = grant::of_user(&mut query.tx, user, MOST, now)?;
    let ids: Vec<ApplicationId> = grants.iter().filter_map(|grant| grant.application).collect();
    let mut found: Vec<AuthorizedApplication> = Vec::new();
    let known = application::by_ids(&mut query.tx, &ids)?;
    for grant in grants {
        let Some(application) = known.iter().find(|known| Some(known.id) == grant.application) else { continue };
        match found.iter_mut().find(|found| found.application.id == application.id) {
            Some(listed) => {
                let both: Vec<Scope> = listed.scopes.iter().chain(grant.scopes.iter()).collect();
                listed.scopes = Scopes::new(both);
            }
            None => found.push(AuthorizedApplication {
                application: application.clone(),
                scopes: grant.scopes,
                authorized_at: grant.created_at,
            }),
        }
    }
    Ok(found)
}

/// Ends everything that an application may do for the caller. 404 if it may do nothing.
pub fn withdraw(command: &mut Command<'_>, application: ApplicationId) -> Result<(), AppError> {
    let user = command.user()?.id;
    if command.caller.token.is_some() {
        return Err(AppError::Forbidden);
    }
    let grants = grant::of_user_to(&mut command.tx, user, application, MOST)?;
    let devices = device::delete_approved(&mut command.tx, user, application)?;
    if grants.is_empty() && devices == 0 {
        return Err(AppError::NotFound(Missing::Plain));
    }
    for grant in &grants {
        end_grant(command, grant)?;
    }
    Ok(())
}
