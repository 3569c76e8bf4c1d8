//! Clients that go away in the middle.

#![cfg(target_os = "linux")]

use std::collections::HashMap;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};

use super::{Site, backends, command, commit, git, noise};
use crate::process::signal;

/// The processes of this machine: number, number of the parent, state.
fn processes() -> HashMap<u32, (u32, char)> {
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = folders.filter_map(|folder| folder.file_name().to_str()?.parse::<u32>().ok());
    let facts = |number: u32| {
        // The name, which may hold anything, is in brackets.
        let line = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        let (_, rest) = line.rsplit_once(") ")?;
        let mut words = rest.split(' ');
        let state = words.next()?.chars().next()?;
        Some((number, (words.next()?.parse().ok()?, state)))
    };
    numbers.filter_map(facts).collect()
}

/// The processes below another one.
pub(super) fn below(ancestor: u32) -> Vec<u32> {
    let all = processes();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(all.iter().filter(|(_, (of, _))| *of == parent).map(|(number, _)| *number));
        next += 1;
    }
    found.split_off(1)
}

/// A client that has begun to receive objects, and is held there with all its helpers.
fn held_in_the_middle(site: &Site) -> Child {
    let mut clone = command(site.folder.path(), &["clone", "--progress", &site.mine("p"), "half"]);
    let mut client = clone.process_group(0).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = Vec::new();
    let mut errors = client.stderr.take().unwrap();
    let mut byte = [0];
    while !said.ends_with(b"Receiving objects:") {
        assert_eq!(errors.read(&mut byte).unwrap(), 1, "it ended early: {}", String::from_utf8_lossy(&said));
        said.extend(byte);
    }
    assert!(signal("-STOP", &format!("-{}", client.id())));
    client.stderr = Some(errors);
    client
}

#[test]
fn a_clone_that_is_cut_off_leaves_nothing_behind() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        // More than the buffers between server and client hold.
        for number in 0..160_u64 {
            std::fs::write(here.join(format!("file{number}")), noise(number * 100_000..(number + 1) * 100_000))
                .unwrap();
        }
        commit(&here, "last", b"x", "large");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let mut client = held_in_the_middle(&site);
        let at_work = below(site.serving.id());
        assert!(!at_work.is_empty(), "{backend:?}: Git sends what the client does not take");
        assert!(signal("-KILL", &format!("-{}", client.id())));
        assert!(!client.wait().unwrap().success());
        // The server goes on meanwhile.
        let ended = || {
            let _ = site.root.get("/projects/root%2Fp").assert_status(200);
            let all = processes();
            below(site.serving.id()).is_empty()
                && at_work.iter().all(|id| all.get(id).is_none_or(|(_, state)| *state == 'Z'))
        };
        assert!((0..10_000).any(|_| ended()), "{backend:?}: {at_work:?} go on for nobody");
        git(site.folder.path(), &["clone", "--quiet", &site.mine("p"), "whole"]).well();
        git(&site.folder.path().join("whole"), &["fsck"]).well();
    }
}
