//! The names of anchors that pages use themselves. Anchors in texts of users get none of them.

/// All names of anchors in the templates of all pages.
#[rustfmt::skip]
pub(crate) const TAKEN: [&str; 238] = [
    "access_level", "activity", "add", "application-id", "application-secret", "application_name", "application_redirect_uri",
    "application_scopes", "approvals", "approvals_required", "archive", "assignee", "attach", "author", "branch",
    "broadcast-color", "broadcast-ends_at", "broadcast-font", "broadcast-message", "broadcast-starts_at",
    "broadcast-target_path", "bulk", "buttons", "clone-http", "clone-ssh", "codes_password", "color", "comment", "comments",
    "commit-title", "commit_message", "confirm", "content", "created-token", "current", "default_branch", "delete", "directory",
    "deploy-keys", "deploy_key-key", "deploy_key-title", "description", "diff_id", "draft-text", "due_date", "edited",
    "elsewhere", "email", "email_email", "event_filter", "expires_at", "file", "files", "finish", "found-files", "found-refs", "from",
    "gpg_key_key", "homes", "hook-push_events_branch_filter", "hook-token", "hook-url", "how", "import_url", "key_key",
    "key_title", "label", "language", "line-comment", "linked", "main", "markdown", "merge_method", "message", "milestone",
    "milestone_id", "move_to_project", "name", "names", "namespace_id", "new_namespace_id", "new_user", "new_user_email",
    "new_user_name", "new_user_password", "new_user_username", "note", "note-help", "notification_email", "off_password",
    "on_password", "open", "password", "path", "pin_code", "preview", "priority", "problem",
    "problem-move_to_project", "problems", "projects", "projects_limit", "protected-branches", "line", "pending",
    "problem-fact", "protected-tags", "protected_branch-merge_access_level", "protected_branch-name",
    "protected_branch-push_access_level", "protected_tag-create_access_level", "protected_tag-name", "readme", "recovery-codes",
    "ref", "related", "release_description", "replace", "review", "rule-approvals_required", "rule-groups", "rule-name",
    "rule-users", "search", "share", "share-expires_at", "share-link_group_access", "share-link_group_id", "site-search",
    "sort", "source-branches", "source_branch", "squashed", "start_date", "start_sha", "stored", "swatches", "switch",
    "tag_list", "talk", "target-branches", "target_branch", "target_project", "template", "theirs", "title", "to",
    "token_expires_at", "token_name", "token_scopes", "topic", "new_branch", "suggestions", "suggestions_message",
    "pin_passkey_name", "pin_passkey_password",
    "transfer", "trigger", "two-factor-secret", "unknown", "unrelate", "user_avatar", "user_bio", "user_code",
    "user_current_password", "user_email", "user_emoji", "user_ids", "user_job_title", "user_location", "user_login",
    "user_message", "user_name", "user_organization", "user_otp_attempt", "user_password", "user_password_confirmation",
    "user_pronouns", "user_public_email", "user_tab_width", "user_theme", "user_website_url", "username", "verdict",
    "visibility_level", "weight", "year", "user_linkedin", "user_twitter", "user_skype", "user_commit_email",
    "checkout", "facts", "fetch",
    "deploy_key-expires_at", "hook-branch_filter_strategy", "hook-custom_headers", "hook-url_variables",
    "hook-custom_webhook_template", "application_addresses", "mirror", "mirror_branch_regex", "feed-token", "badge-image_url", "badge-link_url", "badge-name", "created-username",
    "access_token-access_level", "access_token-expires_at", "access_token-name", "access_token-scopes",
    "deploy_token-name", "deploy_token-username", "deploy_token-expires_at", "variable-description",
    "variable-environment_scope", "variable-key", "variable-value", "variable-variable_type", "variable-visibility",
    "health", "statistics", "changed", "board-name", "list-label_id",
    "environment-description", "environment-external_url", "environment-name", "environment-tier",
    "feature_flag-description", "feature_flag-name", "strategy-environments", "strategy-name", "strategy-percentage",
    "strategy-user_list_id", "strategy-users", "user_list-name", "user_list-user_xids",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::templates;

    #[test]
    fn every_name_of_a_template_is_known() {
        let templates = templates();
        let ids = templates.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let names: Vec<&str> = ids.filter(|id| !id.contains(['{', '}']) && !TAKEN.contains(id)).collect();
        assert!(names.is_empty(), "{names:?} are missing in TAKEN");
    }
}
