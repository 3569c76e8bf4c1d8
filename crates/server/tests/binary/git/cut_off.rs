//! Clients that go away in the middle.

#![cfg(target_os = "linux")]

use std::collections::HashMap;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tenon_testkit::soon;

use super::fairness::not_read;
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

/// The processes below a server that work, without those that are kept for the next question.
pub(crate) fn at_work_below(server: u32) -> Vec<u32> {
    let is_kept = |number: &u32| {
        let line = std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"--batch-command")
    };
    let mut found = below(server);
    found.retain(|number| !is_kept(number));
    found
}

fn held_in_the_middle(site: &Site) -> Child {
    held(command(site.folder.path(), &["clone", "--progress", &site.mine("p"), "half"]))
}

/// A client that has begun to receive objects, and is held there with all its helpers.
pub(crate) fn held(mut clone: std::process::Command) -> Child {
    let mut client = clone.process_group(0).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = Vec::new();
    let mut errors = client.stderr.take().unwrap();
    let mut byte = [0];
    while !said.ends_with(b"Receiving objects:") {
        assert!(errors.read_exact(&mut byte).is_ok(), "it ended early: {}", String::from_utf8_lossy(&said));
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
        let at_work = at_work_below(site.serving.id());
        assert!(!at_work.is_empty(), "{backend:?}: Git sends what the client does not take");
        assert!(signal("-KILL", &format!("-{}", client.id())));
        assert!(!client.wait().unwrap().success());
        // The server goes on.
        let ended = || {
            let _ = site.root.get("/projects/root%2Fp").assert_status(200);
            let all = processes();
            at_work_below(site.serving.id()).is_empty()
                && at_work.iter().all(|id| all.get(id).is_none_or(|(_, state)| *state == 'Z'))
        };
        soon(&format!("{backend:?}: {at_work:?} end with their client"), ended);
        git(site.folder.path(), &["clone", "--quiet", &site.mine("p"), "whole"]).well();
        git(&site.folder.path().join("whole"), &["fsck"]).well();
    }
}

/// A site with a public project that has more in it than the buffers of a connection hold.
fn large_site(backend: tenon_testkit::Backend) -> Site {
    let site = Site::start(backend);
    site.project("p", "public");
    let here = site.working_copy("here", "main");
    commit(&here, "large.bin", &noise(0..16_000_000), "large");
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    let project = "/projects/root%2Fp?statistics=true";
    let bytes = |project: &Value| project.pointer("/statistics/repository_size").and_then(Value::as_u64);
    let measured = || bytes(&site.root.get(project).json());
    soon("the push is measured", || measured().is_some_and(|size| size > 16_000_000));
    soon("no job is at work", || at_work_below(site.serving.id()).is_empty());
    site
}

/// Reads until nothing has come for a while.
fn read_what_comes(stream: &mut TcpStream) -> usize {
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let (mut part, mut sum) = (vec![0; 64 << 10], 0);
    loop {
        match stream.read(&mut part).map_err(|error| error.kind()) {
            Err(ErrorKind::WouldBlock | ErrorKind::TimedOut) => return sum,
            // A process has ended: the timeout keeps the system from calling again by itself.
            Err(ErrorKind::Interrupted) => {}
            outcome => {
                let count = outcome.unwrap();
                assert!(count > 0, "the answer ended after {sum} bytes");
                sum += count;
            }
        }
    }
}

#[test]
fn git_that_prints_nothing_ends_with_its_client() {
    let site = large_site(tenon_testkit::Backend::Sqlite);
    let host = site.root.base().strip_prefix("http://").unwrap().to_owned();
    let raw = "/projects/root%2Fp/repository/files/large.bin/raw?ref=main";
    let archive = "/projects/root%2Fp/repository/archive.tar.gz";
    for path in [Some(archive), Some(raw), None] {
        let mut stream = match path {
            Some(path) => {
                let mut stream = TcpStream::connect(&host).unwrap();
                let head = format!("GET /api/v4{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
                stream.write_all(head.as_bytes()).unwrap();
                stream.read_exact(&mut [0]).unwrap();
                stream
            }
            None => not_read(&site, None),
        };
        // Those that have ended already cannot be stopped.
        let at_work: Vec<u32> =
            at_work_below(site.serving.id()).into_iter().filter(|id| signal("-STOP", &id.to_string())).collect();
        assert!(!at_work.is_empty(), "{path:?}: Git waits for its reader");
        // All that Git has printed: from now on the server waits for it.
        read_what_comes(&mut stream);
        drop(stream);
        let left = Instant::now();
        soon(&format!("{path:?}: Git ends"), || {
            let all = processes();
            at_work.iter().all(|id| all.get(id).is_none_or(|(_, state)| *state == 'Z'))
        });
        assert!(left.elapsed() < Duration::from_secs(20), "{path:?}: {:?}", left.elapsed());
    }
}

#[test]
fn an_answer_that_git_does_not_finish_ends_as_an_error() {
    for backend in backends() {
        let site = large_site(backend);
        let mut stream = not_read(&site, None);
        for id in at_work_below(site.serving.id()) {
            assert!(signal("-KILL", &id.to_string()));
        }
        let mut answer = Vec::new();
        let end = stream.read_to_end(&mut answer);
        assert!(answer.len() < 16_000_000, "it was cut off");
        assert!(end.is_err() || !answer.ends_with(b"\r\n0\r\n\r\n"), "{backend:?}: it looks complete");
    }
}
