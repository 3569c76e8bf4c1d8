//! Versions 0 and 1 of the protocol give what version 2 gives, over HTTP and SSH.

use std::path::{Path, PathBuf};

use tenon_testkit::Backend;

use super::SshSite;
use crate::git::{Outcome, Site, commit, git};

/// A way to the server, and a version of the protocol.
struct Way<'a> {
    site: &'a SshSite,
    url: String,
    is_ssh: bool,
    version: &'static str,
    folder: PathBuf,
}

/// Names of objects that are asked for.
struct Names {
    /// Behind a branch.
    commit: String,
    /// The directory of a commit behind a branch, and a file there.
    tree: String,
    blob: String,
    /// Of a branch that was deleted.
    unreachable: String,
    /// Of a ref that clients do not see.
    hidden: String,
    /// In another repository.
    elsewhere: String,
}

impl Way<'_> {
    fn git(&self, folder: &Path, arguments: &[&str]) -> Outcome {
        let option = format!("protocol.version={}", self.version);
        let all = [&["-c", &option], arguments].concat();
        if self.is_ssh { self.site.git(folder, &all) } else { git(folder, &all) }
    }

    /// A clone made with these options, and what Git has said.
    fn cloned(&self, name: &str, options: &[&str]) -> (PathBuf, Outcome) {
        let outcome = self.git(&self.folder, &[&["clone", "--quiet"], options, &[&self.url, name]].concat());
        let path = self.folder.join(name);
        if path.exists() {
            // Later commands in the clone speak the same version.
            git(&path, &["config", "protocol.version", self.version]).well();
        }
        (path, outcome)
    }

    /// The answers to everything that a client may ask for, one line for each.
    fn answers(&self, names: &Names) -> Vec<String> {
        let mut found = Vec::new();
        let mut say = |what: &str, outcome: &Outcome, detail: String| {
            found.push(format!("{what}: {} {detail}", if outcome.success { "ok" } else { "refused" }));
        };
        let (whole, outcome) = self.cloned("whole", &[]);
        say("clone", &outcome, objects(&whole));
        for filter in ["blob:none", "tree:0", "blob:limit=20", "tree:3", "sparse:oid=main", "object:type=commit"] {
            let (path, outcome) =
                self.cloned(&format!("filter-{}", filter.replace(':', "-")), &["--no-checkout", "--filter", filter]);
            say(filter, &outcome, if outcome.success { objects(&path) } else { String::new() });
            if outcome.success {
                let checked_out = self.git(&path, &["checkout", "--quiet", "main"]);
                say("checkout", &checked_out, objects(&path));
                let log = self.git(&path, &["log", "--oneline", "--patch", "main"]);
                say("log", &log, objects(&path));
            }
        }
        let (path, outcome) = self.cloned("shallow", &["--depth", "1"]);
        say("depth", &outcome, objects(&path));
        for options in [&["--deepen", "2"][..], &["--shallow-since", "2020-01-04"], &["--depth", "2"], &["--unshallow"]]
        {
            let outcome = self.git(&path, &[&["fetch", "--quiet"], options].concat());
            say(&options.join(" "), &outcome, objects(&path));
        }
        for options in [&["--shallow-since", "2020-01-04"][..], &["--shallow-exclude", "v1"]] {
            let (path, outcome) = self.cloned(&format!("clone{}", options.concat()), options);
            say(&options.join(" "), &outcome, objects(&path));
        }
        let (path, outcome) = self.cloned("both", &["--depth", "2", "--filter", "blob:none", "--no-checkout"]);
        say("depth and filter", &outcome, objects(&path));
        let wanted = [
            ("a commit", &*names.commit),
            ("a directory", &names.tree),
            ("a file", &names.blob),
            ("an unreachable commit", &names.unreachable),
            ("a commit of a hidden ref", &names.hidden),
            ("an object of another repository", &names.elsewhere),
            ("a hidden ref", "refs/keep-around/hidden"),
            ("no object", "1234567890123456789012345678901234567890"),
        ];
        for (number, (what, name)) in wanted.into_iter().enumerate() {
            for options in [&[][..], &["--depth", "1"], &["--filter", "blob:none"]] {
                let path = self.folder.join(format!("wanted-{number}-{}", options.concat()));
                git(&self.folder, &["init", "--quiet", path.to_str().unwrap()]).well();
                git(&path, &["remote", "add", "origin", &self.url]).well();
                let outcome =
                    self.git(&path, &[&["fetch", "--quiet", "--no-tags"], options, &["origin", name]].concat());
                say(&format!("{what} {}", options.join(" ")), &outcome, objects(&path));
            }
        }
        found
    }
}

