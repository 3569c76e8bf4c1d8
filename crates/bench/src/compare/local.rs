//! The repository itself, asked with the machine's own Git.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::program;

/// A repository on this machine.
#[derive(Debug, Clone)]
pub struct Local {
    folder: PathBuf,
}

impl Local {
    /// The repository of a clone, with or without files beside it.
    pub(super) fn of_clone(clone: &Path) -> Result<Self> {
        let folder = std::path::absolute(clone)?;
        let own = Self { folder };
        let found = own.text(&["rev-parse", "--absolute-git-dir"])?;
        Ok(Self { folder: PathBuf::from(found.trim_end()) })
    }

    pub(super) fn has_commits(&self) -> Result<bool> {
        Ok(!self.text(&["for-each-ref", "--count=1", "refs/heads", "refs/remotes/origin"])?.is_empty())
    }

    /// Puts all branches and tags into the repository at `served`, as a push of all of them would. A clone has most
    /// branches below its remote.
    pub(super) fn fill(&self, served: &Path) -> Result<Self> {
        let there = Self { folder: served.to_owned() };
        let remote = self.text(&["for-each-ref", "--format=%(refname)", "refs/remotes/origin"])?;
        let of_remote = remote.lines().any(|name| name != "refs/remotes/origin/HEAD");
        let head = self.head().ok();
        there.text(&["update-ref", "-d", "refs/heads/main"])?;
        let from = self.folder.as_os_str();
        let fetch = |refs: &[&str]| {
            let before = ["fetch", "--quiet", "--no-write-fetch-head", "--no-auto-gc", "--force"].map(OsStr::new);
            let refs: Vec<&OsStr> = refs.iter().map(OsStr::new).collect();
            there.bytes(&[&before[..], &[from], &refs].concat())
        };
        if of_remote {
            fetch(&["+refs/remotes/origin/*:refs/heads/*", "^refs/remotes/origin/HEAD"])?;
        }
        fetch(&["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"])?;
        let first = || there.text(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"]);
        let head = match head {
            Some(head) => head,
            None => first()?.lines().next().context("no branch")?.to_owned(),
        };
        there.text(&["symbolic-ref", "HEAD", &format!("refs/heads/{head}")])?;
        there.text(&["repack", "-a", "-d", "--quiet"])?;
        there.text(&["commit-graph", "write", "--reachable", "--changed-paths", "--no-progress"])?;
        Ok(there)
    }

    /// The default branch.
    pub(super) fn head(&self) -> Result<String> {
        let name = self.text(&["symbolic-ref", "--short", "HEAD"])?;
        self.text(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        Ok(name.trim_end().to_owned())
    }

    /// The output of Git, as text.
    pub(super) fn text(&self, arguments: &[&str]) -> Result<String> {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        Ok(String::from_utf8_lossy(&self.bytes(&arguments)?).into_owned())
    }

    /// The lines that Git prints.
    pub(super) fn lines(&self, arguments: &[&str]) -> Result<Vec<String>> {
        Ok(self.text(arguments)?.lines().map(str::to_owned).collect())
    }

    /// The fields that Git prints, each ended by a NUL.
    pub(super) fn fields(&self, arguments: &[&str]) -> Result<Vec<Vec<u8>>> {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let mut fields: Vec<Vec<u8>> = self.bytes(&arguments)?.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        fields.pop();
        Ok(fields)
    }

    /// The lines that Git prints about this path.
    pub(super) fn about(&self, arguments: &[&str], path: &[u8]) -> Result<Vec<Vec<u8>>> {
        let path = OsString::from_vec(path.to_vec());
        let mut all: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        all.extend([OsStr::new("--"), &path]);
        Ok(self.bytes(&all)?.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect())
    }

    /// The output of Git. It must succeed.
    pub(super) fn bytes(&self, arguments: &[&OsStr]) -> Result<Vec<u8>> {
        let output = self.command().args(arguments).output()?;
        let log = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git {}: {log}", arguments.first().unwrap_or(&OsStr::new("")).display());
        Ok(output.stdout)
    }

    fn command(&self) -> Command {
        let mut command = program("git");
        command.current_dir(&self.folder).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_LITERAL_PATHSPECS", "1").env("LC_ALL", "C.UTF-8");
        // As the server: replaced objects are those that were pushed.
        command.env("GIT_NO_REPLACE_OBJECTS", "1");
        command
    }
}
