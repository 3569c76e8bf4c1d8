//! The account that owns what deleted users leave behind.

use tenon_domain::id::UserId;
use tenon_domain::user::{Profile, User, UserState};
use tenon_storage::namespace;
use tenon_storage::user;

use super::create::{NewAccount, open_account};
use crate::core::app::Command;
use crate::core::error::AppError;

/// The ghost, made on first need. It is called `ghost`, or `ghost-` and `spare` if that name is taken.
pub(crate) fn find_or_create(command: &mut Command<'_>, spare: &str) -> Result<UserId, AppError> {
    if let Some(id) = user::ghost(&mut command.tx)? {
        return Ok(id);
    }
    let free = namespace::holder(&mut command.tx, "ghost")?.is_none();
    let username = if free { "ghost".to_owned() } else { format!("ghost-{spare}") };
    let ghost = User {
        id: UserId::new(0),
        email: format!("{username}@localhost.invalid"),
        username,
        name: "Ghost User".to_owned(),
        state: UserState::Active,
        ghost: true,
        bot: false,
        admin: false,
        external: false,
        private_profile: false,
        can_create_group: false,
        projects_limit: 0,
        profile: Profile { bio: Some("Owns what deleted users left behind.".to_owned()), ..Profile::default() },
        avatar: None,
        confirmed_at: Some(command.now),
        last_sign_in_at: None,
        current_sign_in_at: None,
        last_activity_on: None,
        created_at: command.now,
        updated_at: command.now,
    };
    Ok(open_account(
        command,
        NewAccount { user: ghost, password_digest: None, password_expired: false, identity: None },
    )?
    .id)
}
