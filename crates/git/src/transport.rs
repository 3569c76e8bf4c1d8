//! Fetching and pushing: Git's own services, started for a request.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};

use crate::command::budget::Budget;
use crate::error::GitError;
use crate::hook;
use crate::repository::Repository;

/// The service that a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// To fetch.
    UploadPack,
    /// To push.
    ReceivePack,
}

impl Service {
    /// Reads `git-upload-pack` or `git-receive-pack`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "git-upload-pack" => Some(Self::UploadPack),
            "git-receive-pack" => Some(Self::ReceivePack),
            _ => None,
        }
    }

    /// Its name in URLs and media types.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UploadPack => "git-upload-pack",
            Self::ReceivePack => "git-receive-pack",
        }
    }

    const fn command(self) -> &'static str {
        match self {
            Self::UploadPack => "upload-pack",
            Self::ReceivePack => "receive-pack",
        }
    }

    /// How long it may go on by itself if its client does not read the answer any more. A push may have moved refs
    /// already, and its last hook still has to report it.
    const fn grace(self) -> Duration {
        match self {
            Self::UploadPack => Duration::from_millis(50),
            Self::ReceivePack => Duration::from_secs(30),
        }
    }
}

/// The form of the exchange with a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// The list of refs, before a request over HTTP.
    Advertise,
    /// One request over HTTP.
    Rpc,
    /// A whole conversation, over SSH.
    Dialogue,
}

/// The version of the protocol that a client asks for, in `Git-Protocol`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitProtocol(String);

impl GitProtocol {
    /// `None` if the text cannot be one; such a header is to be ignored.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"=:._-".contains(&byte);
        ((1..=64).contains(&text.len()) && text.bytes().all(allowed)).then(|| Self(text.to_owned()))
    }

    /// True if the advertisement is that of version 2, which has no line with the service's name in front.
    #[must_use]
    pub fn is_version_2(&self) -> bool {
        self.0.split(':').any(|part| part == "version=2")
    }
}

/// The data by which the hooks of a push find it at the server.
#[derive(Debug, Clone)]
pub struct PushContext {
    /// A random name that only this push has.
    pub id: String,
    /// The server's socket.
    pub socket: PathBuf,
    /// Threads that may unpack the pack of the push.
    pub threads: usize,
}

/// A service that works. Dropping it lets a push end by itself for a while, then ends the process and its children.
#[derive(Debug)]
pub struct ServiceProcess {
    service: Service,
    child: Option<Child>,
    /// The input from the client. To be taken and dropped at the end of the body.
    pub stdin: Option<ChildStdin>,
    /// The output for the client.
    pub stdout: Option<ChildStdout>,
    /// For the log; to be read, or it blocks the process once the pipe is full.
    pub stderr: Option<ChildStderr>,
    kept: Kept,
}

/// Values that live as long as the process.
#[derive(Default)]
struct Kept(Vec<Box<dyn Send>>);

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kept").field(&self.0.len()).finish()
    }
}

impl Repository {
    /// Starts a service. Without a `push` the hooks of a push refuse it, if there are hooks. Must be called within a
    /// Tokio runtime; fails if the program does not start.
    pub fn serve(
        &self,
        service: Service,
        exchange: Exchange,
        protocol: Option<&GitProtocol>,
        push: Option<&PushContext>,
    ) -> Result<ServiceProcess, GitError> {
        self.start(service, exchange, protocol, push, Stdio::piped())
    }

    /// As [`Repository::serve`] for one request over HTTP whose body is in a file, read from its current position.
    pub fn serve_file(
        &self,
        service: Service,
        protocol: Option<&GitProtocol>,
        push: Option<&PushContext>,
        body: File,
    ) -> Result<ServiceProcess, GitError> {
        self.start(service, Exchange::Rpc, protocol, push, Stdio::from(body))
    }

