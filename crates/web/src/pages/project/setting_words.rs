//! The names and hints of the settings of a project, and the words of their values.

use tenon_domain::project::setting::SETTINGS;

use crate::kit::setting_field::{SettingForm, SettingWords};

/// The fields of the settings of a project.
pub(super) const FIELDS: SettingForm =
    SettingForm { settings: SETTINGS, words: SettingWords { object: "project", of, of_value } };

/// The settings of the form, by the heading under which they stand.
pub(super) const FEATURES: [&str; 11] = [
    "issues_access_level",
    "repository_access_level",
    "merge_requests_access_level",
    "builds_access_level",
    "environments_access_level",
    "feature_flags_access_level",
    "releases_access_level",
    "wiki_access_level",
    "snippets_access_level",
    "forking_access_level",
    "analytics_access_level",
];
pub(super) const GENERAL: [&str; 2] = ["emails_enabled", "enforce_auth_checks_on_uploads"];
pub(super) const MERGING: [&str; 7] = [
    "squash_option",
    "remove_source_branch_after_merge",
    "mr_default_target_self",
    "merge_commit_template",
    "squash_commit_template",
    "suggestion_commit_message",
    "merge_requests_template",
];
pub(super) const ISSUES: [&str; 3] = ["autoclose_referenced_issues", "issues_template", "issue_branch_template"];

const PLACEHOLDERS: &str = "Placeholders: %{title}, %{description}, %{source_branch}, %{target_branch}, %{reference}, \
     %{local_reference}, %{issues}, %{url}, %{first_commit}, %{first_multiline_commit}, %{all_commits}, \
     %{co_authored_by}, %{approved_by}, %{reviewed_by}, %{merged_by}.";

fn of(setting: &'static str) -> (&'static str, &'static str) {
    match setting {
        "issues_access_level" => ("Issues", ""),
        "repository_access_level" => ("Repository", "Merge requests and pipelines need it."),
        "merge_requests_access_level" => ("Merge requests", ""),
        "builds_access_level" => ("Pipelines", ""),
        "feature_flags_access_level" => ("Feature flags", ""),
        "environments_access_level" => ("Environments", "They need the repository and pipelines."),
        "releases_access_level" => ("Releases", ""),
        "wiki_access_level" => ("Wiki", ""),
        "snippets_access_level" => ("Snippets", ""),
        "forking_access_level" => ("Forks", ""),
        "analytics_access_level" => ("Contributors and graph", ""),
        "emails_enabled" => ("Send email notifications", ""),
        "enforce_auth_checks_on_uploads" => {
            ("Require access to the project to view uploaded files", "Otherwise, anyone with the URL can view a file.")
        }
        "squash_option" => ("Squash commits when merging", ""),
        "remove_source_branch_after_merge" => ("Delete source branch by default", ""),
        "mr_default_target_self" => ("Target this fork by default", "Applies to forks only."),
        "merge_commit_template" => ("Merge commit message template", PLACEHOLDERS),
        "squash_commit_template" => ("Squash commit message template", "Same placeholders."),
        "suggestion_commit_message" => (
            "Suggestion commit message template",
            "Placeholders: %{branch_name}, %{files_count}, %{file_path}, %{file_paths}, %{project_name}, %{project_path}, \
             %{suggestions_count}, %{username}, %{user_full_name}.",
        ),
        "merge_requests_template" => ("Default merge request description", "Markdown supported."),
        "autoclose_referenced_issues" => {
            ("Close issues from closing words", "Such as Closes #1, in commits and merge requests.")
        }
        "issues_template" => ("Default issue description", "Markdown supported."),
        "issue_branch_template" => ("Branch name template", "Placeholders: %{id}, %{title}."),
        other => (other, ""),
    }
}

fn of_value(setting: &str, value: &str) -> String {
    let words = match (setting, value) {
        ("squash_option", "never") => "Do not allow",
        ("squash_option", "always") => "Require",
        ("squash_option", "default_on") => "Encourage (on by default)",
        ("squash_option", "default_off") => "Allow (off by default)",
        (_, "disabled") => "Disabled",
        (_, "private") => "Only project members",
        (_, "enabled") => "Everyone with access",
        (_, other) => other,
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::setting_field::is_obeyed;

    #[test]
    fn the_form_has_every_setting_that_the_server_acts_on() {
        let shown: Vec<&str> = [&FEATURES[..], &GENERAL[..], &MERGING[..], &ISSUES[..]].concat();
        for setting in SETTINGS.iter().filter(|setting| is_obeyed(setting)) {
            assert!(shown.contains(&setting.name), "{} is not in the form", setting.name);
            assert_ne!(of(setting.name).0, setting.name, "{} has no name in words", setting.name);
        }
        assert!(shown.iter().all(|name| tenon_domain::project::setting::find_setting(name).is_some()));
    }
}
