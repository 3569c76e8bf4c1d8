//! Settings that were never changed, and who sees them.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_new_user_takes_part_and_groups_and_projects_follow(server: &TestServer) {
    let alice = server.user("alice");
    let (group, project) = (group(&alice, "tools", "private"), project(&alice, "Tool", "private"));
    let own = json!({"level": "participating", "notification_email": "alice@example.org"});
    assert_eq!(alice.get("/notification_settings").assert_status(200).json(), own);
    for path in [format!("/groups/{group}"), format!("/projects/{project}"), "/groups/tools".into()] {
        let found = alice.get(&format!("{path}/notification_settings")).assert_status(200).json();
        assert_eq!(found, json!({"level": "global"}), "{path}");
    }
}

#[both_databases]
fn who_sees_a_project_or_group_has_a_setting_for_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (open, hidden) = (project(&alice, "Open", "public"), project(&alice, "Hidden", "private"));
    let (seen, closed) = (group(&alice, "seen", "internal"), group(&alice, "closed", "private"));
    for path in [format!("/projects/{open}"), format!("/groups/{seen}")] {
        let path = format!("{path}/notification_settings");
        let _ = bob.get(&path).assert_status(200);
        assert_eq!(changed(&bob, &path, json!({"level": "watch"})), json!({"level": "watch"}));
        assert_eq!(alice.get(&path).json(), json!({"level": "global"}), "each user has one");
        server.anonymous().get(&path).assert(401, unauthorized());
    }
    for (path, name) in [(format!("/projects/{hidden}"), "Project"), (format!("/groups/{closed}"), "Group")] {
        let path = format!("{path}/notification_settings");
        bob.get(&path).assert(404, missing(name));
        bob.put(&path, json!({"level": "watch"})).assert(404, missing(name));
        server.anonymous().get(&path).assert(401, unauthorized());
    }
    alice.get("/projects/999/notification_settings").assert(404, missing("Project"));
    alice.get("/groups/999/notification_settings").assert(404, missing("Group"));
}

#[both_databases]
fn a_setting_goes_with_what_it_is_for(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let project = project(&alice, "Tool", "public");
    changed(&root, &format!("/projects/{project}/notification_settings"), json!({"level": "watch"}));
    let _ = alice.delete(&format!("/projects/{project}")).assert_status(202);
    server.run_jobs();
    let _ = root.delete(&format!("/users/{}", alice.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(root.get("/notification_settings").json()["level"], "participating");
}
