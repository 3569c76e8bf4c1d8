//! Pages of commits, their number, and the commits between two of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{History, Node, Unanswered, Walked, answered};
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

impl Repository {
    /// The list of `git log --skip=<skip> --max-count=<limit>` from this commit on; `None` if Git has to be asked.
    pub(crate) fn walked_commits(&self, from: Oid, skip: i64, limit: i64) -> Result<Option<Vec<Oid>>, GitError> {
        answered(self.walk(from, skip, limit))
    }

    /// How many commits can be reached from this one; `None` if Git has to be asked.
    pub(crate) fn walked_count(&self, from: Oid) -> Result<Option<i64>, GitError> {
        answered(self.count_all(from))
    }

    /// The names at these places in the list of `git rev-list <to> ^<from>`. The list must be a single line of commits
    /// from `to` back to `from`, as after most pushes. `None` if Git has to be asked.
    pub(crate) fn walked_line(&self, from: Oid, to: Oid, skip: i64, limit: i64) -> Result<Option<Vec<Oid>>, GitError> {
        let (Ok(skip), Ok(limit)) = (usize::try_from(skip), usize::try_from(limit)) else { return Ok(None) };
        answered(self.line(from, to).and_then(|(mut history, line)| {
            line.into_iter().skip(skip).take(limit).map(|node| history.id(node)).collect()
        }))
    }

    /// How many commits such a line has; `None` if Git has to be asked.
    pub(crate) fn walked_length(&self, from: Oid, to: Oid) -> Result<Option<i64>, GitError> {
        answered(
            self.line(from, to).and_then(|(_, line)| i64::try_from(line.len()).map_err(|_error| Unanswered::Unsure)),
        )
    }

    fn walk(&self, from: Oid, skip: i64, limit: i64) -> Walked<Vec<Oid>> {
        let number = |count: i64| usize::try_from(count).map_err(|_error| Unanswered::Unsure);
        let (skip, end) = (number(skip)?, number(skip.saturating_add(limit))?);
        if end > self.limits().reads.walked_commits {
            return Err(Unanswered::Unsure);
        }
        let mut history = History::of(self)?;
        let (mut seen, mut waiting) = (Seen::default(), Waiting::default());
        let start = history.node(from)?;
        seen.insert(start);
        waiting.push(start, history.seconds(start)?);
        let mut found = Vec::new();
        let mut place = 0;
        while place < end
            && let Some(node) = waiting.pop()
        {
            history.step()?;
            if place >= skip {
                found.push(history.id(node)?);
            }
            place += 1;
            for parent in history.parents(node)? {
                if seen.insert(parent) {
                    waiting.push(parent, history.seconds(parent)?);
                }
            }
        }
        Ok(found)
    }

    fn line(&self, from: Oid, to: Oid) -> Walked<(History, Vec<Node>)> {
        let most = self.limits().reads.walked_commits;
        let mut history = History::of(self)?;
        let (end, mut node) = (history.node(from)?, history.node(to)?);
        let oldest = history.seconds(end)?;
        let mut found = Vec::new();
        while node != end {
            // A commit older than the end of the line does not lead there, unless a clock was wrong.
            if history.step()? > most || history.seconds(node)? < oldest {
                return Err(Unanswered::Unsure);
            }
            found.push(node);
            let [parent] = history.parents(node)?[..] else { return Err(Unanswered::Unsure) };
            node = parent;
        }
        // The graph may still name commits that were removed.
        if history.objects.header(&to.to_string())?.is_none() {
            return Err(Unanswered::Unsure);
        }
        Ok((history, found))
    }

    fn count_all(&self, from: Oid) -> Walked<i64> {
        let most = self.limits().reads.walked_commits;
        let mut history = History::of(self)?;
        let mut seen = Seen::default();
        let start = history.node(from)?;
        seen.insert(start);
        let mut waiting = vec![start];
        let mut count = 0;
        while let Some(node) = waiting.pop() {
            if history.step()? > most {
                return Err(Unanswered::Unsure);
            }
            count += 1;
            waiting.extend(history.parents(node)?.into_iter().filter(|parent| seen.insert(*parent)));
        }
        Ok(count)
    }
}

/// Commits that are still to be listed: the one that was committed last comes first, and of those of one second the one
/// that was found first, as in Git.
#[derive(Default)]
struct Waiting {
    heap: BinaryHeap<(u64, Reverse<usize>, Node)>,
    found: usize,
}

impl Waiting {
    fn push(&mut self, node: Node, seconds: u64) {
        self.heap.push((seconds, Reverse(self.found), node));
        self.found += 1;
    }

    fn pop(&mut self) -> Option<Node> {
        self.heap.pop().map(|(_, _, node)| node)
    }
}

#[derive(Default)]
struct Seen(Vec<u64>);

impl Seen {
    /// True if the commit was not there before.
    fn insert(&mut self, node: Node) -> bool {
        let (word, bit) = (usize::try_from(node / 64).unwrap_or(usize::MAX), 1 << (node % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let Some(word) = self.0.get_mut(word) else { return false };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
