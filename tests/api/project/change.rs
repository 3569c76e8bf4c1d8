//! Changes to projects: settings, stars, archiving, sharing, removal.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn an_edit_changes_only_what_is_sent(server: &TestServer) {
    let alice = server.user("alice");
    let tool = id(&made(
        &alice,
        "/projects",
        json!({"name": "tool", "description": "d", "visibility": "public", "wiki_enabled": false, "tag_list": "a"}),
    ));
    let edited = alice.put(&format!("/projects/{tool}"), json!({"name": "Thing"})).assert_status(200).json();
    for (name, want) in [
        ("name", json!("Thing")),
        ("path", json!("tool")),
        ("description", json!("d")),
        ("visibility", json!("public")),
        ("wiki_enabled", json!(false)),
        ("tag_list", json!(["a"])),
    ] {
        assert_eq!(edited[name], want, "{name}");
    }
    assert_has(&edited, &["runners_token"]);
    let emptied =
        alice.put(&format!("/projects/{tool}"), json!({"tag_list": [], "description": ""})).assert_status(200).json();
    assert_eq!(emptied["tag_list"], json!([]));
    let reply = alice.put(&format!("/projects/{tool}"), json!({"nonsense": 1})).assert_status(400);
    assert!(reply.text().contains("are missing, at least one parameter must be provided"), "{}", reply.text());
    alice.put("/projects/999999", json!({"name": "x"})).assert(404, missing("Project"));
}

#[both_databases]
fn a_maintainer_may_not_rename_or_open(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "private");
    let path = format!("/projects/{tool}");
    member(&alice, &path, bob.id, 40);
    bob.put(&path, json!({"name": "x", "description": "d"})).assert(403, forbidden());
    bob.put(&path, json!({"visibility": "public"})).assert(403, forbidden());
    assert_eq!(alice.get(&path).json()["description"], Value::Null);
    let _ = bob.put(&path, json!({"description": "d"})).assert_status(200);
    assert_eq!(alice.get(&path).json()["description"], "d");
}

#[both_databases]
fn stars_are_given_once_and_taken_once(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let post = |client: &tenon_testkit::Client, what: &str| client.post(&format!("/projects/{tool}/{what}"), json!({}));
    assert_eq!(post(&bob, "star").assert_status(200).json()["star_count"], 1);
    assert!(post(&bob, "star").assert_status(304).bytes().is_empty());
    assert_eq!(post(&alice, "star").assert_status(200).json()["star_count"], 2);
    assert_eq!(post(&bob, "unstar").assert_status(200).json()["star_count"], 1);
    assert!(post(&bob, "unstar").assert_status(304).bytes().is_empty());
    post(&server.anonymous(), "star").assert(401, unauthorized());
    let starred = post(&bob, "star").json();
    assert_lacks(&starred, &["runners_token"]);
}

#[both_databases]
fn archiving_is_idempotent_and_for_owners(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let path = format!("/projects/{tool}");
    member(&alice, &path, bob.id, 40);
    for _ in 0..2 {
        let archived = alice.post(&format!("{path}/archive"), json!({})).assert_status(200).json();
        assert_eq!(archived["archived"], true);
        assert_lacks(&archived, &["runners_token"]);
    }
    bob.post(&format!("{path}/unarchive"), json!({})).assert(403, forbidden());
    // The changes that are still possible.
    let _ = bob.post(&format!("{path}/star"), json!({})).assert_status(200);
    let _ = alice.put(&path, json!({"description": "d"})).assert_status(200);
    let _ = alice.post(&format!("{path}/hooks"), json!({"url": "https://a.example.com/"})).assert_status(201);
    let friends = group(&alice, "friends", "public");
    made(&alice, &format!("{path}/share"), json!({"group_id": friends, "group_access": 10}));
    for _ in 0..2 {
        assert_eq!(alice.post(&format!("{path}/unarchive"), json!({})).assert_status(200).json()["archived"], false);
    }
    let _ = alice.post(&format!("{path}/archive"), json!({})).assert_status(200);
    alice.delete(&path).assert(202, accepted());
}

#[both_databases]
fn sharing_has_rules(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "private");
    let (friends, hidden) = (group(&bob, "friends", "public"), group(&bob, "hidden", "private"));
    let path = format!("/projects/{tool}/share");
    let shared = made(&alice, &path, json!({"group_id": friends, "group_access": 30, "expires_at": "2026-12-31"}));
    assert_eq!(
        (&shared["project_id"], &shared["group_id"], &shared["group_access"], &shared["expires_at"]),
        (&json!(tool), &json!(friends), &json!(30), &json!("2026-12-31"))
    );
    assert!(shared["id"].is_i64());
    alice
        .post(&path, json!({"group_id": friends, "group_access": 10}))
        .assert(409, json!({"message": "Group already shared with this group"}));
    alice.post(&path, json!({})).assert(400, parameter("group_id is missing, group_access is missing"));
    alice
        .post(&path, json!({"group_id": friends, "group_access": 33}))
        .assert(400, parameter("group_access does not have a valid value"));
    alice
        .post(&path, json!({"group_id": friends, "group_access": 50}))
        .assert(400, parameter("group_access does not have a valid value"));
    alice.post(&path, json!({"group_id": hidden, "group_access": 10})).assert(404, missing("Group"));
    alice.post(&path, json!({"group_id": 999_999, "group_access": 10})).assert(404, missing("Group"));
    alice
        .post(&path, json!({"group_id": team, "group_access": 10}))
        .assert(409, json!({"message": "Project cannot be shared with the group it is in or one of its ancestors."}));
    assert_eq!(alice.get(&format!("/projects/{tool}")).json()["shared_with_groups"][0]["group_access_level"], 30);
    let _ = alice.delete(&format!("{path}/{friends}")).assert_status(204);
    alice.delete(&format!("{path}/{friends}")).assert(404, missing("Group Link"));
    let _ = alice.delete(&format!("{path}/abc")).assert_status(400);
}

