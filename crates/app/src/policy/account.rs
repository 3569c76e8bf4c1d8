//! The account that a request is about: users have an endpoint for their own, administrators one for each.

use tenon_domain::id::UserId;
use tenon_domain::user::{User, UserAction};

use crate::core::app::Query;
use crate::core::error::AppError;

/// Whose account a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountReference {
    /// The caller's own.
    Own,
    /// The account of that id; administrators only.
    Of(UserId),
}

/// Refuses one more thing of an account that has `count` of them and may have `most`; `what` names them.
pub(crate) fn check_room(count: i64, most: usize, what: &str) -> Result<(), AppError> {
    if usize::try_from(count).is_ok_and(|count| count >= most) {
        return Err(AppError::invalid("base", format!("An account has at most {most} {what}")));
    }
    Ok(())
}

impl Query<'_> {
    /// The account that the caller may manage under this reference. Fails with 401 or 403 if there is none, and with
    /// 404 if an administrator names one that does not exist.
    pub(crate) fn managed_account(&mut self, account: AccountReference) -> Result<User, AppError> {
        match account {
            AccountReference::Own => Ok(self.user()?.clone()),
            AccountReference::Of(id) => self.account(id, UserAction::Administer),
        }
    }

    /// As [`Query::managed_account`], to add something to it: only accounts of people get anything.
    pub(crate) fn extended_account(&mut self, account: AccountReference) -> Result<User, AppError> {
        let user = self.managed_account(account)?;
        if user.is_person() { Ok(user) } else { Err(AppError::Forbidden) }
    }
}
