//! Two at once, and `kill -9` in the middle.

use std::process::Stdio;

use super::{Site, backends, command, commit, git, noise};
use crate::process::run;

#[test]
fn of_two_pushes_to_one_branch_one_wins_and_nothing_is_lost() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        for round in 0..5 {
            let names = ["one", "two"].map(|name| format!("{name}{round}"));
            let copies = names.each_ref().map(|name| {
                git(site.folder.path(), &["clone", "--quiet", &site.mine("p"), name]).well();
                let copy = site.folder.path().join(name);
                commit(&copy, name, b"x", name);
                copy
            });
            let url = site.mine("p");
            let pushes: Vec<_> = copies
                .iter()
                .map(|copy| {
                    let mut push = command(copy, &["push", "--quiet", &url, "main"]);
                    push.stderr(Stdio::null()).spawn().unwrap()
                })
                .collect();
            let won: Vec<bool> = pushes.into_iter().map(|mut push| push.wait().unwrap().success()).collect();
            assert!(won.contains(&true), "{backend:?}: no push won");
            let tip = git(&here, &["ls-remote", &url, "refs/heads/main"]).well();
            let tips = copies.each_ref().map(|copy| git(copy, &["rev-parse", "HEAD"]).well());
            let holds = |index: usize| tip.starts_with(tips[index].trim());
            assert!((0..2).any(|index| won[index] && holds(index)), "{backend:?}: {tip} {tips:?} {won:?}");
        }
    }
}

#[test]
fn a_server_killed_during_pushes_comes_back_sound() {
    for backend in backends() {
        let mut site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        for round in 0..6 {
            commit(&here, "noise", &noise(round..round + 300_000), &format!("round {round}"));
            let url = site.mine("p");
            let target = format!("main:b{round}");
            let mut push = command(&here, &["push", "--quiet", &url, &target]).stderr(Stdio::null()).spawn().unwrap();
            // Some rounds die before the push is processed, some after: each must be sound.
            for _ in 0..round {
                let _ = site.root.get("/version");
            }
            let data = site.data();
            site.serving.restart_killed(&data, &site.url);
            let _ = push.wait();
            site.root = site.serving.root();
        }
        // Changes that are acknowledged now are there: no lock was left behind.
        git(&here, &["push", "--quiet", &site.mine("p"), "main:after", "main"]).well();
        git(site.folder.path(), &["clone", "--quiet", "--mirror", &site.mine("p"), "mirror"]).well();
        git(&site.folder.path().join("mirror"), &["fsck", "--full"]).well();
        let data = site.data();
        let status = site.serving.terminate();
        assert_eq!(status.code(), Some(0));
        let arguments = ["--data-dir", data.to_str().unwrap(), "--database-url", &site.url, "admin", "doctor"];
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
