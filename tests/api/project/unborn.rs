//! The default branch of a project whose repository is empty: the one that is still to come.

use serde_json::{Value, json};
use tenon_testkit::{Client, Receiver, TestServer, both_databases};

use crate::merge_request::write;
use crate::support::*;

/// The default branch in every answer that shows the project.
#[track_caller]
fn shown(client: &Client, project: i64) -> Vec<Value> {
    let path = format!("/projects/{project}");
    let one = client.get(&path).assert_status(200).json();
    let mut found = vec![one["default_branch"].clone()];
    let owner = one["namespace"]["path"].as_str().expect("a path");
    for list in [
        "/projects?per_page=100",
        "/projects?simple=true",
        &format!("/users/{owner}/projects"),
        "/projects?membership=true",
    ] {
        let all = client.get(list).assert_status(200).json();
        let listed = all.as_array().and_then(|all| all.iter().find(|item| id(item) == project).cloned());
        found.extend(listed.map(|item| item["default_branch"].clone()));
    }
    assert!(found.len() >= 4, "{found:?}");
    found.dedup();
    found
}

#[track_caller]
fn empty(client: &Client, name: &str, more: &Value) -> i64 {
    let body = crate::merge_request::with(json!({"name": name, "visibility": "public"}), more);
    let made = made(client, "/projects", body);
    assert_eq!(made["empty_repo"], true, "{made}");
    assert!(made["default_branch"].is_string(), "{made}");
    id(&made)
}

fn set(server: &TestServer, branch: &Value) {
    server.set("default_branch_name", branch);
}

#[both_databases]
fn it_is_shown_everywhere_while_the_repository_is_empty(server: &TestServer) {
    let alice = server.user("alice");
    let plain = empty(&alice, "plain", &json!({}));
    assert_eq!(shown(&alice, plain), [json!("main")]);
    assert_eq!(alice.get(&format!("/projects/{plain}")).json()["empty_repo"], true);
    let named = empty(&alice, "named", &json!({"default_branch": "develop"}));
    assert_eq!(shown(&alice, named), [json!("develop")]);
    for readme in [false, true] {
        let odd = json!({"name": "odd", "default_branch": "a..b", "initialize_with_readme": readme});
        alice.post("/projects", odd).assert(400, field("default_branch", "is not a valid branch name"));
    }
    let for_alice = made(
        &server.root(),
        &format!("/projects/user/{}", alice.id),
        json!({"name": "given", "default_branch": "next"}),
    );
    assert_eq!((&for_alice["default_branch"], shown(&alice, id(&for_alice))), (&json!("next"), vec![json!("next")]));
}

#[both_databases]
fn it_is_what_the_settings_said_when_the_project_was_made(server: &TestServer) {
    let alice = server.user("alice");
    let before = empty(&alice, "before", &json!({}));
    set(server, &json!("trunk"));
    let after = empty(&alice, "after", &json!({}));
    assert_eq!((shown(&alice, before), shown(&alice, after)), (vec![json!("main")], vec![json!("trunk")]));
    // A push finds the branch of that name as the default one, though another one comes with it.
    for (project, branch) in [(before, "main"), (after, "trunk")] {
        write(&alice, project, branch, "README.md", "x");
        server.run_jobs();
        assert_eq!(shown(&alice, project), [json!(branch)]);
        assert_eq!(alice.get(&format!("/projects/{project}")).json()["empty_repo"], false);
    }
}

#[both_databases]
fn another_first_branch_becomes_the_default_one(server: &TestServer) {
    let alice = server.user("alice");
    let project = empty(&alice, "tool", &json!({"default_branch": "develop"}));
    write(&alice, project, "topic", "README.md", "x");
    server.run_jobs();
    assert_eq!(shown(&alice, project), [json!("topic")]);
    let branches = alice.get(&format!("/projects/{project}/repository/branches")).json();
    assert_eq!((&branches[0]["name"], &branches[0]["default"]), (&json!("topic"), &json!(true)));
}

#[both_databases]
fn hooks_name_it_too(server: &TestServer) {
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    let (alice, receiver) = (server.user("alice"), Receiver::start());
    let project = empty(&alice, "tool", &json!({"default_branch": "develop"}));
    made(&alice, &format!("/projects/{project}/hooks"), json!({"url": receiver.url("/in"), "issues_events": true}));
    made(&alice, &format!("/projects/{project}/issues"), json!({"title": "One"}));
    server.run_jobs();
    assert_eq!(receiver.take()[0].json()["project"]["default_branch"], "develop");
}

#[both_databases]
fn what_is_filled_from_elsewhere_brings_its_own(server: &TestServer) {
    let alice = server.user("alice");
    let source = empty(&alice, "source", &json!({"default_branch": "trunk"}));
    let team = group(&alice, "team", "public");
    let fork = made(&alice, &format!("/projects/{source}/fork"), json!({"namespace_id": team}));
    assert_eq!(fork["default_branch"], Value::Null, "it is being copied");
    server.run_jobs();
    let forked = alice.get(&format!("/projects/{}", id(&fork))).json();
    assert_eq!((&forked["default_branch"], &forked["empty_repo"]), (&json!("trunk"), &json!(true)));
    let readme =
        made(&alice, "/projects", json!({"name": "ready", "initialize_with_readme": true, "default_branch": "stable"}));
    assert_eq!((&readme["default_branch"], &readme["empty_repo"]), (&json!("stable"), &json!(false)));
}
