//! The check of a push for faults that `git fsck` does not find: objects that are too large, commits that change too
//! many files, paths that are too long.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use tenon_domain::limits::PushLimits;

use super::stop::{Shared, Stop};
use super::walk::Walk;
use super::{Brought, Quarantine};
use crate::cancel::CancelToken;
use crate::command::budget::Budget;
use crate::error::GitError;
use crate::objects::{ObjectKind, Objects};
use crate::oid::Oid;
use crate::push::check_kind_and_size;

/// How many tags may lead to each other.
const TAGS: usize = 10;
/// Commits that are read at once.
const COMMITS: usize = 256;
/// How many times as many may wait to be read.
const WAITING: usize = 1024;

impl Quarantine {
    /// The reason why this push to these objects is refused, as a sentence for the pusher; `None` if it is not refused.
    /// The reasons are:
    ///
    /// - an object is larger than its type may be,
    /// - a commit changes too many files, or all of them together do,
    /// - a path is too long, or has a name that leads elsewhere,
    /// - tags lead to too many tags.
    ///
    /// Each object that the push brings is read once, whatever leads to it. So all stored objects were checked: a later
    /// push may move a ref to one and bring nothing. `threads` threads compare directories, at least one, beside one
    /// that reads sizes. Files are counted as commits change them, against the first parent. The count for a directory
    /// is computed once however often the directory occurs.
    pub fn refusal(&self, tips: &[Oid], limits: &PushLimits, threads: usize) -> Result<Option<String>, GitError> {
        let token = CancelToken::current();
        let shared = Shared {
            files_left: AtomicU64::new(u64::try_from(limits.files).unwrap_or(u64::MAX)),
            has_stopped: AtomicBool::new(false),
            deadline: Instant::now() + self.repository.limits().push.judge_time,
        };
        // On threads of their own, which give way to others, as processes do that check a push.
        let outcome = thread::scope(|scope| {
            let (send, batches) = sync_channel(WAITING);
            let list = scope.spawn(|| shared.stopping(yielding(token.as_ref(), || self.list_objects(limits, send))));
            // If no walk takes them any more, they are not handed over either.
            let batches = Arc::new(Mutex::new(batches));
            let walk = |number: usize| {
                let (batches, tips) = (Arc::clone(&batches), if number == 0 { tips } else { &[] });
                let (token, shared) = (token.as_ref(), &shared);
                scope.spawn(move || shared.stopping(yielding(token, || self.walk(tips, limits, &batches, shared))))
            };
            let walks: Vec<_> = (0..threads.max(1)).map(walk).collect();
            drop(batches);
            // Objects that are too large were not read.
            walks.into_iter().fold(joined(list.join()), |outcome, walk| {
                let walked = joined(walk.join());
                outcome.and(walked)
            })
        });
        match outcome {
            Ok(()) => Ok(None),
            Err(Stop::Refused(text)) => Ok(Some(text)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// Checks the sizes of all objects that the push brings, and hands over its commits.
    fn list_objects(&self, limits: &PushLimits, commits: SyncSender<Vec<Oid>>) -> Result<(), Stop> {
        // Only the objects of the push, without those that were there before.
        let folder = match &self.brought {
            Brought::Nowhere => return Ok(()),
            Brought::Folder(folder) => Some(("GIT_OBJECT_DIRECTORY", folder.clone())),
            Brought::Whole => None,
        };
        let mut lines = self
            .repository
            .git("cat-file")
            .args(["--batch-all-objects", "--unordered", "--buffer"])
            .arg("--batch-check=%(objectname) %(objecttype) %(objectsize)")
            .envs(folder)
            .time(self.repository.limits().push.judge_time)
            .budget(Budget::Transfer)
            .stream()?
            .records();
        let mut batch = Vec::new();
        while let Some(line) = lines.next(b'\n', LINE)? {
            let (id, kind, size) = row(&line).ok_or(GitError::Unexpected("cat-file"))?;
            check_kind_and_size(limits, kind, size)?;
            if kind == "commit" {
                batch.push(id);
            }
            // If no walk takes them any more, the push is refused.
            if batch.len() == COMMITS && commits.send(std::mem::take(&mut batch)).is_err() {
                return Ok(());
            }
        }
        let _ = commits.send(batch);
        Ok(())
    }

    /// Compares the directories of the commits that this thread gets, and then of the objects that the refs lead to.
    fn walk(
        &self,
        tips: &[Oid],
        limits: &PushLimits,
        batches: &Mutex<Receiver<Vec<Oid>>>,
        shared: &Shared,
    ) -> Result<(), Stop> {
        let mut walk = Walk::new(Objects::buffered(self.git("cat-file")), limits, shared);
        loop {
            let next = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(commits) = next else { break };
            if shared.has_stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            walk.commits(&commits)?;
        }
        for tree in check_tips(walk.objects(), tips, limits)? {
            walk.tree(tree)?;
        }
        Ok(())
    }
}

fn joined(outcome: thread::Result<Result<(), Stop>>) -> Result<(), Stop> {
    outcome.unwrap_or_else(|_panic| Err(GitError::Unexpected("cat-file").into()))
}

/// Does `work` under this token, and gives way to short questions.
fn yielding<T>(token: Option<&CancelToken>, work: impl FnOnce() -> T) -> T {
    yield_to_short_questions();
    match token {
        Some(token) => token.scope(work),
        None => work(),
    }
}

/// Longer lines are none of Git's.
const LINE: usize = 200;

fn row(line: &[u8]) -> Option<(Oid, &str, u64)> {
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    Some((words.next()?.parse().ok()?, words.next()?, words.next()?.parse().ok()?))
}

/// Follows tags, each of them once. Yields the directories that they, or the refs of the push, lead to without a
/// commit.
fn check_tips(objects: &mut Objects, tips: &[Oid], limits: &PushLimits) -> Result<Vec<Oid>, Stop> {
    let (mut trees, mut seen) = (Vec::new(), HashSet::new());
    let mut next: Vec<Oid> = tips.iter().filter(|tip| !tip.is_zero()).copied().collect();
    for _ in 0..=TAGS {
        next.retain(|id| seen.insert(*id));
        if next.is_empty() {
            return Ok(trees);
        }
        let mut tags = Vec::new();
        let names: Vec<String> = next.iter().map(ToString::to_string).collect();
        for header in objects.headers(&names)?.into_iter().flatten() {
            match header.kind {
                ObjectKind::Tree => trees.push(header.oid),
                ObjectKind::Tag => tags.push(header.oid),
                ObjectKind::Commit | ObjectKind::Blob => {}
            }
        }
        next.clear();
        objects.each_small(&tags, limits.commit, |_, found| {
            next.extend(found.and_then(|(_, content)| tagged(&content?)));
        })?;
    }
    next.retain(|id| !seen.contains(id));
    if next.is_empty() { Ok(trees) } else { Err(Stop::Refused(format!("A tag leads to more than {TAGS} tags."))) }
}

/// The object that a tag leads to.
fn tagged(content: &[u8]) -> Option<Oid> {
    content.split(|byte| *byte == b'\n').next()?.strip_prefix(b"object ").and_then(Oid::from_bytes)
}

/// Linux keeps the niceness of each thread; elsewhere it would be that of the whole server.
fn yield_to_short_questions() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, Budget::NICENESS) {
        tracing::debug!(%error, "the priority of a thread could not be lowered");
    }
}
