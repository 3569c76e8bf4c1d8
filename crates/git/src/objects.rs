//! Many questions about objects to one process: a question costs 50 µs, starting a process 2 ms.

use std::fmt;
use std::time::Duration;

use crate::command::Command;
use crate::command::pump::Pump;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

const TIME: Duration = Duration::from_mins(2);

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An object without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) oid: Oid,
    pub(crate) kind: ObjectKind,
    pub(crate) size: u64,
}

/// An object, with its content if that was not too large.
pub(crate) type Found = (Header, Option<Vec<u8>>);

/// A process that answers questions about objects until it is dropped.
pub(crate) struct Objects {
    pump: Pump,
    /// Read, but not yet asked for.
    buffer: Vec<u8>,
}

/// Questions about objects to one process, which is started for the first of them.
pub(crate) struct Session<'a> {
    repository: &'a Repository,
    objects: Option<Objects>,
}

impl Session<'_> {
    /// The process.
    pub(crate) fn objects(&mut self) -> Result<&mut Objects, GitError> {
        let objects = match self.objects.take() {
            Some(objects) => objects,
            None => self.repository.objects()?,
        };
        Ok(self.objects.insert(objects))
    }
}

impl Repository {
    /// A process for questions about objects, if there are any.
    pub(crate) fn session(&self) -> Session<'_> {
        Session { repository: self, objects: None }
    }

    /// Starts a process for questions about objects.
    pub(crate) fn objects(&self) -> Result<Objects, GitError> {
        self.objects_with(std::iter::empty())
    }

    /// Like [`Repository::objects`], with more variables in its environment.
    pub(crate) fn objects_with(
        &self,
        environment: impl Iterator<Item = (&'static str, std::ffi::OsString)>,
    ) -> Result<Objects, GitError> {
        Objects::answering(self.git("cat-file").envs(environment).time(TIME))
    }
}

impl Objects {
    /// Starts this command, `cat-file` without arguments, so that it answers questions.
    pub(crate) fn answering(command: Command) -> Result<Self, GitError> {
        let pump = command.args(["--batch-command", "-Z"]).session()?;
        Ok(Self { pump, buffer: Vec::new() })
    }

    /// What `name` is; `None` when there is no such object. `name` is one of ours: an [`Oid`], or one with a path.
    pub(crate) fn header(&mut self, name: &str) -> Result<Option<Header>, GitError> {
        self.ask("info", name)
    }

    /// Header and content; `None` when there is no such object. Content above `limit` is not read at all.
    pub(crate) fn content(&mut self, name: &str, limit: u64) -> Result<Option<Found>, GitError> {
        let Some(header) = self.header(name)? else { return Ok(None) };
        if header.size > limit {
            return Ok(Some((header, None)));
        }
        let unexpected = || GitError::Unexpected("cat-file");
        let header = self.ask("contents", &header.oid.to_string())?.ok_or_else(unexpected)?;
        let size = usize::try_from(header.size).map_err(|_error| GitError::TooLarge("cat-file"))?;
        let mut content = self.take(size.saturating_add(1))?;
        if content.pop() != Some(0) {
            return Err(unexpected());
        }
        Ok(Some((header, Some(content))))
    }

    fn ask(&mut self, question: &str, name: &str) -> Result<Option<Header>, GitError> {
        self.pump.send(format!("{question} {name}\0").as_bytes());
        let line = self.line()?;
        // `<oid> <kind> <size>`, or `<name> missing`; a name may hold anything, so the end of the line decides.
        if line.ends_with(b" missing") || line.ends_with(b" ambiguous") {
            return Ok(None);
        }
        header(&line).map(Some).ok_or(GitError::Unexpected("cat-file"))
    }

    fn line(&mut self) -> Result<Vec<u8>, GitError> {
        let mut checked = 0;
        loop {
            let rest = self.buffer.get(checked..).unwrap_or_default();
            if let Some(end) = rest.iter().position(|byte| *byte == 0) {
                let mut line: Vec<u8> = self.buffer.drain(..=checked + end).collect();
                line.pop();
                return Ok(line);
            }
            checked = self.buffer.len();
            self.fill()?;
        }
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, GitError> {
        while self.buffer.len() < count {
            self.fill()?;
        }
        Ok(self.buffer.drain(..count).collect())
    }

    fn fill(&mut self) -> Result<(), GitError> {
        let mut part = vec![0; 64 << 10];
        let count = self.pump.read(&mut part)?;
        if count == 0 {
            let (code, log) = self.pump.finish()?;
            return Err(crate::command::failure("cat-file", None, code, log));
        }
        self.buffer.extend_from_slice(part.get(..count).unwrap_or_default());
        Ok(())
    }
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Objects")
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
