//! Projects and groups.

use serde_json::{Map, Value as Json, json};
use tenon_domain::settings::Setting;
use tenon_domain::{group, project};
use tenon_testkit::{TestServer, both_databases};

use super::{Managed, encoded, merged};
use crate::setting_values::{other, preset};

/// The addresses that change with a path.
const ADDRESSES: &[&str] = &["web_url", "path_with_namespace", "ssh_url_to_repo", "http_url_to_repo", "readme_url"];

/// The settings of a table, with these values.
fn settings(table: &[Setting], value: fn(&Setting) -> Json) -> Json {
    table.iter().map(|setting| (setting.name.to_owned(), value(setting))).collect::<Map<_, _>>().into()
}

/// The addresses of a project: by id and by path.
fn of_project(made: &Json) -> Vec<String> {
    [made["id"].to_string(), encoded(&made["path_with_namespace"])].map(|one| format!("/projects/{one}")).to_vec()
}

/// As [`of_project`], of a group.
fn of_group(made: &Json) -> Vec<String> {
    [made["id"].to_string(), encoded(&made["full_path"])].map(|one| format!("/groups/{one}")).to_vec()
}

#[both_databases]
fn a_project_stays_as_it_was_described(server: &TestServer) {
    let first = json!({
        "name": "Tool", "path": "tool", "description": "A tool", "visibility": "internal", "topics": ["one", "two"],
        "lfs_enabled": false, "request_access_enabled": true, "shared_runners_enabled": false, "public_jobs": false,
        "resolve_outdated_diff_discussions": true, "only_allow_merge_if_pipeline_succeeds": true,
        "only_allow_merge_if_all_discussions_are_resolved": true, "printing_merge_request_link_enabled": false,
        "merge_method": "ff", "ci_config_path": "ci.yml", "approvals_before_merge": 2, "repository_storage": "default",
        "mirror_trigger_builds": true, "only_mirror_protected_branches": true, "mirror_overwrites_diverged_branches": true,
    });
    let second = json!({
        "name": "Better tool", "path": "better", "description": "", "visibility": "private", "topics": [],
        "lfs_enabled": true, "request_access_enabled": false, "shared_runners_enabled": true, "public_jobs": true,
        "resolve_outdated_diff_discussions": false, "only_allow_merge_if_pipeline_succeeds": false,
        "only_allow_merge_if_all_discussions_are_resolved": false, "printing_merge_request_link_enabled": true,
        "merge_method": "merge", "ci_config_path": "", "approvals_before_merge": 0,
        "mirror_trigger_builds": false, "only_mirror_protected_branches": false,
        "mirror_overwrites_diverged_branches": false,
    });
    let table = project::setting::SETTINGS;
    let project = Managed {
        client: server.root(),
        create: "/projects".to_owned(),
        method: "PUT",
        unread: json!({}),
        always: &[],
        first: merged(&settings(table, other), &first),
        second: merged(&settings(table, preset), &second),
        paths: of_project,
        follow: &[
            ("name", &["name_with_namespace"]),
            ("path", ADDRESSES),
            ("topics", &["tag_list"]),
            ("repository_access_level", &["can_create_merge_request_in"]),
            ("public_jobs", &["public_builds"]),
            ("printing_merge_request_link_enabled", &["printing_merge_requests_link_enabled"]),
            ("emails_enabled", &["emails_disabled"]),
            ("issues_access_level", &["issues_enabled", "open_issues_count"]),
            ("merge_requests_access_level", &["merge_requests_enabled"]),
            ("builds_access_level", &["jobs_enabled"]),
            ("wiki_access_level", &["wiki_enabled"]),
            ("snippets_access_level", &["snippets_enabled"]),
            ("container_registry_access_level", &["container_registry_enabled"]),
        ],
    };
    let _ = project.manage();
}

#[both_databases]
fn a_group_stays_as_it_was_described(server: &TestServer) {
    let first = json!({
        "name": "Team", "path": "team", "description": "All of us", "visibility": "internal", "lfs_enabled": false,
        "request_access_enabled": true, "share_with_group_lock": true, "project_creation_level": "developer",
        "subgroup_creation_level": "owner", "require_two_factor_authentication": true, "two_factor_grace_period": 24,
        "default_branch_protection": 1,
    });
    let second = json!({
        "name": "Crew", "path": "crew", "description": "", "visibility": "private", "lfs_enabled": true,
        "request_access_enabled": false, "share_with_group_lock": false, "project_creation_level": "maintainer",
        "subgroup_creation_level": "maintainer", "require_two_factor_authentication": false,
        "two_factor_grace_period": 48, "default_branch_protection": 2,
    });
    let table = group::setting::SETTINGS;
    let group = Managed {
        client: server.root(),
        create: "/groups".to_owned(),
        method: "PUT",
        unread: json!({}),
        always: &[],
        first: merged(&settings(table, other), &first),
        second: merged(&settings(table, preset), &second),
        paths: of_group,
        follow: &[
            ("name", &["full_name"]),
            ("path", &["full_path", "web_url"]),
            ("emails_enabled", &["emails_disabled"]),
            ("default_branch_protection", &["default_branch_protection_defaults"]),
        ],
    };
    let _ = group.manage();
}

#[both_databases]
fn a_project_and_a_group_below_a_group_stay_as_they_were_described(server: &TestServer) {
    let client = server.root();
    let team = client.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    let below = Managed {
        client: client.clone(),
        create: "/groups".to_owned(),
        method: "PUT",
        unread: json!({}),
        always: &[],
        first: json!({"name": "Below", "path": "below", "parent_id": team["id"], "description": "Some of us"}),
        second: json!({"name": "Under", "path": "under", "description": ""}),
        paths: of_group,
        follow: &[("name", &["full_name"]), ("path", &["full_path", "web_url"])],
    }
    .manage();
    let project = Managed {
        client: client.clone(),
        create: "/projects".to_owned(),
        method: "PUT",
        unread: json!({"namespace_id": below["id"], "initialize_with_readme": true}),
        always: &[],
        first: json!({"name": "Tool", "path": "tool", "default_branch": "trunk", "description": "A tool"}),
        second: json!({"name": "Better", "path": "better", "default_branch": "trunk", "description": ""}),
        paths: of_project,
        follow: &[("name", &["name_with_namespace"]), ("path", ADDRESSES)],
    }
    .manage();
    assert_eq!(project["namespace"]["id"], below["id"]);
    assert_eq!(project["path_with_namespace"], "team/under/better");
    // The group is moved, and what is in it with it.
    let _ = client.put(&format!("/groups/{}", team["id"]), json!({"path": "crew"})).assert_status(200);
    let moved = client.get("/projects/crew%2Funder%2Fbetter").assert_status(200).json();
    assert_eq!((&moved["id"], &moved["default_branch"]), (&project["id"], &json!("trunk")));
}
