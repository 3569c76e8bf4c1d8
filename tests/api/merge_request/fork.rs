//! Merge requests between forks.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::{cast, fork, merge, offer, offered, repository, show_commit, simple, some, text, tip, with, work, write};
use crate::support::*;

#[both_databases]
fn a_stranger_offers_a_branch_of_a_fork(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    label(&alice, &format!("/projects/{tool}"), "bug");
    let copy = fork(server, &bob, tool);
    let head = work(&bob, copy, "topic");
    let more = json!({
        "target_project_id": tool, "labels": "bug,new one", "milestone_id": goal, "assignee_id": alice.id,
        "allow_collaboration": true, "remove_source_branch": true, "squash": true, "reviewer_ids": [alice.id],
    });
    let request = offered(&bob, copy, "topic", "main", &more);
    let fields =
        ["iid", "project_id", "source_project_id", "target_project_id", "sha", "merge_status", "changes_count"];
    assert_eq!(some(&request, &fields), json!([1, tool, copy, tool, head, "can_be_merged", "1"]));
    // The fields of the target's planning are not for strangers.
    let fields = ["labels", "milestone", "assignee", "assignees", "reviewers"];
    assert_eq!(some(&request, &fields), json!([[], null, null, [], []]));
    let fields = ["allow_collaboration", "allow_maintainer_to_push", "force_remove_source_branch", "squash"];
    assert_eq!(some(&request, &fields), json!([true, true, true, true]));
    assert_eq!(request["user"]["can_merge"], false);
    assert_eq!(names(&alice.get(&format!("/projects/{tool}/labels"))), ["bug"]);
    assert_eq!(iids(&alice, &format!("/projects/{tool}/merge_requests")), [1]);
    assert_eq!(iids(&bob, &format!("/projects/{copy}/merge_requests")), [0; 0]);
    let again = bob.post(
        &format!("/projects/{copy}/merge_requests"),
        json!({"source_branch": "topic", "target_branch": "main", "title": "t", "target_project_id": tool}),
    );
    again.assert(409, json!({"message": ["Another open merge request already exists for this source branch: !1"]}));
}

#[both_databases]
fn the_target_is_the_same_project_unless_another_is_named(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let copy = fork(server, &bob, tool);
    work(&bob, copy, "topic");
    assert_eq!(offered(&bob, copy, "topic", "main", &json!({}))["project_id"], copy);
    // From the same branch of the same name into another project is another merge.
    assert_eq!(offered(&bob, copy, "topic", "main", &json!({"target_project_id": tool}))["project_id"], tool);
    write(&bob, copy, "main", "news.txt", "n");
    assert_eq!(offered(&bob, copy, "main", "main", &json!({"target_project_id": tool}))["iid"], 2);
}

#[both_databases]
fn every_project_of_a_family_may_offer_to_every_other(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let tool = repository(&alice, "tool", "public");
    let (bobs, carls) = (fork(server, &bob, tool), fork(server, &carl, tool));
    work(&alice, tool, "down");
    work(&bob, bobs, "aside");
    assert_eq!(offered(&alice, tool, "down", "main", &json!({"target_project_id": bobs}))["project_id"], bobs);
    assert_eq!(
        offered(&bob, bobs, "aside", "main", &json!({"target_project_id": carls}))["merge_status"],
        "can_be_merged"
    );
    let dave = server.user("dave");
    let deeper = fork(server, &dave, bobs);
    work(&dave, deeper, "up");
    assert_eq!(offered(&dave, deeper, "up", "main", &json!({"target_project_id": tool}))["project_id"], tool);
}

#[both_databases]
fn a_target_that_may_not_be_read_takes_nothing(server: &TestServer) {
    let cast = cast(server, "public");
    let copy = fork(server, &cast.stranger, cast.project);
    let guests = fork(server, &cast.guest, cast.project);
    work(&cast.stranger, copy, "topic");
    work(&cast.guest, guests, "topic");
    let body =
        json!({"source_branch": "topic", "target_branch": "main", "title": "t", "target_project_id": cast.project});
    let ask = |client: &tenon_testkit::Client, from: i64| {
        client.post(&format!("/projects/{from}/merge_requests"), body.clone())
    };
    changed(&cast.owner, &cast.path(), json!({"visibility": "private"}));
    ask(&cast.stranger, copy).assert(404, not_found());
    ask(&cast.guest, guests).assert(403, forbidden());
    changed(&cast.owner, &cast.path(), json!({"visibility": "public", "merge_requests_enabled": false}));
    ask(&cast.stranger, copy).assert(403, forbidden());
    changed(&cast.owner, &cast.path(), json!({"merge_requests_enabled": true}));
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    ask(&cast.stranger, copy).assert(403, forbidden());
    let _ = cast.owner.post(&format!("{}/unarchive", cast.path()), json!({})).assert_status(200);
    let _ = cast.stranger.post(&format!("/projects/{copy}/archive"), json!({})).assert_status(200);
    ask(&cast.stranger, copy).assert(403, forbidden());
    let _ = ask(&cast.guest, guests).assert_status(201);
}

