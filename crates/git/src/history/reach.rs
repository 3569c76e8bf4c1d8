//! Commits that come before another one, as far as the graph of commits alone says it.

use std::collections::{BinaryHeap, HashSet};

use super::graph::Graph;
use super::{Walked, answered};
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

/// Commits that are read.
const STEPS: usize = 5_000;
/// Seconds by which clocks may differ. A commit that is older by more than this does not lead to the wanted one.
const CLOCKS: u64 = 24 * 3600;

impl Repository {
    /// True if `older` comes before `newer`, or is the same. False if it does not, or if that is not certain: the graph may not
    /// have the commits yet, or lead too far. No process of Git is started.
    pub fn is_known_ancestor(&self, older: Oid, newer: Oid) -> Result<bool, GitError> {
        if older == newer {
            return Ok(true);
        }
        Ok(answered(leads_to(self, newer, older))?.unwrap_or(false))
    }
}

fn leads_to(repository: &Repository, from: Oid, to: Oid) -> Walked<bool> {
    let mut graph = Graph::open(repository.path())?;
    let (Some(start), Some(end)) = (graph.find(from)?, graph.find(to)?) else { return Ok(false) };
    let oldest = graph.commit(end)?.seconds.saturating_sub(CLOCKS);
    let mut seen = HashSet::from([start]);
    let mut waiting = BinaryHeap::from([(graph.commit(start)?.seconds, start)]);
    let mut steps = 0;
    while let Some((seconds, node)) = waiting.pop()
        && seconds >= oldest
        && steps < STEPS
    {
        steps += 1;
        for parent in graph.commit(node)?.parents {
            if parent == end {
                return Ok(true);
            }
            if seen.insert(parent) {
                waiting.push((graph.commit(parent)?.seconds, parent));
            }
        }
    }
    Ok(false)
}
