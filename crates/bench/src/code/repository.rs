//! The repository that is measured with, and the client of Git.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::program;

/// Files of the repository, of which each commit changes one.
const FILES: usize = 1000;

/// A repository on this side.
pub(super) struct Origin {
    folder: PathBuf,
    address: String,
}

impl Origin {
    /// Makes one with so many commits on main.
    pub(super) fn make(folder: &Path, address: String, commits: usize) -> Result<Self> {
        std::fs::create_dir(folder)?;
        git(folder, &["init", "--quiet", "--initial-branch=main"])?;
        let mut child =
            command(folder, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().context("git fast-import")?;
        let mut input = child.stdin.take().context("its input")?;
        for number in 0..commits {
            let content = format!("text {number}\n").repeat(40);
            let mut commit = String::new();
            writeln!(commit, "commit refs/heads/main\ncommitter A <a@example.org> {} +0000", 1_600_000_000 + number)?;
            let message = format!("Change number {number}");
            writeln!(commit, "data {}\n{message}", message.len())?;
            writeln!(commit, "M 100644 inline file{}.txt", number % FILES)?;
            writeln!(commit, "data {}\n{content}", content.len())?;
            input.write_all(commit.as_bytes())?;
        }
        drop(input);
        ensure!(child.wait()?.success(), "git fast-import failed");
        git(folder, &["reset", "--quiet", "--hard", "main"])?;
        Ok(Self { folder: folder.to_owned(), address })
    }

    /// The names of the newest commits of main, so many at most.
    pub(super) fn newest(&self, most: usize) -> Result<Vec<String>> {
        let listed = git(&self.folder, &["rev-list", &format!("--max-count={most}"), "main"])?;
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// Starts a branch at main.
    pub(super) fn branch(&self, name: &str) -> Result<()> {
        git(&self.folder, &["branch", "--quiet", name, "main"]).map(drop)
    }

    /// Pushes so many branches, each at another commit of main.
    pub(super) fn push_branches(&self, number: usize) -> Result<()> {
        for place in 0..number {
            git(&self.folder, &["branch", "--quiet", &format!("older{place}"), &format!("main~{place}")])?;
        }
        git(&self.folder, &["push", "--quiet", &self.address, "refs/heads/older*:refs/heads/older*"]).map(drop)
    }

    /// One more commit on a branch, which changes these files.
    pub(super) fn commit(&self, branch: &str, files: &[String]) -> Result<()> {
        git(&self.folder, &["switch", "--quiet", branch])?;
        for file in files {
            let mut text = std::fs::read_to_string(self.folder.join(file)).unwrap_or_default();
            text += "one more line\n";
            std::fs::write(self.folder.join(file), text)?;
        }
        git(&self.folder, &["add", "."])?;
        git(&self.folder, &["commit", "--quiet", "--message", "one more"])?;
        git(&self.folder, &["switch", "--quiet", "main"]).map(drop)
    }

    pub(super) fn push(&self, branch: &str) -> Result<()> {
        git(&self.folder, &["push", "--quiet", &self.address, branch]).map(drop)
    }

    /// Pushes main with all its commits to another address, which has none of them.
    pub(super) fn push_all(&self, address: &str) -> Result<()> {
        git(&self.folder, &["push", "--quiet", address, "main"]).map(drop)
    }

    /// Makes a bare repository beside this one that checks what it gets, and returns its folder.
    pub(super) fn bare(&self, number: usize) -> Result<PathBuf> {
        let bare = self.folder.with_file_name(format!("bare{number}"));
        std::fs::create_dir(&bare)?;
        git(&bare, &["init", "--quiet", "--bare"])?;
        git(&bare, &["config", "receive.fsckObjects", "true"])?;
        Ok(bare)
    }

    /// Asks for all refs.
    pub(super) fn list(&self) -> Result<()> {
        git(&self.folder, &["ls-remote", "--quiet", &self.address]).map(drop)
    }

    /// Clones into a new folder.
    pub(super) fn clone_to(&self, number: usize) -> Result<()> {
        let name = format!("../clone{number}");
        git(&self.folder, &["clone", "--quiet", "--bare", &self.address, &name]).map(drop)
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = program("git");
    command.current_dir(folder).args(arguments).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.org");
    }
    command
}

/// Runs Git, which must succeed.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    run(command(folder, arguments), arguments)
}

/// The same, with a file as its input.
pub(crate) fn git_with_input(folder: &Path, arguments: &[&str], input: &Path) -> Result<String> {
    let mut command = command(folder, arguments);
    command.stdin(std::fs::File::open(input)?);
    run(command, arguments)
}

fn run(mut command: Command, arguments: &[&str]) -> Result<String> {
    let output = command.output()?;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {}: {log}", arguments.first().copied().unwrap_or_default());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
