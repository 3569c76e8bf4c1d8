//! The names and hints of the settings of the application, and the words of their values.

/// A setting, its name, and its hint.
type Words = (&'static str, &'static str, &'static str);

/// All settings that the page has.
const SETTINGS: [Words; 55] = [
    ("signup_enabled", "Sign-up enabled", "Anyone can create an account. Requires password sign-in."),
    (
        "send_user_confirmation_email",
        "Require email confirmation",
        "New users must confirm their email address before signing in.",
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
    ("default_branch_name", "Default branch name", "main if empty."),
    ("import_sources", "Import sources", "Allows creating projects from a Git repository URL."),
    ("max_attachment_size", "Maximum attachment size (MB)", ""),
    ("enabled_git_access_protocol", "Allowed Git access protocols", ""),
    ("rsa_key_restriction", "RSA SSH keys", ""),
    ("dsa_key_restriction", "DSA SSH keys", ""),
    ("ecdsa_key_restriction", "ECDSA SSH keys", ""),
    ("ed25519_key_restriction", "Ed25519 SSH keys", ""),
    ("ecdsa_sk_key_restriction", "ECDSA security keys", ""),
    ("ed25519_sk_key_restriction", "Ed25519 security keys", ""),
    ("housekeeping_enabled", "Enable automatic repository housekeeping", ""),
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
    ("shared_runners_enabled", "Enable shared runners for new projects", ""),
    ("email_author_in_body", "Include the author's name in the email body", ""),
    ("html_emails_enabled", "Send HTML emails", ""),
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
