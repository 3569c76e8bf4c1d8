//! Accounts and signing in.

use super::{LINE, NO_CALLS, OBEYED, TEXT};
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Setting};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::switch(
        "signup_enabled",
        true,
        OBEYED,
        "Allows sign-up. Has no effect if password sign-in is disabled for browsers.",
    ),
    Setting::new(
        "email_confirmation_setting",
        Kind::Word(&["off", "soft", "hard"]),
        DefaultValue::Text("off"),
        OBEYED,
        "`hard`: new users confirm their e-mail address before the first sign-in, if the server sends mail. `soft` is the same here.",
    )
    .short(&["send_user_confirmation_email"]),
    Setting::switch(
        "require_admin_approval_after_user_signup",
        false,
        OBEYED,
        "New users cannot sign in until an administrator has approved the account (`POST /users/:id/approve`).",
    ),
    Setting::new(
        "domain_whitelist",
        Kind::Domains,
        DefaultValue::Null,
        OBEYED,
        "The only domains of e-mail addresses with which users may sign up. Accounts that administrators create are not asked.",
    )
    .aliases(&[("domain_allowlist", true)]),
    Setting::switch("domain_blacklist_enabled", false, OBEYED, "The denied domains are refused.")
        .aliases(&[("domain_denylist_enabled", true)])
        .needs(&["domain_blacklist"])
        .fills(&["domain_blacklist"]),
    Setting::new(
        "domain_blacklist",
        Kind::Domains,
        DefaultValue::List(&[]),
        OBEYED,
        "Domains of e-mail addresses with which users may not sign up.",
    )
    .aliases(&[("domain_denylist", true)]),
    Setting::switch("user_default_external", false, OBEYED, "New users are external if the request does not say."),
    Setting::number(
        "default_projects_limit",
        0,
        100_000,
        OBEYED,
        "How many personal projects a new user may have. Users who are there already keep theirs.",
    ),
    Setting::switch(
        "password_authentication_enabled_for_web",
        true,
        OBEYED,
        "Users sign in with their password in a browser.",
    )
    .aliases(&[("signin_enabled", true)]),
    Setting::switch(
        "password_authentication_enabled_for_git",
        true,
        OBEYED,
        "Git over HTTP takes the password of an account, and not only tokens.",
    ),
    Setting::switch(
        "require_two_factor_authentication",
        false,
        OBEYED,
        "All users have to set up a second factor before they do anything else in a browser. Tokens are not hindered.",
    )
    .needs(&["two_factor_grace_period"]),
    Setting::number(
        "two_factor_grace_period",
        0,
        48,
        OBEYED,
        "Hours in which users have to set it up, from when they have signed in or sent a form while it was required.",
    ),
    Setting::number(
        "session_expire_delay",
        0,
        10_080,
        OBEYED,
        "Minutes after which an unused session of a browser ends; a week if it is 0. If the user wants to be \
         remembered, two weeks at least. Sessions that exist follow when they are used, and a shorter time at once.",
    ),
    Setting::new(
        "disabled_oauth_sign_in_sources",
        Kind::Names,
        DefaultValue::List(&[]),
        OBEYED,
        "Sign-in providers of the configuration with whose accounts users cannot sign in, by their names.",
    ),
    Setting::switch(
        "enforce_terms",
        false,
        OBEYED,
        "Users have to accept the terms, in a browser, before they use the API or Git; also the administrator who says so.",
    )
    .fills(&["terms"]),
    Setting::text(
        "terms",
        Kind::Text(TEXT),
        OBEYED,
        "The terms of service, in Markdown. Users who have accepted an earlier text need not accept a new one.",
    ),
    Setting::switch(
        "user_oauth_applications",
        true,
        OBEYED,
        "Users may register OAuth applications of their own; without it, only administrators.",
    ),
    Setting::switch(
        "user_show_add_ssh_key_message",
        true,
        OBEYED,
        "Users without an SSH key are asked on their first page to add one.",
    ),
    Setting::switch(
        "avatarservice_enabled",
        false,
        OBEYED,
        "Users without a picture get one from the avatar service, which learns hashes of e-mail addresses.",
    )
    .aliases(&[("gravatar_enabled", true)]),
    Setting::switch("captcha_enabled", false, NO_CALLS, "New users have to solve a captcha.")
        .aliases(&[("recaptcha_enabled", false)])
        .needs(&["captcha_site_key", "captcha_private_key"])
        .fills(&["captcha_site_key", "captcha_private_key"]),
    Setting::text("captcha_site_key", Kind::Line(LINE), NO_CALLS, "The public key for captchas.")
        .aliases(&[("recaptcha_site_key", false)]),
    Setting::text("captcha_private_key", Kind::Secret, NO_CALLS, "The private key for captchas.")
        .aliases(&[("recaptcha_private_key", false)]),
    Setting::switch("spamfilter_enabled", false, NO_CALLS, "Texts are checked by a spam filter.")
        .aliases(&[("akismet_enabled", false)])
        .needs(&["spamfilter_api_key"])
        .fills(&["spamfilter_api_key"]),
    Setting::text("spamfilter_api_key", Kind::Secret, NO_CALLS, "The key for the spam filter.")
        .aliases(&[("akismet_api_key", false)]),
];
