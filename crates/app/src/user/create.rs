//! Creating accounts.

use tenon_domain::avatar::Avatar;
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::UserId;
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::refusal::UserRefusal;
use tenon_domain::settings::Settings;
use tenon_domain::time::Timestamp;
use tenon_domain::user::{
    Preferences, Profile, User, UserAction, UserDetails, UserState, check_email, check_name, check_username, decide,
    normalise_email,
};
use tenon_domain::visibility::Visibility;
use tenon_storage::namespace::{NewNamespace, PathHolder};
use tenon_storage::user::{Identity, NewUser};
use tenon_storage::{StoreError, UniqueKey, namespace, user};

use super::password::NewPassword;
use super::password_reset::send_first_password;
use super::show::one;
use super::view::UserView;
use crate::core::app::Command;
use crate::core::error::{AppError, Judge, Missing};
use crate::core::pattern::finds;
use crate::shared::access::email_confirmation::send_link;
use crate::shared::access::system_event;

/// Texts of a profile; `None` leaves one as it is.
#[derive(Debug, Clone, Default)]
pub struct ProfileChange {
    /// Free text about the person.
    pub bio: Option<String>,
    /// The place of the person.
    pub location: Option<String>,
    /// Whom the person works for.
    pub organization: Option<String>,
    /// As what the person works.
    pub job_title: Option<String>,
    /// How the person wants to be spoken of.
    pub pronouns: Option<String>,
    /// An address of the user's own that everyone may see.
    pub public_email: Option<String>,
    /// Handle at a messenger.
    pub messenger: Option<String>,
    /// Handle at a professional network.
    pub professional_network: Option<String>,
    /// Handle at a microblog.
    pub microblog: Option<String>,
    /// Home page.
    pub website_url: Option<String>,
}

impl ProfileChange {
    /// Puts what was given about the person at work into `details`; yields whether anything was.
    pub(super) fn apply_details(&self, details: &mut UserDetails) -> bool {
        details.job_title = self.job_title.clone().unwrap_or_else(|| std::mem::take(&mut details.job_title));
        if self.pronouns.is_some() {
            details.pronouns.clone_from(&self.pronouns);
        }
        self.job_title.is_some() || self.pronouns.is_some()
    }

    /// Puts what was given into `profile`. A public address must be one of the user's own; another is dropped.
    pub(super) fn apply(self, profile: &mut Profile, own: &[String]) {
        for (given, field) in [
            (self.bio, &mut profile.bio),
            (self.location, &mut profile.location),
            (self.organization, &mut profile.organization),
        ] {
            if given.is_some() {
                *field = given;
            }
        }
        if let Some(address) = self.public_email {
            let address = normalise_email(&address);
            profile.public_email = if own.contains(&address) { address } else { String::new() };
        }
        for (given, field) in [
            (self.messenger, &mut profile.messenger),
            (self.professional_network, &mut profile.professional_network),
            (self.microblog, &mut profile.microblog),
            (self.website_url, &mut profile.website_url),
        ] {
            if let Some(text) = given {
                *field = text;
            }
        }
    }
}

/// Changes of what few pages show of an account; `None` leaves one as it is.
#[derive(Debug, Clone, Default)]
pub struct DetailChange {
    /// The address in commits that pages and the API make; empty for the primary one.
    pub commit_email: Option<String>,
    /// A remark that administrators read.
    pub note: Option<String>,
    /// The theme that clients name.
    pub theme: Option<i64>,
    /// Diffs show one file at a time.
    pub diffs_file_by_file: Option<bool>,
}

impl DetailChange {
    /// Puts what was given into `details`; yields whether anything was. An address in commits is one of `own`.
    pub(super) fn apply(&self, details: &mut UserDetails, own: &[String], errors: &mut FieldErrors) -> bool {
        if let Some(address) = self.commit_email.as_deref().map(normalise_email) {
            let is_own = address.is_empty() || own.contains(&address);
            errors.require(is_own, "commit_email", "is not an email you own");
            details.commit_email = Some(address).filter(|address| !address.is_empty());
        }
        if let Some(note) = &self.note {
            details.note = Some(note.clone()).filter(|note| !note.is_empty());
        }
        details.theme = self.theme.unwrap_or(details.theme);
        self.commit_email.is_some() || self.note.is_some() || self.theme.is_some()
    }

    /// Stores what is a preference of the user for pages.
    pub(super) fn prefer(&self, command: &mut Command<'_>, user: UserId) -> Result<(), AppError> {
        let Some(view_diffs_file_by_file) = self.diffs_file_by_file else { return Ok(()) };
        let before = user::preferences(&mut command.tx, user)?.unwrap_or_default();
        let after = Preferences { view_diffs_file_by_file, ..before };
        Ok(user::set_preferences(&mut command.tx, user, after)?)
    }
}