#[both_databases]
fn a_developer_of_the_target_plans_out_of_a_fork(server: &TestServer) {
    let cast = cast(server, "public");
    let goal = milestone(&cast.owner, &cast.path(), "v1");
    let copy = fork(server, &cast.developer, cast.project);
    work(&cast.developer, copy, "topic");
    let more =
        json!({"target_project_id": cast.project, "labels": "bug", "milestone_id": goal, "assignee_id": cast.guest.id});
    let request = offered(&cast.developer, copy, "topic", "main", &more);
    assert_eq!(
        (&request["labels"], &request["milestone"]["title"], &request["assignee"]["username"]),
        (&json!(["bug"]), &json!("v1"), &json!("guest"))
    );
}

#[both_databases]
fn a_merge_out_of_a_fork_brings_its_commits(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let copy = fork(server, &bob, tool);
    let head = work(&bob, copy, "topic");
    let path = offer(&bob, copy, "topic", "main", &json!({"target_project_id": tool, "remove_source_branch": true}));
    bob.put(&format!("{path}/merge"), json!({})).assert(401, unauthorized());
    let merged = merge(&alice, &path, json!({}));
    assert_eq!(merged["state"], "merged");
    let main = tip(&alice, tool, "main").expect("a branch");
    assert_eq!(show_commit(&alice, tool, &main)["parent_ids"][1], head);
    // The author has asked for it, and may.
    assert_eq!(tip(&bob, copy, "topic"), None);
}

#[both_databases]
fn a_branch_of_a_fork_stays_where_the_merger_may_not_remove_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let copy = fork(server, &bob, tool);
    let head = work(&bob, copy, "topic");
    let path = offer(&bob, copy, "topic", "main", &json!({"target_project_id": tool}));
    assert_eq!(merge(&alice, &path, json!({"should_remove_source_branch": true}))["state"], "merged");
    assert_eq!(tip(&bob, copy, "topic"), Some(head));
}

#[both_databases]
fn what_a_fork_offered_stays_when_the_fork_is_gone(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let copy = fork(server, &bob, tool);
    let head = work(&bob, copy, "topic");
    let path = offer(&bob, copy, "topic", "main", &json!({"target_project_id": tool}));
    let _ = bob.delete(&format!("/projects/{copy}")).assert_status(202);
    server.run_jobs();
    let request = alice.get(&path).assert_status(200).json();
    assert_eq!(some(&request, &["source_project_id", "sha", "target_project_id"]), json!([null, head, tool]));
    assert_eq!(ids_of(&alice, &format!("{path}/commits")), [head]);
    assert_eq!(alice.get(&format!("{path}/changes")).assert_status(200).json()["changes"][0]["new_path"], "topic.txt");
    assert_eq!(request["state"], "closed");
    assert_eq!(alice.put(&format!("{path}/merge"), json!({})).status(), 406);
    assert_eq!(alice.put(&path, json!({"state_event": "reopen"})).status() / 100, 2);
    assert_eq!(alice.get(&path).json()["state"], "closed");
}

