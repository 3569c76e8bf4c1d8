//! Editing accounts.

use tenon_domain::avatar::Avatar;
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;
use tenon_domain::refusal::UserRefusal;
use tenon_domain::user::{User, UserAction, normalise_email};
use tenon_storage::user::Identity;
use tenon_storage::{email, namespace, session, user};

use super::create::{DetailChange, ProfileChange, check, check_identity, taken};
use super::password::NewPassword;
use super::show::one;
use super::view::UserView;
use crate::core::app::Command;
use crate::core::error::{AppError, Missing};
use crate::shared::access::email_confirmation::{keep_as_secondary, send_link};
use crate::shared::access::revocation::purge_inaccessible;
use crate::shared::access::system_event;

/// A request to change an account; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct EditUser {
    /// Primary address.
    pub email: Option<String>,
    /// Sign-in name.
    pub username: Option<String>,
    /// Display name.
    pub name: Option<String>,
    /// A new password, to be changed at the next sign-in if it is another user's.
    pub password: Option<NewPassword>,
    /// The texts about the user that others may read.
    pub profile: ProfileChange,
    /// The facts that few pages show.
    pub details: DetailChange,
    /// How many personal projects.
    pub projects_limit: Option<i64>,
    /// An account elsewhere.
    pub identity: Option<Identity>,
    /// Administrator.
    pub admin: Option<bool>,
    /// May create top-level groups.
    pub can_create_group: Option<bool>,
    /// True if a new address counts at once.
    pub skip_reconfirmation: bool,
    /// External.
    pub external: Option<bool>,
    /// Hides activity.
    pub private_profile: Option<bool>,
    /// A picture that has been stored, or none.
    pub avatar: Patch<Avatar>,
}

/// The changes of users to their own accounts; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct EditOwnAccount {
    /// Display name.
    pub name: Option<String>,
    /// The texts about the user that others may read.
    pub profile: ProfileChange,
    /// The address in commits that pages and the API make; empty for the primary one.
    pub commit_email: Option<String>,
    /// Hides activity.
    pub private_profile: Option<bool>,
    /// A picture that has been stored, or none.
    pub avatar: Patch<Avatar>,
}

/// Changes an account; administrators only.
pub fn edit(command: &mut Command<'_>, id: UserId, request: EditUser) -> Result<UserView, AppError> {
    let before = command.query().account(id, UserAction::Administer)?;
    if !before.is_person() {
        return Err(AppError::Forbidden);
    }
    change(command, before, request)
}

/// Changes the account of the caller.
pub fn edit_own(command: &mut Command<'_>, request: EditOwnAccount) -> Result<UserView, AppError> {
    let before = command.user()?.clone();
    let EditOwnAccount { name, profile, commit_email, private_profile, avatar } = request;
    let renames = name.as_ref().is_some_and(|name| *name != before.name);
    if renames && !before.admin && command.query().settings()?.accounts.keep_their_names {
        return Err(AppError::invalid("name", "can be changed by administrators only"));
    }
    let details = DetailChange { commit_email, ..DetailChange::default() };
    change(command, before, EditUser { name, profile, details, private_profile, avatar, ..EditUser::default() })
}

fn change(command: &mut Command<'_>, before: User, request: EditUser) -> Result<UserView, AppError> {
    let id = before.id;
    let mut after = before.clone();
    let waiting = apply(command, &mut after, &request)?;
    let mut errors = check(&after);
    let mut details = user::details(&mut command.tx, &[id])?.remove(&id).unwrap_or_default();
    let mut is_detailed = request.profile.apply_details(&mut details);
    let mut own = vec![after.email.clone()];
    if request.details.commit_email.is_some() {
        own.extend(user::confirmed_emails(&mut command.tx, id)?);
    }
    is_detailed |= request.details.apply(&mut details, &own, &mut errors);
    details.check(&mut errors);
    check_identity(&mut errors, request.identity.as_ref());
    let digest = request.password.as_ref().map(|password| password.checked(&mut errors).to_owned());
    if let Some(address) = &waiting {
        tenon_domain::user::check_email(&mut errors, "email", address);
    }
    errors.into_result()?;
    keep_an_administrator(command, &before, after.admin)?;
    keep_own_rights(command, &before, after.admin)?;
    let address = waiting.as_deref().unwrap_or(&after.email);
    if *address != before.email && user::email_is_taken(&mut command.tx, address, Some(id))? {
        return Err(UserRefusal::EmailTaken.into());
    }
    if after.email != before.email {
        keep_as_secondary(command, &before, &after.email)?;
    }
    user::update(&mut command.tx, &after, waiting.as_deref()).map_err(taken)?;
    if let Some(address) = &waiting {
        send_link(command, id, address)?;
    }
    if is_detailed {
        user::set_details(&mut command.tx, id, &details)?;
    }
    request.details.prefer(command, id)?;
    if after.username != before.username || after.name != before.name {
        let home = namespace::of_user(&mut command.tx, id)?.ok_or(AppError::NotFound(Missing::User))?;
        let mut errors = FieldErrors::default();
        crate::shared::access::namespace_paths::check_length(command, &mut errors, &home, None, &after.username)?;
        errors.into_result()?;
        let now = command.now;
        namespace::relocate(&mut command.tx, &home, None, &after.name, &after.username, now).map_err(taken)?;
    }
    if after.username != before.username {
        system_event::of_user(command, SystemEvent::UserRename, &after, Some(&before.username))?;
    }
    if let Some(identity) = &request.identity {
        user::add_identity(&mut command.tx, id, identity).map_err(taken)?;
    }
    if let Some(digest) = digest {
        // A password that another one has set is known to them.
        let is_own = command.viewer().user() == Some(id);
        user::set_password(&mut command.tx, id, &digest, !is_own)?;
        session::delete_of_user(&mut command.tx, id)?;
        let event = command.event(EventKind::PasswordChanged).user(id);
        command.append(&event)?;
    }
    crate::shared::files::avatar::discard_replaced(command, before.avatar.as_ref(), after.avatar.as_ref())?;
    if before.admin && !after.admin {
        session::delete_impersonations_by(&mut command.tx, id)?;
    }
    if (before.admin && !after.admin) || (after.external && !before.external) {
        purge_inaccessible(command, id)?;
    }
    one(&mut command.query(), after, false)
}

