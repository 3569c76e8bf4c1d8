//! Passwords, tokens and keys.

use super::OBEYED;
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

const NO_SERVICE_ACCOUNTS: Effect = Effect::Stored("there are no service accounts");
const ALWAYS_ENDS: Effect = Effect::Stored("what has expired never works");

/// A number that is not set on a new server.
pub(super) const fn optional(
    name: &'static str,
    least: i64,
    most: i64,
    effect: Effect,
    meaning: &'static str,
) -> Setting {
    Setting::text(name, Kind::Number { least, most }, effect, meaning)
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "minimum_password_length",
        Kind::Number { least: 8, most: 128 },
        DefaultValue::Number(8),
        OBEYED,
        "Characters that a new password has at least.",
    ),
    Setting::switch("password_number_required", false, OBEYED, "A new password has a digit."),
    Setting::switch(
        "password_symbol_required",
        false,
        OBEYED,
        "A new password has a character that is no letter, digit or white space.",
    ),
    Setting::switch("password_uppercase_required", false, OBEYED, "A new password has a capital letter."),
    Setting::switch("password_lowercase_required", false, OBEYED, "A new password has a small letter."),
    optional(
        "max_login_attempts",
        1,
        10_000,
        OBEYED,
        "Wrong passwords in a row after which a name is locked, beside the limits of the server; those alone if it is null.",
    ),
    optional(
        "failed_login_attempts_unlock_period_in_minutes",
        1,
        525_600,
        OBEYED,
        "Minutes for which it is locked after the last of them; 10 if it is null. Its tokens and keys still work.",
    ),
    Setting::new(
        "personal_access_token_prefix",
        Kind::Line(20),
        DefaultValue::Text(""),
        OBEYED,
        "What new personal access tokens begin with. Letters, digits, `-`, `_` and `.` only.",
    ),
    optional(
        "max_personal_access_token_lifetime",
        1,
        400,
        OBEYED,
        "Days that new personal access tokens may last. They need a date then.",
    ),
    Setting::switch(
        "require_personal_access_token_expiry",
        false,
        OBEYED,
        "New personal access tokens need a date on which they end.",
    ),
    Setting::switch(
        "disable_personal_access_tokens",
        false,
        OBEYED,
        "Personal access tokens are not accepted, and none is made. Administrators keep theirs.",
    ),
    Setting::switch(
        "service_access_tokens_expiration_enforced",
        true,
        NO_SERVICE_ACCOUNTS,
        "Tokens of service accounts need a date on which they end.",
    ),
    Setting::switch(
        "disable_feed_token",
        false,
        OBEYED,
        "The tokens with which feed readers read feeds as their users are not accepted, and not shown.",
    ),
    optional("max_ssh_key_lifetime", 1, 400, OBEYED, "Days that new SSH keys may last. They need a date then."),
    Setting::new(
        "git_two_factor_session_expiry",
        Kind::Number { least: 1, most: 10_080 },
        DefaultValue::Number(15),
        Effect::Stored("Git over SSH asks for no second factor"),
        "Minutes for which a second factor that was given for Git over SSH holds.",
    ),
    Setting::switch(
        "require_admin_two_factor_authentication",
        false,
        OBEYED,
        "Administrators have to set up a second factor before they do anything else in a browser.",
    ),
    Setting::switch(
        "disable_admin_oauth_scopes",
        false,
        OBEYED,
        "An administrator cannot let an application do more than read the account, unless the application is trusted.",
    ),
    Setting::switch("enforce_pat_expiration", true, ALWAYS_ENDS, "Personal access tokens end on their date."),
    Setting::switch("enforce_ssh_key_expiration", true, ALWAYS_ENDS, "SSH keys end on their date."),
    Setting::new(
        "inactive_resource_access_tokens_delete_after_days",
        Kind::Number { least: 0, most: 36_500 },
        DefaultValue::Number(30),
        OBEYED,
        "Days after which an access token of a project or group that was revoked or has expired is deleted, with its account if that \
         has no other.",
    ),
];
