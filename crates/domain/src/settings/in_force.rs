//! The settings that rules depend on.

use std::time::Duration;

use super::FIRST_BRANCH;
use super::branch_protection::DefaultBranchProtection;
use super::budget::{BUDGETS, Rate, seconds};
use super::email_domains::EmailDomains;
use super::keys;
use super::pictures::{DiagramServers, PictureProxy};
use super::rules::{AccountRules, DiffRules, DownloadRules, LocalRequests, LockoutRule, PasswordRules, TokenRules};
use super::values::{self, Values};
use crate::ssh_key::KeyRestrictions;
use crate::visibility::Visibility;

/// The settings in force that something acts on. Made from [`Values`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Visibility of a project created without saying.
    pub default_project_visibility: Visibility,
    /// The visibility that the form for a new snippet offers first.
    pub default_snippet_visibility: Visibility,
    /// Bytes that the files of a snippet may have together.
    pub snippet_bytes: u64,
    /// Visibility of a group created without saying.
    pub default_group_visibility: Visibility,
    /// Who creates projects in a new group if the request does not say, as a number.
    pub default_project_creation: i64,
    /// True if users who are no more than guests anywhere may create personal projects.
    pub guests_create_projects: bool,
    /// Personal projects a new user may have.
    pub default_projects_limit: i64,
    /// Levels that only administrators may choose; `None` on a fresh server.
    pub restricted_visibility_levels: Option<Vec<Visibility>>,
    /// True if new users are external unless said otherwise.
    pub user_default_external: bool,
    /// True if users without an avatar get one from the avatar service, which learns who sees whom, and whose addresses
    /// are hashes of e-mail addresses that anyone can try. Off unless an administrator switches it on.
    pub avatarservice_enabled: bool,
    /// The largest upload, in megabytes.
    pub max_attachment_size: i64,
    /// The part of the local network that may be called.
    pub local: LocalRequests,
    /// True if the form of a new variable proposes that it is protected.
    pub protects_variables: bool,
    /// True if new projects may use shared runners.
    pub shared_runners_enabled: bool,
    /// How the default branch is protected at the first push.
    pub default_branch_protection: DefaultBranchProtection,
    /// True if owners of groups decide how default branches are protected there. Administrators always do.
    pub group_owners_protect_default_branches: bool,
    /// The first branch of a new repository; `None` leaves it to the server ([`Settings::first_branch`]).
    pub default_branch_name: Option<String>,
    /// Over which protocol Git works; both if nothing is said.
    pub enabled_git_access_protocol: Option<GitAccess>,
    /// True if users sign in with their password in a browser.
    pub password_authentication_enabled_for_web: bool,
    /// The sign-in providers whose accounts are not accepted, by their names.
    pub disabled_sign_in_sources: Vec<String>,
    /// True if users may make an account by themselves.
    pub allows_sign_up: bool,
    /// True if administrators act as such only in sessions in which they have entered that mode, and with tokens for it.
    pub admin_mode: bool,
    /// True if new users have to confirm their address first. Needs a server that sends mail.
    pub confirms_sign_ups: bool,
    /// True if who signs up waits for an administrator's approval.
    pub approves_sign_ups: bool,
    /// True if mail is sent as HTML too.
    pub html_emails_enabled: bool,
    /// True if mail names its author in the text.
    pub email_author_in_body: bool,
    /// True if users may have OAuth applications of their own.
    pub user_oauth_applications: bool,
    /// Within how many hours all users have to set up a second factor; `None` if they need not.
    pub two_factor_within_hours: Option<i64>,
    /// Within how many hours administrators have to set one up; `None` if nothing asks for that.
    pub two_factor_of_admins_within_hours: Option<i64>,
    /// The demands on new passwords.
    pub passwords: PasswordRules,
    /// After how many wrong passwords an account name is locked; `None` if it is not.
    pub lockout: Option<LockoutRule>,
    /// True if tokens of feeds are accepted.
    pub feed_tokens: bool,
    /// The demands on new tokens and keys.
    pub tokens: TokenRules,
    /// The first values of new accounts, and the rights of users over their own.
    pub accounts: AccountRules,
    /// The terms that all users have to accept; `None` if they need not.
    pub terms: Option<String>,
    /// True if Git takes account passwords, and not only tokens.
    pub password_authentication_enabled_for_git: bool,
    /// Minutes after which an unused session of a browser ends.
    pub session_expire_delay: i64,
    /// The page after a user has signed out.
    pub after_sign_out_path: Option<String>,
    /// The text of the page to sign in, in Markdown.
    pub sign_in_text: Option<String>,
    /// The text that users read after they sign up, in Markdown.
    pub after_sign_up_text: Option<String>,
    /// The texts of the help page, in Markdown.
    pub help_texts: Vec<String>,
    /// The page to which the help page sends users for support.
    pub support_url: Option<String>,
    /// True if users without an SSH key are asked to add one.
    pub user_show_add_ssh_key_message: bool,
    /// True if administrators let only trusted applications do more than read their accounts.
    pub protects_administrators_from_applications: bool,
    /// True if callers without an account may search.
    pub anonymous_search: bool,
    /// The only services that projects may use, by their names; `None` if they may use all.
    pub services: Option<Vec<String>>,
    /// True if a project can be filled from the address of a repository.
    pub imports_by_url: bool,
    /// True if users may set up mirrors, and not only administrators.
    pub mirror_available: bool,
    /// True if repositories are packed from time to time.
    pub housekeeping_enabled: bool,
    /// The number of pushes after which the new objects of a repository are packed; `None` if they are not.
    pub pack_after_pushes: Option<i64>,
    /// True if the metrics can be read.
    pub prometheus_metrics_enabled: bool,
    /// The page for callers of the first page who have not signed in.
    pub home_page_url: Option<String>,
    /// Which SSH keys may be added.
    pub key_restrictions: KeyRestrictions,
    /// With which e-mail domains users may sign up.
    pub email_domains: EmailDomains,
    /// How many requests callers may send over time: the rate of each of [`BUDGETS`], or `None` if it is not counted.
    pub rates: Vec<Option<Rate>>,
    /// The names of users whom the budgets with [`Budget::spares`] do not count.
    ///
    /// [`Budget::spares`]: super::budget::Budget::spares
    pub spared_users: Vec<String>,
    /// Operations of Git over SSH that a user may begin on a repository; `None` if they are not counted.
    pub ssh_operations: Option<Rate>,
    /// The text for a caller who has sent too many.
    pub rate_limiting_text: Option<String>,
    /// The message of maintenance, in which nothing is changed; `None` if there is none.
    pub maintenance: Option<String>,
    /// The consequences for users who download very many projects.
    pub downloads: DownloadRules,
    /// How much of a difference is shown.
    pub diffs: DiffRules,
    /// Bytes that a repository may have, beside the limits of the server.
    pub repository_bytes: Option<u64>,
    /// Bytes that a page of a wiki may have.
    pub wiki_page_bytes: u64,
    /// The day that weeks begin with, counted from Sunday.
    pub week_begins_on: u64,
    /// True if times of issues are shown in hours and minutes only.
    pub times_in_hours: bool,
    /// Bytes that a push may have, beside the limits of the server.
    pub push_bytes: Option<u64>,
    /// How many branches or tags a push may change so that hooks are sent it.
    pub push_hooks: usize,
    /// How many branches or tags a push may create, change or remove so that each is an activity of its own.
    pub push_activities: usize,
    /// The text at the end of each mail.
    pub email_text: Option<String>,
    /// The text at `/.well-known/security.txt`.
    pub security_txt: Option<String>,
    /// The start of addresses for Git over HTTP; `None` leaves it to the server.
    pub clone_root: Option<String>,
    /// The proxy through which texts show pictures of other servers; `None` if they do not.
    pub picture_proxy: Option<PictureProxy>,
    /// The servers that draw diagrams of texts.
    pub diagrams: DiagramServers,
    /// From how many addresses a user may call; `None` if that is not counted.
    pub unique_ips: Option<UniqueIps>,
}

