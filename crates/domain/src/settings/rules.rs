//! The settings that one rule reads together.

use std::time::Duration;

use super::budget::seconds;
use super::values::Values;
use crate::id::UserId;

/// True for a character of some kind.
type IsOne = fn(char) -> bool;

/// The demands on a new password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordRules {
    /// The least number of characters.
    pub least: usize,
    /// A digit.
    pub number: bool,
    /// A character that is no letter, digit or white space.
    pub symbol: bool,
    /// A capital letter.
    pub uppercase: bool,
    /// A small letter.
    pub lowercase: bool,
}

impl Default for PasswordRules {
    fn default() -> Self {
        Self { least: 8, number: false, symbol: false, uppercase: false, lowercase: false }
    }
}

impl PasswordRules {
    /// The kinds of characters that are asked for, and what is one of each.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&'static str, IsOne)> {
        let is_symbol = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let kinds: [(bool, &'static str, IsOne); 4] = [
            (self.number, "digit", char::is_numeric),
            (self.symbol, "symbol", is_symbol),
            (self.uppercase, "capital letter", char::is_uppercase),
            (self.lowercase, "small letter", char::is_lowercase),
        ];
        kinds.into_iter().filter(|(is_asked, ..)| *is_asked).map(|(_, name, is_one)| (name, is_one))
    }

    /// The rules in words, for who chooses a password: `at least 8 characters, with a digit`.
    #[must_use]
    pub fn words(&self) -> String {
        let kinds: Vec<String> = self.kinds().map(|(name, _)| format!("a {name}")).collect();
        let with = match kinds.as_slice() {
            [] => String::new(),
            [one] => format!(", with {one}"),
            [all @ .., last] => format!(", with {} and {last}", all.join(", ")),
        };
        format!("at least {} characters{with}", self.least)
    }
}

/// After how many wrong passwords an account name is locked, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockoutRule {
    /// Wrong passwords in a row.
    pub attempts: u32,
    /// How long the lock lasts.
    pub period: Duration,
}

/// The part of the local network that may be called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalRequests {
    /// True if hooks of projects, services and imports may call all of it.
    pub from_hooks: bool,
    /// True if hooks of the server may call all of it.
    pub from_system_hooks: bool,
    /// The hosts and addresses of it that may be called in any case.
    pub allowed: Vec<String>,
}

/// How much of a difference is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiffRules {
    /// Files.
    pub files: usize,
    /// Lines of all files.
    pub lines: usize,
    /// Bytes of the difference of one file.
    pub patch_bytes: usize,
}

/// The demands on new tokens and keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenRules {
    /// The prefix of personal access tokens.
    pub prefix: String,
    /// Days that a personal access token may last.
    pub most_days: Option<i64>,
    /// True if a personal access token needs a date on which it ends.
    pub need_an_end: bool,
    /// True if only those of administrators are accepted, and made.
    pub disabled: bool,
    /// Days that an SSH key may last.
    pub most_days_of_keys: Option<i64>,
    /// Days for which a dead access token of a project or group is kept.
    pub days_of_dead_bots: i64,
}

/// The first values of new accounts, and the rights of users over their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountRules {
    /// The pattern of addresses that are refused at sign-up.
    pub email_restriction: Option<String>,
    /// The pattern of addresses whose new users are not external.
    pub internal_pattern: Option<String>,
    /// True if a new profile is private unless said otherwise.
    pub private_profile: bool,
    /// True if new users may create top-level groups unless said otherwise.
    pub can_create_group: bool,
    /// True if users cannot change their own name.
    pub keep_their_names: bool,
    /// True if users may delete their own account.
    pub may_delete_own: bool,
    /// True if sessions may outlast the browser.
    pub may_be_remembered: bool,
    /// Days after which users who do nothing are deactivated; `None` if they are not.
    pub dormant_after_days: Option<i64>,
    /// True if users get a mail when they are deactivated.
    pub mails_deactivated: bool,
    /// True if users get a mail about a sign-in from another address.
    pub mails_unknown_sign_ins: bool,
    /// Days after which accounts with an unconfirmed address are removed; `None` if they are not.
    pub unconfirmed_removed_after_days: Option<i64>,
    /// The host of private addresses; `None` leaves it to the server.
    pub private_host: Option<String>,
}

/// The consequences for users who download very many projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadRules {
    /// How many they may download; `None` if that is not counted.
    pub limit: Option<DownloadLimit>,
    /// True if users who download more are banned.
    pub bans: bool,
    /// The names of users who are not counted.
    pub exempt: Vec<String>,
    /// The users who get a mail about who downloads more; none stands for the administrators.
    pub alerted: Vec<UserId>,
}

