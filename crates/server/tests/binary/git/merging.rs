//! A merge over the API has the result that Git has on a user's own machine.

use std::path::Path;

use serde_json::{Value, json};

use super::{Site, backends, commit, git};

const HERE: &str = "/projects/root%2Fp";

/// A project whose main and feature have both gone on: a file is renamed on one side and changed on the other.
fn diverged(site: &Site, method: &str) -> std::path::PathBuf {
    site.project("p", "private");
    let _ = site.root.put(HERE, json!({"merge_method": method})).assert_status(200);
    let here = site.working_copy("here", "main");
    let lines: String = (0..40).map(|line| format!("line {line}\n")).collect();
    commit(&here, "old name", lines.as_bytes(), "a file");
    git(&here, &["switch", "--quiet", "--create", "feature"]).well();
    git(&here, &["mv", "old name", "new name"]).well();
    git(&here, &["commit", "--quiet", "--message", "another name"]).well();
    commit(&here, "more", b"more\n", "more");
    git(&here, &["switch", "--quiet", "main"]).well();
    commit(&here, "old name", format!("{lines}the end\n").as_bytes(), "an end");
    git(&here, &["push", "--quiet", &site.mine("p"), "main", "feature"]).well();
    here
}

fn offer(site: &Site) -> Value {
    let body = json!({"source_branch": "feature", "target_branch": "main", "title": "Feature"});
    site.root.post(&format!("{HERE}/merge_requests"), body).assert_status(201).json()
}

fn merge(site: &Site, body: Value) -> tenon_testkit::Reply {
    site.root.put(&format!("{HERE}/merge_requests/1/merge"), body)
}

fn fetched(site: &Site, here: &Path) {
    git(here, &["fetch", "--quiet", &site.mine("p"), "+refs/heads/*:refs/remotes/origin/*"]).well();
}

fn said(here: &Path, arguments: &[&str]) -> String {
    git(here, arguments).well().trim().to_owned()
}

/// The tree of a commit, and how many parents it has.
fn shape(here: &Path, commit: &str) -> (String, usize) {
    let parents = said(here, &["rev-list", "--parents", "--max-count=1", commit]).split(' ').count() - 1;
    (said(here, &["rev-parse", &format!("{commit}^{{tree}}")]), parents)
}

#[test]
fn a_merge_commit_is_what_git_merge_makes() {
    for backend in backends() {
        let site = Site::start(backend);
        let here = diverged(&site, "merge");
        let offered = offer(&site);
        assert_eq!(offered["merge_status"], "can_be_merged");
        let (main, feature) = (said(&here, &["rev-parse", "main"]), said(&here, &["rev-parse", "feature"]));
        let merged = merge(&site, json!({"sha": feature})).assert_status(200).json();
        assert_eq!(merged["state"], "merged");
        fetched(&site, &here);
        git(&here, &["merge", "--quiet", "--no-ff", "--no-edit", "feature"]).well();
        assert_eq!(shape(&here, "origin/main"), shape(&here, "main"));
        let parents = said(&here, &["log", "-1", "--format=%P", "origin/main"]);
        assert_eq!(parents, format!("{main} {feature}"));
        assert_eq!(merged["merge_commit_sha"], said(&here, &["rev-parse", "origin/main"]));
        let message = said(&here, &["log", "-1", "--format=%B", "origin/main"]);
        assert_eq!(message, "Merge branch 'feature' into 'main'\n\nFeature\n\nSee merge request root/p!1");
        git(&here, &["fetch", "--quiet", &site.mine("p"), "refs/merge-requests/1/head"]).well();
        assert_eq!(said(&here, &["rev-parse", "FETCH_HEAD"]), feature);
    }
}

#[test]
fn several_commits_become_one_where_that_is_asked_for() {
    for (method, parents) in [("merge", 2), ("rebase_merge", 2), ("ff", 1)] {
        for backend in backends() {
            let site = Site::start(backend);
            let here = diverged(&site, method);
            offer(&site);
            if method != "merge" {
                git(&here, &["switch", "--quiet", "feature"]).well();
                git(&here, &["rebase", "--quiet", "main"]).well();
                git(&here, &["push", "--quiet", "--force", &site.mine("p"), "feature"]).well();
                git(&here, &["switch", "--quiet", "main"]).well();
            }
            let main = said(&here, &["rev-parse", "main"]);
            let merged =
                merge(&site, json!({"squash": true, "squash_commit_message": "one"})).assert_status(200).json();
            fetched(&site, &here);
            git(&here, &["merge", "--quiet", "--squash", "feature"]).well();
            git(&here, &["commit", "--quiet", "--message", "one"]).well();
            let (tree, count) = shape(&here, "origin/main");
            assert_eq!((tree, count), (shape(&here, "main").0, parents), "{method}");
            let one = merged["squash_commit_sha"].as_str().expect("a commit").to_owned();
            assert_eq!(said(&here, &["log", "-1", "--format=%P %s", &one]), format!("{main} one"), "{method}");
        }
    }
}

