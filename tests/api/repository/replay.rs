//! Picking commits and taking them back.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

const NOT_PICKED: &str = "Sorry, we cannot cherry-pick this commit automatically. This commit may already have been \
                          cherry-picked, or a more recent commit may have updated some of its content.";
const NOT_REVERTED: &str = "Sorry, we cannot revert this commit automatically. This commit may already have been \
                            reverted, or a more recent commit may have updated some of its content.";

/// Makes a commit again on a branch, or takes it back there.
fn replay(client: &Client, project: i64, sha: &str, verb: &str, branch: &str) -> Reply {
    client.post(&format!("{}/commits/{sha}/{verb}", at(project)), json!({"branch": branch}))
}

#[both_databases]
fn a_picked_commit_keeps_its_author(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "topic", "main");
    let body = json!({
        "branch": "topic", "commit_message": "Add it\n\nWith a body", "author_name": "Ann Other", "author_email": "ann@else.example",
        "actions": [new_file("it.txt", "it")],
    });
    let sha = text(&made(&alice, &format!("{}/commits", at(tool)), body)["id"]);
    let parent = write(&alice, tool, "main", "main.txt", "m");
    let bob = server.user("bob");
    member(&alice, &format!("/projects/{tool}"), bob.id, 40);
    later(server);
    let picked = replay(&bob, tool, &sha, "cherry_pick", "main").assert_status(201).json();
    assert_eq!(tip(&alice, tool, "main"), Some(text(&picked["id"])));
    assert_eq!(picked, listed(&alice, tool, "main"));
    let fields = ["title", "message", "author_name", "author_email", "committer_name", "parent_ids"];
    let words = format!("Add it\n\nWith a body\n\n(cherry picked from commit {sha})");
    assert_eq!(some(&picked, &fields), json!(["Add it", words, "Ann Other", "ann@else.example", "bob", [parent]]));
    assert_eq!(content(&alice, tool, "main", "it.txt").as_deref(), Some("it"));
    assert!(picked["authored_date"].as_str() < picked["committed_date"].as_str(), "{picked}");
}

#[both_databases]
fn a_reverted_commit_is_gone_by_the_caller(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let sha = write(&alice, tool, "main", "it.txt", "it");
    let parent = write(&alice, tool, "main", "other.txt", "o");
    let bob = server.user("bob");
    member(&alice, &format!("/projects/{tool}"), bob.id, 40);
    let reverted = replay(&bob, tool, &sha[..8], "revert", "main").assert_status(201).json();
    let fields = ["message", "author_name", "author_email", "committer_name", "parent_ids"];
    let words = format!("Revert \"Write it.txt\"\n\nThis reverts commit {sha}");
    assert_eq!(some(&reverted, &fields), json!([words, "bob", "bob@example.org", "bob", [parent]]));
    assert_eq!(
        (content(&alice, tool, "main", "it.txt"), content(&alice, tool, "main", "other.txt")),
        (None, Some("o".to_owned()))
    );
}

#[both_databases]
fn the_merge_of_a_merge_request_is_named_by_it(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for name in ["old", "new"] {
        branch(&alice, tool, name, "main");
    }
    let first = work(&alice, tool, "topic");
    let second = write(&alice, tool, "topic", "more.txt", "more");
    let path = offer(&alice, tool, "topic", "main", &json!({"title": "Do it"}));
    let sha = text(&merge(&alice, &path, json!({}))["merge_commit_sha"]);
    let reverted = replay(&alice, tool, &sha, "revert", "main").assert_status(201).json();
    assert_eq!(reverted["message"], "Revert \"Merge branch 'topic' into 'main'\"\n\nThis reverts merge request !1");
    assert_eq!(content(&alice, tool, "main", "more.txt"), None);
    let picked = replay(&alice, tool, &sha, "cherry_pick", "old").assert_status(201).json();
    let words = format!(
        "Merge branch 'topic' into 'main'\n\nDo it\n\nSee merge request alice/tool!1\n\n(cherry picked from commit {sha})\n\n{} Write topic.txt\n{} Write more.txt",
        &first[..8],
        &second[..8],
    );
    assert_eq!(picked["message"], words);
    for (verb, on, text) in [("cherry_pick", "old", NOT_PICKED), ("revert", "main", NOT_REVERTED)] {
        replay(&alice, tool, &sha, verb, on).assert(
            400,
            message(&text.replace("this commit", "this merge request").replace("This commit", "This merge request")),
        );
    }
    // A commit of it is a commit, and so is the merge if there are no merge requests.
    let picked = replay(&alice, tool, &first, "cherry_pick", "new").assert_status(201).json();
    assert_eq!(picked["message"], format!("Write topic.txt\n\n(cherry picked from commit {first})"));
    changed(&alice, &format!("/projects/{tool}"), json!({"merge_requests_enabled": false}));
    branch(&alice, tool, "late", &sha);
    let reverted = replay(&alice, tool, &sha, "revert", "late").assert_status(201).json();
    assert_eq!(
        reverted["message"],
        format!("Revert \"Merge branch 'topic' into 'main'\"\n\nThis reverts commit {sha}")
    );
}

