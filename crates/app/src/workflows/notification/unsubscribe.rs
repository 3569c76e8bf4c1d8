//! Links in mail that end the mail about one issue or merge request. They work without a sign-in, and do nothing else.

use tenon_domain::id::{IssuableId, UserId};
use tenon_storage::{issuable, user};

use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};

/// What a key is sealed with, so that no other sealed text is taken for one.
const PURPOSE: &str = "unsubscribe";

/// The key by which this user hears no more of an issue or merge request. It is sealed with the server's own key, and stored
/// nowhere.
pub(super) fn key(app: &App, user: UserId, of: IssuableId) -> Result<String, AppError> {
    let sealed = app.vault().seal(app.entropy(), &format!("{PURPOSE} {user} {of}")).map_err(AppError::internal)?;
    // As in addresses.
    Ok(sealed.replace('+', "-").replace('/', "_"))
}

fn open(app: &App, key: &str) -> Option<(UserId, IssuableId)> {
    let text = app.vault().open(&key.replace('-', "+").replace('_', "/")).ok()?;
    let mut parts = text.split(' ');
    let (purpose, user, of) = (parts.next()?, parts.next()?, parts.next()?);
    let (user, of) = (user.parse().ok()?, of.parse().ok()?);
    (purpose == PURPOSE).then_some((UserId::new(user), IssuableId::new(of)))
}

/// Whether this is a key of ours; nothing is said about what it is for.
pub fn is_key(query: &Query<'_>, key: &str) -> bool {
    open(query.app, key).is_some()
}

/// Ends the mail to a user about an issue or merge request, but where they are mentioned. Fails with 404 where the key is none
/// of ours.
pub fn unsubscribe(command: &mut Command<'_>, key: &str) -> Result<(), AppError> {
    let (user, of) = open(command.app, key).ok_or(AppError::NotFound(Missing::Plain))?;
    let is_there = issuable::find_by_id(&mut command.tx, of)?.is_some() && user::find(&mut command.tx, user)?.is_some();
    if is_there {
        issuable::set_subscription(&mut command.tx, of, user, false)?;
    }
    Ok(())
}
