//! Users follow each other.

use tenon_domain::id::UserId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::UserRefusal;
use tenon_domain::transition::Transition;
use tenon_domain::user::{User, UserAction, sees_activity};
use tenon_storage::user;

use super::view::{UserView, views};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::shared::views::user_ref::UserRef;

/// The caller follows a user from now on; nothing changes if they do already, and for themselves.
pub fn follow(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserRef>, AppError> {
    let (caller, now) = (command.user()?.id, command.now);
    let found = command.query().account(id, UserAction::Read)?;
    let most = command.app.limits().people.followed;
    let followed = user::count_followed(&mut command.tx, caller)?;
    let is_new = caller != id && user::follow(&mut command.tx, caller, id, now)?;
    if is_new && usize::try_from(followed).is_ok_and(|followed| followed >= most) {
        return Err(UserRefusal::FollowsTooMany(most).into());
    }
    outcome(command, &found, is_new)
}

/// The caller follows a user no more; nothing changes if they do not.
pub fn unfollow(command: &mut Command<'_>, id: UserId) -> Result<Transition<UserRef>, AppError> {
    let caller = command.user()?.id;
    let found = command.query().account(id, UserAction::Read)?;
    let was_there = user::unfollow(&mut command.tx, caller, id)?;
    outcome(command, &found, was_there)
}

fn outcome(command: &mut Command<'_>, user: &User, changed: bool) -> Result<Transition<UserRef>, AppError> {
    let settings = command.query().settings()?;
    let view = UserRef::new(command.app.links(), &settings, user.basic());
    Ok(if changed { Transition::Moved(view) } else { Transition::Stayed(view) })
}

/// Who follows a user.
pub fn followers(query: &mut Query<'_>, id: UserId, page: PageRequest) -> Result<Page<UserView>, AppError> {
    let user = open_profile(query, id)?;
    let found = user::followers(&mut query.tx, user, page)?;
    let items = views(query, found.items, false)?;
    Ok(Page { items, total: found.total, request: found.request })
}

/// Whom a user follows.
pub fn followed(query: &mut Query<'_>, id: UserId, page: PageRequest) -> Result<Page<UserView>, AppError> {
    let user = open_profile(query, id)?;
    let found = user::followed(&mut query.tx, user, page)?;
    let items = views(query, found.items, false)?;
    Ok(Page { items, total: found.total, request: found.request })
}

/// The user of that id, whose profile the caller may see: a private one is missing.
fn open_profile(query: &mut Query<'_>, id: UserId) -> Result<UserId, AppError> {
    query.user()?;
    let found = query.account(id, UserAction::Read)?;
    if sees_activity(query.viewer(), id, found.private_profile) {
        Ok(id)
    } else {
        Err(AppError::NotFound(Missing::User))
    }
}
