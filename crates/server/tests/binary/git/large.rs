//! A small pack with a huge file in it.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tenon_testkit::Backend;

use super::{Site, command, git};

/// The most memory that a process has ever had, in bytes; nothing for one that is gone.
pub(super) fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Everything in a folder whose name says that it was not meant to stay.
pub(super) fn left_behind(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if ["tmp_", "tmp-", "incoming-", ".tmp"].iter().any(|start| name.starts_with(start)) {
            found.push(entry.path());
        } else if entry.path().is_dir() {
            found.extend(left_behind(&entry.path()));
        }
    }
    found
}

#[test]
fn a_file_above_the_limit_with_nothing_in_it_costs_no_memory() {
    // Twice what the server has had, and half of what is in the pack.
    const MOST: u64 = 256 << 20;
    let site = Site::start(Backend::Sqlite);
    site.project("p", "private");
    let here = site.working_copy("here", "main");
    // It takes no place, and its object little; the limit of a file is 512 MiB.
    let zeros = site.folder.path().join("zeros");
    File::create(&zeros).unwrap().set_len(513 << 20).unwrap();
    let hash =
        command(&here, &["-c", "core.bigFileThreshold=1m", "-c", "core.compression=1", "hash-object", "-w", "--stdin"])
            .stdin(Stdio::from(File::open(&zeros).unwrap()))
            .output()
            .unwrap();
    let hash = String::from_utf8(hash.stdout).unwrap();
    git(&here, &["update-index", "--add", "--cacheinfo", &format!("100644,{},zeros", hash.trim())]).well();
    git(&here, &["commit", "--quiet", "--message", "zeros"]).well();
    let pushed = command(&here, &["-c", "core.bigFileThreshold=1m", "push", "--quiet", &site.mine("p"), "main"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&pushed.stderr).into_owned();
    assert!(!pushed.status.success() && said.contains("is larger than"), "{said}");
    // Nothing of it is there, and the server goes on.
    let path = "/projects/root%2Fp/repository";
    for what in
        ["files/zeros?ref=main", "files/zeros/raw?ref=main", "commits/main/diff", "tree", "files/zeros/blame?ref=main"]
    {
        let reply = site.root.get(&format!("{path}/{what}"));
        assert_eq!(reply.status(), 404, "{what}");
    }
    let had = peak(site.serving.id()).unwrap();
    assert!(had < MOST, "the server had {had} bytes");
    let left = left_behind(&site.data());
    assert!(left.is_empty(), "{left:?}");
}
