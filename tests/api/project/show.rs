//! One project, and who belongs to it.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

const SIMPLE: [&str; 17] = [
    "id",
    "description",
    "default_branch",
    "ssh_url_to_repo",
    "http_url_to_repo",
    "web_url",
    "readme_url",
    "tag_list",
    "name",
    "name_with_namespace",
    "path",
    "path_with_namespace",
    "created_at",
    "last_activity_at",
    "forks_count",
    "avatar_url",
    "star_count",
];
const FULL: [&str; 27] = [
    "visibility",
    "owner",
    "issues_enabled",
    "merge_requests_enabled",
    "jobs_enabled",
    "wiki_enabled",
    "snippets_enabled",
    "container_registry_enabled",
    "shared_runners_enabled",
    "public_jobs",
    "request_access_enabled",
    "resolve_outdated_diff_discussions",
    "open_issues_count",
    "creator_id",
    "namespace",
    "import_status",
    "archived",
    "shared_with_groups",
    "only_allow_merge_if_pipeline_succeeds",
    "only_allow_merge_if_all_discussions_are_resolved",
    "printing_merge_requests_link_enabled",
    "printing_merge_request_link_enabled",
    "merge_method",
    "_links",
    "permissions",
    "lfs_enabled",
    "ci_config_path",
];

#[both_databases]
fn each_caller_has_a_view(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = format!("/projects/{tool}");
    let simple = server.anonymous().get(&path).assert_status(200).json();
    assert_has(&simple, &SIMPLE);
    assert_lacks(&simple, &["visibility", "permissions", "runners_token", "owner", "creator_id", "shared_with_groups"]);
    let stranger = server.user("stranger").get(&path).json();
    assert_has(&stranger, &SIMPLE);
    assert_has(&stranger, &FULL);
    assert_lacks(
        &stranger,
        &["runners_token", "import_error", "statistics", "custom_attributes", "forked_from_project"],
    );
    assert_has(&alice.get(&path).json(), &["runners_token", "import_error"]);
    let listed = alice.get("/projects").json();
    assert_has(&listed[0], &["permissions"]);
    assert_lacks(&listed[0], &["runners_token"]);
}

#[both_databases]
fn a_fresh_project_has_the_documented_defaults(server: &TestServer) {
    let alice = server.user("alice");
    let made = made(&alice, "/projects", json!({"name": "Foo Project"}));
    let base = server.base();
    for (name, want) in [
        ("path", json!("foo-project")),
        ("name_with_namespace", json!("alice / Foo Project")),
        ("path_with_namespace", json!("alice/foo-project")),
        ("visibility", json!("private")),
        ("default_branch", json!("main")),
        ("readme_url", Value::Null),
        ("avatar_url", Value::Null),
        ("web_url", json!(format!("{base}/alice/foo-project"))),
        ("http_url_to_repo", json!(format!("{base}/alice/foo-project.git"))),
        ("issues_enabled", json!(true)),
        ("merge_requests_enabled", json!(true)),
        ("wiki_enabled", json!(true)),
        ("jobs_enabled", json!(true)),
        ("snippets_enabled", json!(true)),
        ("shared_runners_enabled", json!(true)),
        ("public_jobs", json!(true)),
        ("request_access_enabled", json!(false)),
        ("merge_method", json!("merge")),
        ("lfs_enabled", json!(true)),
        ("archived", json!(false)),
        ("import_status", json!("none")),
        ("tag_list", json!([])),
        ("star_count", json!(0)),
        ("forks_count", json!(0)),
        ("open_issues_count", json!(0)),
        ("ci_config_path", Value::Null),
        ("only_allow_merge_if_pipeline_succeeds", json!(false)),
        ("printing_merge_request_link_enabled", json!(true)),
        ("shared_with_groups", json!([])),
    ] {
        assert_eq!(made[name], want, "{name}");
    }
    assert_has(&made["owner"], &["id", "name", "created_at"]);
    assert!(
        keys(&made["namespace"])
            .is_superset(&["id", "name", "path", "kind", "full_path", "parent_id"].map(str::to_owned).into())
    );
    let own = format!("{base}/api/v4/projects/{}", id(&made));
    assert_eq!((&made["_links"]["self"], &made["_links"]["issues"]), (&json!(own), &json!(format!("{own}/issues"))));
    assert_has(&made["_links"], &["self", "issues", "merge_requests", "repo_branches", "labels", "events", "members"]);
    let ssh = made["ssh_url_to_repo"].as_str().expect("an address");
    assert!(ssh.ends_with("alice/foo-project.git") && ssh.contains("git@"), "{ssh}");
}