#[both_databases]
fn what_cannot_be_made_again_is_refused_and_changes_nothing(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let sha = work(&alice, tool, "topic");
    write(&alice, tool, "main", "topic.txt", "else");
    let before = tip(&alice, tool, "main");
    replay(&alice, tool, &sha, "cherry_pick", "main").assert(400, message(NOT_PICKED));
    // It is there already.
    replay(&alice, tool, &sha, "cherry_pick", "topic").assert(400, message(NOT_PICKED));
    replay(&alice, tool, &sha, "revert", "main").assert(400, message(NOT_REVERTED));
    let _ = replay(&alice, tool, &sha, "revert", "topic").assert_status(201);
    replay(&alice, tool, &sha, "revert", "topic").assert(400, message(NOT_REVERTED));
    assert_eq!(tip(&alice, tool, "main"), before);
}

#[both_databases]
fn a_merge_is_taken_as_one_change(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "stable", "main");
    let path = simple(&alice, tool, "topic");
    write(&alice, tool, "main", "other.txt", "o");
    let sha = text(&merge(&alice, &path, json!({}))["merge_commit_sha"]);
    let _ = replay(&alice, tool, &sha, "cherry_pick", "stable").assert_status(201);
    assert_eq!(
        (content(&alice, tool, "stable", "topic.txt").is_some(), content(&alice, tool, "stable", "other.txt")),
        (true, None)
    );
    let _ = replay(&alice, tool, &sha, "revert", "main").assert_status(201);
    assert_eq!(
        (content(&alice, tool, "main", "topic.txt"), content(&alice, tool, "main", "other.txt").is_some()),
        (None, true)
    );
}

#[both_databases]
fn a_commit_and_a_branch_are_needed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for verb in ["cherry_pick", "revert"] {
        replay(&alice, tool, "nowhere", verb, "main").assert(404, missing("Commit"));
        for branch in ["nowhere", "a b"] {
            replay(&alice, tool, "main", verb, branch).assert(404, missing("Branch"));
        }
        replay(&alice, tool, "main", verb, "").assert(400, parameter("branch is empty"));
        alice.post(&format!("{}/commits/main/{verb}", at(tool)), json!({})).assert(400, parameter("branch is missing"));
    }
}

#[both_databases]
fn who_may_push_to_the_branch_picks_and_reverts(server: &TestServer) {
    let cast = cast(server, "private");
    branch(&cast.owner, cast.project, "stable", "main");
    let sha = work(&cast.owner, cast.project, "topic");
    for verb in ["cherry_pick", "revert"] {
        for (client, status) in [(&cast.stranger, 404), (&cast.guest, 403), (&cast.reporter, 403)] {
            assert_eq!(replay(client, cast.project, &sha, verb, "stable").status(), status, "{verb}");
        }
        replay(&server.anonymous(), cast.project, &sha, verb, "stable").assert(401, unauthorized());
        replay(&cast.developer, cast.project, &sha, verb, "main").assert(403, protected());
        let _ = replay(&cast.developer, cast.project, &sha, verb, "stable").assert_status(201);
    }
    let _ = replay(&cast.maintainer, cast.project, &sha, "cherry_pick", "main").assert_status(201);
    archive(&cast.owner, cast.project);
    assert_eq!(replay(&cast.owner, cast.project, &sha, "revert", "main").status(), 403);
}
