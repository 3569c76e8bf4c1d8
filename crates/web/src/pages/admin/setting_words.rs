//! The names and hints of the settings of the application, and the words of their values.

/// A setting, its name, and its hint.
type Words = (&'static str, &'static str, &'static str);

/// All settings that the page has.
const SETTINGS: &[Words] = &[
    ("signup_enabled", "Sign-up enabled", "Anyone can create an account. Requires password sign-in."),
    (
        "email_confirmation_setting",
        "Email confirmation of new users",
        "Users must confirm their email address before signing in.",
    ),
    ("require_admin_approval_after_user_signup", "Require administrator approval for new sign-ups", ""),
    (
        "domain_whitelist",
        "Allowed domains for sign-ups",
        "One per line. Use * as a wildcard. Leave empty to allow all.",
    ),
    ("domain_blacklist_enabled", "Enable domain denylist for sign-ups", ""),
    ("domain_blacklist", "Denied domains for sign-ups", "One per line. Use * as a wildcard."),
    ("user_default_external", "New users are external by default", ""),
    ("default_projects_limit", "Default personal project limit", "Applies to new users only."),
    ("password_authentication_enabled_for_web", "Allow password authentication in the browser", ""),
    (
        "password_authentication_enabled_for_git",
        "Allow password authentication for Git over HTTP",
        "If disabled, Git requires an access token.",
    ),
    ("require_two_factor_authentication", "Require two-factor authentication for all users", ""),
    (
        "two_factor_grace_period",
        "Two-factor grace period (hours)",
        "Time that users have to set up two-factor authentication.",
    ),
    (
        "session_expire_delay",
        "Session duration (minutes)",
        "0 means one week. Remembered sessions last at least two weeks.",
    ),
    ("enforce_terms", "Require all users to accept the Terms of Service", ""),
    ("terms", "Terms of Service", "Markdown supported."),
    ("user_oauth_applications", "Allow users to create OAuth applications", "If disabled, only administrators can."),
    ("disabled_oauth_sign_in_sources", "Disabled sign-in services", "Names of OpenID Connect providers, one per line."),
    ("user_show_add_ssh_key_message", "Remind users without an SSH key to add one", ""),
    (
        "avatarservice_enabled",
        "Use the avatar service for users without an avatar",
        "Sends hashes of email addresses to the service.",
    ),
    ("default_group_visibility", "Default group visibility", ""),
    ("default_project_visibility", "Default project visibility", ""),
    (
        "restricted_visibility_levels",
        "Restricted visibility levels",
        "Only administrators can use these levels. Restricting Public also hides user profiles from visitors.",
    ),
    ("default_branch_protection", "Default branch protection", "Applies to new projects."),
    (
        "group_owners_can_manage_default_branch_protection",
        "Allow owners to manage default branch protection per group",
        "If disabled, only administrators can.",
    ),
    ("default_branch_name", "Default branch name", "main if empty."),
    ("mirror_available", "Allow users to set up mirrors", "If disabled, only administrators can."),
    ("import_sources", "Import sources", "Allows creating projects from a Git repository URL."),
    ("default_project_creation", "Who creates projects in new groups", "Each group can change it."),
    (
        "allow_project_creation_for_guest_and_below",
        "Allow guests to create personal projects",
        "If disabled, users need the role Reporter in a project or group.",
    ),
    ("anonymous_searches_allowed", "Allow search without an account", ""),
    ("allow_all_integrations", "Allow all integrations", ""),
    (
        "allowed_integrations",
        "Allowed integrations",
        "Names such as slack, one per line. Applies if not all integrations are allowed.",
    ),
    (
        "disable_admin_oauth_scopes",
        "Keep administrators from untrusted applications",
        "Administrators can only let such applications read who they are.",
    ),
    ("user_deactivation_emails_enabled", "Email users when their account is deactivated", ""),
    ("max_attachment_size", "Maximum attachment size (MB)", ""),
    ("enabled_git_access_protocol", "Allowed Git access protocols", ""),
    ("rsa_key_restriction", "RSA SSH keys", ""),
    ("dsa_key_restriction", "DSA SSH keys", ""),
    ("ecdsa_key_restriction", "ECDSA SSH keys", ""),
    ("ed25519_key_restriction", "Ed25519 SSH keys", ""),
    ("ecdsa_sk_key_restriction", "ECDSA security keys", ""),
    ("ed25519_sk_key_restriction", "Ed25519 security keys", ""),
    ("housekeeping_enabled", "Enable automatic repository housekeeping", ""),
    ("housekeeping_optimize_repository_period", "Pack new objects after this many pushes", ""),
    ("throttle_unauthenticated_enabled", "Enable rate limit for unauthenticated requests", ""),
    ("throttle_unauthenticated_requests_per_period", "Unauthenticated requests per period and IP address", ""),
    ("throttle_unauthenticated_period_in_seconds", "Unauthenticated rate limit period (seconds)", ""),
    ("throttle_authenticated_api_enabled", "Enable rate limit for authenticated API requests", ""),
    ("throttle_authenticated_api_requests_per_period", "Authenticated API requests per period and user", ""),
    ("throttle_authenticated_api_period_in_seconds", "Authenticated API rate limit period (seconds)", ""),
    (
        "throttle_authenticated_web_enabled",
        "Enable rate limit for other authenticated requests",
        "Applies to Git, files and archives.",
    ),
    ("throttle_authenticated_web_requests_per_period", "Other authenticated requests per period and user", ""),
    ("throttle_authenticated_web_period_in_seconds", "Other authenticated rate limit period (seconds)", ""),
    ("unique_ips_limit_enabled", "Limit IP addresses per user", ""),
    ("unique_ips_limit_per_user", "IP addresses per user", ""),
    (
        "unique_ips_limit_time_window",
        "IP address expiration time (seconds)",
        "An unused IP address is forgotten after this time.",
    ),
    (
        "allow_local_requests_from_hooks_and_services",
        "Allow requests to the local network from webhooks and imports",
        "",
    ),
    ("home_page_url", "Home page URL", "Visitors who are not signed in are redirected here."),
    ("after_sign_out_path", "After sign-out URL", "Users are redirected here after signing out."),
    ("after_sign_up_text", "After sign-up text", "Markdown supported."),
    ("sign_in_text", "Sign-in page text", "Markdown supported."),
    ("help_page_text", "Help page text", "Shown at the top of the help page. Markdown supported."),
    ("help_page_support_url", "Support page URL", "Linked from the help page."),
    ("shared_runners_enabled", "Enable shared runners for new projects", ""),
    ("email_author_in_body", "Include the author's name in the email body", ""),
    ("html_emails_enabled", "Send HTML emails", ""),
    ("minimum_password_length", "Minimum password length", "Applies to new passwords only."),
    ("password_number_required", "Require a digit in passwords", ""),
    ("password_symbol_required", "Require a symbol in passwords", ""),
    ("password_uppercase_required", "Require a capital letter in passwords", ""),
    ("password_lowercase_required", "Require a small letter in passwords", ""),
    ("max_login_attempts", "Wrong passwords before an account is locked", "Leave empty for the limits of the server."),
    ("failed_login_attempts_unlock_period_in_minutes", "Minutes until a locked account is unlocked", "10 if empty."),
    ("personal_access_token_prefix", "Personal access token prefix", "Applies to new tokens only."),
    (
        "max_personal_access_token_lifetime",
        "Maximum lifetime of access tokens (days)",
        "Applies to new tokens only. Leave empty for no limit.",
    ),
    ("require_personal_access_token_expiry", "Require an expiration date for access tokens", ""),
    (
        "disable_personal_access_tokens",
        "Disable personal access tokens",
        "Only administrators can use and create them.",
    ),
    (
        "max_ssh_key_lifetime",
        "Maximum lifetime of SSH keys (days)",
        "Applies to new keys only. Leave empty for no limit.",
    ),
    ("require_admin_two_factor_authentication", "Require two-factor authentication for administrators", ""),
    ("email_restrictions_enabled", "Enable email restrictions for sign-ups", ""),
    ("email_restrictions", "Email restrictions for sign-ups", "A regular expression of addresses that are refused."),
    (
        "user_default_internal_regex",
        "Addresses of internal users",
        "A regular expression. Matching new users are not external.",
    ),
    ("user_defaults_to_private_profile", "New users have a private profile by default", ""),
    ("can_create_group", "New users can create top-level groups by default", ""),
    ("allow_account_deletion", "Allow users to delete their own account", "If disabled, only administrators can."),
    ("updating_name_disabled_for_users", "Prevent users from changing their name", ""),
    ("disable_feed_token", "Disable feed tokens", "Feed readers then read public feeds only."),
    (
        "admin_mode",
        "Require admin mode",
        "Administrators enter their password again to act as such for six hours. Their tokens need the scope admin_mode. Git over HTTP and SSH has no admin mode.",
    ),
    (
        "notify_on_unknown_sign_in",
        "Email users about sign-ins from new addresses",
        "Compared with their sessions and last sign-ins.",
    ),
    ("remember_me_enabled", "Allow users to stay signed in", "Shows Remember me on the sign-in page."),
    (
        "delete_unconfirmed_users",
        "Delete unconfirmed accounts",
        "Accounts that were never used. Requires email confirmation.",
    ),
    ("unconfirmed_users_delete_after_days", "Days until unconfirmed accounts are deleted", ""),
    ("deactivate_dormant_users", "Deactivate dormant users", "Administrators are not deactivated."),
    ("deactivate_dormant_users_period", "Days of inactivity before deactivation", ""),
    (
        "commit_email_hostname",
        "Host of private commit email addresses",
        "noreply. and the host of this server if empty.",
    ),
    ("throttle_unauthenticated_api_enabled", "Enable rate limit for unauthenticated API requests", ""),
    ("throttle_unauthenticated_api_requests_per_period", "Unauthenticated API requests per period and IP address", ""),
    ("throttle_unauthenticated_api_period_in_seconds", "Unauthenticated API rate limit period (seconds)", ""),
    (
        "throttle_unauthenticated_web_enabled",
        "Enable rate limit for other unauthenticated requests",
        "Applies to pages, Git, files and archives.",
    ),
    (
        "throttle_unauthenticated_web_requests_per_period",
        "Other unauthenticated requests per period and IP address",
        "",
    ),
    ("throttle_unauthenticated_web_period_in_seconds", "Other unauthenticated rate limit period (seconds)", ""),
    (
        "throttle_unauthenticated_files_api_enabled",
        "Enable rate limit for unauthenticated requests of the files API",
        "",
    ),
    (
        "throttle_unauthenticated_files_api_requests_per_period",
        "Unauthenticated files API requests per period and IP address",
        "",
    ),
    (
        "throttle_unauthenticated_files_api_period_in_seconds",
        "Unauthenticated files API rate limit period (seconds)",
        "",
    ),
    ("throttle_authenticated_files_api_enabled", "Enable rate limit for authenticated requests of the files API", ""),
    (
        "throttle_authenticated_files_api_requests_per_period",
        "Authenticated files API requests per period and user",
        "",
    ),
    ("throttle_authenticated_files_api_period_in_seconds", "Authenticated files API rate limit period (seconds)", ""),
    (
        "throttle_unauthenticated_deprecated_api_enabled",
        "Enable rate limit for unauthenticated requests of the deprecated API",
        "Applies to a group with its projects.",
    ),
    (
        "throttle_unauthenticated_deprecated_api_requests_per_period",
        "Unauthenticated deprecated API requests per period and IP address",
        "",
    ),
    (
        "throttle_unauthenticated_deprecated_api_period_in_seconds",
        "Unauthenticated deprecated API rate limit period (seconds)",
        "",
    ),
    (
        "throttle_authenticated_deprecated_api_enabled",
        "Enable rate limit for authenticated requests of the deprecated API",
        "Applies to a group with its projects.",
    ),
    (
        "throttle_authenticated_deprecated_api_requests_per_period",
        "Authenticated deprecated API requests per period and user",
        "",
    ),
    (
        "throttle_authenticated_deprecated_api_period_in_seconds",
        "Authenticated deprecated API rate limit period (seconds)",
        "",
    ),
    (
        "throttle_protected_paths_enabled",
        "Enable rate limit for protected paths",
        "Applies to signing in, signing up and resetting passwords.",
    ),
    ("throttle_protected_paths_requests_per_period", "Protected path requests per period and IP address", ""),
    ("throttle_protected_paths_period_in_seconds", "Protected path rate limit period (seconds)", ""),
    ("rate_limiting_response_text", "Rate limit response text", "Retry later if empty."),
    ("notes_create_limit", "Comments per minute and user", "0 means no limit."),
    ("issues_create_limit", "New issues per minute and user", "0 means no limit."),
    ("search_rate_limit", "Searches per minute and user", "0 means no limit."),
    ("search_rate_limit_unauthenticated", "Unauthenticated searches per minute and IP address", "0 means no limit."),
    ("raw_blob_request_limit", "Raw file requests per minute and file", "0 means no limit."),
    ("users_get_by_id_limit", "User lookups per 10 minutes and user", "0 means no limit. Applies to the API."),
    (
        "users_get_by_id_limit_allowlist_raw",
        "Users without a limit of user lookups",
        "One username per line. The first 100 count.",
    ),
    (
        "user_email_lookup_limit",
        "Email address lookups per minute",
        "0 means no limit. Applies to each user or IP address.",
    ),
    (
        "projects_api_rate_limit_unauthenticated",
        "Unauthenticated project list requests per 10 minutes and IP address",
        "0 means no limit.",
    ),
    ("gitlab_shell_operation_limit", "Git operations over SSH per minute, user and repository", "0 means no limit."),
    (
        "max_number_of_repository_downloads",
        "Maximum projects that a user downloads in the time below",
        "0 means no limit. Administrators get an email about users who download more.",
    ),
    (
        "max_number_of_repository_downloads_within_time_period",
        "Time in which downloads of projects are counted (seconds)",
        "0 means no limit.",
    ),
    ("auto_ban_user_on_excessive_projects_download", "Ban users who download more projects", ""),
    ("git_rate_limit_users_allowlist", "Users whose downloads are not counted", "One username per line."),
    (
        "git_rate_limit_users_alertlist",
        "Users who get emails about excessive downloads",
        "One user ID per line. All administrators if empty.",
    ),
    ("allow_local_requests_from_system_hooks", "Allow requests to the local network from system hooks", ""),
    (
        "outbound_local_requests_whitelist",
        "Local hosts that webhooks and imports can access",
        "One host, IP address or IP range per line.",
    ),
    ("first_day_of_week", "First day of the week", "Applies to the calendar of contributions."),
    ("time_tracking_limit_to_hours", "Limit display of time tracking units to hours", ""),
    ("repository_size_limit", "Maximum repository size (bytes)", "Leave empty for the limit of the server."),
    ("diff_max_files", "Maximum files in a diff", ""),
    ("diff_max_lines", "Maximum lines in a diff", ""),
    ("diff_max_patch_bytes", "Maximum diff size of a file (bytes)", ""),
    ("receive_max_input_size", "Maximum push size (MiB)", "Leave empty for no limit."),
    (
        "push_event_hooks_limit",
        "Maximum branches and tags of a push that webhooks receive",
        "A push that changes more sends no push events.",
    ),
    (
        "push_event_activities_limit",
        "Maximum branches or tags of a push with activities of their own",
        "If a push creates, changes or removes more, they share one activity.",
    ),
    (
        "maintenance_mode",
        "Enable maintenance mode",
        "Users can view but not change anything. Administrators can still sign in and change these settings.",
    ),
    ("maintenance_mode_message", "Maintenance message", ""),
    ("security_txt_content", "Content of security.txt", "Served at /.well-known/security.txt."),
    ("email_additional_text", "Additional text of emails", "Added to the end of each email."),
    ("help_text", "Administrators' text on the help page", "Shown below the help page text. Markdown supported."),
    ("custom_http_clone_url_root", "Root of HTTP clone addresses", "The address of this server if empty."),
    ("diagram_enabled", "Draw diagrams with a PlantUML server", "The server sees the diagrams of private texts."),
    ("diagram_url", "PlantUML URL", ""),
    ("kroki_enabled", "Draw diagrams with a Kroki server", "The server sees the diagrams of private texts."),
    ("kroki_url", "Kroki URL", ""),
    ("kroki_formats", "Additional formats of the Kroki server", ""),
    (
        "asset_proxy_enabled",
        "Show images of other servers through a proxy",
        "Requires the proxy URL and its secret key.",
    ),
    ("asset_proxy_url", "Image proxy URL", "The proxy must be compatible with Camo."),
    ("asset_proxy_secret_key", "Secret key of the image proxy", "Leave empty to keep the current key."),
    (
        "asset_proxy_allowlist",
        "Hosts whose images bypass the proxy",
        "One per line. Use *. at the beginning for all subdomains.",
    ),
    ("prometheus_metrics_enabled", "Enable Prometheus metrics", "Served at /-/metrics."),
];

/// The name and the hint of a setting. A setting that is not in the table keeps the name that the API has.
pub(super) fn of(setting: &'static str) -> (&'static str, &'static str) {
    let known = SETTINGS.iter().find(|(name, ..)| *name == setting);
    known.map_or((setting, ""), |(_, name, hint)| (name, hint))
}

/// A value of a setting in words.
pub(super) fn of_value(setting: &str, value: &str) -> String {
    match (setting, value) {
        ("default_branch_protection", "0") => "Not protected".to_owned(),
        ("default_branch_protection", "1") => "Partially protected: developers can push".to_owned(),
        ("default_branch_protection", "2") => "Fully protected: only maintainers can push".to_owned(),
        ("default_branch_protection", "3") => "Protected against pushes: developers can merge".to_owned(),
        ("default_branch_protection", "4") => "Fully protected after the first push".to_owned(),
        ("default_project_creation", "0") => "No one".to_owned(),
        ("default_project_creation", "1") => "Maintainers".to_owned(),
        ("default_project_creation", "2") => "Developers and maintainers".to_owned(),
        ("default_project_creation", "3") => "No one (3)".to_owned(),
        ("default_project_creation", "4") => "Owners".to_owned(),
        ("first_day_of_week", "0") => "Sunday".to_owned(),
        ("first_day_of_week", "1") => "Monday".to_owned(),
        ("first_day_of_week", "6") => "Saturday".to_owned(),
        ("email_confirmation_setting", "off") => "Off".to_owned(),
        ("email_confirmation_setting", _) => format!("Required ({value})"),
        ("enabled_git_access_protocol", "") => "SSH and HTTP".to_owned(),
        ("enabled_git_access_protocol", "ssh") => "SSH only".to_owned(),
        ("enabled_git_access_protocol", "http") => "HTTP only".to_owned(),
        ("import_sources", "git") => "Repository by URL".to_owned(),
        (_, "private") => "Private".to_owned(),
        (_, "internal") => "Internal".to_owned(),
        (_, "public") => "Public".to_owned(),
        ("rsa_key_restriction", "0") => "Must be at least 2048 bits".to_owned(),
        (name, "0") if name.ends_with("_key_restriction") => "Allowed".to_owned(),
        (name, "-1") if name.ends_with("_key_restriction") => "Forbidden".to_owned(),
        (name, bits) if name.ends_with("_key_restriction") => format!("Must be at least {bits} bits"),
        (_, "") => "None".to_owned(),
        (_, value) => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_words() {
        assert_eq!(of_value("dsa_key_restriction", "0"), "Allowed");
        assert_eq!(of_value("dsa_key_restriction", "2048"), "Must be at least 2048 bits");
        assert_eq!(of_value("default_group_visibility", "public"), "Public");
        assert_eq!(of("signup_enabled").0, "Sign-up enabled");
        assert_eq!(of("other"), ("other", ""));
    }
}
