//! The results of a merge: commits, messages, branches.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::{branch, cast, merge, offer, repository, show_commit, simple, some, text, tip, work, write};
use crate::support::*;

fn main_of(client: &Client, project: i64) -> String {
    tip(client, project, "main").expect("a branch")
}

/// The names of the commits before this one.
fn parents(commit: &Value) -> Vec<String> {
    commit["parent_ids"].as_array().expect("a list").iter().map(text).collect()
}

/// A branch with two commits.
fn two(client: &Client, project: i64, name: &str) -> String {
    work(client, project, name);
    write(client, project, name, &format!("{name}2.txt"), "x")
}

#[both_databases]
fn a_merge_always_makes_a_merge_commit(server: &TestServer) {
    let cast = cast(server, "public");
    let base = main_of(&cast.owner, cast.project);
    let head = work(&cast.developer, cast.project, "topic");
    let path = offer(
        &cast.developer,
        cast.project,
        "topic",
        "main",
        &json!({"title": "Do it", "description": "Not a word of this"}),
    );
    let merged = merge(&cast.maintainer, &path, json!({}));
    let tip = main_of(&cast.owner, cast.project);
    assert_eq!(
        some(&merged, &["state", "merge_commit_sha", "sha", "squash_commit_sha"]),
        json!(["merged", tip, head, null])
    );
    let commit = show_commit(&cast.owner, cast.project, &tip);
    assert_eq!(parents(&commit), [base, head]);
    assert_eq!(commit["message"], "Merge branch 'topic' into 'main'\n\nDo it\n\nSee merge request owner/tool!1");
    let who = json!(["maintainer", "maintainer@example.org", "maintainer", "maintainer@example.org"]);
    assert_eq!(some(&commit, &["author_name", "author_email", "committer_name", "committer_email"]), who);
}

#[both_databases]
fn rebase_merge_makes_one_on_a_straight_line(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    changed(&alice, &format!("/projects/{tool}"), json!({"merge_method": "rebase_merge"}));
    let base = main_of(&alice, tool);
    let head = work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({}));
    let merged = merge(&alice, &path, json!({}));
    let tip = main_of(&alice, tool);
    assert_eq!(merged["merge_commit_sha"], tip);
    assert_eq!(parents(&show_commit(&alice, tool, &tip)), [base, head]);
}

#[both_databases]
fn fast_forward_makes_none(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    changed(&alice, &format!("/projects/{tool}"), json!({"merge_method": "ff"}));
    let head = two(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({}));
    let merged = merge(&alice, &path, json!({"merge_commit_message": "not used"}));
    assert_eq!(main_of(&alice, tool), head);
    assert_eq!(some(&merged, &["state", "merge_commit_sha", "sha"]), json!(["merged", head, head]));
}

#[both_databases]
fn a_message_is_taken_as_it_is(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for (name, message) in [
        ("a", "Short".to_owned()),
        ("b", "Title\n\nMit Ümläuten\nand \"quotes\"".to_owned()),
        ("c", "long ".repeat(3000) + "end"),
    ] {
        let path = simple(&alice, tool, name);
        merge(&alice, &path, json!({"merge_commit_message": message}));
        assert_eq!(text(&show_commit(&alice, tool, "main")["message"]).trim_end(), message, "{name}");
    }
    let path = simple(&alice, tool, "d");
    merge(&alice, &path, json!({"merge_commit_message": "  "}));
    assert_eq!(show_commit(&alice, tool, "main")["title"], "Merge branch 'd' into 'main'");
}

