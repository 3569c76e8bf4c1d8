//! Starting and ending the binary.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use tenon_testkit::{Backend, Client, TestDatabase};

/// The token that every server here gives its administrator.
pub(crate) const TOKEN: &str = "a-token-from-the-environment";

/// The binary with these arguments, and with nothing of the environment's own settings.
#[expect(clippy::disallowed_methods, reason = "the binary itself is what is tested")]
pub(crate) fn tenon(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenon"));
    command.args(arguments);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TENON_")) {
        command.env_remove(name);
    }
    command
}

/// The same command, for a process whose files may not grow beyond so many KiB.
#[expect(clippy::disallowed_methods, reason = "the limit is set by a shell")]
pub(crate) fn with_room(command: &Command, kib: u64) -> Command {
    let blocks = (kib * 2).to_string();
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", "ulimit -f \"$1\" && shift && exec \"$@\"", "sh", &blocks]);
    limited.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited
}

/// The path of a program. A process that starts one by its name alone, in an environment that was cleared, has to make
/// a copy of itself for that: this one is large.
pub(crate) fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join(name)).filter(|file| file.is_file());
    found.next().expect("a program on PATH")
}

/// The output of the binary for these arguments.
pub(crate) fn run(arguments: &[&str]) -> Output {
    tenon(arguments).output().expect("the binary")
}

/// The text on standard output.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// A database of its own for a process: a file in the data folder, or a fresh one on PostgreSQL.
pub(crate) fn database(backend: Backend, folder: &Path) -> (Option<TestDatabase>, String) {
    match backend {
        Backend::Sqlite => {
            let file = folder.join("tenon.db");
            if !file.exists() {
                TestDatabase::empty_file(&file);
            }
            (None, format!("sqlite:{}", file.display()))
        }
        Backend::Postgres => {
            let database = TestDatabase::new(backend);
            let tenon_testkit::DatabaseUrl::Postgres(url) = database.url().clone() else { unreachable!("as asked") };
            (Some(database), url)
        }
    }
}

/// A serving process. Killed if a test forgets it.
pub(crate) struct Serving {
    child: Child,
    base: String,
    greeting: Vec<String>,
}

impl Serving {
    /// Starts one on a free port and waits until it listens.
    pub(crate) fn start(folder: &Path, database_url: &str) -> Self {
        Self::start_with(folder, database_url, &[])
    }

    /// As [`Serving::start`], with more arguments.
    pub(crate) fn start_with(folder: &Path, database_url: &str, more: &[&str]) -> Self {
        let mut command = Self::command(folder, database_url);
        command.args(more);
        Self::spawn(command)
    }

    /// As [`Serving::start`], with a log of what this filter lets through.
    pub(crate) fn start_logging(folder: &Path, database_url: &str, filter: &str, log: Stdio) -> Self {
        let mut command = Self::command(folder, database_url);
        command.env("TENON_LOG", filter).stderr(log);
        Self::spawn(command)
    }

    /// As [`Serving::start`], but no file may grow beyond so many KiB: a write beyond that fails as on a full disk.
    pub(crate) fn start_with_room(folder: &Path, database_url: &str, kib: u64) -> Self {
        Self::spawn(with_room(&Self::command(folder, database_url), kib))
    }

    /// As [`Serving::start`], without Git over SSH.
    pub(crate) fn start_without_ssh(folder: &Path, database_url: &str) -> Self {
        Self::spawn(Self::command_with_ssh(folder, database_url, "off"))
    }

    fn command(folder: &Path, database_url: &str) -> Command {
        Self::command_with_ssh(folder, database_url, "127.0.0.1:0")
    }

    fn command_with_ssh(folder: &Path, database_url: &str, ssh: &str) -> Command {
        let folder = folder.to_str().expect("a path");
        let mut command = tenon(&["serve", "--data-dir", folder, "--listen", "127.0.0.1:0", "--ssh-listen", ssh]);
        command.env("TENON_DATABASE_URL", database_url).env("TENON_ROOT_TOKEN", TOKEN);
        command
    }

    fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary");
        let output = child.stdout.take().expect("a pipe");
        let mut greeting = Vec::new();
        for line in BufReader::new(output).lines() {
            let line = line.expect("a line");
            let last = line.starts_with("API documentation: ");
            greeting.push(line);
            if last {
                break;
            }
        }
        let address = greeting.iter().find_map(|line| line.strip_prefix("  listens on  ")).expect("an address");
        Self { base: format!("http://{address}"), child, greeting }
    }

    /// The text that it printed at the start.
    pub(crate) fn greeting(&self) -> String {
        self.greeting.join("\n")
    }

    /// The administrator's client.
    pub(crate) fn root(&self) -> Client {
        Client::new(&self.base, Some(TOKEN))
    }

    /// A caller without a token.
    pub(crate) fn anonymous(&self) -> Client {
        Client::new(&self.base, None)
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.end_at_once();
    }

    /// Ends it as `kill -9` does, and starts another one in its place.
    pub(crate) fn restart_killed(&mut self, folder: &Path, database_url: &str) {
        self.end_at_once();
        *self = Self::start(folder, database_url);
    }

    /// Ends it as a service manager does, and says how it ended.
    pub(crate) fn terminate(mut self) -> ExitStatus {
        self.end()
    }

    /// Ends it as a service manager does, and starts another one in its place.
    pub(crate) fn restart(&mut self, folder: &Path, database_url: &str) {
        self.end();
        *self = Self::start(folder, database_url);
    }

    fn end_at_once(&mut self) {
        self.child.kill().expect("a process");
        self.child.wait().expect("an end");
    }

    fn end(&mut self) -> ExitStatus {
        // A server that has not begun to answer is ended by the signal itself.
        let _ = self.anonymous().get("/version");
        let id = self.child.id().to_string();
        assert!(signal("-TERM", &id), "kill -TERM");
        self.child.wait().expect("an end")
    }
}

/// Sends a signal to a process, or to the group of processes whose number follows a `-`.
#[expect(clippy::disallowed_methods, reason = "sending a signal without unsafe code needs a program")]
pub(crate) fn signal(which: &str, process: &str) -> bool {
    Command::new("kill").args([which, "--", process]).status().is_ok_and(|status| status.success())
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Already gone after `kill` and `terminate`.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
