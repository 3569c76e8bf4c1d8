//! Commands of the program that is rehearsed, each of which can be ended at one of its steps.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::observe::text;
use crate::process::program;

/// The source of the library that counts the steps of a command.
const STEPS: &str = include_str!("steps.c");
/// The signal of `kill -9`.
const SIGKILL: i32 = 9;

/// The program, and a folder for the traces of its commands.
pub(crate) struct Commands {
    program: PathBuf,
    folder: PathBuf,
    library: PathBuf,
}

impl Commands {
    /// Compiles the library that counts steps. Fails without a C compiler (`cc`), which also a build of the program needs.
    pub(crate) fn new(program_path: &Path, folder: &Path) -> Result<Self> {
        let (source, library) = (folder.join("steps.c"), folder.join("steps.so"));
        fs::write(&source, STEPS)?;
        let mut compile = program("cc");
        compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
        ensure!(compile.status().context("there is no C compiler (cc)")?.success(), "steps.c cannot be compiled");
        Ok(Self { program: program_path.to_owned(), folder: folder.to_owned(), library })
    }

    /// The program with these arguments, without variables that would change what it does.
    pub(crate) fn command(&self, arguments: &[&OsStr]) -> std::process::Command {
        let mut command = program(&self.program);
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"TENON_")) {
            command.env_remove(name);
        }
        command
    }

    /// Starts a command. It ends by SIGKILL before its step `kill_at`, if it has so many.
    pub(crate) fn start(&self, arguments: &[&OsStr], kill_at: Option<u64>) -> Result<Running> {
        let steps = tempfile::NamedTempFile::new_in(&self.folder)?;
        let output = tempfile::NamedTempFile::new_in(&self.folder)?;
        let mut command = self.command(arguments);
        command.env("LD_PRELOAD", &self.library).env("REHEARSE_STEPS", steps.path());
        if let Some(at) = kill_at {
            command.env("REHEARSE_KILL_AT", at.to_string());
        }
        // Both write to its end.
        let open = || File::options().append(true).open(output.path());
        let (out, errors) = (open()?, open()?);
        let child = command.stdout(out).stderr(errors).spawn()?;
        let name = arguments.iter().take(2).map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        Ok(Running { child, name, steps, output })
    }

    /// `tenon backup prune`, which keeps the newest backup only and may be ended at a step.
    pub(crate) fn prune(&self, store: &Path, kill_at: Option<u64>) -> Result<Ended> {
        let keep = ["--keep-hourly=0", "--keep-daily=0", "--keep-weekly=0", "--keep-monthly=0"];
        let words = ["backup", "prune"].into_iter().chain(keep).chain(["--to"]).map(OsStr::new);
        self.run(&words.chain([store.as_os_str()]).collect::<Vec<_>>(), kill_at)
    }

    /// `tenon backup verify` of the newest backup. Fails if it finds something.
    pub(crate) fn verify(&self, store: &Path) -> Result<()> {
        self.run(&["backup".as_ref(), "verify".as_ref(), "--to".as_ref(), store.as_os_str()], None)?
            .succeeded()
            .map(drop)
    }

    /// The name of the newest backup.
    pub(crate) fn newest(&self, store: &Path) -> Result<String> {
        Ok(text(&self.about_newest(store)?, "backup").to_owned())
    }

    /// The line of `tenon backup list` about the newest backup.
    pub(crate) fn about_newest(&self, store: &Path) -> Result<Value> {
        let words = ["backup".as_ref(), "list".as_ref(), "--json".as_ref(), "--to".as_ref(), store.as_os_str()];
        let listed = self.run(&words, None)?.succeeded()?;
        Ok(serde_json::from_str(listed.output.lines().last().context("no backup is listed")?)?)
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&OsStr], kill_at: Option<u64>) -> Result<Ended> {
        self.start(arguments, kill_at)?.wait()
    }
}

/// A command that runs.
pub(crate) struct Running {
    child: Child,
    name: String,
    steps: tempfile::NamedTempFile,
    output: tempfile::NamedTempFile,
}

impl Running {
    /// True if it has ended.
    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Result<Ended> {
        let status = self.child.wait()?;
        let steps = fs::read_to_string(self.steps.path())?.trim().parse().unwrap_or(0);
        let output = String::from_utf8_lossy(&fs::read(self.output.path())?).into_owned();
        Ok(Ended { name: self.name.clone(), status, steps, output })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    name: String,
    status: ExitStatus,
    /// The number of its steps; 0 if it was killed.
    pub(crate) steps: u64,
    /// All that it printed.
    pub(crate) output: String,
}

impl Ended {
    /// True if it was ended at a step.
    pub(crate) fn was_killed(&self) -> bool {
        self.status.signal() == Some(SIGKILL)
    }

    /// Fails with its output if it did not end with 0.
    pub(crate) fn succeeded(self) -> Result<Self> {
        ensure!(self.status.success(), "tenon {} ended with {}: {}", self.name, self.status, self.output.trim());
        Ok(self)
    }
}
