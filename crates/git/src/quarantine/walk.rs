//! What the commits of a push change, found by comparing each directory with the one that it replaces.
//!
//! Directories may contain each other: a few kilobytes of them can make any number of files. So a pair of directories is compared
//! once, however many paths of a commit lead to it, with the number of these paths and the length of the longest one.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use tenon_domain::limits::PushLimits;

use super::entries::{Entry, each_difference, is_dangerous};
use super::stop::{Shared, Stop};
use super::trees::Trees;
use super::{SHALLOW, escaped};
use crate::commit::parse;
use crate::error::GitError;
use crate::objects::{ObjectKind, Objects};
use crate::oid::Oid;

/// The longest path, as of a file system.
const PATH: usize = 4096;
/// Pairs of directories that are compared after reading all of them at once.
const AT_ONCE: usize = 256;
/// Pairs of directories that wait.
const WAITING: usize = 2 << 20;
/// Entries that are visited for each file that a commit may change: directories without files cost time as well.
const VISITS: usize = 10;
/// Commits whose trees are remembered.
const COMMITS: usize = 200_000;

/// Reads what a push brings.
pub(super) struct Walk<'a> {
    objects: Objects,
    trees: Trees,
    /// The trees of commits.
    commits: HashMap<Oid, Oid>,
    limits: &'a PushLimits,
    shared: &'a Shared,
    waiting: Vec<Pair>,
}

/// A directory, and the one that it replaces.
#[derive(Debug, Clone, Copy)]
struct Pair {
    /// Which commit, of those that are compared at the same time.
    commit: usize,
    new: Option<Oid>,
    old: Option<Oid>,
    /// Paths that lead to it.
    paths: u64,
    /// The bytes of the longest of these paths, with the slash behind it.
    longest: usize,
}

/// What was found of one commit.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    files: u64,
    visits: usize,
}

impl<'a> Walk<'a> {
    /// `objects` answers about what the push brings and what was there before.
    pub(super) fn new(objects: Objects, limits: &'a PushLimits, shared: &'a Shared) -> Self {
        let (trees, commits, waiting) = (Trees::default(), HashMap::new(), Vec::new());
        Self { objects, trees, commits, limits, shared, waiting }
    }

    /// The process that answers.
    pub(super) fn objects(&mut self) -> &mut Objects {
        &mut self.objects
    }

    /// Compares each of these commits with its first parent: against the others, a merge differs by what came to the first.
    pub(super) fn commits(&mut self, ids: &[Oid]) -> Result<(), Stop> {
        if self.commits.len() > COMMITS {
            self.commits.clear();
        }
        let mut read: Vec<(Oid, Option<Oid>)> = Vec::with_capacity(ids.len());
        let trees = &mut self.commits;
        self.objects.each_small(ids, self.limits.commit, |id, found| {
            let content =
                found.filter(|(header, _)| header.kind == ObjectKind::Commit).and_then(|(_, content)| content);
            if let Some((tree, parent)) = content.as_deref().and_then(parse::tree_and_parent) {
                trees.insert(id, tree);
                read.push((tree, parent));
            }
        })?;
        if read.len() < ids.len() {
            return Err(Stop::Refused("A commit of this push cannot be read.".to_owned()));
        }
        let unknown: HashSet<Oid> =
            read.iter().filter_map(|(_, parent)| *parent).filter(|parent| !trees.contains_key(parent)).collect();
        let unknown: Vec<Oid> = unknown.into_iter().collect();
        let names: Vec<String> = unknown.iter().map(|parent| format!("{parent}^{{tree}}")).collect();
        let headers = self.objects.headers(&names)?;
        for (parent, header) in unknown.iter().zip(headers) {
            let header = header.ok_or_else(|| Stop::Refused(SHALLOW.to_owned()))?;
            trees.insert(*parent, header.oid);
        }
        let pair = |(commit, (tree, parent)): (usize, &(Oid, Option<Oid>))| {
            let old = parent.and_then(|parent| trees.get(&parent).copied());
            Pair { commit, new: Some(*tree), old, paths: 1, longest: 0 }
        };
        // The last one is compared first.
        self.waiting = read.iter().enumerate().rev().map(pair).filter(|pair| pair.new != pair.old).collect();
        self.run(ids.len())
    }

    /// Reads everything below a directory that no commit has to have.
    pub(super) fn tree(&mut self, id: Oid) -> Result<(), Stop> {
        self.waiting = vec![Pair { commit: 0, new: Some(id), old: None, paths: 1, longest: 0 }];
        self.run(1)
    }

