//! Pushes that are killed at many points: the server as `kill -9` does, or the client with all its helpers.

#![cfg(target_os = "linux")]

use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tenon_testkit::{Backend, soon};

use super::{Site, command, commit, git, noise};
use crate::process::{run, signal};

/// How many pushes are killed, half of them on each side.
const POINTS: u32 = 50;

/// Everything that a push brings is random, so that Git has something to do on both sides.
fn change(here: &std::path::Path, round: u64) {
    commit(here, "noise", &noise(round * 1_000_000..round * 1_000_000 + 100_000), &format!("round {round}"));
}

#[test]
fn a_push_that_is_killed_at_any_point_leaves_everything_sound() {
    let mut site = Site::start(Backend::Sqlite);
    let id = site.project("p", "private").get("id").and_then(serde_json::Value::as_i64).unwrap();
    let repository = site.data().join(format!("repositories/{id:03}/{id}.git"));
    let here = site.working_copy("here", "main");
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    change(&here, 0);
    let started = Instant::now();
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    let whole = started.elapsed();
    let mut arrived = [0, 0];
    for round in 0..POINTS {
        change(&here, u64::from(round) + 1);
        // A little longer than a push takes, so that the end of it is met as well.
        let point: Duration = whole * (round / 2) / (POINTS / 2) * 5 / 4;
        let target = format!("main:b{round}");
        let url = site.mine("p");
        let mut push = command(&here, &["push", "--quiet", &url, &target]);
        let mut push = push.process_group(0).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while begun.elapsed() < point && push.try_wait().unwrap().is_none() {
            std::thread::park_timeout(point.saturating_sub(begun.elapsed()));
        }
        if round % 2 == 0 {
            let data = site.data();
            // The processes that it has started are left alone, as a crash leaves them.
            let _ = signal("-KILL", &site.serving.id().to_string());
            let _ = push.wait();
            site.serving.restart_killed(&data, &site.url);
            site.root = site.serving.root();
        } else {
            let _ = signal("-KILL", &format!("-{}", push.id()));
            let _ = push.wait();
        }
        git(&repository, &["fsck", "--connectivity-only", "--no-dangling"]).well();
        let came = git(&repository, &["rev-parse", "--verify", "--quiet", &format!("refs/heads/b{round}")]).success;
        arrived[usize::from(round % 2 == 1)] += u32::from(came);
    }
    assert!(arrived.iter().all(|number| *number < POINTS / 2), "none was cut off: {arrived:?}");
    git(&repository, &["fsck", "--full", "--no-dangling"]).well();
    // No lock was left behind, and the pushed commits are known.
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    let data = site.data();
    let arguments = ["--data-dir", data.to_str().unwrap(), "--database-url", &site.url, "admin", "doctor"];
    soon("the doctor finds nothing", || run(&arguments).status.code() == Some(0));
}
