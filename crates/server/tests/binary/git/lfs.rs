//! Large files, with the real client of Git LFS.

use std::path::Path;

use super::{Site, backends, commit, git, noise};

/// A working copy of `root/p` whose large files are LFS objects.
fn with_lfs(folder: &Path) {
    git(folder, &["lfs", "install", "--local"]).well();
    git(folder, &["lfs", "track", "*.bin"]).well();
}

#[test]
fn large_files_are_pushed_cloned_and_fetched() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        with_lfs(&here);
        let bytes = noise(0..3_000_000);
        for number in 0..20 {
            std::fs::write(here.join(format!("{number}.bin")), noise(number..number + 1_000)).unwrap();
        }
        commit(&here, "large.bin", &bytes, "large files");
        git(&here, &["remote", "add", "origin", &site.mine("p")]).well();
        git(&here, &["push", "--quiet", "origin", "main"]).well();
        // The repository has the pointer only.
        let raw = site.root.get("/projects/root%2Fp/repository/files/large.bin/raw?ref=main").assert_status(200).text();
        assert!(raw.starts_with("version https://git-lfs.github.com/spec/v1\n"), "{raw}");
        let at = site.folder.path();
        git(at, &["clone", "--quiet", &site.mine("p"), "there"]).well();
        let there = at.join("there");
        assert_eq!(std::fs::read_to_string(there.join("large.bin")).unwrap(), raw);
        with_lfs(&there);
        git(&there, &["lfs", "pull"]).well();
        assert_eq!(std::fs::read(there.join("large.bin")).unwrap(), bytes);
        assert_eq!(std::fs::read(there.join("7.bin")).unwrap(), noise(7..1_007));
        git(&there, &["lfs", "fsck"]).well();
        // Who may not read the code gets nothing.
        let (_, token) = site.user("stranger");
        git(&there, &["remote", "set-url", "origin", &site.address("p", Some(&token))]).well();
        std::fs::remove_dir_all(there.join(".git/lfs/objects")).unwrap();
        assert!(!git(&there, &["lfs", "fetch", "origin", "main"]).success);
    }
}

#[test]
fn a_locked_file_is_changed_by_its_owner_only() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        with_lfs(&here);
        commit(&here, "a.bin", b"first", "a large file");
        git(&here, &["remote", "add", "origin", &site.mine("p")]).well();
        git(&here, &["push", "--quiet", "origin", "main"]).well();
        git(&here, &["lfs", "lock", "a.bin"]).well();
        assert!(git(&here, &["lfs", "locks"]).well().contains("a.bin"));

        let (bob, token) = site.user("bob");
        site.member("p", &bob, 40);
        let at = site.folder.path();
        git(at, &["clone", "--quiet", &site.address("p", Some(&token)), "there"]).well();
        let there = at.join("there");
        with_lfs(&there);
        commit(&there, "a.bin", b"second", "a change");
        // The client looks itself. The server does not rely on that.
        let refused = git(&there, &["push", "--no-verify", "origin", "main"]);
        refused.refused("The path 'a.bin' is locked in Git LFS by Administrator");
        git(&there, &["lfs", "unlock", "a.bin"]).refused("a.bin");
        git(&there, &["lfs", "unlock", "--force", "a.bin"]).well();
        git(&there, &["push", "--quiet", "origin", "main"]).well();
        git(&there, &["lfs", "lock", "a.bin"]).well();
        // Other files are free, and so is the owner of the lock.
        git(&here, &["pull", "--quiet", "--rebase", "origin", "main"]).well();
        commit(&here, "b.bin", b"other", "another file");
        git(&here, &["push", "--quiet", "origin", "main"]).well();
        git(&there, &["pull", "--quiet", "--rebase", "origin", "main"]).well();
        commit(&there, "a.bin", b"third", "by the owner");
        git(&there, &["push", "--quiet", "origin", "main"]).well();
    }
}