/// Gives the caller another picture, which has been stored, or none. Yields its address.
pub fn set_avatar(command: &mut Command<'_>, avatar: Patch<Avatar>) -> Result<Option<String>, AppError> {
    let before = command.user()?.clone();
    let mut after = before.clone();
    after.avatar = avatar.apply(after.avatar.take());
    after.updated_at = command.now;
    user::update(&mut command.tx, &after, None)?;
    crate::shared::files::avatar::discard_replaced(command, before.avatar.as_ref(), after.avatar.as_ref())?;
    Ok(one(&mut command.query(), after, false)?.basic.avatar_url)
}

/// Forgets a user's account at a provider; administrators only. Fails with 404 if there is none.
pub fn remove_identity(command: &mut Command<'_>, id: UserId, provider: &str) -> Result<(), AppError> {
    command.query().account(id, UserAction::Administer)?;
    if user::remove_identity(&mut command.tx, id, provider)? {
        return Ok(());
    }
    Err(AppError::NotFound(Missing::Identity))
}

/// Puts the request into `user`; yields an address that has to wait for its confirmation.
fn apply(command: &mut Command<'_>, user: &mut User, request: &EditUser) -> Result<Option<String>, AppError> {
    let mut waiting = None;
    if let Some(email) = request.email.as_deref().map(normalise_email).filter(|email| *email != user.email) {
        let secondary = email::find_of(&mut command.tx, user.id, &email)?;
        let confirmed_at = secondary.and_then(|known| known.confirmed_at);
        if request.skip_reconfirmation || confirmed_at.is_some() {
            user.email = email;
            user.profile.public_email.clear();
            user.confirmed_at = confirmed_at.or(Some(command.now));
        } else {
            waiting = Some(email);
        }
    }
    if let Some(external) = request.external.filter(|external| *external != user.external) {
        let settings = command.query().settings()?;
        user.external = external;
        user.can_create_group = !external;
        user.projects_limit = if external { 0 } else { settings.default_projects_limit };
    }
    if !user.external {
        user.can_create_group = request.can_create_group.unwrap_or(user.can_create_group);
        user.projects_limit = request.projects_limit.unwrap_or(user.projects_limit);
    }
    user.username = request.username.clone().unwrap_or_else(|| user.username.clone());
    user.name = request.name.clone().unwrap_or_else(|| user.name.clone());
    user.admin = request.admin.unwrap_or(user.admin);
    user.private_profile = request.private_profile.unwrap_or(user.private_profile);
    let mut own = vec![user.email.clone()];
    if request.profile.public_email.is_some() {
        own.extend(user::confirmed_emails(&mut command.tx, user.id)?);
    }
    request.profile.clone().apply(&mut user.profile, &own);
    let avatar = request.avatar.clone().apply(user.avatar.take());
    user.avatar = avatar;
    user.updated_at = command.now;
    Ok(waiting)
}

/// A server without an administrator could never be administered again.
pub(super) fn keep_an_administrator(command: &mut Command<'_>, user: &User, stays: bool) -> Result<(), AppError> {
    if user.admin && user.may_act() && !stays && user::count_admins(&mut command.tx)? <= 1 {
        return Err(UserRefusal::LastAdministrator.into());
    }
    Ok(())
}

/// Administrators who gave up their own rights by mistake could not take them back.
fn keep_own_rights(command: &Command<'_>, user: &User, stays: bool) -> Result<(), AppError> {
    if user.admin && !stays && command.actor() == Some(user.id) {
        return Err(UserRefusal::OwnRights.into());
    }
    Ok(())
}

/// Sets the password of an account that the server knows by name: the command line's way out of a lock-out.
pub fn reset_password(command: &mut Command<'_>, username: &str, password: &NewPassword) -> Result<(), AppError> {
    let found = user::find_by_username(&mut command.tx, username)?.ok_or(AppError::NotFound(Missing::User))?;
    let mut errors = FieldErrors::default();
    let digest = password.checked(&mut errors);
    errors.into_result()?;
    session::delete_of_user(&mut command.tx, found.id)?;
    Ok(user::set_password(&mut command.tx, found.id, digest, true)?)
}