/// A protocol over which Git works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitAccess {
    /// HTTP alone.
    Http,
    /// SSH alone.
    Ssh,
}

/// From how many addresses a user may call within some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniqueIps {
    /// Addresses.
    pub per_user: usize,
    /// How long an address counts after it was last used.
    pub window: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&Values::default())
    }
}

impl Settings {
    /// The branch that `HEAD` of a new repository names.
    #[must_use]
    pub fn first_branch(&self) -> &str {
        self.default_branch_name.as_deref().unwrap_or(FIRST_BRANCH)
    }

    /// The settings with these values.
    #[must_use]
    pub fn of(values: &Values) -> Self {
        let visibility = |name| values.text(name).as_deref().and_then(Visibility::parse).unwrap_or(Visibility::Private);
        let levels = values.list("restricted_visibility_levels");
        let sources = values.list("import_sources").unwrap_or_default();
        Self {
            default_project_visibility: visibility("default_project_visibility"),
            default_snippet_visibility: visibility("default_snippet_visibility"),
            snippet_bytes: values::bytes(values.number("snippet_size_limit"), 1),
            default_group_visibility: visibility("default_group_visibility"),
            default_project_creation: values.number("default_project_creation"),
            guests_create_projects: values.switch("allow_project_creation_for_guest_and_below"),
            default_projects_limit: values.number("default_projects_limit"),
            restricted_visibility_levels: levels
                .map(|levels| levels.iter().filter_map(|level| Visibility::parse(level)).collect()),
            user_default_external: values.switch("user_default_external"),
            avatarservice_enabled: values.switch("avatarservice_enabled"),
            max_attachment_size: values.number("max_attachment_size"),
            local: LocalRequests::of(values),
            shared_runners_enabled: values.switch("shared_runners_enabled"),
            default_branch_protection: values.branch_protection(),
            group_owners_protect_default_branches: values.switch("group_owners_can_manage_default_branch_protection"),
            default_branch_name: values.text("default_branch_name"),
            enabled_git_access_protocol: match values.text("enabled_git_access_protocol").as_deref() {
                Some("http") => Some(GitAccess::Http),
                Some("ssh") => Some(GitAccess::Ssh),
                _ => None,
            },
            password_authentication_enabled_for_web: values.switch("password_authentication_enabled_for_web"),
            disabled_sign_in_sources: values.list("disabled_oauth_sign_in_sources").unwrap_or_default(),
            // Without a page to sign in, an account could not be used.
            allows_sign_up: values.switch("signup_enabled") && values.switch("password_authentication_enabled_for_web"),
            admin_mode: values.switch("admin_mode"),
            protects_variables: values.switch("protected_ci_variables"),
            feed_tokens: !values.switch("disable_feed_token"),
            confirms_sign_ups: values.text("email_confirmation_setting").is_some_and(|when| when != "off"),
            approves_sign_ups: values.switch("require_admin_approval_after_user_signup"),
            html_emails_enabled: values.switch("html_emails_enabled"),
            email_author_in_body: values.switch("email_author_in_body"),
            user_oauth_applications: values.switch("user_oauth_applications"),
            two_factor_within_hours: values
                .switch("require_two_factor_authentication")
                .then(|| values.number("two_factor_grace_period")),
            two_factor_of_admins_within_hours: values
                .switch("require_admin_two_factor_authentication")
                .then(|| values.number("two_factor_grace_period")),
            passwords: PasswordRules::of(values),
            lockout: LockoutRule::of(values),
            tokens: TokenRules::of(values),
            accounts: AccountRules::of(values),
            terms: values.text("terms").filter(|_| values.switch("enforce_terms")),
            password_authentication_enabled_for_git: values.switch("password_authentication_enabled_for_git"),
            session_expire_delay: values.number("session_expire_delay"),
            after_sign_out_path: values.text("after_sign_out_path"),
            sign_in_text: values.text("sign_in_text"),
            after_sign_up_text: values.text("after_sign_up_text"),
            help_texts: ["help_page_text", "help_text"].into_iter().filter_map(|name| values.text(name)).collect(),
            support_url: values.text("help_page_support_url"),
            user_show_add_ssh_key_message: values.switch("user_show_add_ssh_key_message"),
            protects_administrators_from_applications: values.switch("disable_admin_oauth_scopes"),
            anonymous_search: values.switch("anonymous_searches_allowed"),
            services: (!values.switch("allow_all_integrations"))
                .then(|| values.list("allowed_integrations").unwrap_or_default()),
            imports_by_url: sources.iter().any(|source| source == "git"),
            mirror_available: values.switch("mirror_available"),
            housekeeping_enabled: values.switch("housekeeping_enabled"),
            pack_after_pushes: values
                .number_or_none("housekeeping_optimize_repository_period")
                .filter(|_| values.switch("housekeeping_enabled")),
            prometheus_metrics_enabled: values.switch("prometheus_metrics_enabled"),
            home_page_url: values.text("home_page_url"),
            key_restrictions: keys::restrictions(values),
            email_domains: email_domains(values),
            rates: BUDGETS.iter().map(|budget| budget.rate(values)).collect(),
            spared_users: spared(&values.text("users_get_by_id_limit_allowlist_raw").unwrap_or_default()),
            ssh_operations: Rate::in_a_minute(values.number("gitlab_shell_operation_limit")),
            rate_limiting_text: values.text("rate_limiting_response_text"),
            maintenance: values.switch("maintenance_mode").then(|| {
                let message = values.text("maintenance_mode_message");
                message.unwrap_or_else(|| "The server is in maintenance. Nothing can be changed.".to_owned())
            }),
            downloads: DownloadRules::of(values),
            diffs: DiffRules::of(values),
            repository_bytes: values.number_or_none("repository_size_limit").map(|number| values::bytes(number, 1)),
            wiki_page_bytes: values::bytes(values.number("wiki_page_max_content_bytes"), 1),
            week_begins_on: u64::try_from(values.number("first_day_of_week")).unwrap_or(0),
            times_in_hours: values.switch("time_tracking_limit_to_hours"),
            push_bytes: values.number_or_none("receive_max_input_size").map(|mib| values::bytes(mib, 1 << 20)),
            push_hooks: values.count("push_event_hooks_limit"),
            push_activities: values.count("push_event_activities_limit"),
            email_text: values.text("email_additional_text"),
            security_txt: values.text("security_txt_content"),
            clone_root: values.text("custom_http_clone_url_root"),
            picture_proxy: PictureProxy::of(values),
            diagrams: DiagramServers::of(values),
            unique_ips: values.switch("unique_ips_limit_enabled").then(|| UniqueIps {
                per_user: usize::try_from(values.number("unique_ips_limit_per_user")).unwrap_or(0),
                window: seconds(values.number("unique_ips_limit_time_window")),
            }),
        }
    }