/// How many commits a clone has, and how many objects, without asking the server for more.
fn objects(clone: &Path) -> String {
    if !clone.exists() {
        return String::new();
    }
    let listed = git(clone, &["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"]).well();
    let commits = listed.lines().filter(|line| line.ends_with(" commit")).count();
    format!("{commits} commits, {} objects", listed.lines().count())
}

fn repository(site: &Site, project: &str) -> PathBuf {
    let id = site.root.get(&format!("/projects/root%2F{project}")).assert_status(200).json();
    let id = id.get("id").and_then(serde_json::Value::as_i64).unwrap();
    site.data().join(format!("repositories/{:03}/{id}.git", id % 1000))
}

fn name_of(folder: &Path, revision: &str) -> String {
    git(folder, &["rev-parse", revision]).well().trim().to_owned()
}

#[test]
fn older_versions_give_what_version_2_gives() {
    let site = SshSite::start(Backend::Sqlite);
    let here = site.site.working_copy("here", "main");
    for day in 2..8 {
        std::fs::create_dir_all(here.join("d/e")).unwrap();
        std::fs::write(here.join("d/e/f"), format!("{day}\n")).unwrap();
        std::fs::write(here.join("large"), format!("{day}\n").repeat(40)).unwrap();
        git(&here, &["add", "--all"]).well();
        let mut made = crate::git::command(&here, &["commit", "--quiet", "--message", "x"]);
        let date = format!("2020-01-0{day}T12:00:00Z");
        made.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date);
        assert!(made.status().unwrap().success());
    }
    git(&here, &["tag", "-a", "v1", "-m", "one", "main~3"]).well();
    let url = site.site.mine("p");
    git(&here, &["push", "--quiet", &url, "main", "v1"]).well();
    // Of each of these a commit stays that no branch has.
    for branch in ["gone", "hidden"] {
        git(&here, &["switch", "--quiet", "--create", branch, "main"]).well();
        commit(&here, branch, branch.as_bytes(), branch);
        git(&here, &["push", "--quiet", &url, branch]).well();
        if branch == "hidden" {
            git(
                &repository(&site.site, "p"),
                &["--git-dir=.", "update-ref", "refs/keep-around/hidden", &name_of(&here, branch)],
            )
            .well();
        }
        git(&here, &["push", "--quiet", &url, "--delete", branch]).well();
    }
    site.site.project("q", "private");
    let other = site.site.working_copy("other", "main");
    commit(&other, "other", b"other", "other");
    git(&other, &["push", "--quiet", &site.site.mine("q"), "main"]).well();
    let names = Names {
        commit: name_of(&here, "main~2"),
        tree: name_of(&here, "main~2^{tree}"),
        blob: name_of(&here, "main~2:d/e/f"),
        unreachable: name_of(&here, "gone"),
        hidden: name_of(&here, "hidden"),
        elsewhere: name_of(&other, "main"),
    };
    let mut expected: Option<Vec<String>> = None;
    for version in ["2", "1", "0"] {
        for is_ssh in [false, true] {
            let folder = site.folder().join(format!("v{version}-{is_ssh}"));
            std::fs::create_dir(&folder).unwrap();
            let url = if is_ssh { site.url("p") } else { site.site.mine("p") };
            let found = Way { site: &site, url, is_ssh, version, folder }.answers(&names);
            let want = expected.get_or_insert_with(|| found.clone());
            assert_eq!(want, &found, "version {version}, over SSH: {is_ssh}");
        }
    }
    let refused: Vec<String> = expected.unwrap().into_iter().filter(|line| line.contains(": refused")).collect();
    let what = |line: &String| line.split(':').next().unwrap().trim_end().to_owned();
    let what: Vec<String> = refused.iter().map(what).collect();
    assert_eq!(
        what,
        [
            "tree",
            "sparse",
            "object",
            "an object of another repository",
            "an object of another repository --depth 1",
            "an object of another repository --filter blob",
            "a hidden ref",
            "a hidden ref --depth 1",
            "a hidden ref --filter blob",
            "no object",
            "no object --depth 1",
            "no object --filter blob",
        ]
    );
}
