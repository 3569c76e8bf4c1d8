//! Reading OpenPGP keys.

use tenon_domain::gpg_key::GpgKey;
use tenon_domain::id::GpgKeyId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::user::UserAction;
use tenon_storage::gpg_key;

use super::key_of;
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::account::AccountReference;
use crate::policy::reference::Reference;

/// The keys of an account, by id: the caller's own or, for administrators, any.
pub fn list(query: &mut Query<'_>, account: AccountReference, page: PageRequest) -> Result<Page<GpgKey>, AppError> {
    let user = query.managed_account(account)?;
    Ok(gpg_key::list(&mut query.tx, user.id, page)?)
}

/// One key of an account: the caller's own or, for administrators, any.
pub fn show(query: &mut Query<'_>, account: AccountReference, id: GpgKeyId) -> Result<GpgKey, AppError> {
    let user = query.managed_account(account)?;
    key_of(query, user.id, id)
}

/// The keys of a user, by id. Public keys are public: who may see the user may see them.
pub fn list_of(query: &mut Query<'_>, user: &Reference, page: PageRequest) -> Result<Page<GpgKey>, AppError> {
    let user = query.account_named(user, UserAction::Read)?;
    Ok(gpg_key::list(&mut query.tx, user.id, page)?)
}
