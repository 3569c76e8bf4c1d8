//! For the routes of environments, deployments and feature flags: the bodies to send there, and rows for their lists.

use serde_json::json;
use tenon_testkit::TestServer;

use crate::requests::Body;
use crate::statements::{ROWS, made};

/// True if the path is one of environments, deployments or feature flags.
pub(crate) fn is_one(path: &str) -> bool {
    ["/environments", "/deployments", "/feature_flags"].iter().any(|name| path.contains(name))
}

/// The requests about environments, deployments and feature flags.
pub(crate) fn variants(method: &str, path: &str) -> Vec<(&'static str, Body)> {
    let one = |body: Body| vec![("", body)];
    match (method, path) {
        ("POST", path) if path.ends_with("/environments") => one(|_, _| json!({"name": "fresh"})),
        ("PUT", path) if path.ends_with("/environments/{environment_id}") => one(|_, _| json!({"description": "d"})),
        ("POST", path) if path.ends_with("/stop") => one(|_, _| json!({})),
        ("POST", path) if path.ends_with("/stop_stale") => one(|_, _| json!({"before": "2026-01-01T00:00:00Z"})),
        ("POST", path) if path.ends_with("/deployments") => {
            one(|_, _| json!({"environment": "fresh", "sha": "main", "ref": "main", "tag": false, "status": "success"}))
        }
        ("POST", path) if path.ends_with("/feature_flags") => one(|_, _| json!({"name": "fresh"})),
        ("PUT", path) if path.ends_with("/feature_flags/{feature_flag_name}") => one(|_, _| json!({"active": false})),
        ("POST", path) if path.ends_with("/feature_flags_user_lists") => {
            one(|_, _| json!({"name": "fresh", "user_xids": "a"}))
        }
        ("PUT", path) if path.ends_with("/feature_flags_user_lists/{iid}") => one(|_, _| json!({"user_xids": "b"})),
        ("PUT", path) if path.ends_with("/deployments/{deployment_id}") => one(|_, _| json!({"status": "success"})),
        _ => panic!("{method} {path}: write down in requests.rs what to send there"),
    }
}

/// Merges merge requests into a branch, and has everybody deploy it to an environment. Makes feature flags with lists
/// of users.
pub(crate) fn fill(server: &TestServer, project: &str, milestone: i64) {
    let root = server.root();
    made(&root, &format!("{project}/repository/branches"), json!({"branch": "deployed", "ref": "main"}));
    for number in 0..ROWS {
        let offer = json!({
            "source_branch": format!("b{number}"), "target_branch": "deployed", "title": "merge", "labels": ["all"],
            "milestone_id": milestone, "assignee_ids": [1], "reviewer_ids": [1], "description": "Closes #1",
        });
        let new = root.post(&format!("{project}/merge_requests"), offer).assert_status(201).json();
        let approve = format!("{project}/merge_requests/{}/approve", new["iid"]);
        made(&root.header("Sudo", "x0"), &approve, json!({}));
    }
    server.database().execute(
        "UPDATE issuables SET state = 'merged' WHERE id IN \
         (SELECT issuable_id FROM merge_requests WHERE target_branch = 'deployed'); \
         UPDATE merge_requests SET merged_at = '2026-03-01 00:00:00', merged_by_id = 1 \
         WHERE target_branch = 'deployed'",
    );
    for number in 0..ROWS {
        let deployment = json!({
            "environment": format!("e{number}"), "sha": "main", "ref": "deployed", "tag": false, "status": "success",
        });
        made(&root.header("Sudo", &format!("x{number}")), &format!("{project}/deployments"), deployment);
        let list = json!({"name": format!("l{number}"), "user_xids": "a"});
        let list = made(&root, &format!("{project}/feature_flags_user_lists"), list);
        let strategy = json!({"name": "gitlabUserList", "user_list_id": list, "scopes": [{"environment_scope": "*"}]});
        let flag = json!({"name": format!("f{number}"), "strategies": [strategy]});
        made(&root, &format!("{project}/feature_flags"), flag);
    }
}
