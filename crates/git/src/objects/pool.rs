//! Processes that are kept for the next questions about their repository.
//!
//! **Invariant**: a process answers only about the repository in which it was started, as long as no pack has come or
//! gone there. Nothing is read from an earlier process after a repository was deleted or made again in the same place,
//! or after objects were removed. A borrowed process comes back only if all of its answers were read.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tenon_domain::limits::GitLimits;

use super::process::Process;
use super::state::State;

/// Processes that wait, the one that has waited for the longest time first.
pub(crate) struct Pool {
    limits: GitLimits,
    waiting: Mutex<Vec<Waiting>>,
}

struct Waiting {
    repository: PathBuf,
    process: Process,
    since: Instant,
}

impl Pool {
    pub(crate) fn new(limits: &GitLimits) -> Self {
        Self { limits: limits.clone(), waiting: Mutex::default() }
    }

    /// A process for this repository in this state, with this niceness. Waiting processes that no longer fit its state
    /// end.
    pub(super) fn take(&self, repository: &Path, state: &State, niceness: i32, now: Instant) -> Option<Process> {
        loop {
            // Ended when no lock is held.
            let (found, _ended) = {
                let mut waiting = self.lock();
                let ended = remove(&mut waiting, |it| {
                    let is_other =
                        it.repository == repository && it.process.begun().is_none_or(|(was, _)| was != state);
                    is_other || self.is_over(it, now)
                });
                let fits = |it: &Waiting| {
                    it.repository == repository && it.process.begun().is_some_and(|(_, nice)| *nice == niceness)
                };
                let place = waiting.iter().rposition(fits);
                (place.map(|place| waiting.remove(place)), ended)
            };
            let mut process = found?.process;
            // The system may have ended it while it waited.
            if process.is_silent() {
                return Some(process);
            }
        }
    }

    /// Keeps a process, unless it has done its share, or something is wrong with it. If too many wait, the one that has
    /// waited for the longest time ends.
    pub(super) fn put(&self, repository: &Path, mut process: Process, now: Instant) {
        let spent = process.give_back(now);
        let is_worn =
            spent.bytes >= self.limits.kept_bytes || spent.work >= self.limits.kept_work.min(self.most_work());
        if process.begun().is_none() || is_worn || !process.is_silent() {
            return;
        }
        let _ended = {
            let mut waiting = self.lock();
            waiting.push(Waiting { repository: repository.to_owned(), process, since: now });
            let mut ended = remove(&mut waiting, |it| self.is_over(it, now));
            let own = waiting.iter().filter(|it| it.repository == repository).count();
            if own > self.limits.kept_per_repository {
                let oldest = waiting.iter().position(|it| it.repository == repository);
                ended.extend(oldest.map(|place| waiting.remove(place)));
            }
            if waiting.len() > self.limits.kept {
                ended.push(waiting.remove(0));
            }
            ended
        };
    }

    /// Ends the processes that wait for this repository.
    pub(crate) fn forget(&self, repository: &Path) {
        let _ended = remove(&mut self.lock(), |it| it.repository == repository);
    }

    /// Ends the processes that were not asked for long.
    pub(crate) fn end_idle(&self, now: Instant) {
        let _ended = remove(&mut self.lock(), |it| self.is_over(it, now));
    }

    pub(crate) fn waiting(&self) -> usize {
        self.lock().len()
    }

    /// The system ends a process if it has used up its processor time, also in the hands of another borrower. So that
    /// each has most of it, a process works for a quarter of it at most.
    fn most_work(&self) -> Duration {
        self.limits.cpu / 4
    }

    fn is_over(&self, waiting: &Waiting, now: Instant) -> bool {
        now.saturating_duration_since(waiting.since) >= self.limits.kept_idle
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes out the processes for which `is_wanted` is true, in order.
fn remove(waiting: &mut Vec<Waiting>, is_wanted: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
    let (taken, kept) = waiting.drain(..).partition(is_wanted);
    *waiting = kept;
    taken
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("waiting", &self.waiting()).finish_non_exhaustive()
    }
}
