//! The consequences of the settings of a group: for it, for the groups below and for their projects.

use serde_json::{Value, json};
use tenon_testkit::{Backend, Client, TestServer, both_databases};

use crate::support::*;

fn set(client: &Client, group: i64, body: Value) {
    changed(client, &format!("/groups/{group}"), body);
}

#[both_databases]
fn new_projects_begin_with_the_branch_of_the_nearest_group(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "private");
    let below = subgroup(&alice, team, "below", "private");
    let branch = |name: &str| {
        let body = json!({"name": name, "namespace_id": below, "initialize_with_readme": true});
        made(&alice, "/projects", body)["default_branch"].clone()
    };
    assert_eq!(branch("one"), "main");
    set(&alice, team, json!({"default_branch": "trunk"}));
    assert_eq!(branch("two"), "trunk");
    set(&alice, below, json!({"default_branch": "develop"}));
    assert_eq!(branch("three"), "develop");
    set(&alice, below, json!({"default_branch": null}));
    assert_eq!(branch("four"), "trunk");
    let own = json!({"name": "own", "namespace_id": below, "initialize_with_readme": true, "default_branch": "mine"});
    assert_eq!(made(&alice, "/projects", own)["default_branch"], "mine");
}

#[both_databases(mail)]
fn no_mail_is_sent_about_projects_of_a_group_without_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let below = subgroup(&alice, team, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 30);
    server.run_jobs();
    server.mails("bob@example.org");
    let mails_about = |title: &str| {
        issue(&alice, tool, json!({"title": title, "assignee_ids": [bob.id]}));
        server.run_jobs();
        server.mails("bob@example.org").len()
    };
    assert_eq!(mails_about("one"), 1);
    set(&alice, team, json!({"emails_enabled": false}));
    assert_eq!(mails_about("two"), 0);
    set(&alice, team, json!({"emails_disabled": false}));
    assert_eq!(mails_about("three"), 1);
}

#[both_databases]
fn git_reaches_projects_over_the_protocols_of_their_groups(server: &TestServer) {
    let (alice, carl) = (server.user("alice"), server.user("carl"));
    let team = group(&alice, "team", "private");
    let below = subgroup(&alice, team, "below", "private");
    project_in(&alice, below, "tool", "private");
    let refs = "//team/below/tool.git/info/refs?service=git-upload-pack";
    let git = server.anonymous().basic("alice", &alice.token);
    let _ = git.get(refs).assert_status(200);
    set(&alice, team, json!({"enabled_git_access_protocol": "ssh"}));
    assert_eq!(git.get(refs).assert_status(403).text(), "Git access over HTTP is not allowed\n");
    // Who does not see the project does not learn of it.
    let _ = server.anonymous().basic("carl", &carl.token).get(refs).assert_status(404);
    set(&alice, team, json!({"enabled_git_access_protocol": "http"}));
    let _ = git.get(refs).assert_status(200);
}

#[both_databases]
fn projects_of_a_locked_group_get_no_members(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    let below = subgroup(&alice, team, "below", "private");
    let tool = project_in(&alice, below, "tool", "private");
    set(&alice, team, json!({"membership_lock": true}));
    let body = json!({"user_id": bob.id, "access_level": 30});
    let refused = alice.post(&format!("/projects/{tool}/members"), body.clone()).assert_status(403);
    assert!(refused.text().contains("not permitted by the group"), "{}", refused.text());
    let invited = json!({"email": "carl@elsewhere.test", "access_level": 30});
    let refused = alice.post(&format!("/projects/{tool}/invitations"), invited).assert_status(201).json();
    let message = refused["message"]["carl@elsewhere.test"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains("not permitted by the group"), "{refused}");
    member(&alice, &format!("/groups/{below}"), bob.id, 30);
    set(&alice, team, json!({"membership_lock": false}));
    let _ = alice.delete(&format!("/groups/{below}/members/{}", bob.id)).assert_status(204);
    let _ = alice.post(&format!("/projects/{tool}/members"), body).assert_status(201);
}