/// How many projects a user may download in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadLimit {
    /// Different projects, 10,000 at most.
    pub projects: usize,
    /// The time.
    pub within: Duration,
}

/// The most projects of a user that are remembered.
const MOST_DOWNLOADS: usize = 10_000;

impl DownloadRules {
    pub(super) fn of(values: &Values) -> Self {
        let projects = values.count("max_number_of_repository_downloads").min(MOST_DOWNLOADS);
        let within = seconds(values.number("max_number_of_repository_downloads_within_time_period"));
        let list = |name| values.list(name).unwrap_or_default();
        let alerted = list("git_rate_limit_users_alertlist");
        Self {
            limit: (projects > 0 && !within.is_zero()).then_some(DownloadLimit { projects, within }),
            bans: values.switch("auto_ban_user_on_excessive_projects_download"),
            exempt: list("git_rate_limit_users_allowlist"),
            alerted: alerted.iter().filter_map(|id| id.parse().ok()).map(UserId::new).collect(),
        }
    }

    /// True if the user of this name is not counted. The case of letters does not matter.
    #[must_use]
    pub fn exempts(&self, username: &str) -> bool {
        self.exempt.iter().any(|name| name.eq_ignore_ascii_case(username))
    }
}

/// How long a name is locked if the settings do not say.
const LOCKED_MINUTES: i64 = 10;

impl LockoutRule {
    pub(super) fn of(values: &Values) -> Option<Self> {
        let attempts = u32::try_from(values.number_or_none("max_login_attempts")?).ok()?;
        let minutes = values.number_or_none("failed_login_attempts_unlock_period_in_minutes").unwrap_or(LOCKED_MINUTES);
        Some(Self { attempts, period: seconds(minutes * 60) })
    }
}

impl PasswordRules {
    pub(super) fn of(values: &Values) -> Self {
        Self {
            least: usize::try_from(values.number("minimum_password_length")).unwrap_or(0),
            number: values.switch("password_number_required"),
            symbol: values.switch("password_symbol_required"),
            uppercase: values.switch("password_uppercase_required"),
            lowercase: values.switch("password_lowercase_required"),
        }
    }
}

impl TokenRules {
    pub(super) fn of(values: &Values) -> Self {
        Self {
            prefix: values.text("personal_access_token_prefix").unwrap_or_default(),
            most_days: values.number_or_none("max_personal_access_token_lifetime"),
            need_an_end: values.switch("require_personal_access_token_expiry"),
            disabled: values.switch("disable_personal_access_tokens"),
            most_days_of_keys: values.number_or_none("max_ssh_key_lifetime"),
            // An earlier version took any number.
            days_of_dead_bots: values.number("inactive_resource_access_tokens_delete_after_days").clamp(0, 36_500),
        }
    }
}

impl AccountRules {
    pub(super) fn of(values: &Values) -> Self {
        Self {
            email_restriction: values
                .text("email_restrictions")
                .filter(|_| values.switch("email_restrictions_enabled")),
            internal_pattern: values.text("user_default_internal_regex"),
            private_profile: values.switch("user_defaults_to_private_profile"),
            can_create_group: values.switch("can_create_group"),
            keep_their_names: values.switch("updating_name_disabled_for_users"),
            may_delete_own: values.switch("allow_account_deletion"),
            may_be_remembered: values.switch("remember_me_enabled"),
            dormant_after_days: values
                .switch("deactivate_dormant_users")
                .then(|| values.number("deactivate_dormant_users_period")),
            mails_deactivated: values.switch("user_deactivation_emails_enabled"),
            mails_unknown_sign_ins: values.switch("notify_on_unknown_sign_in"),
            unconfirmed_removed_after_days: values
                .switch("delete_unconfirmed_users")
                .then(|| values.number("unconfirmed_users_delete_after_days")),
            private_host: values.text("commit_email_hostname"),
        }
    }
}

impl LocalRequests {
    pub(super) fn of(values: &Values) -> Self {
        Self {
            from_hooks: values.switch("allow_local_requests_from_hooks_and_services"),
            from_system_hooks: values.switch("allow_local_requests_from_system_hooks"),
            allowed: values.list("outbound_local_requests_whitelist").unwrap_or_default(),
        }
    }
}

impl DiffRules {
    pub(super) fn of(values: &Values) -> Self {
        Self {
            files: values.count("diff_max_files"),
            lines: values.count("diff_max_lines"),
            patch_bytes: values.count("diff_max_patch_bytes"),
        }
    }
}
