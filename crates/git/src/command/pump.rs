//! The pipes of a running command, served together, so that none of them can block another past the deadline.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::Signal;

use super::group::Group;
use super::lossy;
use crate::cancel::CancelToken;
use crate::error::{GitError, Log};

/// More of its error stream than this is read and thrown away.
const LONGEST_LOG: usize = 16 << 10;

/// The interval in which a watch is asked.
const WATCH: Duration = Duration::from_millis(500);

/// The longest time that a command goes on after it was cancelled.
const CANCEL: Duration = Duration::from_millis(100);

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
    stays_open: bool,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    log: Vec<u8>,
    deadline: Instant,
    watch: Option<Watch>,
    /// Says that nothing waits for it any more.
    cancel: Option<CancelToken>,
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
            cancel: CancelToken::current(),
        })
    }

    /// Kills the command with [`GitError::TooLarge`] as soon as `watch` says no.
    pub(crate) fn watched(mut self, watch: Watch) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Gives the command more time: for so long no client has read from it.
    pub(crate) fn give(&mut self, time: Duration) {
        self.deadline += time;
    }

    /// Serves other work from now on: until this deadline, and for as long as the work of this thread is waited for.
    pub(crate) fn renew(&mut self, deadline: Instant) {
        self.deadline = deadline;
        self.cancel = CancelToken::current();
    }

    /// True if the command waits for input in silence. It goes on, has been sent everything, has not complained, and
    /// all that it has printed was read.
    pub(crate) fn is_silent(&mut self) -> bool {
        let is_sent = self.sent == self.input.len();
        if !is_sent || self.drain().is_err() || self.stderr.is_none() || !self.log.is_empty() || self.group.has_ended()
        {
            return false;
        }
        let Some(stdout) = &mut self.stdout else { return false };
        matches!(stdout.read(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    /// Sends more, in the course of the next reads.
    pub(crate) fn send(&mut self, input: &[u8]) {
        self.input.drain(..self.sent);
        self.sent = 0;
        self.input.extend_from_slice(input);
    }

    /// Reads the next bytes of the output; 0 at its end. Fails with [`GitError::Timeout`] at the deadline.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Result<usize, GitError> {
        loop {
            if Instant::now() >= self.deadline {
                return Err(GitError::Timeout(self.name));
            }
            self.check_wanted()?;
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

    /// Reads the rest of the error stream and waits for the end. The code is `None` if a signal ended it. Fails with
    /// [`GitError::Timeout`] or [`GitError::TooLarge`] if limits have ended it or a process that it has started. Fails
    /// with [`GitError::DiskFull`] if it could not write.
    pub(crate) fn finish(&mut self) -> Result<(Option<i32>, Log), GitError> {
        self.stdin = None;
        while self.stderr.is_some() {
            self.drain()?;
            if self.stderr.is_some() {
                self.wait()?;
            }
        }
        let status = self.group.wait().map_err(GitError::Run)?;
        let log = Log(lossy(&self.log));
        match overspent(status, &log) {
            Some(Overspent::Time) => Err(GitError::Timeout(self.name)),
            Some(Overspent::Memory) => Err(GitError::TooLarge(self.name)),
            Some(Overspent::Disk) => Err(GitError::DiskFull(self.name)),
            None => Ok((status.code(), log)),
        }
    }

    fn check_wanted(&self) -> Result<(), GitError> {
        let is_cancelled = self.cancel.as_ref().is_some_and(CancelToken::is_cancelled);
        if is_cancelled { Err(GitError::Cancelled(self.name)) } else { Ok(()) }
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
        self.check_wanted()?;
        let left = if self.cancel.is_some() { left.min(CANCEL) } else { left };
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
                // It has ended without reading everything; its exit code says why.
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

/// A resource of which a process had too little.
#[derive(Debug, PartialEq, Eq)]
enum Overspent {
    Time,
    Memory,
    Disk,
}

/// The limit that has made a process fail, if there is one. Past the limit on memory Git gives up by itself and reports
/// it. Its children are recognized by what Git reports of them.
fn overspent(status: ExitStatus, log: &Log) -> Option<Overspent> {
    let signals = |signal: Signal| {
        let ended = status.signal() == Some(signal.as_raw());
        ended || (!status.success() && log.0.contains(&format!("died of signal {}\n", signal.as_raw())))
    };
    if signals(Signal::XCPU) {
        return Some(Overspent::Time);
    }
    // The system itself kills a process that takes too much memory.
    if signals(Signal::KILL) {
        return Some(Overspent::Memory);
    }
    let text = log.0.to_ascii_lowercase();
    let no_memory = text.contains("out of memory") || text.contains("cannot allocate memory");
    if !status.success() && no_memory {
        return Some(Overspent::Memory);
    }
    // Past the limit of the system on the size of files a process gets a signal.
    let no_room = signals(Signal::XFSZ) || (!status.success() && log.names_full_disk());
    no_room.then_some(Overspent::Disk)
}

impl Read for Pump {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Self::read(self, into).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_ended_by_its_limits_is_distinguished_from_what_failed() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        let cases = [
            (ExitStatus::from_raw(24), "", Some(Overspent::Time)),
            (ExitStatus::from_raw(9), "", Some(Overspent::Memory)),
            (exited(128), "fatal: Out of memory, malloc failed (tried to allocate 9 bytes)\n", Some(Overspent::Memory)),
            (exited(128), "fatal: mmap failed: Cannot allocate memory\n", Some(Overspent::Memory)),
            (exited(128), "error: index-pack died of signal 24\nfatal: x\n", Some(Overspent::Time)),
            (exited(128), "fatal: write error: No space left on device\n", Some(Overspent::Disk)),
            (exited(1), "error: file write error: Disk quota exceeded\nfatal: x\n", Some(Overspent::Disk)),
            (exited(128), "fatal: unable to write loose object file: File too large\n", Some(Overspent::Disk)),
            (exited(128), "error: index-pack died of signal 25\n", Some(Overspent::Disk)),
            (
                exited(128),
                "fatal: sha1 file 'objects/pack/tmp_pack_Qw0Bg7' write error. Out of diskspace\n\
                 fast-import: dumping crash report to fast_import_crash_21094\n",
                Some(Overspent::Disk),
            ),
            (exited(128), "fatal: prepare: cannot update ref 'refs/heads/x': couldn't write '/x.lock'\n", None),
            (exited(128), "fatal: path 'write error. Out of diskspace' does not exist in 'x'\n", None),
            (ExitStatus::from_raw(25), "", Some(Overspent::Disk)),
            (exited(128), "remote: fatal: write error: No space left on device\n", None),
            (exited(128), "fatal: path ': No space left on device' does not exist in 'x'\n", None),
            (exited(128), "fatal: bad object\n", None),
            (exited(1), "", None),
            (exited(0), "warning: out of memory\n", None),
            (ExitStatus::from_raw(15), "", None),
        ];
        for (status, text, want) in cases {
            assert_eq!(overspent(status, &Log(text.to_owned())), want, "{status:?} {text}");
        }
    }
}
