//! One process that answers questions about objects.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenon_domain::file_path::bytes_of;

use super::state::State;
use super::{Header, ObjectKind};
use crate::command::pump::Pump;
use crate::command::{Command, failure};
use crate::error::GitError;

/// Bytes that are read at once.
const PART: usize = 64 << 10;

/// A `git cat-file --batch-command`.
pub(super) struct Process {
    pump: Pump,
    repository: Option<PathBuf>,
    /// The bytes that were read last. Those before `at` and behind `end` do not count.
    part: Vec<u8>,
    at: usize,
    end: usize,
    /// Questions whose answers were not read to their end.
    open: usize,
    spent: Spent,
    borrowed: Instant,
    /// The state of its repository when it began, and its niceness; `None` if it must not be kept.
    begun: Option<(State, i32)>,
    /// True if it answers only after the command `flush`.
    is_buffered: bool,
}

/// The bytes and the time that a process has spent for all its borrowers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    /// Bytes that it has answered.
    pub(super) bytes: u64,
    /// How long it was borrowed. It has no more processor time than that: while it waits it does nothing.
    pub(super) work: Duration,
}

/// An answer about the content of an object.
pub(super) enum Answer {
    Missing,
    Whole(Header, Vec<u8>),
    /// Nothing of the content was read.
    TooLarge(Header),
}

impl Process {
    /// Starts this command, `cat-file` without arguments.
    pub(super) fn start(command: Command, begun: Option<(State, i32)>) -> Result<Self, GitError> {
        Self::begin(command.args(["--batch-command", "-Z"]), begun, false)
    }

    /// As [`Process::start`], for many questions at once: it prints the answers together.
    pub(super) fn start_buffered(command: Command) -> Result<Self, GitError> {
        Self::begin(command.args(["--batch-command", "-Z", "--buffer"]), None, true)
    }

    fn begin(command: Command, begun: Option<(State, i32)>, is_buffered: bool) -> Result<Self, GitError> {
        let borrowed = Instant::now();
        let repository = command.repository().map(Path::to_owned);
        let pump = command.session()?;
        let part = vec![0; PART];
        let spent = Spent::default();
        Ok(Self { pump, repository, part, at: 0, end: 0, open: 0, spent, borrowed, begun, is_buffered })
    }

    /// Is borrowed from `now` on, for so long at most.
    pub(super) fn lend(&mut self, now: Instant, time: Duration) {
        self.borrowed = now;
        self.pump.renew(now + time);
    }

    /// Comes back, and yields the resources spent for all its borrowers.
    pub(super) fn give_back(&mut self, now: Instant) -> Spent {
        self.spent.work = self.spent.work.saturating_add(now.saturating_duration_since(self.borrowed));
        self.spent
    }

    /// True if a part of its answers was not read.
    pub(super) fn is_open(&self) -> bool {
        self.open > 0
    }

    /// The state of its repository when it began, and its niceness; `None` if it must not be kept.
    pub(super) fn begun(&self) -> Option<&(State, i32)> {
        self.begun.as_ref()
    }

    /// True if all its answers were read, and it waits for questions.
    pub(super) fn is_silent(&mut self) -> bool {
        self.open == 0 && self.at == self.end && self.pump.is_silent()
    }

    /// Asks, in the course of the next read. `name` has its path in the kept form.
    pub(super) fn ask(&mut self, question: &str, name: &str) {
        self.open += 1;
        // A text that is no kept form has a NUL, which would end the question.
        let name = bytes_of(name).unwrap_or_default();
        self.pump.send(&[question.as_bytes(), b" ", name.as_ref(), b"\0"].concat());
    }

    /// Says that nothing more is asked before the answers are read.
    pub(super) fn asked(&mut self) {
        if self.is_buffered {
            self.pump.send(b"flush\0");
        }
    }

    /// The answer to `info`; `None` if there is no such object.
    pub(super) fn header(&mut self) -> Result<Option<Header>, GitError> {
        let found = self.read_header()?;
        self.open -= 1;
        Ok(found)
    }

    /// The answer to `contents`. After [`Answer::TooLarge`] nothing can be asked any more.
    pub(super) fn answer(&mut self, limit: u64) -> Result<Answer, GitError> {
        let Some(header) = self.read_header()? else {
            self.open -= 1;
            return Ok(Answer::Missing);
        };
        if header.size > limit {
            return Ok(Answer::TooLarge(header));
        }
        let size = usize::try_from(header.size).map_err(|_error| GitError::TooLarge("cat-file"))?;
        let content = self.read(size)?;
        if self.read(1)? != [0] {
            return Err(GitError::Unexpected("cat-file"));
        }
        self.open -= 1;
        Ok(Answer::Whole(header, content))
    }

    fn read_header(&mut self) -> Result<Option<Header>, GitError> {
        let line = self.line()?;
        // `<oid> <kind> <size>`, or `<name> missing`; a name may hold anything, so the end of the line decides.
        if line.ends_with(b" missing") || line.ends_with(b" ambiguous") {
            return Ok(None);
        }
        header(&line).map(Some).ok_or(GitError::Unexpected("cat-file"))
    }

    fn line(&mut self) -> Result<Vec<u8>, GitError> {
        let mut line = Vec::new();
        loop {
            let rest = self.rest()?;
            let stop = rest.iter().position(|byte| *byte == 0);
            let piece = rest.get(..stop.unwrap_or(rest.len())).unwrap_or_default();
            line.extend_from_slice(piece);
            self.at += piece.len() + usize::from(stop.is_some());
            if stop.is_some() {
                return Ok(line);
            }
        }
    }

    fn read(&mut self, count: usize) -> Result<Vec<u8>, GitError> {
        let mut found = Vec::with_capacity(count);
        while found.len() < count {
            let left = count - found.len();
            let rest = self.rest()?;
            let piece = rest.get(..left).unwrap_or(rest);
            found.extend_from_slice(piece);
            self.at += piece.len();
        }
        Ok(found)
    }

    /// The bytes that were read but not used; if there are none, more are read.
    fn rest(&mut self) -> Result<&[u8], GitError> {
        if self.at == self.end {
            let count = self.pump.read(&mut self.part)?;
            if count == 0 {
                let (code, log) = self.pump.finish()?;
                return Err(failure("cat-file", self.repository.as_deref(), code, log));
            }
            self.spent.bytes = self.spent.bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
            (self.at, self.end) = (0, count);
        }
        Ok(self.part.get(self.at..self.end).unwrap_or_default())
    }
}

fn header(line: &[u8]) -> Option<Header> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split(' ');
    let oid = words.next()?.parse().ok()?;
    let kind = match words.next()? {
        "commit" => ObjectKind::Commit,
        "tree" => ObjectKind::Tree,
        "blob" => ObjectKind::Blob,
        "tag" => ObjectKind::Tag,
        _ => return None,
    };
    Some(Header { oid, kind, size: words.next()?.parse().ok()? })
}