    /// True if projects may use the service of this name. Clients write names with `_` or with `-`.
    #[must_use]
    pub fn admits_service(&self, slug: &str) -> bool {
        let is_it = |name: &String| name.replace('_', "-") == slug.replace('_', "-");
        self.services.as_ref().is_none_or(|names| names.iter().any(is_it))
    }

    /// True if only administrators may choose `visibility`.
    #[must_use]
    pub fn restricts(&self, visibility: Visibility) -> bool {
        self.restricted_visibility_levels.as_ref().is_some_and(|levels| levels.contains(&visibility))
    }
}

/// The names in a list of users, one in each line.
fn spared(text: &str) -> Vec<String> {
    const MOST: usize = 100;
    text.lines().map(str::trim).filter(|name| !name.is_empty()).take(MOST).map(str::to_owned).collect()
}

fn email_domains(values: &Values) -> EmailDomains {
    let list = |name| values.list(name).unwrap_or_default();
    let denied = if values.switch("domain_blacklist_enabled") { list("domain_blacklist") } else { Vec::new() };
    EmailDomains { allowed: list("domain_whitelist"), denied }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Value, find};

    fn with(changes: &[(&str, Value)]) -> Settings {
        let mut values = Values::default();
        for (name, value) in changes {
            values.set(find(name).unwrap(), value.clone());
        }
        Settings::of(&values)
    }

    #[test]
    fn a_new_server_restricts_and_counts_nothing() {
        let fresh = Settings::default();
        assert!(fresh.rates.iter().all(Option::is_none));
        assert_eq!((fresh.unique_ips, fresh.restricted_visibility_levels), (None, None));
        assert_eq!((fresh.default_projects_limit, fresh.max_attachment_size), (100_000, 10));
        assert!(
            fresh.key_restrictions.accepted().len() == 4 && fresh.imports_by_url && fresh.prometheus_metrics_enabled
        );
    }

    #[test]
    fn accounts_follow_several_values_at_once() {
        let on = |names: &[&str]| {
            let values: Vec<_> = names.iter().map(|name| (*name, Value::Switch(true))).collect();
            with(&[&values[..], &[("terms", Value::Text("Be kind.".to_owned()))]].concat())
        };
        let off = on(&[]);
        assert_eq!((off.two_factor_within_hours, &off.terms, off.allows_sign_up), (None, &None, true));
        let both = on(&["require_two_factor_authentication", "enforce_terms"]);
        assert_eq!((both.two_factor_within_hours, both.terms.as_deref()), (Some(48), Some("Be kind.")));
        for switch in ["signup_enabled", "password_authentication_enabled_for_web"] {
            assert!(!with(&[(switch, Value::Switch(false))]).allows_sign_up, "{switch}");
        }
    }

    #[test]
    fn services_are_admitted_by_either_spelling() {
        let names = |names: &[&str]| Value::List(names.iter().map(|name| (*name).to_owned()).collect());
        let listed = ("allowed_integrations", names(&["emails_on_push", "slack"]));
        let only = with(&[("allow_all_integrations", Value::Switch(false)), listed.clone()]);
        assert_eq!(["emails-on-push", "slack", "irker"].map(|slug| only.admits_service(slug)), [true, true, false]);
        assert!(with(&[listed]).admits_service("irker"));
    }

    #[test]
    fn values_become_types() {
        let text = |text: &str| Value::Text(text.to_owned());
        let public = Value::List(vec!["public".to_owned()]);
        let settings = with(&[
            ("restricted_visibility_levels", public),
            ("default_group_visibility", text("internal")),
            ("enabled_git_access_protocol", text("ssh")),
            ("default_branch_protection", Value::Number(1)),
            ("import_sources", Value::List(Vec::new())),
            ("rsa_key_restriction", Value::Number(-1)),
            ("throttle_unauthenticated_enabled", Value::Switch(true)),
            ("throttle_unauthenticated_requests_per_period", Value::Number(5)),
            ("notes_create_limit", Value::Number(7)),
            ("unique_ips_limit_enabled", Value::Switch(true)),
        ]);
        assert!(settings.restricts(Visibility::Public) && !settings.restricts(Visibility::Internal));
        assert_eq!(settings.default_group_visibility, Visibility::Internal);
        assert_eq!(settings.enabled_git_access_protocol, Some(GitAccess::Ssh));
        assert_eq!(settings.default_branch_protection.level(), 1);
        assert!(!settings.imports_by_url && !settings.key_restrictions.accepted().contains(&"RSA"));
        let rate = |name: &str| settings.rates[BUDGETS.iter().position(|budget| budget.name == name).unwrap()];
        assert_eq!(rate("throttle_authenticated_api"), None);
        assert_eq!(rate("notes_create_limit").map(|rate| rate.requests.get()), Some(7));
        let rate = rate("throttle_unauthenticated").unwrap();
        assert_eq!((rate.requests.get(), rate.period), (5, Duration::from_hours(1)));
        assert_eq!(settings.unique_ips, Some(UniqueIps { per_user: 10, window: Duration::from_hours(1) }));
    }
}