/// A request for a new account.
#[derive(Debug, Clone)]
pub struct CreateUser {
    /// Primary address.
    pub email: String,
    /// Sign-in name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// The password.
    pub password: NewPassword,
    /// The texts about the user that others may read.
    pub profile: ProfileChange,
    /// The facts that few pages show.
    pub details: DetailChange,
    /// How many personal projects; the setting's number if absent.
    pub projects_limit: Option<i64>,
    /// An account elsewhere.
    pub identity: Option<Identity>,
    /// Administrator.
    pub admin: bool,
    /// May create top-level groups; the setting's answer if absent.
    pub can_create_group: Option<bool>,
    /// True if the address counts as confirmed at once.
    pub skip_confirmation: bool,
    /// External; the setting's answer if absent.
    pub external: Option<bool>,
    /// Hides activity; the setting's answer if absent.
    pub private_profile: Option<bool>,
    /// A picture that has been stored.
    pub avatar: Option<Avatar>,
    /// True if the user is sent a link to choose a password.
    pub reset_password: bool,
    /// True if the password has to be changed at the first sign-in on a page.
    pub must_change_password: bool,
}

impl CreateUser {
    /// A request for an account with a confirmed address, and with the settings' answers to all else.
    #[must_use]
    pub fn new(username: String, name: String, email: String, password: NewPassword) -> Self {
        Self {
            email,
            username,
            name,
            password,
            profile: ProfileChange::default(),
            details: DetailChange::default(),
            projects_limit: None,
            identity: None,
            admin: false,
            can_create_group: None,
            skip_confirmation: true,
            external: None,
            private_profile: None,
            avatar: None,
            reset_password: false,
            must_change_password: false,
        }
    }
}

/// Creates an account; administrators only.
pub fn create(command: &mut Command<'_>, request: CreateUser) -> Result<UserView, AppError> {
    decide(command.viewer(), false, UserAction::Administer).judge(Missing::User)?;
    let reset_password = request.reset_password;
    let created = insert(command, request, Maker::Administrator)?;
    if reset_password {
        send_first_password(command, created.id)?;
    }
    one(&mut command.query(), created, false)
}

/// Who makes an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker {
    /// An administrator.
    Administrator,
    /// The user.
    User,
}

/// Notes what is wrong with a request, names and addresses of others aside.
pub(super) fn check_request(settings: &Settings, request: &CreateUser, maker: Maker, now: Timestamp) -> FieldErrors {
    let user = account(settings, request, now);
    let mut errors = check(&user);
    let mut details = UserDetails::default();
    request.profile.apply_details(&mut details);
    request.details.apply(&mut details, std::slice::from_ref(&user.email), &mut errors);
    details.check(&mut errors);
    check_identity(&mut errors, request.identity.as_ref());
    request.password.checked(&mut errors);
    if maker == Maker::User
        && let Err(refusal) = settings.email_domains.admit(&user.email)
    {
        errors.add("email", refusal.message());
    }
    if maker == Maker::User && finds(settings.accounts.email_restriction.as_deref(), &user.email) {
        errors.add("email", "is not allowed for sign-up");
    }
    errors
}

/// Checks a request and stores the account.
pub(super) fn insert(command: &mut Command<'_>, request: CreateUser, maker: Maker) -> Result<User, AppError> {
    let settings = command.query().settings()?;
    let mut errors = check_request(&settings, &request, maker, command.now);
    let mut user = account(&settings, &request, command.now);
    if maker == Maker::User && settings.approves_sign_ups {
        user.state = UserState::Pending;
    }
    if matches!(namespace::holder(&mut command.tx, &user.username)?, Some(PathHolder::Namespace(id)) if is_group(command, id)?)
    {
        errors.add("username", TAKEN);
    }
    errors.into_result()?;
    let mut details = UserDetails::default();
    let mut is_detailed = request.profile.apply_details(&mut details);
    is_detailed |= request.details.apply(&mut details, std::slice::from_ref(&user.email), &mut FieldErrors::default());
    if maker == Maker::Administrator {
        details.created_by = command.actor().filter(|_| !command.caller.stands_in);
        is_detailed |= details.created_by.is_some();
    }
    let preferences = request.details.clone();
    let new = NewAccount {
        user,
        password_digest: Some(request.password.into_digest()),
        password_expired: request.must_change_password,
        identity: request.identity,
    };
    let created = open_account(command, new)?;
    if is_detailed {
        user::set_details(&mut command.tx, created.id, &details)?;
    }
    preferences.prefer(command, created.id)?;
    if created.confirmed_at.is_none() {
        send_link(command, created.id, &created.email)?;
    }
    Ok(created)
}