    fn start(
        &self,
        service: Service,
        exchange: Exchange,
        protocol: Option<&GitProtocol>,
        push: Option<&PushContext>,
        stdin: Stdio,
    ) -> Result<ServiceProcess, GitError> {
        if !self.exists() {
            return Err(GitError::NoRepository);
        }
        let mut command = self.git(service.command());
        command = match exchange {
            Exchange::Advertise => command.args(["--stateless-rpc", "--http-backend-info-refs"]),
            Exchange::Rpc => command.arg("--stateless-rpc"),
            Exchange::Dialogue => command,
        };
        if service == Service::UploadPack {
            // The path is exact: `x` does not mean `x.git` or `x/.git`.
            command = command.arg("--strict");
        }
        command = command.arg(self.path());
        if let Some(GitProtocol(version)) = protocol {
            command = command.env("GIT_PROTOCOL", version);
        }
        if let Some(push) = push {
            command = command.env(hook::PUSH, &push.id).env(hook::SOCKET, &push.socket);
            command = command.setting(format!("pack.threads={}", push.threads.max(1)));
        }
        let mut command = tokio::process::Command::from(command.build());
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(GitError::Run)?;
        // Before the caller gets hold of its input: nothing that a client sends is read without limits.
        if let Some(process) = child.id() {
            Budget::Transfer.apply(&self.limits().git, process);
        }
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Ok(ServiceProcess { service, child: Some(child), stdin, stdout, stderr, kept: Kept::default() })
    }
}

impl ServiceProcess {
    /// Keeps a value, such as a permit, until the process has ended, even if that is after it was dropped.
    pub fn keep(&mut self, value: impl Send + 'static) {
        self.kept.0.push(Box::new(value));
    }

    /// Asks the process and its children to end now: the client has gone, or has sent more than it may.
    pub fn terminate(&self) {
        if let Some(child) = &self.child {
            signal(child, Signal::TERM);
        }
    }

    /// Waits for the end. Standard input must have been dropped, the output read.
    pub async fn wait(&mut self) -> Result<ExitStatus, GitError> {
        self.stdin = None;
        let child = self.child.as_mut().ok_or(GitError::Unexpected(self.service.command()))?;
        let status = child.wait().await.map_err(GitError::Run)?;
        self.child = None;
        Ok(status)
    }
}

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            signal(&child, Signal::KILL);
            return;
        };
        let (service, stdout, stderr) = (self.service, self.stdout.take(), self.stderr.take());
        self.stdin = None;
        let kept = std::mem::take(&mut self.kept);
        runtime.spawn(async move {
            // Closed pipes would end the hooks of a push that has already moved refs.
            let pipes = (service == Service::ReceivePack).then(|| (drained(stdout), drained(stderr)));
            end(&mut child, service.grace()).await;
            drop((pipes, kept));
        });
    }
}

/// Lets the process end by itself, then sends it `TERM`, then kills it. The first signal lets Git remove its lock
/// files.
async fn end(child: &mut Child, grace: Duration) {
    for (patience, next) in [(grace, Signal::TERM), (Duration::from_secs(5), Signal::KILL)] {
        if tokio::time::timeout(patience, child.wait()).await.is_ok() {
            return;
        }
        signal(child, next);
    }
    let _ = child.wait().await;
}

/// Reads and discards the output that the client did not read.
fn drained(pipe: Option<impl tokio::io::AsyncRead + Unpin + Send + 'static>) -> Option<tokio::task::JoinHandle<()>> {
    let mut pipe = pipe?;
    Some(tokio::spawn(async move {
        let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    }))
}

fn signal(child: &Child, signal: Signal) {
    // No number: it has been waited for, and the number may belong to another process.
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _ = kill_process_group(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_protocol_headers_reach_git() {
        assert!(GitProtocol::parse("version=2").unwrap().is_version_2());
        assert!(GitProtocol::parse("x:version=2").unwrap().is_version_2());
        assert!(!GitProtocol::parse("version=1").unwrap().is_version_2());
        for text in ["", "version=2\n", "a b", &"x".repeat(65)] {
            assert_eq!(GitProtocol::parse(text), None);
        }
    }
}
