//! Passkeys: keys of a user's authenticators, with which the user signs in.

use crate::field_errors::{BLANK, FieldErrors};
use crate::id::{PasskeyId, UserId};
use crate::time::{TimeDelta, Timestamp};
use crate::words::words;

/// The most characters of a name.
const LONGEST_NAME: usize = 255;

/// A passkey of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Unique over the whole server.
    pub id: PasskeyId,
    /// Whose it is.
    pub user: UserId,
    /// The user's name for it; need not be unique.
    pub name: String,
    /// Its identifier, in base64url.
    pub credential: String,
    /// Its public key, in base64url.
    pub public_key: String,
    /// The newest number of uses that the authenticator has said.
    pub count: i64,
    /// When it was added.
    pub created_at: Timestamp,
    /// When a user last signed in with it.
    pub last_used_at: Option<Timestamp>,
}

words! {
    /// Why a browser is asked something.
    pub enum ChallengePurpose {
        /// A passkey is to be added.
        NewPasskey = "new_passkey",
        /// A passkey signs a user in.
        PasskeySignIn = "passkey_sign_in",
        /// A passkey follows a password.
        SecondFactor = "second_factor",
        /// A user signs in at a provider.
        OpenId = "openid",
    }
}

/// The time in which a browser has to answer.
pub const CHALLENGE_LIFETIME: TimeDelta = TimeDelta::minutes(5);

/// The problems of a name.
#[must_use]
pub fn check_name(name: &str) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.require(!name.trim().is_empty(), "passkey_name", BLANK);
    let fits = name.chars().count() <= LONGEST_NAME && !name.contains('\0');
    errors.require(fits, "passkey_name", "is too long (maximum is 255 characters)");
    errors
}
