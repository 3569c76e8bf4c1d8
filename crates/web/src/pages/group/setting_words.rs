//! The names and hints of the settings of a group, and the words of their values.

use tenon_domain::group::setting::SETTINGS;

use crate::kit::setting_field::{SettingForm, SettingWords};

/// The fields of the settings of a group.
pub(super) const FIELDS: SettingForm =
    SettingForm { settings: SETTINGS, words: SettingWords { object: "group", of, of_value } };

/// The settings of the form, by the heading under which they stand.
pub(super) const PROJECTS: [&str; 4] =
    ["default_branch", "emails_enabled", "prevent_forking_outside_group", "membership_lock"];
pub(super) const MERGING: [&str; 2] =
    ["only_allow_merge_if_pipeline_succeeds", "only_allow_merge_if_all_discussions_are_resolved"];
pub(super) const ACCESS: [&str; 5] = [
    "enabled_git_access_protocol",
    "allowed_email_domains_list",
    "prevent_sharing_groups_outside_hierarchy",
    "resource_access_token_creation_allowed",
    "ip_restriction_ranges",
];

fn of(setting: &'static str) -> (&'static str, &'static str) {
    match setting {
        "default_branch" => {
            ("Initial default branch name", "Applies to new projects. Leave empty to use the inherited name.")
        }
        "emails_enabled" => ("Send email notifications", "Subgroups and projects can only restrict this further."),
        "prevent_forking_outside_group" => ("Prevent forking outside of this group", ""),
        "membership_lock" => ("Prevent adding members to projects", "Members of the group keep their access."),
        "only_allow_merge_if_pipeline_succeeds" => ("Pipelines must succeed", "Applies to all projects in this group."),
        "only_allow_merge_if_all_discussions_are_resolved" => {
            ("All discussions must be resolved", "Applies to all projects in this group.")
        }
        "enabled_git_access_protocol" => ("Allowed Git access protocols", ""),
        "allowed_email_domains_list" => (
            "Allowed email domains for new members",
            "Separated by commas, for example example.com, *.example.org. Leave empty to allow all.",
        ),
        "prevent_sharing_groups_outside_hierarchy" => ("Prevent sharing with groups outside this hierarchy", ""),
        "resource_access_token_creation_allowed" => {
            ("Allow access tokens of groups and projects to be created", "Tokens that exist keep working.")
        }
        "ip_restriction_ranges" => (
            "Allowed IP addresses",
            "Addresses or CIDR ranges, separated by commas. For others, the group and its projects are hidden. \
             Administrators keep access.",
        ),
        other => (other, ""),
    }
}

fn of_value(_: &str, value: &str) -> String {
    match value {
        "all" => "SSH and HTTP",
        "ssh" => "SSH only",
        "http" => "HTTP only",
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::setting_field::is_obeyed;

    #[test]
    fn the_form_has_every_setting_that_the_server_acts_on() {
        let shown: Vec<&str> = [&PROJECTS[..], &MERGING[..], &ACCESS[..]].concat();
        for setting in SETTINGS.iter().filter(|setting| is_obeyed(setting)) {
            assert!(shown.contains(&setting.name), "{} is not in the form", setting.name);
            assert_ne!(of(setting.name).0, setting.name, "{} has no name in words", setting.name);
        }
        assert!(shown.iter().all(|name| SETTINGS.iter().any(|setting| setting.name == *name)));
    }
}