#[both_databases]
fn permissions_name_direct_memberships(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    let path = format!("/projects/{tool}");
    assert_eq!(bob.get(&path).json()["permissions"], json!({"project_access": null, "group_access": null}));
    member(&alice, &path, bob.id, 30);
    member(&alice, &format!("/groups/{team}"), bob.id, 20);
    let permissions = bob.get(&path).json()["permissions"].clone();
    assert_eq!(permissions["project_access"], json!({"access_level": 30, "notification_level": 3}));
    assert_eq!(permissions["group_access"], json!({"access_level": 20, "notification_level": 3}));
    assert_lacks(&alice.get(&path).json(), &["owner"]);
}

#[both_databases]
fn what_is_switched_off_is_gone(server: &TestServer) {
    let alice = server.user("alice");
    let tool =
        id(&made(&alice, "/projects", json!({"name": "tool", "issues_enabled": false, "merge_requests_enabled": "0"})));
    let shown = alice.get(&format!("/projects/{tool}")).json();
    assert_lacks(&shown, &["open_issues_count"]);
    assert_lacks(&shown["_links"], &["issues", "merge_requests"]);
    assert_eq!((&shown["issues_enabled"], &shown["merge_requests_enabled"]), (&json!(false), &json!(false)));
}

#[both_databases]
fn everybody_with_access_is_a_user_of_a_project(server: &TestServer) {
    let (alice, bob, carl) =
        (server.user("alice"), server.user("bob"), server.user_with("carl", &json!({"name": "Carl Carlson"})));
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    member(&alice, &format!("/groups/{team}"), bob.id, 10);
    member(&alice, &format!("/projects/{tool}"), carl.id, 10);
    let list = server.anonymous().get(&format!("/projects/{tool}/users")).assert_status(200);
    assert_eq!(texts(&list, "username"), ["alice", "bob", "carl"]);
    assert_eq!(keys(&list.json()[0]), BASIC_USER.map(str::to_owned).into());
    let found = |query: &str| texts(&alice.get(&format!("/projects/{tool}/users?search={query}")), "username");
    assert_eq!(
        (found("CARLSON"), found("bob"), found("no-one")),
        (vec!["carl".to_owned()], vec!["bob".to_owned()], vec![])
    );
}

#[both_databases]
fn statistics_and_attributes_come_when_asked_for(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = format!("/projects/{tool}?statistics=true&with_custom_attributes=true");
    let statistics = ["commit_count", "storage_size", "repository_size", "lfs_objects_size", "job_artifacts_size"];
    assert_has(&alice.get(&path).json()["statistics"], &statistics);
    assert_lacks(&alice.get(&path).json(), &["custom_attributes"]);
    assert_eq!(server.root().get(&path).json()["custom_attributes"], json!([]));
    assert_lacks(&server.anonymous().get(&path).json(), &["statistics"]);
}

#[both_databases]
fn a_licence_is_shown_to_those_who_ask_and_may_read_the_code(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let path = cast.path();
    let shown = |client: &Client, query: &str| client.get(&format!("{path}{query}")).assert_status(200).json();
    let commit = |file: &str, text: &str| {
        let actions = json!([{"action": "create", "file_path": file, "content": text}]);
        let body = json!({"branch": "main", "commit_message": "m", "actions": actions});
        made(&cast.owner, &format!("{path}/repository/commits"), body);
        server.run_jobs();
    };
    assert_lacks(&shown(&cast.owner, ""), &["license", "license_url"]);
    let none = shown(&cast.owner, "?license=true");
    assert_eq!((&none["license"], &none["license_url"]), (&Value::Null, &Value::Null));
    assert_has(&none, &["license", "license_url"]);
    commit("COPYING", "All rights reserved.");
    let other = json!({"key": "other", "name": "Other", "nickname": null, "html_url": null, "source_url": null});
    assert_eq!(shown(&cast.owner, "?license=true")["license"], other);
    commit("LICENSE", "Apache License\n   Version 2.0, January 2004\n");
    let project = shown(&cast.reporter, "?license=true");
    let apache = json!({
        "key": "apache-2.0", "name": "Apache License 2.0", "nickname": null,
        "html_url": "https://choosealicense.com/licenses/apache-2.0/",
        "source_url": "https://www.apache.org/licenses/LICENSE-2.0",
    });
    assert_eq!(project["license"], apache);
    assert_eq!(project["license_url"], format!("{}/owner/tool/-/blob/main/LICENSE", server.base()));
    assert_lacks(&shown(&cast.guest, "?license=true"), &["license", "license_url"]);
}

#[both_databases]
fn fields_of_parts_that_are_not_there_are_null(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let listed = alice.get("/projects?owned=true").assert_status(200).json();
    for answer in [alice.get(&format!("/projects/{tool}")).assert_status(200).json(), listed[0].clone()] {
        for name in ["marked_for_deletion_at", "marked_for_deletion_on", "service_desk_address"] {
            assert_eq!(answer.get(name), Some(&Value::Null), "{name}");
        }
    }
}
