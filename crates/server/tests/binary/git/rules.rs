//! The rules for pushes of users who may push.

use serde_json::json;

use super::{Site, backends, commit, git};

/// A project with a default branch, and a developer's address of it.
fn with_developer(site: &Site) -> (std::path::PathBuf, String) {
    site.project("p", "private");
    let here = site.working_copy("here", "main");
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    let (user, token) = site.user("developer");
    site.member("p", &user, 30);
    (here, site.address("p", Some(&token)))
}

#[test]
fn protected_branches_are_not_rewritten_deleted_or_pushed_to_by_developers() {
    for backend in backends() {
        let site = Site::start(backend);
        let (here, developer) = with_developer(&site);
        commit(&here, "x", b"x", "more");
        git(&here, &["push", &developer, "main"])
            .refused("You are not allowed to push code to protected branches on this project.");
        git(&here, &["push", "--quiet", &developer, "main:feature"]).well();
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        git(&here, &["commit", "--quiet", "--amend", "--message", "other"]).well();
        git(&here, &["push", "--force", &site.mine("p"), "main"])
            .refused("You are not allowed to force push code to a protected branch on this project.");
        git(&here, &["push", &site.mine("p"), ":main"]).refused("The default branch of a project cannot be deleted.");
        git(&here, &["push", "--quiet", "--force", &developer, "main:feature"]).well();
        git(&here, &["push", "--quiet", &developer, ":feature"]).well();
    }
}

/// Who may push to a branch may force a push, if its protection permits it. Others may not.
#[test]
fn a_protection_permits_forced_pushes_to_those_who_may_push() {
    for backend in backends() {
        let site = Site::start(backend);
        let (here, developer) = with_developer(&site);
        let (other, _) = site.user("other");
        site.member("p", &other, 40);
        let rules = "/projects/root%2Fp/protected_branches";
        let body = json!({"name": "open", "push_access_level": 0, "allowed_to_push": [{"user_id": other["id"]}]});
        let _ = site.root.post(rules, body).assert_status(201);
        git(&here, &["push", &developer, "main:open"])
            .refused("You are not allowed to push code to protected branches on this project.");
        let _ = site.root.delete(&format!("{rules}/open")).assert_status(204);
        let body = json!({"name": "o*", "push_access_level": 30, "allow_force_push": true});
        let _ = site.root.post(rules, body).assert_status(201);
        commit(&here, "x", b"x", "more");
        git(&here, &["push", "--quiet", &developer, "main:open"]).well();
        git(&here, &["commit", "--quiet", "--amend", "--message", "other"]).well();
        git(&here, &["push", "--quiet", "--force", &developer, "main:open"]).well();
        git(&here, &["push", &developer, ":open"]).refused("You are not allowed to delete protected branches");
        git(&here, &["push", &site.mine("p"), ":open"])
            .refused("You can only delete protected branches using the web interface.");
        // The most permissive protection decides about each thing by itself.
        let body = json!({"name": "open", "push_access_level": 40});
        let _ = site.root.post(rules, body).assert_status(201);
        git(&here, &["commit", "--quiet", "--amend", "--message", "third"]).well();
        git(&here, &["push", "--quiet", "--force", &developer, "main:open"]).well();
        let _ = site.root.delete(&format!("{rules}/o*")).assert_status(204);
        git(&here, &["commit", "--quiet", "--amend", "--message", "fourth"]).well();
        git(&here, &["push", "--force", &site.mine("p"), "main:open"])
            .refused("You are not allowed to force push code to a protected branch on this project.");
    }
}

#[test]
fn a_refused_ref_refuses_the_whole_push() {
    for backend in backends() {
        let site = Site::start(backend);
        let (here, developer) = with_developer(&site);
        commit(&here, "x", b"x", "more");
        let outcome = git(&here, &["push", &developer, "main", "main:fine"]);
        assert!(!outcome.success);
        let refs = git(&here, &["ls-remote", &developer]).well();
        assert!(!refs.contains("refs/heads/fine"), "{refs}");
    }
}

#[test]
fn the_first_push_belongs_to_maintainers() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let (user, token) = site.user("developer");
        site.member("p", &user, 30);
        git(&here, &["push", &site.address("p", Some(&token)), "main"]).refused("A default branch (e.g. main)");
    }
}

#[test]
fn tags_are_made_by_developers_and_moved_by_maintainers() {
    for backend in backends() {
        let site = Site::start(backend);
        let (here, developer) = with_developer(&site);
        git(&here, &["tag", "t"]).well();
        git(&here, &["push", "--quiet", &developer, "t"]).well();
        commit(&here, "x", b"x", "more");
        git(&here, &["tag", "--force", "t"]).well();
        git(&here, &["push", "--force", &developer, "t"])
            .refused("You are not allowed to change existing tags on this project.");
        git(&here, &["push", "--quiet", "--force", &site.mine("p"), "t"]).well();
    }
}

