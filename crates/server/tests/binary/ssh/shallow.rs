//! Pushes from shallow clones.

use serde_json::json;
use tenon_testkit::Backend;

use super::SshSite;
use crate::git::{Outcome, commit, git};

/// The lines that Git shows beside those that it shows for every push that failed.
fn reasons(outcome: Outcome) -> Vec<String> {
    assert!(!outcome.success, "{}", outcome.text);
    let lines = outcome.text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines
        .filter(|line| !line.starts_with("To ") && !line.starts_with("error: failed to push"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_shallow_push_is_refused_for_one_reason() {
    let site = SshSite::start(Backend::Sqlite);
    let here = site.site.working_copy("here", "main");
    for number in 0..3 {
        commit(&here, "file", format!("{number}\n").as_bytes(), "more");
    }
    git(&here, &["push", "--quiet", &site.site.mine("p"), "main"]).well();
    git(site.folder(), &["clone", "--quiet", "--depth", "1", &site.site.mine("p"), "shallow"]).well();
    let shallow = site.folder().join("shallow");
    commit(&shallow, "file", b"last\n", "last");
    site.site.project("q", "private");
    // The branch is there already, and the pusher may not push to it either.
    let other = site.site.working_copy("other", "main");
    git(&other, &["push", "--quiet", &site.site.mine("q"), "main"]).well();
    let rule = json!({"name": "closed", "push_access_level": 0});
    let _ = site.site.root.post("/projects/root%2Fq/protected_branches", rule).assert_status(201);
    for is_ssh in [false, true] {
        let push = |arguments: &[&str]| {
            let url = if is_ssh { site.url("q") } else { site.site.mine("q") };
            let all = [&["push", "--force", &url], arguments].concat();
            if is_ssh { site.git(&shallow, &all) } else { git(&shallow, &all) }
        };
        for target in ["main", "closed", "new"] {
            let found = reasons(push(&[&format!("main:{target}")]));
            let own = format!(" ! [remote rejected] main -> {target} (shallow update not allowed)");
            assert_eq!(found, [REASON, &own], "{is_ssh}");
        }
        let found = reasons(push(&["main:one", "main:two"]));
        assert_eq!(found.len(), 3, "{found:?}");
    }
    let refs = git(&shallow, &["ls-remote", "--heads", &site.site.mine("q")]).well();
    assert_eq!(refs.lines().count(), 1, "{refs}");
    // If the server has the commits that the clone lacks, nothing is missing.
    git(&shallow, &["push", "--quiet", &site.site.mine("p"), "main"]).well();
}

const REASON: &str = "remote: This push comes from a shallow clone, and the project lacks commits before it. Run `git fetch --unshallow`, and push again.";
