//! The uses that an account permits. This is the one place that says what each state means.

use super::{User, UserState};

/// The use of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountUse {
    /// All that a user does: requests, Git, applications, and what goes on in the user's name.
    Act,
    /// Signing in on a page, with all that proves the user.
    SignIn,
}

/// Why an account may not be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exclusion {
    /// The account belongs to the server, or to a program that would sign in.
    #[error("the account is internal")]
    Internal,
    /// An administrator has blocked it.
    #[error("the account is blocked")]
    Blocked,
    /// An administrator has deactivated it.
    #[error("the account is deactivated")]
    Deactivated,
    /// An administrator has banned it.
    #[error("the account is banned")]
    Banned,
    /// No administrator has approved it yet.
    #[error("the account waits for approval")]
    Pending,
}

impl Exclusion {
    /// The reason, for the user. `base_url` is the address for signing in.
    #[must_use]
    pub fn words(self, base_url: &str) -> String {
        match self {
            Self::Internal => "This action cannot be performed by internal users".to_owned(),
            Self::Blocked => "Your account has been blocked.".to_owned(),
            Self::Banned => "Your account has been banned.".to_owned(),
            Self::Pending => "Your account is pending approval from your administrator and hence blocked.".to_owned(),
            Self::Deactivated => format!(
                "Your account has been deactivated by your administrator. Please log back in from a web browser to \
                 reactivate your account at {base_url}"
            ),
        }
    }
}

impl User {
    /// Checks that the account may be used so. Signing in makes a deactivated account active, so it may be signed in
    /// to.
    ///
    /// # Errors
    /// Fails with the reason if it may not be used so.
    pub const fn admits(&self, wanted: AccountUse) -> Result<(), Exclusion> {
        if self.ghost || (self.bot && matches!(wanted, AccountUse::SignIn)) {
            return Err(Exclusion::Internal);
        }
        match (self.state, wanted) {
            (UserState::Active, AccountUse::Act | AccountUse::SignIn)
            | (UserState::Deactivated, AccountUse::SignIn) => Ok(()),
            (UserState::Deactivated, AccountUse::Act) => Err(Exclusion::Deactivated),
            (UserState::Blocked, AccountUse::Act | AccountUse::SignIn) => Err(Exclusion::Blocked),
            (UserState::Banned, AccountUse::Act | AccountUse::SignIn) => Err(Exclusion::Banned),
            (UserState::Pending, AccountUse::Act | AccountUse::SignIn) => Err(Exclusion::Pending),
        }
    }

    /// True if the user may do anything.
    #[must_use]
    pub const fn may_act(&self) -> bool {
        self.admits(AccountUse::Act).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::tests::user;

    #[test]
    fn only_active_accounts_act_and_deactivated_ones_may_be_signed_in_to() {
        for (state, to_act, to_sign_in) in [
            (UserState::Active, Ok(()), Ok(())),
            (UserState::Blocked, Err(Exclusion::Blocked), Err(Exclusion::Blocked)),
            (UserState::Deactivated, Err(Exclusion::Deactivated), Ok(())),
            (UserState::Banned, Err(Exclusion::Banned), Err(Exclusion::Banned)),
            (UserState::Pending, Err(Exclusion::Pending), Err(Exclusion::Pending)),
        ] {
            let user = user(state);
            assert_eq!(
                (user.admits(AccountUse::Act), user.admits(AccountUse::SignIn)),
                (to_act, to_sign_in),
                "{state:?}"
            );
            assert_eq!(user.may_act(), to_act.is_ok());
            let bot = User { bot: true, ..user.clone() };
            assert_eq!(bot.admits(AccountUse::SignIn), Err(Exclusion::Internal), "{state:?}");
            assert_eq!(bot.admits(AccountUse::Act), to_act, "{state:?}");
            let ghost = User { ghost: true, ..user };
            assert_eq!(ghost.admits(AccountUse::SignIn), Err(Exclusion::Internal), "{state:?}");
            assert!(!ghost.may_act());
        }
    }
}
