//! Accounts over time, and the first values of new ones.

use super::{LINE, OBEYED};
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

/// The most characters of a pattern.
const PATTERN: usize = 1_000;
const NO_SUCH_LIST: Effect = Effect::Stored("suggestions show who the caller may see");

pub(super) const SETTINGS: &[Setting] = &[
    Setting::switch(
        "email_restrictions_enabled",
        false,
        OBEYED,
        "E-mail addresses that match the pattern are refused at sign-up.",
    ),
    Setting::text(
        "email_restrictions",
        Kind::Pattern(PATTERN),
        OBEYED,
        "A regular expression. Addresses in which it is found are refused at sign-up.",
    ),
    Setting::text(
        "user_default_internal_regex",
        Kind::Pattern(PATTERN),
        OBEYED,
        "A regular expression. With `user_default_external`, new users in whose e-mail address it is found are not external.",
    ),
    Setting::switch(
        "user_defaults_to_private_profile",
        false,
        OBEYED,
        "New users have a private profile if the request does not say.",
    ),
    Setting::switch(
        "can_create_group",
        true,
        OBEYED,
        "New users may create top-level groups if the request does not say.",
    ),
    Setting::switch(
        "allow_account_deletion",
        true,
        OBEYED,
        "Users may delete their own account on the page of their profile.",
    ),
    Setting::switch(
        "updating_name_disabled_for_users",
        false,
        OBEYED,
        "Users cannot change their name; administrators can.",
    ),
    Setting::switch("remember_me_enabled", true, OBEYED, "Users may stay signed in after the browser is closed."),
    Setting::switch(
        "notify_on_unknown_sign_in",
        true,
        OBEYED,
        "Users get a mail about a sign-in from an address that none of their sessions and of their last two sign-ins had.",
    ),
    Setting::switch(
        "admin_mode",
        false,
        OBEYED,
        "Administrators act as such only for six hours after they have entered their password again, and tokens only with the scope `admin_mode`.",
    ),
    Setting::switch(
        "delete_unconfirmed_users",
        false,
        OBEYED,
        "Accounts whose address was never confirmed, and that were never used, are deleted. Needs mail, and `email_confirmation_setting` `soft` or `hard`.",
    ),
    Setting::new(
        "unconfirmed_users_delete_after_days",
        Kind::Number { least: 1, most: 36_500 },
        DefaultValue::Number(7),
        OBEYED,
        "Days after which they are deleted.",
    ),
    Setting::switch(
        "deactivate_dormant_users",
        false,
        OBEYED,
        "Users who do nothing for a time are deactivated; administrators are not.",
    ),
    Setting::new(
        "deactivate_dormant_users_period",
        Kind::Number { least: 90, most: 36_500 },
        DefaultValue::Number(90),
        OBEYED,
        "Days after which they are deactivated.",
    ),
    Setting::switch("user_deactivation_emails_enabled", true, OBEYED, "Users get a mail when they are deactivated."),
    Setting::new(
        "default_preferred_language",
        Kind::Line(20),
        DefaultValue::Text("en"),
        Effect::Stored("the pages are in English"),
        "The language of users who have not chosen one.",
    ),
    Setting::new(
        "default_syntax_highlighting_theme",
        Kind::Number { least: 1, most: 6 },
        DefaultValue::Number(1),
        Effect::Stored("there is one set of colours"),
        "The colours of code for users who have not chosen any.",
    ),
    Setting::new(
        "first_day_of_week",
        Kind::OneOf(&[0, 1, 6]),
        DefaultValue::Number(1),
        OBEYED,
        "The day that weeks of calendars begin with: 0 Sunday, 1 Monday, 6 Saturday.",
    ),
    Setting::text(
        "commit_email_hostname",
        Kind::Line(LINE),
        OBEYED,
        "Host of the private addresses that commits get; `noreply.` and the own host if it is null.",
    ),
    Setting::switch("autocomplete_users", false, NO_SUCH_LIST, "Suggestions of users show all users."),
    Setting::switch(
        "autocomplete_users_unauthenticated",
        false,
        NO_SUCH_LIST,
        "Suggestions of users are shown to strangers.",
    ),
    Setting::switch(
        "can_create_organization",
        true,
        Effect::Stored("there are no organizations"),
        "Users may create organizations.",
    ),
    Setting::switch(
        "lock_memberships_to_saml",
        false,
        Effect::Stored("there is no sign-in by SAML"),
        "Members come from the sign-in service only.",
    ),
];