#[test]
fn without_a_fast_forward_some_methods_refuse_and_a_rebase_helps() {
    for method in ["rebase_merge", "ff"] {
        for backend in backends() {
            let site = Site::start(backend);
            let here = diverged(&site, method);
            offer(&site);
            let main = said(&here, &["rev-parse", "main"]);
            let refused = merge(&site, json!({})).assert_status(405).json();
            assert_eq!(refused["message"], "Branch cannot be merged", "{method}");
            fetched(&site, &here);
            assert_eq!(said(&here, &["rev-parse", "origin/main"]), main, "nothing has moved");
            let _ = site.root.put(&format!("{HERE}/merge_requests/1/rebase"), json!({})).assert_status(202);
            fetched(&site, &here);
            git(&here, &["switch", "--quiet", "feature"]).well();
            git(&here, &["rebase", "--quiet", "main"]).well();
            assert_eq!(shape(&here, "origin/feature"), shape(&here, "feature"), "as git rebase makes it");
            let merged = merge(&site, json!({})).assert_status(200).json();
            fetched(&site, &here);
            let (tip, head) =
                (said(&here, &["rev-parse", "origin/main"]), said(&here, &["rev-parse", "origin/feature"]));
            assert_eq!(merged["merge_commit_sha"], json!(tip));
            if method == "ff" {
                assert_eq!(tip, head, "the branch itself");
            } else {
                assert_eq!(said(&here, &["log", "-1", "--format=%P", "origin/main"]), format!("{main} {head}"));
            }
        }
    }
}

#[test]
fn pushes_move_merge_requests() {
    for backend in backends() {
        let site = Site::start(backend);
        let here = diverged(&site, "merge");
        offer(&site);
        let show = || site.root.get(&format!("{HERE}/merge_requests/1")).assert_status(200).json();
        git(&here, &["switch", "--quiet", "feature"]).well();
        commit(&here, "again", b"again\n", "again");
        git(&here, &["push", "--quiet", &site.mine("p"), "feature"]).well();
        let moved = show();
        assert_eq!(moved["sha"], said(&here, &["rev-parse", "feature"]));
        assert_eq!((&moved["merge_status"], &moved["changes_count"]), (&json!("can_be_merged"), &json!("3")));
        // A change of the same lines on the other side.
        git(&here, &["switch", "--quiet", "main"]).well();
        commit(&here, "again", b"otherwise\n", "otherwise");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let conflicting = show();
        assert_eq!(
            (&conflicting["merge_status"], &conflicting["has_conflicts"]),
            (&json!("cannot_be_merged"), &json!(true))
        );
        assert_eq!(merge(&site, json!({})).assert_status(405).json()["message"], "Branch cannot be merged");
        // A user merges by hand.
        git(&here, &["merge", "--quiet", "--no-ff", "--strategy-option=ours", "--no-edit", "feature"]).well();
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let merged = show();
        assert_eq!((&merged["state"], &merged["merge_commit_sha"]), (&json!("merged"), &Value::Null));
        assert_eq!(merged["merged_by"]["username"], "root");
    }
}

#[test]
fn a_source_branch_that_is_deleted_closes_what_it_offered() {
    for backend in backends() {
        let site = Site::start(backend);
        let here = diverged(&site, "merge");
        offer(&site);
        git(&here, &["push", "--quiet", &site.mine("p"), "--delete", "feature"]).well();
        let closed = site.root.get(&format!("{HERE}/merge_requests/1")).assert_status(200).json();
        assert_eq!(closed["state"], "closed");
        assert_eq!(closed["closed_by"]["username"], "root");
        // Its commits stay.
        assert_eq!(closed["sha"], said(&here, &["rev-parse", "feature"]));
        let files = site.root.get(&format!("{HERE}/merge_requests/1/changes")).assert_status(200).json();
        assert_eq!(files["changes"].as_array().map(Vec::len), Some(2));
        let renamed = files["changes"][1].clone();
        assert_eq!(
            (&renamed["renamed_file"], &renamed["old_path"], &renamed["diff"]),
            (&json!(true), &json!("old name"), &json!(""))
        );
    }
}

#[test]
fn the_source_branch_goes_where_that_is_wanted_and_may_be() {
    for backend in backends() {
        let site = Site::start(backend);
        let here = diverged(&site, "merge");
        offer(&site);
        let _ = merge(&site, json!({"should_remove_source_branch": true})).assert_status(200);
        fetched(&site, &here);
        let listed = said(&here, &["ls-remote", "--heads", &site.mine("p")]);
        assert!(!listed.contains("feature"), "{listed}");
    }
}
