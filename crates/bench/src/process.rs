//! The programs that are measured, and the kernel's figures about them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::load;

/// A program in the folder of this one.
pub fn beside(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    Ok(own.with_file_name(name).with_extension(std::env::consts::EXE_EXTENSION))
}

/// A program of any kind.
#[expect(clippy::disallowed_methods, reason = "cargo and our own servers; none of this is the server's code")]
pub fn program(name: impl AsRef<OsStr>) -> Command {
    Command::new(name)
}

/// Builds a program of this workspace as it is released.
pub fn build(what: &[&str]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = program(cargo);
    // Build scripts of dependencies read the variables that Cargo has set for this program, and would run again.
    for (name, _value) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    let status = command.args(["build", "--release", "--quiet"]).args(what).status();
    ensure!(status.context("cargo did not start")?.success(), "cargo build {} failed", what.join(" "));
    Ok(())
}

/// A server that runs until this value is dropped.
pub struct Server {
    child: Child,
    /// The port on the loopback interface.
    pub port: u16,
    log: PathBuf,
}

impl Server {
    /// Starts `program` with `--listen` and these arguments, in `folder`, with an empty environment. Yields it with the
    /// time that passed until it answered `/-/readiness` for the first time.
    pub async fn start(program: &Path, arguments: &[&OsStr], folder: &Path) -> Result<(Self, Duration)> {
        // Another process could take the port in between; then the server says so and the measurement ends.
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let log = folder.join(program.file_name().unwrap_or_default()).with_extension("log");
        let mut command = self::program(program);
        command.args(arguments).arg("--listen").arg(format!("127.0.0.1:{port}")).env_clear().current_dir(folder);
        command.env("TENON_SSH_LISTEN", "off");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        let started = Instant::now();
        let child = command.spawn().with_context(|| format!("{} did not start", program.display()))?;
        let mut server = Self { child, port, log };
        server.ready(started).await?;
        let took = started.elapsed();
        Ok((server, took))
    }

    async fn ready(&mut self, started: Instant) -> Result<()> {
        loop {
            match load::ask(self.port, b"GET /-/readiness HTTP/1.1\r\nHost: localhost\r\n\r\n").await {
                Ok(answer) if answer.status == 200 => return Ok(()),
                Ok(_) | Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
            }
            if self.child.try_wait()?.is_some() || started.elapsed() > Duration::from_secs(30) {
                bail!("the server did not start:\n{}", std::fs::read_to_string(&self.log).unwrap_or_default());
            }
        }
    }

    /// A text about its state and its log: for finding out why a measurement failed.
    pub fn account(&mut self) -> String {
        let state = match self.child.try_wait() {
            Ok(None) => "the server runs".to_owned(),
            Ok(Some(status)) => format!("the server has ended: {status}"),
            Err(error) => format!("cannot find out whether the server runs: {error}"),
        };
        format!("{state}\n{}", std::fs::read_to_string(&self.log).unwrap_or_default())
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// True if it still runs.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Memory that it holds, in MiB.
    pub fn memory(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: u32 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(f64::from(kib) / 1024.0)
    }

    /// Time that it has spent computing so far.
    pub fn computed(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name, in parentheses, may hold anything. Behind it, the 12th and 13th field are ticks of 10 ms.
        let (_, fields) = stat.rsplit_once(')').context("no name in /proc/pid/stat")?;
        let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
        let ticks = ticks.sum::<Result<u64, _>>()?;
        Ok(Duration::from_millis(ticks * 10))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
