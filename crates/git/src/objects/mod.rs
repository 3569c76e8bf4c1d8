//! Questions about objects, answered by processes of `git cat-file` that are kept for the next ones: a question costs
//! some 30 µs, starting a process 2 ms.

mod pool;
mod process;
mod state;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::getpriority_process;

use crate::cancel::CancelToken;
use crate::command::Command;
use crate::error::GitError;
use crate::oid::Oid;
use crate::program::Program;

pub(crate) use pool::Pool;
use process::{Answer, Process};
use state::State;

/// How long the questions of one borrower may take.
const TIME: Duration = Duration::from_mins(2);
/// Questions that are sent before their answers are read.
const AT_ONCE: usize = 100;
/// Memory of a kept process for the bases of deltas in a pack; Git's default is 96 MiB.
const BASES: &str = "core.deltaBaseCacheLimit=16m";

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

/// A process that answers questions about objects. It is taken for the first of them. When this is dropped, the process
/// is kept for others. It ends after a failure, after a cancellation, and if a part of its answers was not read.
pub(crate) struct Objects {
    source: Source,
    process: Option<Process>,
}

/// The origin of a process.
enum Source {
    /// From those that are kept for a repository, or else it is started.
    Kept(Kept),
    /// It is started for its borrower only, and prints the answers to many questions together.
    Own(Box<Command>),
}

/// The processes that are kept for a repository.
struct Kept {
    program: Arc<Program>,
    pool: Arc<Pool>,
    repository: PathBuf,
}

impl Objects {
    /// Answers questions about the objects of this repository, by processes that are kept in `pool`.
    pub(crate) fn kept(program: &Arc<Program>, pool: &Arc<Pool>, repository: &Path) -> Self {
        let (program, pool) = (Arc::clone(program), Arc::clone(pool));
        Self { source: Source::Kept(Kept { program, pool, repository: repository.to_owned() }), process: None }
    }

    /// Answers many questions at once, by this command: `cat-file` without arguments.
    pub(crate) fn buffered(command: Command) -> Self {
        Self { source: Source::Own(Box::new(command)), process: None }
    }

    /// The object that `name` stands for; `None` if there is no such object. `name` is one of ours: an [`Oid`], or one
    /// with a path in its kept form.
    pub(crate) fn header(&mut self, name: &str) -> Result<Option<Header>, GitError> {
        let process = self.process()?;
        process.ask("info", name);
        process.asked();
        process.header()
    }

    /// As [`Objects::header`], for several names, in order.
    pub(crate) fn headers(&mut self, names: &[String]) -> Result<Vec<Option<Header>>, GitError> {
        let mut found = Vec::with_capacity(names.len());
        for some in names.chunks(AT_ONCE) {
            let process = self.process()?;
            for name in some {
                process.ask("info", name);
            }
            process.asked();
            for _ in some {
                found.push(process.header()?);
            }
        }
        Ok(found)
    }

    /// Header and content; `None` if there is no such object. Content above `limit` is not read at all.
    pub(crate) fn content(&mut self, name: &str, limit: u64) -> Result<Option<Found>, GitError> {
        let Some(header) = self.header(name)? else { return Ok(None) };
        if header.size > limit {
            return Ok(Some((header, None)));
        }
        let process = self.process()?;
        process.ask("contents", &header.oid.to_string());
        process.asked();
        match process.answer(header.size)? {
            Answer::Whole(header, content) => Ok(Some((header, Some(content)))),
            Answer::Missing | Answer::TooLarge(_) => Err(GitError::Unexpected("cat-file")),
        }
    }

    /// As [`Objects::content`], for an object that is seldom too large, such as a commit: one question instead of two.
    /// If it is too large, the process ends.
    pub(crate) fn small(&mut self, id: Oid, limit: u64) -> Result<Option<Found>, GitError> {
        Ok(self.all_small(&[id], limit)?.pop().flatten())
    }

    /// As [`Objects::small`], for several objects, in order.
    pub(crate) fn all_small(&mut self, ids: &[Oid], limit: u64) -> Result<Vec<Option<Found>>, GitError> {
        let mut found = Vec::with_capacity(ids.len());
        self.each_small(ids, limit, |_, answer| found.push(answer))?;
        Ok(found)
    }

    /// As [`Objects::all_small`], but hands over each object as it comes.
    pub(crate) fn each_small(
        &mut self,
        ids: &[Oid],
        limit: u64,
        mut take: impl FnMut(Oid, Option<Found>),
    ) -> Result<(), GitError> {
        let mut taken = 0;
        // If one is too large, others may be as well: no process is ended for them.
        let mut is_wary = false;
        while let Some(rest @ [_, ..]) = ids.get(taken..) {
            if is_wary {
                for id in rest {
                    let found = self.content(&id.to_string(), limit)?;
                    take(*id, found);
                }
                break;
            }
            let process = self.process()?;
            let asked = rest.get(..AT_ONCE).unwrap_or(rest);
            for id in asked {
                process.ask("contents", &id.to_string());
            }
            process.asked();
            for id in asked {
                taken += 1;
                match process.answer(limit)? {
                    Answer::Missing => take(*id, None),
                    Answer::Whole(header, content) => take(*id, Some((header, Some(content)))),
                    Answer::TooLarge(header) => {
                        take(*id, Some((header, None)));
                        self.process = None;
                        is_wary = true;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn process(&mut self) -> Result<&mut Process, GitError> {
        // After a failure a part of an answer may be left.
        let process = match self.process.take().filter(|process| !process.is_open()) {
            Some(process) => process,
            None => match &self.source {
                Source::Kept(kept) => kept.take()?,
                Source::Own(command) => Process::start_buffered(command.as_ref().clone())?,
            },
        };
        Ok(self.process.insert(process))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        let is_cancelled = || CancelToken::current().is_some_and(|token| token.is_cancelled());
        let (Source::Kept(kept), Some(process)) = (&self.source, self.process.take()) else { return };
        if !is_cancelled() {
            kept.pool.put(&kept.repository, process, Instant::now());
        }
    }
}

impl Kept {
    /// A process that is kept for the repository as it is now, or a new one.
    fn take(&self) -> Result<Process, GitError> {
        // Work that is no longer waited for is not begun.
        if CancelToken::current().is_some_and(|token| token.is_cancelled()) {
            return Err(GitError::Cancelled("cat-file"));
        }
        let state = State::of(&self.repository);
        // A process inherits the niceness of the thread that starts it: one of a long question is slow with a short
        // one.
        let niceness = getpriority_process(None).unwrap_or_default();
        let now = Instant::now();
        match &state {
            Some(state) => {
                if let Some(mut process) = self.pool.take(&self.repository, state, niceness, now) {
                    process.lend(now, TIME);
                    return Ok(process);
                }
            }
            // Those that are kept began before.
            None => self.pool.forget(&self.repository),
        }
        let command = Command::new(&self.program, "cat-file").inside(&self.repository).setting(BASES).time(TIME);
        Process::start(command, state.map(|state| (state, niceness)))
    }
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Objects")
    }
}