#[test]
fn names_that_lie_are_refused() {
    for backend in backends() {
        let site = Site::start(backend);
        let (here, developer) = with_developer(&site);
        let tip = git(&here, &["rev-parse", "HEAD"]).well();
        let as_commit = format!("HEAD:refs/heads/{}", tip.trim());
        for target in [&*as_commit, "HEAD:refs/merge-requests/1/head", "HEAD:refs/keep-around/x", "HEAD:refs/heads/-x"]
        {
            let outcome = git(&here, &["push", &developer, target]);
            assert!(!outcome.success, "{target}: {}", outcome.text);
        }
        // A tree that would write into `.git` when it is checked out.
        let blob = git(&here, &["hash-object", "-w", "README.md"]).well();
        let entry = format!("100644 blob {}\tconfig\n", blob.trim());
        let inner = with_input(&here, &["mktree"], entry.as_bytes());
        for name in [".git", ".GIT", "git~1", ".g\u{200c}it"] {
            let line = format!("40000 tree {}\t{name}\n", inner.trim());
            let tree = with_input(&here, &["mktree"], line.as_bytes());
            let commit = git(&here, &["commit-tree", tree.trim(), "-m", "evil"]).well();
            let target = format!("{}:refs/heads/evil", commit.trim());
            let outcome = git(&here, &["push", &developer, &target]);
            assert!(!outcome.success, "{name:?}: {}", outcome.text);
        }
    }
}

/// Ten directories in each of ten directories, and so on, all of which are the same: a few kilobytes, and a hundred
/// million paths.
#[test]
fn directories_that_multiply_are_refused() {
    let site = Site::start(tenon_testkit::Backend::Sqlite);
    let (here, developer) = with_developer(&site);
    let blob = git(&here, &["hash-object", "-w", "README.md"]).well();
    let mut entry = format!("100644 blob {}", blob.trim());
    for _ in 0..8 {
        let lines: String = (0..10).map(|number| format!("{entry}\t{number}\n")).collect();
        entry = format!("40000 tree {}", with_input(&here, &["mktree"], lines.as_bytes()).trim());
    }
    let tree = entry.rsplit(' ').next().unwrap_or_default();
    let commit = git(&here, &["commit-tree", tree, "-m", "many"]).well();
    let target = format!("{}:refs/heads/many", commit.trim());
    git(&here, &["push", &developer, &target])
        .refused("A commit of this push changes more than 100000 files (limit push.files_per_commit).");
    git(&here, &["push", "--quiet", &developer, "HEAD:refs/heads/few"]).well();
}

pub(super) fn with_input(folder: &std::path::Path, arguments: &[&str], input: &[u8]) -> String {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut child = super::command(folder, arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn rules_with_stars_open_and_close_branches() {
    for backend in backends() {
        let site = Site::start(backend);
        let (here, developer) = with_developer(&site);
        let rule = json!({"name": "release/*", "push_access_level": 0});
        let _ = site.root.post("/projects/root%2Fp/protected_branches", rule).assert_status(201);
        git(&here, &["push", &developer, "main:release/1"]).refused("protected branches");
        git(&here, &["push", &site.mine("p"), "main:release/1"]).refused("protected branches");
        git(&here, &["push", "--quiet", &developer, "main:other"]).well();
    }
}

#[test]
fn other_refs_than_branches_and_tags_are_pushed_by_those_who_may_push() {
    for backend in backends() {
        let site = Site::start(backend);
        let (here, developer) = with_developer(&site);
        git(&here, &["notes", "add", "-m", "A note", "HEAD"]).well();
        git(&here, &["push", "--quiet", &developer, "refs/notes/*"]).well();
        let note = git(&here, &["rev-parse", "refs/notes/commits"]).well();
        git(&here, &["push", "--quiet", &developer, "HEAD:refs/custom/deep/x"]).well();
        let refs = git(&here, &["ls-remote", &developer]).well();
        assert!(refs.contains(&format!("{}\trefs/notes/commits", note.trim())) && refs.contains("refs/custom/deep/x"));
        git(&here, &["notes", "append", "-m", "More", "HEAD"]).well();
        git(&here, &["push", "--quiet", &developer, "refs/notes/commits"]).well();
        git(&here, &["push", "--quiet", &developer, ":refs/custom/deep/x"]).well();
        let (reporter, token) = site.user("reporter");
        site.member("p", &reporter, 20);
        let outcome = git(&here, &["push", &site.address("p", Some(&token)), "HEAD:refs/notes/mine"]);
        assert!(!outcome.success, "{}", outcome.text);
        for own in [
            "merge-requests/1/head",
            "keep-around/x",
            "tmp/x",
            "remotes/x",
            "environments/x",
            "pipelines/1",
            "replace/x",
        ] {
            let outcome = git(&here, &["push", &developer, &format!("HEAD:refs/{own}")]);
            assert!(!outcome.success, "{own}: {}", outcome.text);
        }
        // The branches have not changed.
        let branches = site.root.get("/projects/root%2Fp/repository/branches").assert_status(200).json();
        assert_eq!(branches.as_array().map(Vec::len), Some(1), "{branches}");
    }
}

#[test]
fn names_that_turn_text_are_refused_for_branches_only() {
    let site = Site::start(tenon_testkit::Backend::Sqlite);
    let (here, developer) = with_developer(&site);
    git(&here, &["push", &developer, "HEAD:refs/heads/a\u{202e}b"]).refused("is not a valid branch or tag name");
    let blob = git(&here, &["hash-object", "-w", "README.md"]).well();
    let entry = format!("100644 blob {}\ta\u{2066}b\n", blob.trim());
    let tree = with_input(&here, &["mktree"], entry.as_bytes());
    // Neither a commit nor a branch leads to it.
    git(&here, &["tag", "t", tree.trim()]).well();
    git(&here, &["push", "--quiet", &developer, "t"]).well();
    git(&here, &["commit", "--quiet", "--allow-empty", "--author", "A\u{202e}nn <a@b>", "--message", "x"]).well();
    git(&here, &["push", "--quiet", &developer, "HEAD:refs/heads/topic"]).well();
    let commit = site.root.get("/projects/root%2Fp/repository/commits/topic").assert_status(200).json();
    assert_eq!(commit["author_name"], "Ann");
}
