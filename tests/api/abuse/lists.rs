//! Objects that a caller may not see are in no list, no search, no count and no link.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::support::*;

/// An owner with a private group `hidden`, a private project in it, and a public project shared with that group.
fn scene(server: &TestServer) -> (User, i64, i64, i64) {
    let owner = server.user("owner");
    let hidden = group(&owner, "hidden", "private");
    let secret = project_in(&owner, hidden, "secret plan", "private");
    let open = project(&owner, "open plan", "public");
    made(&owner, &format!("/projects/{open}/share"), json!({"group_id": hidden, "group_access": 30}));
    (owner, hidden, secret, open)
}

#[both_databases]
fn lists_searches_and_counts_leave_private_projects_out(server: &TestServer) {
    let (owner, hidden, secret, open) = scene(server);
    for caller in [server.anonymous(), server.user("stranger").clone()] {
        for path in [
            "/projects".to_owned(),
            "/projects?search=plan".to_owned(),
            "/projects?per_page=1&order_by=id".to_owned(),
            format!("/users/{}/projects", owner.id),
            "/users/owner/projects".to_owned(),
        ] {
            let reply = caller.get(&path).assert_status(200);
            assert_eq!((ids(&reply), reply.header("x-total").as_str()), (vec![open], "1"), "{path}");
            assert!(!reply.header("link").contains("rel=\"next\""), "{path}: {}", reply.header("link"));
        }
        assert_eq!(ids(&caller.get("/projects?search=secret")), [0_i64; 0]);
        assert_eq!(ids(&caller.get("/projects?visibility=private")), [0_i64; 0]);
        caller.get(&format!("/groups/{hidden}/projects")).assert(404, missing("Group"));
    }
    let mut all = ids(&owner.get("/projects"));
    all.sort_unstable();
    assert_eq!(all, [secret, open]);
}

#[both_databases]
fn lists_and_searches_leave_private_groups_out(server: &TestServer) {
    scene(server);
    let stranger = server.user("stranger");
    for caller in [server.anonymous(), stranger.clone()] {
        for path in [
            "/groups",
            "/groups?all_available=true",
            "/groups?search=hidden",
            "/groups?all_available=true&search=hidden",
        ] {
            let reply = caller.get(path).assert_status(200);
            assert_eq!((reply.json(), reply.header("x-total").as_str()), (json!([]), "0"), "{path}");
        }
    }
    assert_eq!(names(&stranger.get("/namespaces")), ["stranger"]);
    assert_eq!(stranger.get("/namespaces?search=hidden").json(), json!([]));
    stranger.get("/namespaces/hidden").assert(404, missing("Namespace"));
}

#[both_databases]
fn a_public_project_does_not_name_the_private_groups_it_is_shared_with(server: &TestServer) {
    let (owner, _, _, open) = scene(server);
    let path = format!("/projects/{open}");
    let shared = |value: &Value| value["shared_with_groups"].clone();
    assert_eq!(shared(&server.user("stranger").get(&path).json()), json!([]));
    assert_eq!(shared(&owner.get(&path).json())[0]["group_name"], "hidden");
    assert_eq!(shared(&server.user("other").get("/projects").json()[0]), json!([]));
}

#[both_databases]
fn a_group_shows_only_the_projects_that_the_caller_may_see(server: &TestServer) {
    let owner = server.user("owner");
    let team = group(&owner, "team", "public");
    project_in(&owner, team, "kept", "private");
    let open = project_in(&owner, team, "open", "public");
    let foreign = project(&owner, "lent", "private");
    made(&owner, &format!("/projects/{foreign}/share"), json!({"group_id": team, "group_access": 30}));
    for caller in [server.anonymous(), server.user("stranger").clone()] {
        let reply = caller.get(&format!("/groups/{team}/projects")).assert_status(200);
        assert_eq!((ids(&reply), reply.header("x-total").as_str()), (vec![open], "1"));
        let group = caller.get(&format!("/groups/{team}")).assert_status(200).json();
        assert_eq!(group["projects"].as_array().map(Vec::len), Some(1), "{group}");
        assert_eq!(group["shared_projects"], json!([]));
    }
    let own = owner.get(&format!("/groups/{team}")).json();
    assert_eq!(own["projects"].as_array().map(Vec::len), Some(2), "{own}");
    assert_eq!(own["shared_projects"].as_array().map(Vec::len), Some(1), "{own}");
}

#[both_databases]
fn a_star_on_a_project_that_became_private_shows_nothing(server: &TestServer) {
    let owner = server.user("owner");
    let project = project(&owner, "tool", "public");
    let fan = server.user("fan");
    let _ = fan.post(&format!("/projects/{project}/star"), json!({})).assert_status(200);
    assert_eq!(ids(&fan.get("/projects?starred=true")), [project]);
    let _ = owner.put(&format!("/projects/{project}"), json!({"visibility": "private"})).assert_status(200);
    let reply = fan.get("/projects?starred=true");
    assert_eq!((ids(&reply), reply.header("x-total").as_str()), (vec![], "0"));
}

/// A public project that is merely shared into a private group does not open the group.
#[both_databases]
fn a_shared_public_project_does_not_reveal_a_private_group(server: &TestServer) {
    let (_, hidden, _, _) = scene(server);
    for caller in [server.anonymous(), server.user("stranger").clone()] {
        caller.get(&format!("/groups/{hidden}")).assert(404, missing("Group"));
        caller.get(&format!("/groups/{hidden}/subgroups")).assert(404, missing("Group"));
    }
}