#[both_databases]
fn new_members_need_an_address_of_an_allowed_domain(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    let below = subgroup(&alice, team, "below", "private");
    let tool = project_in(&alice, below, "tool", "private");
    set(&alice, team, json!({"allowed_email_domains_list": "corp.test, *.corp.test"}));
    let body = json!({"user_id": bob.id, "access_level": 30});
    for place in [format!("/groups/{team}"), format!("/groups/{below}"), format!("/projects/{tool}")] {
        let refused = alice.post(&format!("{place}/members"), body.clone());
        refused.assert(400, field("user", "has no confirmed email address of an allowed domain"));
    }
    let invited = json!({"email": "carl@elsewhere.test", "access_level": 30});
    let refused = alice.post(&format!("/groups/{below}/invitations"), invited).assert_status(201).json();
    let message = refused["message"]["carl@elsewhere.test"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains("is not of an allowed domain"), "{refused}");
    let root = server.root();
    made(&root, &format!("/users/{}/emails", bob.id), json!({"email": "bob@eu.corp.test"}));
    let still = alice.post(&format!("/groups/{team}/members"), body.clone());
    let _ = still.assert_status(400);
    let address = json!({"email": "bob@corp.test", "skip_confirmation": true});
    made(&root, &format!("/users/{}/emails", bob.id), address);
    let _ = alice.post(&format!("/projects/{tool}/members"), body).assert_status(201);
}

#[both_databases]
fn forks_stay_in_a_group_that_says_so(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "private");
    let (below, beside) = (subgroup(&alice, team, "below", "private"), subgroup(&alice, team, "beside", "private"));
    let tool = project_in(&alice, below, "tool", "private");
    set(&alice, team, json!({"prevent_forking_outside_group": true}));
    let fork = |body: Value| alice.post(&format!("/projects/{tool}/fork"), body);
    let refused = fork(json!({})).assert_status(409);
    assert!(refused.text().contains("is forbidden outside its group"), "{}", refused.text());
    let _ = fork(json!({"namespace_id": beside})).assert_status(201);
    set(&alice, below, json!({"prevent_forking_outside_group": true}));
    let _ = fork(json!({"namespace_id": team})).assert_status(409);
    set(&alice, team, json!({"prevent_forking_outside_group": false}));
    set(&alice, below, json!({"prevent_forking_outside_group": false}));
    let _ = fork(json!({})).assert_status(201);
}

#[both_databases]
fn a_hierarchy_that_says_so_is_shared_within_only(server: &TestServer) {
    let alice = server.user("alice");
    let (team, other) = (group(&alice, "team", "private"), group(&alice, "other", "private"));
    let (below, beside) = (subgroup(&alice, team, "below", "private"), subgroup(&alice, team, "beside", "private"));
    set(&alice, team, json!({"prevent_sharing_groups_outside_hierarchy": true}));
    let share = |with: i64| {
        alice.post(&format!("/groups/{below}/share"), json!({"group_id": with, "group_access": 30})).status()
    };
    assert_eq!((share(other), share(beside)), (400, 201));
    set(&alice, team, json!({"prevent_sharing_groups_outside_hierarchy": false}));
    assert_eq!(share(other), 201);
}

/// A merge request of a project of the group below, with an open discussion.
fn discussed(alice: &Client, below: i64) -> String {
    let body = json!({"name": "tool", "namespace_id": below, "initialize_with_readme": true});
    let tool = id(&made(alice, "/projects", body));
    let file = json!({"branch": "topic", "start_branch": "main", "content": "x", "commit_message": "x"});
    made(alice, &format!("/projects/{tool}/repository/files/x"), file);
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "Topic"});
    let request = made(alice, &format!("/projects/{tool}/merge_requests"), body);
    format!("/projects/{tool}/merge_requests/{}", request["iid"])
}

#[both_databases]
fn a_group_demands_of_merges_in_all_its_projects(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "private");
    let below = subgroup(&alice, team, "below", "private");
    let request = discussed(&alice, below);
    let discussion = made(&alice, &format!("{request}/discussions"), json!({"body": "Why?"}));
    set(&alice, team, json!({"only_allow_merge_if_all_discussions_are_resolved": true}));
    server.run_jobs();
    let _ = alice.put(&format!("{request}/merge"), json!({})).assert_status(405);
    let listed = alice.get(&format!("/groups/{team}/merge_requests")).json();
    assert_eq!(listed[0]["detailed_merge_status"], "discussions_not_resolved");
    let resolve = format!("{request}/discussions/{}", discussion["id"].as_str().expect("an id"));
    changed(&alice, &resolve, json!({"resolved": true}));
    let (project, _) = request.split_once("/merge_requests").expect("the path of a project");
    let head = alice.get(&request).json()["sha"].as_str().expect("a commit").to_owned();
    made(&alice, &format!("{project}/statuses/{head}"), json!({"state": "failed", "ref": "topic"}));
    set(&alice, team, json!({"only_allow_merge_if_pipeline_succeeds": true}));
    let _ = alice.put(&format!("{request}/merge"), json!({})).assert_status(405);
    set(&alice, team, json!({"only_allow_merge_if_pipeline_succeeds": false}));
    let _ = alice.put(&format!("{request}/merge"), json!({})).assert_status(200);
}

