//! The one way to start Git: a cleared environment, a fixed configuration, limits, a process group of its own.

pub(crate) mod budget;
pub(crate) mod group;
pub(crate) mod pump;
pub(crate) mod stream;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cancel::CancelToken;
use crate::error::{GitError, Log};
use crate::program::Program;
use budget::Budget;
use pump::{Pump, Watch};
use stream::GitStream;

/// Bytes that a command may print if its caller does not give a limit.
const OUTPUT: usize = 64 << 20;

/// How long a download may take: it goes as fast as its client reads.
const DOWNLOAD_TIME: Duration = Duration::from_hours(1);

/// A command that is being put together. Arguments from outside go behind [`Command::operands`].
#[derive(Debug, Clone)]
pub(crate) struct Command {
    program: Arc<Program>,
    name: &'static str,
    repository: Option<PathBuf>,
    settings: Vec<String>,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
    input: Vec<u8>,
    input_file: Option<PathBuf>,
    time: Duration,
    output: usize,
    budget: Budget,
}

/// The outcome of a command, whatever its exit code.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) log: Log,
}

impl Command {
    pub(crate) fn new(program: &Arc<Program>, name: &'static str) -> Self {
        Self {
            program: Arc::clone(program),
            name,
            repository: None,
            settings: Vec::new(),
            arguments: Vec::new(),
            environment: Vec::new(),
            input: Vec::new(),
            input_file: None,
            time: program.limits.git.wall,
            output: OUTPUT,
            budget: Budget::Read,
        }
    }

    pub(crate) fn inside(mut self, repository: &Path) -> Self {
        self.repository = Some(repository.to_owned());
        self
    }

    pub(crate) fn repository(&self) -> Option<&Path> {
        self.repository.as_deref()
    }

    /// One more argument, written by us.
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// More arguments, written by us.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Arguments that are no options, whatever they look like.
    pub(crate) fn operands<A: AsRef<OsStr>>(self, operands: impl IntoIterator<Item = A>) -> Self {
        self.arg("--end-of-options").args(operands)
    }

    /// Paths, taken literally.
    pub(crate) fn paths<A: AsRef<OsStr>>(self, paths: impl IntoIterator<Item = A>) -> Self {
        self.arg("--").args(paths).env("GIT_LITERAL_PATHSPECS", "1")
    }

