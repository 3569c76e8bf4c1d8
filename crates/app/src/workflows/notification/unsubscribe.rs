//! Links in mail that end it: the mail about one issue or merge request, or the mail of a service to one address. They work
//! without a sign-in, and do nothing else. An administrator can see and take back what an address has ended of services.

use tenon_auth::digest;
use tenon_domain::id::{IssuableId, ServiceId, UserId};
use tenon_storage::service::Suppression;
use tenon_storage::{issuable, service, user};

use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};

/// The purpose with which keys are sealed, so that no other sealed text is taken for one.
const PURPOSE: &str = "unsubscribe";
const OF_SERVICE: &str = "unsubscribe-service";

/// The things that a key ends.
enum Ended {
    /// The mail about an issue or merge request to a user.
    About(UserId, IssuableId),
    /// The mail of a service to the address of this digest.
    OfService(ServiceId, String),
}

/// The key by which this user hears no more of an issue or merge request. It is sealed with the server's own key, and stored
/// nowhere.
pub(super) fn key(app: &App, user: UserId, of: IssuableId) -> Result<String, AppError> {
    seal(app, &format!("{PURPOSE} {user} {of}"))
}

/// The digest of an address for places in which it must not be stored: addresses that differ only in upper and lower
/// case are one.
pub(in crate::workflows) fn address_digest(address: &str) -> String {
    digest(&address.to_lowercase())
}

/// The key by which an address gets no more mail of a service. It holds no address.
pub(in crate::workflows) fn key_of_service(app: &App, service: ServiceId, digest: &str) -> Result<String, AppError> {
    seal(app, &format!("{OF_SERVICE} {service} {digest}"))
}

fn seal(app: &App, text: &str) -> Result<String, AppError> {
    let sealed = app.vault().seal(app.entropy(), text).map_err(AppError::internal)?;
    // As in addresses.
    Ok(sealed.replace('+', "-").replace('/', "_"))
}

fn open(app: &App, key: &str) -> Option<Ended> {
    let text = app.vault().open(&key.replace('-', "+").replace('_', "/")).ok()?;
    let mut parts = text.split(' ');
    let (purpose, first, second) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
    match purpose {
        PURPOSE => Some(Ended::About(UserId::new(first), IssuableId::new(second.parse().ok()?))),
        OF_SERVICE => Some(Ended::OfService(ServiceId::new(first), second.to_owned())),
        _ => None,
    }
}

/// True if this is a key of ours; nothing is said about what it is for.
pub fn is_key(query: &Query<'_>, key: &str) -> bool {
    open(query.app, key).is_some()
}

/// True if the key ends the mail of a service, and not that about an issue or merge request.
pub fn is_key_of_service(query: &Query<'_>, key: &str) -> bool {
    matches!(open(query.app, key), Some(Ended::OfService(..)))
}

/// Ends the mail to a user about an issue or merge request, but if they are mentioned; or the mail of a service to an
/// address, also if it is named again later. Fails with 404 if the key is none of ours.
pub fn unsubscribe(command: &mut Command<'_>, key: &str) -> Result<(), AppError> {
    let (user, of) = match open(command.app, key).ok_or(AppError::NotFound(Missing::Plain))? {
        Ended::About(user, of) => (user, of),
        Ended::OfService(service, digest) => {
            let now = command.now;
            return Ok(service::suppress(&mut command.tx, service, &digest, now)?);
        }
    };
    let is_there = issuable::find_by_id(&mut command.tx, of)?.is_some() && user::find(&mut command.tx, user)?.is_some();
    if is_there {
        issuable::set_subscription(&mut command.tx, of, user, false)?;
    }
    Ok(())
}

/// The services of which an address gets no more mail, because a link in a mail was opened: `limit` at most.
pub fn suppressions(app: &App, address: &str, limit: i64) -> Result<Vec<Suppression>, AppError> {
    let digest = address_digest(address.trim());
    Ok(app.database().read(|tx| service::suppressions(tx, &digest, limit))?)
}

/// Has an address get the mail of all services again. Returns of how many it got none.
pub fn remove_suppressions(app: &App, address: &str) -> Result<usize, AppError> {
    let digest = address_digest(address.trim());
    app.command(|command| Ok(service::remove_suppressions(&mut command.tx, &digest)?))
}
