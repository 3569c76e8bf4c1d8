//! Accounts of users who sign in with an account elsewhere.

use tenon_domain::user::{User, UserState};
use tenon_storage::user::Identity;

use super::create::{CreateUser, Maker, NewAccount, account, check_request, open_account};
use super::password::NewPassword;
use crate::core::app::Command;
use crate::core::error::AppError;

/// A user whom a provider has identified.
pub(crate) struct NewOutsideUser {
    pub(crate) username: String,
    pub(crate) name: String,
    /// An address that the provider has verified.
    pub(crate) email: String,
    /// The account there.
    pub(crate) identity: Identity,
}

/// Makes an account without a password. The rules for those who sign up hold: domains of addresses, approval. Fails with the
/// problems of the fields, and with 409 if another account has the name or the address.
pub(crate) fn open_outside(command: &mut Command<'_>, new: NewOutsideUser) -> Result<User, AppError> {
    let settings = command.query().settings()?;
    let request = CreateUser {
        identity: Some(new.identity),
        ..CreateUser::new(new.username, new.name, new.email, NewPassword::absent())
    };
    check_request(&settings, &request, Maker::User, command.now).into_result()?;
    let mut user = account(&settings, &request, command.now);
    if settings.approves_sign_ups {
        user.state = UserState::Pending;
    }
    let account = NewAccount { user, password_digest: None, password_expired: false, identity: request.identity };
    open_account(command, account)
}
