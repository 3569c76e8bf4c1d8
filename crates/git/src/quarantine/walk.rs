//! The changes of the commits of a push, found by comparing each directory with the one that it replaces.
//!
//! Directories may contain each other: a few kilobytes of them can make any number of files. So a pair of directories
//! is compared once on each level of a commit, however many paths lead to it. With the pair go the number of these
//! paths and the length of the longest one.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use tenon_domain::direction::written_out;
use tenon_domain::limits::PushLimits;

use super::SHALLOW;
use super::change::{Change, Changes, MANY, Pair};
use super::entries::{Entry, each_difference, is_dangerous};
use super::stop::{Shared, Stop};
use super::trees::Trees;
use crate::commit::parse;
use crate::error::GitError;
use crate::objects::{ObjectKind, Objects};
use crate::oid::Oid;

/// The longest path, as of a file system.
const PATH: usize = 4096;
/// Entries that are visited for each file that a commit may change: directories without files cost time as well.
const VISITS: usize = 10;
/// Commits whose trees are remembered.
const COMMITS: usize = 200_000;

/// Reads the objects that a push brings.
pub(super) struct Walk<'a> {
    objects: Objects,
    trees: Trees,
    /// The trees of commits.
    commits: HashMap<Oid, Oid>,
    limits: &'a PushLimits,
    shared: &'a Shared,
}

impl<'a> Walk<'a> {
    /// `objects` answers about the objects that the push brings and those that were there before.
    pub(super) fn new(objects: Objects, limits: &'a PushLimits, shared: &'a Shared) -> Self {
        Self { objects, trees: Trees::default(), commits: HashMap::new(), limits, shared }
    }

    /// The process that answers.
    pub(super) fn objects(&mut self) -> &mut Objects {
        &mut self.objects
    }

    /// Compares each of these commits with its first parent only. Compared with its other parents, a merge differs by
    /// the commits of the first one.
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
        let pair = |(tree, parent): &(Oid, Option<Oid>)| {
            let old = parent.and_then(|parent| trees.get(&parent).copied());
            Pair { new: Some(*tree), old, paths: 1, longest: 0 }
        };
        let changes = read.iter().map(pair).collect();
        self.run(changes)
    }

    /// Reads everything below a directory that no commit has to have.
    pub(super) fn tree(&mut self, id: Oid) -> Result<(), Stop> {
        self.run([Pair { new: Some(id), old: None, paths: 1, longest: 0 }].into_iter().collect())
    }

    fn run(&mut self, mut changes: Changes) -> Result<(), Stop> {
        loop {
            let round = changes.round();
            if round.is_empty() {
                return Ok(());
            }
            // In the order in which they are needed: of many, the first ones are read ahead.
            let mut seen = HashSet::new();
            let needed = round.iter().flat_map(|(_, pair)| [pair.new, pair.old]).flatten();
            let needed: Vec<Oid> = needed.filter(|id| seen.insert(*id)).collect();
            self.trees.prepare(&mut self.objects, &needed, self.limits.tree)?;
            let (mut round, mut added) = (round.into_iter(), 0);
            while added < MANY
                && let Some((commit, pair)) = round.next()
            {
                if Instant::now() >= self.shared.deadline {
                    return Err(GitError::Timeout("cat-file").into());
                }
                let change = changes.of(commit).ok_or(GitError::Unexpected("cat-file"))?;
                let before = change.waiting();
                self.compare(&pair, change)?;
                added += change.waiting() - before;
            }
            changes.put_back(round);
        }
    }

    fn compare(&mut self, pair: &Pair, change: &mut Change) -> Result<(), Stop> {
        let limits = self.limits;
        let mut content = |id: Option<Oid>| match id {
            Some(id) => self.trees.read(&mut self.objects, id, limits.tree),
            None => Ok(Rc::default()),
        };
        let (new, old) = (content(pair.new)?, content(pair.old)?);
        let most = u64::try_from(limits.files_per_commit).unwrap_or(u64::MAX);
        let most_visits = limits.files_per_commit.saturating_mul(VISITS);
        let mut files = 0_u64;
        each_difference::<Stop>(&new, &old, |one, two| {
            change.visits += 1;
            if let Some(entry) = one {
                check_name(&entry, pair.longest)?;
            }
            if [one, two].into_iter().flatten().any(|entry| entry.is_tree()) {
                let name = one.or(two).map_or(0, |entry| entry.name.len());
                change.add(Pair {
                    new: one.map(|entry| entry.id()),
                    old: two.map(|entry| entry.id()),
                    longest: pair.longest + name + 1,
                    ..*pair
                });
            } else {
                files = files.saturating_add(pair.paths);
            }
            // In each directory that differs, there is a file that does.
            let waiting = u64::try_from(change.waiting()).unwrap_or(u64::MAX);
            let least = change.files.saturating_add(files).saturating_add(waiting);
            if least > most || change.visits > most_visits { Err(too_many_in_commit(limits)) } else { Ok(()) }
        })?;
        change.files = change.files.saturating_add(files);
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

fn check_name(entry: &Entry<'_>, before: usize) -> Result<(), Stop> {
    if is_dangerous(entry.name) {
        let name = written_out(&String::from_utf8_lossy(entry.name));
        return Err(Stop::Refused(format!("The name '{name}' is not allowed in a path.")));
    }
    if before + entry.name.len() > PATH {
        return Err(Stop::Refused(format!("A path has more than {PATH} bytes.")));
    }
    Ok(())
}