fn is_group(command: &mut Command<'_>, id: tenon_domain::id::NamespaceId) -> Result<bool, AppError> {
    let found = namespace::by_ids(&mut command.tx, &[id])?;
    Ok(found.get(&id).is_some_and(|namespace| namespace.kind == NamespaceKind::Group))
}

pub(super) fn account(settings: &Settings, request: &CreateUser, now: Timestamp) -> User {
    let email = normalise_email(&request.email);
    let is_internal = || finds(settings.accounts.internal_pattern.as_deref(), &email);
    let external = request.external.unwrap_or_else(|| settings.user_default_external && !is_internal());
    let mut profile = Profile::default();
    request.profile.clone().apply(&mut profile, std::slice::from_ref(&email));
    User {
        id: UserId::new(0),
        username: request.username.clone(),
        name: request.name.clone(),
        state: UserState::Active,
        ghost: false,
        bot: false,
        admin: request.admin,
        external,
        private_profile: request.private_profile.unwrap_or(settings.accounts.private_profile),
        // An external user owns nothing, whatever was sent.
        can_create_group: !external && request.can_create_group.unwrap_or(settings.accounts.can_create_group),
        projects_limit: if external { 0 } else { request.projects_limit.unwrap_or(settings.default_projects_limit) },
        profile,
        avatar: request.avatar.clone(),
        confirmed_at: request.skip_confirmation.then_some(now),
        last_sign_in_at: None,
        current_sign_in_at: None,
        last_activity_on: None,
        created_at: now,
        updated_at: now,
        email,
    }
}

/// The problems of an account, taken names aside.
pub(super) fn check(user: &User) -> FieldErrors {
    let mut errors = FieldErrors::default();
    check_email(&mut errors, "email", &user.email);
    check_username(&mut errors, &user.username);
    check_name(&mut errors, &user.name);
    user.profile.check(&mut errors);
    errors.require(user.projects_limit >= 0, "projects_limit", "must be greater than or equal to 0");
    errors.require(
        user.projects_limit <= i64::from(i32::MAX),
        "projects_limit",
        "must be less than or equal to 2147483647",
    );
    errors
}

/// Notes what is wrong with an account elsewhere.
pub(super) fn check_identity(errors: &mut FieldErrors, identity: Option<&Identity>) {
    if let Some(identity) = identity {
        errors.at_most(255, "provider", &identity.provider);
        errors.at_most(255, "extern_uid", &identity.extern_uid);
    }
}

/// An account that is about to exist.
pub(crate) struct NewAccount {
    pub(crate) user: User,
    pub(crate) password_digest: Option<String>,
    /// True if the password is to be changed at the first sign-in.
    pub(crate) password_expired: bool,
    pub(crate) identity: Option<Identity>,
}

/// Stores an account together with its personal namespace.
pub(crate) fn open_account(command: &mut Command<'_>, new: NewAccount) -> Result<User, AppError> {
    if user::email_is_taken(&mut command.tx, &new.user.email, None)? {
        return Err(UserRefusal::EmailTaken.into());
    }
    let row = NewUser {
        user: &new.user,
        unconfirmed_email: None,
        password_digest: new.password_digest.as_deref(),
        password_expired: new.password_expired,
    };
    let id = user::insert(&mut command.tx, &row).map_err(taken)?;
    let home = NewNamespace {
        kind: NamespaceKind::User,
        owner: Some(id),
        parent: None,
        name: &new.user.name,
        path: &new.user.username,
        visibility: Visibility::Public,
        at: command.now,
    };
    namespace::insert(&mut command.tx, &home).map_err(taken)?;
    if let Some(identity) = &new.identity {
        user::add_identity(&mut command.tx, id, identity).map_err(taken)?;
    }
    let event = command.event(EventKind::UserCreated).user(id);
    command.append(&event)?;
    let created = User { id, ..new.user };
    if created.is_person() {
        system_event::of_user(command, SystemEvent::UserCreate, &created, None)?;
    }
    Ok(created)
}

/// A name or address of another account.
pub(super) fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::Email) => AppError::from(UserRefusal::EmailTaken),
        StoreError::Unique(UniqueKey::Username | UniqueKey::FullPath) => AppError::from(UserRefusal::UsernameTaken),
        StoreError::Unique(UniqueKey::Identity) => AppError::invalid("identities.extern_uid", TAKEN),
        other => other.into(),
    }
}