#[both_databases]
fn squashing_makes_one_commit_of_several(server: &TestServer) {
    let cast = cast(server, "public");
    let base = main_of(&cast.owner, cast.project);
    let head = two(&cast.developer, cast.project, "topic");
    let path = offer(&cast.developer, cast.project, "topic", "main", &json!({"title": "All of it", "squash": true}));
    // That it is passed as false does not take it back.
    let merged = merge(&cast.maintainer, &path, json!({"squash": false}));
    let commit = show_commit(&cast.owner, cast.project, &main_of(&cast.owner, cast.project));
    let squashed = text(&merged["squash_commit_sha"]);
    assert_eq!(parents(&commit), [base.clone(), squashed.clone()]);
    let squash = show_commit(&cast.owner, cast.project, &squashed);
    assert_eq!(parents(&squash), [base]);
    let fields = ["title", "author_name", "committer_name"];
    assert_eq!(some(&squash, &fields), json!(["All of it", "developer", "maintainer"]));
    for file in ["topic.txt", "topic2.txt"] {
        let there = cast.owner.get(&format!("{}/repository/files/{file}?ref=main", cast.path()));
        assert_eq!(there.status(), 200, "{file}");
    }
    // The source is left as it was.
    assert_eq!(tip(&cast.owner, cast.project, "topic"), Some(head.clone()));
    assert_eq!(merged["sha"], head);
}

#[both_databases]
fn squashing_is_asked_for_with_the_merge_as_well(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    changed(&alice, &format!("/projects/{tool}"), json!({"merge_method": "ff"}));
    let base = main_of(&alice, tool);
    two(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({}));
    let merged = merge(&alice, &path, json!({"squash": true, "squash_commit_message": "In short"}));
    let tip = main_of(&alice, tool);
    let commit = show_commit(&alice, tool, &tip);
    assert_eq!((parents(&commit), &commit["title"]), (vec![base], &json!("In short")));
    assert_eq!(some(&merged, &["merge_commit_sha", "squash_commit_sha"]), json!([tip, tip]));
}

#[both_databases]
fn one_commit_is_not_squashed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    changed(&alice, &format!("/projects/{tool}"), json!({"merge_method": "ff"}));
    let head = work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({"squash": true}));
    let merged = merge(&alice, &path, json!({}));
    assert_eq!((main_of(&alice, tool), &merged["squash_commit_sha"]), (head, &Value::Null));
}

#[both_databases]
fn the_source_branch_goes_where_a_user_wants_that(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for (name, author, merger, stays) in [
        ("a", None, None, true),
        ("b", Some(true), None, false),
        ("c", None, Some(true), false),
        ("d", Some(true), Some(false), true),
        ("e", Some(false), Some(true), false),
        ("f", Some(false), None, true),
    ] {
        work(&alice, tool, name);
        let path = offer(&alice, tool, name, "main", &json!({"remove_source_branch": author}));
        let merged = merge(&alice, &path, json!({"should_remove_source_branch": merger}));
        assert_eq!(merged["force_remove_source_branch"], author == Some(true), "{name}");
        assert_eq!(tip(&alice, tool, name).is_some(), stays, "{name}");
        server.run_jobs();
        let after = alice.get(&path).json();
        assert_eq!(some(&after, &["state", "closed_at"]), json!(["merged", null]), "{name}");
        assert_eq!(alice.get(&format!("{path}/commits")).each("title"), [json!(format!("Write {name}.txt"))]);
    }
}

#[both_databases]
fn protected_and_default_branches_stay(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "next", "main");
    write(&alice, tool, "main", "news.txt", "n");
    let back = offer(&alice, tool, "main", "next", &json!({"remove_source_branch": true}));
    let _ = alice.delete(&format!("/projects/{tool}/protected_branches/main")).assert_status(204);
    assert_eq!(merge(&alice, &back, json!({"should_remove_source_branch": true}))["state"], "merged");
    assert!(tip(&alice, tool, "main").is_some(), "the default branch");
    let path = simple(&alice, tool, "kept");
    let _ = alice.put(&format!("/projects/{tool}/repository/branches/kept/protect"), json!({})).assert_status(200);
    assert_eq!(merge(&alice, &path, json!({"should_remove_source_branch": true}))["state"], "merged");
    assert!(tip(&alice, tool, "kept").is_some(), "a protected branch");
}
