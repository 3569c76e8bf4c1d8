//! The Git engine against real repositories.

#![expect(clippy::panic, clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

mod bounds;
mod budgets;
mod committing;
mod differing;
mod graph;
mod history;
mod inspecting;
mod kept;
mod language;
mod maintenance;
mod merging;
mod pushed;
mod reading;
mod refs;
mod serving;
mod storing;
mod writing;

use std::cell::Cell;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tenon_domain::id::ProjectId;
use tenon_domain::page::PageRequest;
use tenon_domain::time::Timestamp;
use tenon_git::{
    BranchName, Depth, Engine, EngineSettings, LookupPath, Oid, Repository, Revision, Signature, Soundness, Store,
};

/// A store with one empty repository.
struct World {
    folder: TempDir,
    store: Store,
    repo: Repository,
    clock: Cell<i64>,
}

impl World {
    fn new() -> Self {
        Self::with(|_, _| {})
    }

    fn with(change: impl Fn(&mut EngineSettings, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = EngineSettings::new(folder.path().join("engine"));
        change(&mut settings, folder.path());
        let engine = Engine::open(&settings).unwrap();
        let store = Store::open(engine, &folder.path().join("repositories")).unwrap();
        let repo = store.repository(ProjectId::new(1));
        store.create(&repo, &branch("main")).unwrap();
        Self { folder, store, repo, clock: Cell::new(1_700_000_000) }
    }

    /// Commits these files on top of a branch, as whatever client did it; an empty content removes the file.
    fn commit(&self, name: &str, message: &str, files: &[(&str, &str)]) -> Oid {
        let bytes: Vec<(&[u8], &[u8])> = files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())).collect();
        self.commit_bytes(name, message, &bytes)
    }

    fn commit_bytes(&self, name: &str, message: &str, files: &[(&[u8], &[u8])]) -> Oid {
        self.clock.set(self.clock.get() + 60);
        let tip = self.repo.ref_target(&branch(name).full()).unwrap();
        let mut input = Vec::new();
        write!(input, "commit refs/heads/{name}\nmark :1\n").unwrap();
        for role in ["author", "committer"] {
            writeln!(input, "{role} Ann <ann@example.com> {} +0100", self.clock.get()).unwrap();
        }
        write!(input, "data {}\n{message}\n", message.len()).unwrap();
        if let Some(tip) = tip {
            writeln!(input, "from {tip}").unwrap();
        }
        for (path, content) in files {
            let path: String = path.iter().map(|byte| format!("\\{byte:03o}")).collect();
            if content.is_empty() {
                writeln!(input, "D \"{path}\"").unwrap();
                continue;
            }
            write!(input, "M 100644 inline \"{path}\"\ndata {}\n", content.len()).unwrap();
            input.extend_from_slice(content);
            input.push(b'\n');
        }
        input.extend_from_slice(b"\nget-mark :1\n");
        git(self.repo.path(), &["fast-import", "--quiet"], &input).trim().parse().unwrap()
    }

    /// The output of the client's own Git in the repository.
    fn git(&self, arguments: &[&str]) -> String {
        git(self.repo.path(), arguments, b"")
    }

    /// Removes everything that nothing reaches, however young.
    fn drop_unreachable(&self) {
        self.git(&["gc", "--quiet", "--prune=now"]);
    }

    /// True if `git fsck` finds nothing wrong, all objects read.
    fn is_sound(&self) -> bool {
        self.repo.soundness(Depth::Contents).unwrap() == Soundness::Sound
    }

    fn resolve(&self, text: &str) -> Option<Oid> {
        self.repo.resolve(&Revision::parse(text).unwrap()).unwrap().map(|it| it.commit)
    }
}

fn command(arguments: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the tests need a Git that is not the one under test")]
    let mut command = Command::new("git");
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", "/x");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ann").env(format!("GIT_{role}_EMAIL"), "ann@example.com");
        command.env(format!("GIT_{role}_DATE"), "1700000000 +0100");
    }
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn git(repository: &Path, arguments: &[&str], input: &[u8]) -> String {
    let all = [&["--git-dir", repository.to_str().unwrap()], arguments].concat();
    let mut child = command(&all).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn branch(name: &str) -> BranchName {
    BranchName::parse(name).unwrap()
}

fn path(text: &str) -> LookupPath {
    LookupPath::parse(text).unwrap()
}

/// A shell script that can be started. Another process writes it: a file cannot be run while a process that another
/// test has just started still has it open for writing.
fn script(path: &Path, text: &str) {
    let write = r#"printf '#!/bin/sh\n%s\n' "$0" > "$1" && chmod +x "$1""#;
    #[expect(clippy::disallowed_methods, reason = "a process of its own has to write the file")]
    let written = Command::new("sh").args(["-c", write, text]).arg(path).status().unwrap();
    assert!(written.success());
}

fn bob() -> Signature {
    Signature::new("Bob", "bob@example.com", now())
}

fn page(number: i64, size: i64) -> PageRequest {
    PageRequest::new(Some(number), Some(size))
}

fn now() -> Timestamp {
    "2026-03-02T12:00:00Z".parse().unwrap()
}