fn behind_proxy(run: impl Fn(&TestServer)) {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        run(&TestServer::start_behind_proxy(backend));
    }
}

fn from(client: &Client, address: &str) -> Client {
    client.header("X-Forwarded-For", address)
}

#[test]
fn a_group_is_hidden_from_other_addresses() {
    behind_proxy(|server| {
        let alice = server.user("alice");
        let team = group(&alice, "team", "public");
        let below = subgroup(&alice, team, "below", "public");
        let tool = project_in(&alice, below, "tool", "public");
        let own = from(&alice, "192.0.2.7");
        set(&own, team, json!({"ip_restriction_ranges": "192.0.2.0/24, 2001:db8::/32"}));
        // A group that is made later, and its projects.
        let later = subgroup(&own, below, "later", "public");
        let part = project_in(&own, later, "part", "public");
        let paths = [
            format!("/groups/{team}"),
            format!("/groups/{later}"),
            format!("/groups/{below}/projects"),
            format!("/projects/{tool}"),
            format!("/projects/{part}/issues"),
            "//team/below/tool".to_owned(),
            "//groups/team".to_owned(),
            "//team/below/tool.git/info/refs?service=git-upload-pack".to_owned(),
        ];
        let git = server.anonymous().basic("alice", &alice.token);
        for path in &paths {
            let caller = if path.contains(".git/") { &git } else { &*alice };
            let _ = from(caller, "192.0.2.9").get(path).assert_status(200);
            let _ = from(caller, "2001:db8::7").get(path).assert_status(200);
            let _ = from(caller, "198.51.100.7").get(path).assert_status(404);
        }
        let anonymous = from(&server.anonymous(), "198.51.100.7");
        let _ = anonymous.get(&paths[0]).assert_status(404);
        let _ = anonymous.get(&paths[7]).assert_status(401);
        let outside = from(&alice, "198.51.100.7");
        let body = json!({"name": "x", "namespace_id": below});
        outside.post("/projects", body).assert(400, json!({"message": {"namespace": ["is not valid"]}}));
        let _ = outside.put(&format!("/groups/{team}"), json!({"description": "x"})).assert_status(404);
        // Administrators are never locked out, and end it.
        let root = from(&server.root(), "198.51.100.7");
        let _ = root.get(&format!("/projects/{tool}")).assert_status(200);
        set(&root, team, json!({"ip_restriction_ranges": ""}));
        for path in &paths {
            let caller = if path.contains(".git/") { &git } else { &*alice };
            let _ = from(caller, "198.51.100.7").get(path).assert_status(200);
        }
    });
}

#[test]
fn ranges_follow_a_group_and_lock_out_no_one_who_sets_them() {
    behind_proxy(|server| {
        let alice = server.user("alice");
        let own = from(&alice, "192.0.2.7");
        let team = group(&own, "team", "private");
        let refused = own.put(&format!("/groups/{team}"), json!({"ip_restriction_ranges": "198.51.100.0/24"}));
        refused.assert(400, field("ip_restriction_ranges", "does not include your own address"));
        set(&own, team, json!({"ip_restriction_ranges": "192.0.2.0/24"}));
        let moved = group(&own, "moved", "private");
        let tool = project_in(&own, moved, "tool", "private");
        let outside = from(&alice, "198.51.100.7");
        let path = format!("/projects/{tool}");
        let _ = outside.get(&path).assert_status(200);
        let _ = own.post(&format!("/groups/{moved}/transfer"), json!({"group_id": team})).assert_status(201);
        let _ = outside.get(&path).assert_status(404);
        let _ = own.post(&format!("/groups/{moved}/transfer"), json!({})).assert_status(201);
        let _ = outside.get(&path).assert_status(200);
    });
}
