//! The order in which the directories of the commits of a push are compared.
//!
//! Those of many commits are read together, since most commits have few. If some have many, the first of them is
//! compared alone until it is done. So the pairs that wait are bounded by what one commit may change.

use std::collections::HashMap;
use std::mem;

use crate::oid::Oid;

/// Pairs that are compared after reading all of them at once.
const AT_ONCE: usize = 256;
/// If more than these wait, one commit is compared alone. A round that has found as many ends.
pub(super) const MANY: usize = 64 << 10;

/// A directory, and the one that it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) new: Option<Oid>,
    pub(super) old: Option<Oid>,
    /// Paths that lead to it.
    pub(super) paths: u64,
    /// The bytes of the longest of these paths, with the slash behind it.
    pub(super) longest: usize,
}

/// The findings about one commit, and its pairs that are still to be compared.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// Files that it changes.
    pub(super) files: u64,
    /// Entries that were visited.
    pub(super) visits: usize,
    /// Pairs that are equally deep.
    level: Vec<Pair>,
    /// Those that are one level deeper, each once.
    below: Vec<Pair>,
    places: HashMap<(Option<Oid>, Option<Oid>), usize>,
}

impl Change {
    /// Adds a pair that is one level deeper than those which are compared.
    pub(super) fn add(&mut self, pair: Pair) {
        if pair.new == pair.old {
            // Only the mode differs.
            return;
        }
        let next = self.below.len();
        let place = *self.places.entry((pair.new, pair.old)).or_insert(next);
        match self.below.get_mut(place) {
            Some(same) => {
                same.paths = same.paths.saturating_add(pair.paths);
                same.longest = same.longest.max(pair.longest);
            }
            None => self.below.push(pair),
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.level.len() + self.below.len()
    }

    /// Goes on with the next level if all pairs of this one were compared, and frees the memory of that.
    fn begin_level(&mut self) {
        if self.level.is_empty() {
            self.level = mem::take(&mut self.below);
            self.places = HashMap::new();
        }
    }
}

/// The commits that are compared at the same time.
#[derive(Debug)]
pub(super) struct Changes(Vec<Change>);

impl FromIterator<Pair> for Changes {
    /// Each commit has one pair at its top.
    fn from_iter<I: IntoIterator<Item = Pair>>(tops: I) -> Self {
        let change = |top| {
            let mut change = Change::default();
            change.add(top);
            change
        };
        Self(tops.into_iter().map(change).collect())
    }
}

impl Changes {
    /// The pairs to compare next, each with its commit. The caller compares them, or puts them back.
    pub(super) fn round(&mut self) -> Vec<(usize, Pair)> {
        let is_crowded = self.0.iter().map(Change::waiting).sum::<usize>() > MANY;
        let mut round = Vec::new();
        for (commit, change) in self.0.iter_mut().enumerate() {
            change.begin_level();
            let from = change.level.len().saturating_sub(AT_ONCE - round.len());
            round.extend(change.level.drain(from..).map(|pair| (commit, pair)));
            if round.len() == AT_ONCE || (is_crowded && !round.is_empty()) {
                break;
            }
        }
        round
    }

    /// The commit of this number.
    pub(super) fn of(&mut self, commit: usize) -> Option<&mut Change> {
        self.0.get_mut(commit)
    }

    /// Takes back the pairs that were not compared.
    pub(super) fn put_back(&mut self, rest: impl Iterator<Item = (usize, Pair)>) {
        for (commit, pair) in rest {
            if let Some(change) = self.0.get_mut(commit) {
                change.level.push(pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(number: usize) -> Pair {
        let mut id = [0; 20];
        id[..8].copy_from_slice(&number.to_be_bytes());
        Pair { new: Some(Oid::from_raw(id)), old: None, paths: 1, longest: number }
    }

    #[test]
    fn a_pair_is_compared_once_on_its_level_and_knows_all_paths_to_it() {
        let mut changes: Changes = [pair(1)].into_iter().collect();
        assert_eq!(changes.round(), [(0, pair(1))]);
        let change = changes.of(0).unwrap();
        for number in (10..10 + 2 * AT_ONCE).chain([10]) {
            change.add(pair(number));
        }
        change.add(Pair { old: pair(3).new, ..pair(3) });
        assert_eq!(change.waiting(), 2 * AT_ONCE);
        // Both halves lead to the same directories.
        for _ in 0..2 {
            assert_eq!(changes.round().len(), AT_ONCE);
            changes.of(0).unwrap().add(pair(2));
        }
        assert_eq!(changes.round(), [(0, Pair { paths: 2, ..pair(2) })]);
        assert_eq!(changes.round(), []);
    }

    #[test]
    fn of_commits_with_many_directories_one_is_compared_after_the_other() {
        let (commits, each) = (AT_ONCE, 8_100);
        let mut changes: Changes = (0..commits).map(|number| pair(number + 1)).collect();
        let mut compared = 0;
        loop {
            let round = changes.round();
            if round.is_empty() {
                break;
            }
            let (mut round, mut added) = (round.into_iter(), 0);
            while added < MANY
                && let Some((commit, top)) = round.next()
            {
                compared += 1;
                if top.longest <= commits {
                    (0..each).for_each(|number| changes.of(commit).unwrap().add(pair(commits + 1 + number)));
                    added += each;
                }
            }
            changes.put_back(round);
            let waiting: usize = changes.0.iter().map(Change::waiting).sum();
            let held: usize = changes.0.iter().map(|it| it.level.capacity() + it.below.capacity()).sum();
            assert!(waiting <= MANY + 2 * each + commits, "{waiting}");
            assert!(held <= 4 * (MANY + 2 * each), "{held}");
        }
        assert_eq!(compared, commits * (each + 1));
    }
}
