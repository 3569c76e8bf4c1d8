//! One account.

use tenon_domain::id::UserId;
use tenon_domain::user::{User, UserAction};

use super::view::{UserView, views};
use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;

/// The caller's own account.
pub fn current(query: &mut Query<'_>) -> Result<UserView, AppError> {
    let user = query.user()?.clone();
    one(query, user, false)
}

/// The account of that id.
pub fn show(query: &mut Query<'_>, id: UserId, with_custom_attributes: bool) -> Result<UserView, AppError> {
    let user = query.account(id, UserAction::Read)?;
    one(query, user, with_custom_attributes)
}

/// True if there is an account with this user name that the caller may see.
pub fn exists(query: &mut Query<'_>, name: &Reference) -> Result<bool, AppError> {
    match query.account_named(name, UserAction::Read) {
        Ok(_) => Ok(true),
        Err(AppError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The view of one account.
pub(super) fn one(query: &mut Query<'_>, user: User, with_custom_attributes: bool) -> Result<UserView, AppError> {
    views(query, vec![user], with_custom_attributes)?.pop().ok_or(AppError::NotFound(Missing::User))
}

/// The id of the account with this user name.
pub fn account_id(query: &mut Query<'_>, username: &str) -> Result<UserId, AppError> {
    let found = tenon_storage::user::find_by_username(&mut query.tx, username)?;
    Ok(found.ok_or(AppError::NotFound(Missing::User))?.id)
}