#[both_databases]
fn what_the_forks_of_a_group_or_an_account_offered_is_closed_with_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let place = group(&bob, "place", "public");
    let there = id(&made(&bob, &format!("/projects/{tool}/fork"), json!({"namespace": place})));
    server.run_jobs();
    let own = fork(server, &bob, tool);
    let offers = [(there, "one"), (there, "two"), (own, "three")].map(|(copy, branch)| {
        work(&bob, copy, branch);
        offer(&bob, copy, branch, "main", &json!({"target_project_id": tool}))
    });
    let closed_by = || {
        offers.each_ref().map(|path| {
            let request = alice.get(path).assert_status(200).json();
            (text(&request["state"]), request["closed_by"]["username"].clone())
        })
    };
    let closed = |by: Value| ("closed".to_owned(), by);
    let _ = bob.delete(&format!("/groups/{place}")).assert_status(202);
    // The work that he has started is done all the same.
    let _ = server.root().post(&format!("/users/{}/block", bob.id), json!({})).assert_status(201);
    server.run_jobs();
    assert_eq!(closed_by(), [closed(json!("bob")), closed(json!("bob")), ("opened".to_owned(), Value::Null)]);
    let _ = server.root().delete(&format!("/users/{}", bob.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(closed_by(), [closed(Value::Null), closed(Value::Null), closed(json!("root"))]);
}

#[both_databases]
fn collaboration_is_for_open_forks_and_branches(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let copy = fork(server, &bob, tool);
    let allowed = |branch: &str| {
        offered(&bob, copy, branch, "main", &json!({"target_project_id": tool, "allow_collaboration": true}))["allow_collaboration"].clone()
    };
    write(&bob, copy, "main", "x.txt", "x");
    assert_eq!(allowed("main"), false, "protected");
    changed(&bob, &format!("/projects/{copy}"), json!({"visibility": "private"}));
    work(&bob, copy, "topic");
    assert_eq!(allowed("topic"), false, "private");
    // Inside of one project there is nothing to allow.
    let path = simple(&alice, tool, "own");
    assert_eq!(changed(&alice, &path, json!({"allow_collaboration": true}))["allow_collaboration"], false);
}

#[both_databases]
fn what_is_no_fork_any_more_offers_nothing(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let copy = fork(server, &bob, tool);
    work(&bob, copy, "topic");
    let there = offer(&bob, copy, "topic", "main", &json!({"target_project_id": tool}));
    let here = offer(&bob, copy, "topic", "main", &json!({}));
    assert_eq!(bob.delete(&format!("/projects/{copy}/fork")).status() / 100, 2);
    assert_eq!([&there, &here].map(|path| text(&bob.get(path).json()["state"])), ["closed", "opened"]);
    assert_eq!(alice.get(&there).json()["closed_by"]["username"], "bob");
}

#[both_databases]
fn who_may_merge_pushes_to_the_branch_that_was_opened(server: &TestServer) {
    let cast = cast(server, "public");
    let bob = server.user("bob");
    let copy = fork(server, &bob, cast.project);
    for name in ["topic", "other"] {
        work(&bob, copy, name);
    }
    let push = |client: &Client, more: Value, file: &str| {
        let actions = json!([{"action": "create", "file_path": file, "content": "x"}]);
        let body = with(json!({"branch": "topic", "commit_message": "m", "actions": actions}), &more);
        client.post(&format!("/projects/{copy}/repository/commits"), body).status()
    };
    let everybody =
        |round: &str| cast.everybody().map(|(role, client)| push(client, json!({}), &format!("{round}-{role}")));
    let shut = [403, 403, 403, 403, 403, 403, 201];
    assert_eq!(everybody("before"), shut);
    let path =
        offer(&bob, copy, "topic", "main", &json!({"target_project_id": cast.project, "allow_collaboration": true}));
    assert_eq!(everybody("open"), [403, 403, 403, 403, 201, 201, 201], "whom the target's rules let merge");
    server.run_jobs();
    assert_eq!(text(&cast.owner.get(&path).json()["sha"]), tip(&bob, copy, "topic").expect("a branch"));
    // It is this branch only, and it stays.
    for more in
        [json!({"branch": "other"}), json!({"branch": "main"}), json!({"branch": "new", "start_branch": "topic"})]
    {
        assert_eq!(push(&cast.owner, more.clone(), "elsewhere"), 403, "{more}");
    }
    let branches = format!("/projects/{copy}/repository/branches");
    assert_eq!(cast.owner.delete(&format!("{branches}/topic")).status(), 403);
    assert_eq!(cast.owner.post(&branches, json!({"branch": "new", "ref": "topic"})).status(), 403);
    assert_eq!(cast.owner.delete(&format!("/projects/{copy}/repository/merged_branches")).status(), 403);
    assert_eq!(cast.owner.put(&format!("{path}/rebase"), json!({})).status(), 202);
    // A closed merge request gives no access, and neither does one that no longer allows it.
    changed(&bob, &path, json!({"allow_collaboration": false}));
    assert_eq!(everybody("taken back"), shut);
    changed(&bob, &path, json!({"allow_collaboration": true}));
    assert_eq!(push(&cast.owner, json!({}), "again"), 201);
    changed(&cast.owner, &path, json!({"state_event": "close"}));
    assert_eq!(everybody("closed"), shut);
}

fn ids_of(client: &Client, path: &str) -> Vec<String> {
    texts(&client.get(path).assert_status(200), "id")
}
