//! Users.

mod ability;
mod admission;
mod demand;
mod detail;
mod preferences;
mod rules;
mod state;

pub use ability::{UserAction, decide, sees, sees_activity, sees_address};
pub use admission::{AccountUse, Exclusion};
pub use demand::AccountDemand;
pub use detail::UserDetails;
pub use preferences::Preferences;
pub(crate) use rules::path_message;
pub use rules::{Profile, check_email, check_name, check_password, check_username, normalise_email};
pub use state::{INACTIVE_DAYS, StateRefusal, UserEvent, UserState};

use crate::access::Viewer;
use crate::avatar::Avatar;
use crate::id::UserId;
use crate::time::{Date, Timestamp};

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The account's id.
    pub id: UserId,
    /// Sign-in name and path of the personal namespace; unique whatever the case.
    pub username: String,
    /// Display name.
    pub name: String,
    /// Confirmed primary address, lower-cased.
    pub email: String,
    /// The state decides if it may be used.
    pub state: UserState,
    /// The account that owns what deleted users leave behind; it can never act.
    pub ghost: bool,
    /// The account of a program, which acts with the access token of a project or group, and never signs in.
    pub bot: bool,
    /// Administrator.
    pub admin: bool,
    /// Sees nothing that is merely internal.
    pub external: bool,
    /// Hides activity and the date of creation from others.
    pub private_profile: bool,
    /// May create top-level groups.
    pub can_create_group: bool,
    /// How many personal projects it may have.
    pub projects_limit: i64,
    /// The part that others may read.
    pub profile: Profile,
    /// The picture, if one was uploaded.
    pub avatar: Option<Avatar>,
    /// When the primary address was confirmed.
    pub confirmed_at: Option<Timestamp>,
    /// The sign-in before the current one.
    pub last_sign_in_at: Option<Timestamp>,
    /// The latest sign-in.
    pub current_sign_in_at: Option<Timestamp>,
    /// The last day with Git or sign-in activity.
    pub last_activity_on: Option<Date>,
    /// When the account was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The part of an account that is needed to name it: of the many people around a list, nothing else is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicUser {
    /// The account's id.
    pub id: UserId,
    /// Sign-in name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// Confirmed primary address; it leads to a picture, and is not shown.
    pub email: String,
    /// The state decides if it may be used.
    pub state: UserState,
    /// The account that owns what deleted users leave behind.
    pub ghost: bool,
    /// The picture, if one was uploaded.
    pub avatar: Option<Avatar>,
    /// When the account was made.
    pub created_at: Timestamp,
}

impl User {
    /// The user as abilities see them, with the rights of the account.
    #[must_use]
    pub const fn viewer(&self) -> Viewer {
        Viewer::User { id: self.id, admin: self.admin, external: self.external }
    }

    /// True for the account of a person.
    #[must_use]
    pub const fn is_person(&self) -> bool {
        !self.ghost && !self.bot
    }

    /// The part that names it.
    #[must_use]
    pub fn basic(&self) -> BasicUser {
        BasicUser {
            id: self.id,
            username: self.username.clone(),
            name: self.name.clone(),
            email: self.email.clone(),
            state: self.state,
            ghost: self.ghost,
            avatar: self.avatar.clone(),
            created_at: self.created_at,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An account in this state that was never used.
    pub(crate) fn user(state: UserState) -> User {
        let made = "2026-01-01T00:00:00Z".parse().unwrap();
        User {
            id: UserId::new(1),
            username: "ada".to_owned(),
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
            state,
            ghost: false,
            bot: false,
            admin: false,
            external: false,
            private_profile: false,
            can_create_group: true,
            projects_limit: 10,
            profile: Profile::default(),
            avatar: None,
            confirmed_at: Some(made),
            last_sign_in_at: None,
            current_sign_in_at: None,
            last_activity_on: None,
            created_at: made,
            updated_at: made,
        }
    }
}