    fn run(&mut self, commits: usize) -> Result<(), Stop> {
        let mut sums = vec![Sum::default(); commits];
        while !self.waiting.is_empty() {
            let some = self.waiting.split_off(self.waiting.len().saturating_sub(AT_ONCE));
            // In the order in which they are needed: of many, the first ones are read ahead.
            let mut seen = HashSet::new();
            let needed = some.iter().rev().flat_map(|pair| [pair.new, pair.old]).flatten();
            let needed: Vec<Oid> = needed.filter(|id| seen.insert(*id)).collect();
            self.trees.prepare(&mut self.objects, &needed, self.limits.tree)?;
            let mut below = Below::default();
            for pair in some.iter().rev() {
                if Instant::now() >= self.shared.deadline {
                    return Err(GitError::Timeout("cat-file").into());
                }
                let sum = sums.get_mut(pair.commit).ok_or(GitError::Unexpected("cat-file"))?;
                self.compare(pair, sum, &mut below)?;
            }
            self.waiting.extend(below.pairs.into_iter().rev());
            if self.waiting.len() > WAITING {
                return Err(too_many_in_commit(self.limits));
            }
        }
        Ok(())
    }

    fn compare(&mut self, pair: &Pair, sum: &mut Sum, below: &mut Below) -> Result<(), Stop> {
        let limits = self.limits;
        let mut content = |id: Option<Oid>| match id {
            Some(id) => self.trees.read(&mut self.objects, id, limits.tree),
            None => Ok(Rc::default()),
        };
        let (new, old) = (content(pair.new)?, content(pair.old)?);
        let mut files = 0_u64;
        each_difference::<Stop>(&new, &old, |one, two| {
            sum.visits += 1;
            if sum.visits > limits.files_per_commit.saturating_mul(VISITS) || below.pairs.len() > WAITING {
                return Err(too_many_in_commit(limits));
            }
            if let Some(entry) = one {
                check_name(&entry, pair.longest)?;
            }
            if [one, two].into_iter().flatten().any(|entry| entry.is_tree()) {
                let name = one.or(two).map_or(0, |entry| entry.name.len());
                below.add(Pair {
                    new: one.map(|entry| entry.id()),
                    old: two.map(|entry| entry.id()),
                    longest: pair.longest + name + 1,
                    ..*pair
                });
            } else {
                files = files.saturating_add(pair.paths);
            }
            Ok(())
        })?;
        sum.files = sum.files.saturating_add(files);
        if sum.files > u64::try_from(limits.files_per_commit).unwrap_or(u64::MAX) {
            return Err(too_many_in_commit(limits));
        }
        let taken = |left: u64| left.checked_sub(files);
        if self.shared.files_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_err() {
            let most = limits.files;
            let text = format!("The commits of this push change more than {most} files (limit push.files).");
            return Err(Stop::Refused(text));
        }
        Ok(())
    }
}

fn too_many_in_commit(limits: &PushLimits) -> Stop {
    let most = limits.files_per_commit;
    Stop::Refused(format!("A commit of this push changes more than {most} files (limit push.files_per_commit)."))
}

/// Pairs of directories that are to be compared next, each once for each commit.
#[derive(Debug, Default)]
struct Below {
    pairs: Vec<Pair>,
    places: HashMap<(usize, Option<Oid>, Option<Oid>), usize>,
}

impl Below {
    fn add(&mut self, pair: Pair) {
        if pair.new == pair.old {
            // Only the mode differs.
            return;
        }
        let next = self.pairs.len();
        let place = *self.places.entry((pair.commit, pair.new, pair.old)).or_insert(next);
        match self.pairs.get_mut(place) {
            Some(same) => {
                same.paths = same.paths.saturating_add(pair.paths);
                same.longest = same.longest.max(pair.longest);
            }
            None => self.pairs.push(pair),
        }
    }
}

fn check_name(entry: &Entry<'_>, before: usize) -> Result<(), Stop> {
    if is_dangerous(entry.name) {
        let name = escaped(&String::from_utf8_lossy(entry.name));
        return Err(Stop::Refused(format!("The name '{name}' is not allowed in a path.")));
    }
    if before + entry.name.len() > PATH {
        return Err(Stop::Refused(format!("A path has more than {PATH} bytes.")));
    }
    Ok(())
}
