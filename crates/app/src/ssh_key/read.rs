//! Reading SSH keys.

use tenon_domain::id::{SshKeyId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::SshKeyRefusal;
use tenon_domain::ssh_key::{Fingerprint, SshKey};
use tenon_domain::user::{User, UserAction, sees_activity};
use tenon_storage::ssh_key;

use super::{MISSING, key_of};
use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;

/// The caller's keys, by id.
pub fn list(query: &mut Query<'_>, page: PageRequest) -> Result<Page<SshKey>, AppError> {
    let user = query.user()?.id;
    Ok(ssh_key::list(&mut query.tx, user, page)?)
}

/// True if the caller has no key, and the settings say to ask for one.
pub fn is_asked_for(query: &mut Query<'_>) -> Result<bool, AppError> {
    if !query.settings()?.user_show_add_ssh_key_message {
        return Ok(false);
    }
    let user = query.user()?.id;
    Ok(ssh_key::count(&mut query.tx, user)? == 0)
}

/// The keys of a user, by id. Public keys are public: who may see the user may see them.
pub fn list_of(query: &mut Query<'_>, user: &Reference, page: PageRequest) -> Result<Page<SshKey>, AppError> {
    let user = query.account_named(user, UserAction::Read)?;
    let keys = ssh_key::list(&mut query.tx, user.id, page)?;
    Ok(keys.map(|key| shown(query, &user, key)))
}

/// One of the caller's keys; those of others are missing.
pub fn show(query: &mut Query<'_>, id: SshKeyId) -> Result<SshKey, AppError> {
    let user = query.user()?.id;
    key_of(query, user, id)
}

/// One key of a user, for all who may see the user.
pub fn show_of(query: &mut Query<'_>, user: UserId, id: SshKeyId) -> Result<SshKey, AppError> {
    let user = query.account(user, UserAction::Read)?;
    let key = key_of(query, user.id, id)?;
    Ok(shown(query, &user, key))
}

/// A key as the caller sees it: to others than its user and administrators, only the day of its last use is shown, as that of other
/// activity is; a private profile does not say that either.
fn shown(query: &Query<'_>, user: &User, key: SshKey) -> SshKey {
    let viewer = query.viewer();
    if sees_activity(viewer, user.id, true) {
        key
    } else if sees_activity(viewer, user.id, user.private_profile) {
        key.with_day_of_use()
    } else {
        key.without_use()
    }
}

/// The key of that id, whosever it is. Administrators only, which is the route's guard.
pub fn find(query: &mut Query<'_>, id: SshKeyId) -> Result<SshKey, AppError> {
    let key = ssh_key::find(&mut query.tx, id)?.ok_or(AppError::NotFound(Missing::Record))?;
    query.account(key.user, UserAction::Administer)?;
    Ok(key)
}

/// The key with that fingerprint, whosever it is. Administrators only, which is the route's guard.
pub fn find_by_fingerprint(query: &mut Query<'_>, fingerprint: &str) -> Result<SshKey, AppError> {
    let fingerprint = Fingerprint::parse(fingerprint).ok_or(SshKeyRefusal::NotAFingerprint)?;
    let key = ssh_key::find_by_fingerprint(&mut query.tx, &fingerprint)?.ok_or(MISSING)?;
    query.account(key.user, UserAction::Administer)?;
    Ok(key)
}