    /// A setting for this command only, such as `http.followRedirects=false`.
    pub(crate) fn setting(mut self, setting: impl Into<String>) -> Self {
        self.settings.push(setting.into());
        self
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name, value.as_ref().to_owned()));
        self
    }

    pub(crate) fn envs(mut self, variables: impl IntoIterator<Item = (&'static str, OsString)>) -> Self {
        self.environment.extend(variables);
        self
    }

    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Lets it read this file as its input, which it opens when it starts.
    pub(crate) fn input_file(mut self, path: &Path) -> Self {
        self.input_file = Some(path.to_owned());
        self
    }

    /// The time that it may work; `git.wall` if its caller gives none.
    pub(crate) fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    pub(crate) fn output(mut self, bytes: usize) -> Self {
        self.output = bytes;
        self
    }

    /// The purpose of the command; a short question if its caller gives none.
    pub(crate) fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Runs it to its end, whatever its exit code. Fails with [`GitError::Timeout`] or [`GitError::TooLarge`] past the
    /// limits, and if the program does not start.
    pub(crate) fn outcome(self) -> Result<Outcome, GitError> {
        let pump = self.pump(false)?;
        self.collect(pump)
    }

    /// Like [`Command::outcome`], but only for as long as `watch` lets it.
    pub(crate) fn watched(self, watch: Watch) -> Result<Outcome, GitError> {
        let pump = self.pump(false)?.watched(watch);
        self.collect(pump)
    }

    fn collect(self, mut pump: Pump) -> Result<Outcome, GitError> {
        let mut stdout = Vec::new();
        let mut part = vec![0; 64 << 10];
        loop {
            let count = pump.read(&mut part)?;
            if count == 0 {
                break;
            }
            stdout.extend_from_slice(part.get(..count).unwrap_or_default());
            if stdout.len() > self.output {
                return Err(GitError::TooLarge(self.name));
            }
        }
        let (code, log) = pump.finish()?;
        Ok(Outcome { code, stdout, log })
    }

    /// Runs it and yields its output. Fails with [`GitError::Failed`] unless it succeeds.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, GitError> {
        let (name, repository) = (self.name, self.repository.clone());
        let outcome = self.outcome()?;
        if outcome.code == Some(0) {
            return Ok(outcome.stdout);
        }
        Err(failure(name, repository.as_deref(), outcome.code, outcome.log))
    }

    /// Like [`Command::bytes`], as text. Bytes that are no UTF-8 are replaced.
    pub(crate) fn text(self) -> Result<String, GitError> {
        self.bytes().map(|bytes| lossy(&bytes))
    }

    /// Starts it and gives its output as a stream, which kills it when dropped.
    pub(crate) fn stream(self) -> Result<GitStream, GitError> {
        let pump = self.pump(false)?;
        Ok(GitStream::new(pump, self.name, self.repository))
    }

    /// As [`Command::stream`], for an answer that a client reads while it is made.
    pub(crate) fn download(self) -> Result<GitStream, GitError> {
        self.time(DOWNLOAD_TIME).budget(Budget::Download).stream()
    }

    /// Starts it for questions and answers.
    pub(crate) fn session(self) -> Result<Pump, GitError> {
        self.pump(true)
    }

    fn pump(&self, stays_open: bool) -> Result<Pump, GitError> {
        // Work that is no longer waited for is not begun.
        if CancelToken::current().is_some_and(|token| token.is_cancelled()) {
            return Err(GitError::Cancelled(self.name));
        }
        let mut command = self.build();
        let input = match &self.input_file {
            Some(path) => Stdio::from(File::open(path).map_err(GitError::File)?),
            None => Stdio::piped(),
        };
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(GitError::Run)?;
        self.budget.apply(&self.program.limits.git, child.id());
        Pump::new(child, self.name, self.input.clone(), stays_open, Instant::now() + self.time)
    }

    /// The command for a caller that runs it itself, and puts the process under a [`Budget`].
    pub(crate) fn build(&self) -> process::Command {
        #[expect(clippy::disallowed_methods, reason = "this is the one place that starts Git")]
        let mut command = process::Command::new(&self.program.path);
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.env_clear().env("PATH", &self.program.search_path).env("GIT_CONFIG_GLOBAL", &self.program.config);
        command.envs(ENVIRONMENT).current_dir("/");
        for setting in &self.settings {
            command.arg("-c").arg(setting);
        }
        if let Some(repository) = &self.repository {
            command.arg("--git-dir").arg(repository);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.arg(self.name).args(&self.arguments);
        command
    }
}

/// Git reads nothing of the machine's configuration, asks nothing on a terminal and takes no object from elsewhere.
const ENVIRONMENT: [(&str, &str); 15] = [
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
    ("HOME", "/nonexistent"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_FLUSH", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ADVICE", "0"),
    // For the log of refs; without them Git asks the network for the name of this machine.
    ("GIT_AUTHOR_NAME", "Tenon"),
    ("GIT_AUTHOR_EMAIL", "tenon@localhost"),
    ("GIT_COMMITTER_NAME", "Tenon"),
    ("GIT_COMMITTER_EMAIL", "tenon@localhost"),
];

pub(crate) fn failure(command: &'static str, repository: Option<&Path>, code: Option<i32>, log: Log) -> GitError {
    if repository.is_some_and(|path| !path.exists()) {
        return GitError::NoRepository;
    }
    tracing::debug!(command, ?code, ?log, "git failed");
    GitError::Failed { command, code, log }
}

/// Text from Git's output. Bytes that are no UTF-8 are replaced: names and messages are shown, not used.
pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
