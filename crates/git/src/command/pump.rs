//! The pipes of a running command, served together, so that none of them can block another past the deadline.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};

use super::group::Group;
use super::lossy;
use crate::error::{GitError, Log};

/// More of its error stream than this is read and thrown away.
const LONGEST_LOG: usize = 16 << 10;

/// How often a watch looks.
const WATCH: Duration = Duration::from_millis(500);

/// Says whether a command may go on, while it works. Asked about twice a second.
pub(crate) struct Watch(pub(crate) Box<dyn FnMut() -> bool + Send>);

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// A running command. Dropping it kills the command and its children.
#[derive(Debug)]
pub(crate) struct Pump {
    group: Group,
    name: &'static str,
    stdin: Option<ChildStdin>,
    input: Vec<u8>,
    sent: usize,
    /// Whether there will be more input.
    stays_open: bool,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    log: Vec<u8>,
    deadline: Instant,
    watch: Option<Watch>,
    /// How much memory it may take.
    memory: Option<u64>,
}

impl Pump {
    pub(crate) fn new(
        mut child: Child,
        name: &'static str,
        input: Vec<u8>,
        stays_open: bool,
        deadline: Instant,
    ) -> Result<Self, GitError> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Group::new(child);
        for pipe in
            [stdin.as_ref().map(AsFd::as_fd), stdout.as_ref().map(AsFd::as_fd), stderr.as_ref().map(AsFd::as_fd)]
                .into_iter()
                .flatten()
        {
            ioctl_fionbio(pipe, true).map_err(|error| GitError::Run(error.into()))?;
        }
        Ok(Self {
            group,
            name,
            stdin,
            input,
            sent: 0,
            stays_open,
            stdout,
            stderr,
            log: Vec::new(),
            deadline,
            watch: None,
            memory: None,
        })
    }

    /// Kills the command with [`GitError::TooLarge`] as soon as `watch` says no.
    pub(crate) fn watched(mut self, watch: Watch) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Gives the command more time: so long nobody has read from it.
    pub(crate) fn give(&mut self, time: Duration) {
        self.deadline += time;
    }

    /// Kills the command with [`GitError::TooLarge`] as soon as it takes more bytes of memory.
    pub(crate) fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Sends more, in the course of the next reads.
    pub(crate) fn send(&mut self, input: &[u8]) {
        self.input.drain(..self.sent);
        self.sent = 0;
        self.input.extend_from_slice(input);
    }

    /// Reads what the command prints next; 0 at its end. Fails with [`GitError::Timeout`] at the deadline.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Result<usize, GitError> {
        loop {
            if Instant::now() >= self.deadline {
                return Err(GitError::Timeout(self.name));
            }
            self.feed()?;
            self.drain()?;
            let Some(stdout) = &mut self.stdout else { return Ok(0) };
            match stdout.read(into) {
                Ok(0) => self.stdout = None,
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait()?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(GitError::Run(error)),
            }
        }
    }

    /// Reads what is left of the error stream and waits for the end. The code is `None` when a signal ended it.
    pub(crate) fn finish(&mut self) -> Result<(Option<i32>, Log), GitError> {
        self.stdin = None;
        while self.stderr.is_some() {
            self.drain()?;
            if self.stderr.is_some() {
                self.wait()?;
            }
        }
        let code = self.group.wait().map_err(GitError::Run)?;
        Ok((code, Log(lossy(&self.log))))
    }

    /// Waits until one of the pipes is ready.
    fn wait(&mut self) -> Result<(), GitError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(GitError::Timeout(self.name));
        }
        let left = match &mut self.watch {
            Some(watch) => {
                let may_go_on = (watch.0)();
                if !may_go_on {
                    return Err(GitError::TooLarge(self.name));
                }
                left.min(WATCH)
            }
            None => left,
        };
        let left = match self.memory {
            Some(most) if self.group.memory().is_some_and(|taken| taken > most) => {
                return Err(GitError::TooLarge(self.name));
            }
            Some(_) => left.min(WATCH),
            None => left,
        };
        let mut pipes = Vec::with_capacity(3);
        pipes.extend(self.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        pipes.extend(self.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        if self.sent < self.input.len() {
            pipes.extend(self.stdin.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        }
        let left = Timespec::try_from(left).ok();
        match poll(&mut pipes, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(GitError::Run(error.into())),
        }
    }

    fn feed(&mut self) -> Result<(), GitError> {
        while let Some(stdin) = &mut self.stdin {
            let rest = self.input.get(self.sent..).unwrap_or_default();
            if rest.is_empty() {
                if !self.stays_open {
                    self.stdin = None;
                }
                return Ok(());
            }
            match stdin.write(rest) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It has ended without reading everything; its exit code tells why.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => self.stdin = None,
                Err(error) => return Err(GitError::Run(error)),
            }
        }
        Ok(())
    }

    fn drain(&mut self) -> Result<(), GitError> {
        let mut part = [0; 4096];
        while let Some(stderr) = &mut self.stderr {
            match stderr.read(&mut part) {
                Ok(0) => self.stderr = None,
                Ok(count) => {
                    let room = LONGEST_LOG.saturating_sub(self.log.len()).min(count);
                    self.log.extend_from_slice(part.get(..room).unwrap_or_default());
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(GitError::Run(error)),
            }
        }
        Ok(())
    }
}

impl Read for Pump {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Self::read(self, into).map_err(io::Error::other)
    }
}