#[both_databases]
fn a_project_has_a_conditional_deletion(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&format!("/projects/{tool}")).assert(412, json!({"message": "412 Precondition Failed"}));
    server.user("bob").delete(&format!("/projects/{tool}")).assert(403, forbidden());
    let _ = alice.get(&format!("/projects/{tool}")).assert_status(200);
}

#[both_databases]
fn a_project_that_begins_with_a_readme_names_it_at_once(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "tool", "initialize_with_readme": true, "default_branch": "a%b/c"});
    let project = made(&alice, "/projects", body);
    let page = format!("{}/alice/tool", server.base());
    assert_eq!(project["readme_url"], format!("{page}/-/blob/a%25b/c/README.md"));
    server.run_jobs();
    assert_eq!(alice.get(&format!("/projects/{}", id(&project))).json()["readme_url"], project["readme_url"]);
}

#[both_databases]
fn the_default_branch_is_one_that_is_there(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "tool", "initialize_with_readme": true, "default_branch": "trunk"});
    let path = format!("/projects/{}", id(&made(&alice, "/projects", body)));
    assert_eq!(alice.get(&path).json()["default_branch"], "trunk");
    made(&alice, &format!("{path}/repository/branches"), json!({"branch": "next", "ref": "trunk"}));
    let refused = alice.put(&path, json!({"default_branch": "nowhere", "description": "x"})).assert_status(400);
    let text = "Could not change HEAD: branch 'nowhere' does not exist";
    assert_eq!(refused.json(), json!({"message": {"base": [text]}}));
    assert_eq!(alice.get(&path).json()["description"], Value::Null, "all or nothing");
    assert_eq!(changed(&alice, &path, json!({"default_branch": "next"}))["default_branch"], "next");
    server.run_jobs();
    let default = |name: &str| alice.get(&format!("{path}/repository/branches/{name}")).json()["default"].clone();
    assert_eq!([default("next"), default("trunk")], [json!(true), json!(false)]);
}

#[both_databases]
fn the_branch_to_come_of_an_empty_project_can_be_named(server: &TestServer) {
    let alice = server.user("alice");
    let path =
        format!("/projects/{}", id(&made(&alice, "/projects", json!({"name": "empty", "default_branch": "develop"}))));
    assert_eq!(changed(&alice, &path, json!({"default_branch": "next"}))["default_branch"], "next");
    alice
        .put(&path, json!({"default_branch": "a..b"}))
        .assert(400, field("default_branch", "is not a valid branch name"));
    assert_eq!(alice.get(&path).json()["default_branch"], "next");
    // The default branch can be changed after the repository is made as well, and whichever branches come first.
    let refs = "//alice/empty.git/info/refs?service=git-upload-pack";
    let _made = server.anonymous().basic("x", &alice.token).get(refs).assert_status(200);
    assert_eq!(changed(&alice, &path, json!({"default_branch": "trunk"}))["default_branch"], "trunk");
    let commit = |branch: &str, start: Option<&str>| {
        let actions = json!([{"action": "create", "file_path": branch, "content": "x"}]);
        let body = json!({"branch": branch, "start_branch": start, "commit_message": "m", "actions": actions});
        made(&alice, &format!("{path}/repository/commits"), body);
    };
    commit("trunk", None);
    commit("develop", Some("trunk"));
    server.run_jobs();
    assert_eq!(alice.get(&path).json()["default_branch"], "trunk");
    let default = alice.get(&format!("{path}/repository/branches/trunk")).json()["default"].clone();
    assert_eq!(default, json!(true));
}

#[both_databases]
fn a_project_with_commits_is_not_filled_from_elsewhere(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!(
        "/projects/{}",
        id(&made(&alice, "/projects", json!({"name": "tool", "initialize_with_readme": true})))
    );
    let body = json!({"import_url": "https://git.example.org/a.git", "description": "x"});
    alice.put(&path, body).assert(400, field("import_url", "is not possible for a project that has commits"));
    let after = alice.get(&path).json();
    assert_eq!((&after["description"], &after["import_status"]), (&Value::Null, &json!("none")));
    let _same = alice.put(&path, json!({"import_url": "", "description": "x"})).assert_status(200);
    let empty = format!("/projects/{}", id(&made(&alice, "/projects", json!({"name": "empty"}))));
    let filled = changed(&alice, &empty, json!({"import_url": "https://git.example.org/a.git"}));
    assert_eq!(filled["import_status"], "scheduled");
}

#[both_databases]
fn lowering_and_raising_visibility_keeps_to_the_group(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "internal");
    let tool = project_in(&alice, team, "tool", "private");
    let path = format!("/projects/{tool}");
    let _ = alice.put(&path, json!({"visibility": "internal"})).assert_status(200);
    let reply = alice.put(&path, json!({"visibility": "public"})).assert_status(400);
    assert_eq!(reply.json()["message"]["visibility_level"], json!(["public is not allowed in a internal group."]));
    assert_eq!(alice.get(&path).json()["visibility"], "internal");
    assert_eq!(alice.get(&path).json()["default_branch"], "main");
}
