//! The last commits that changed the entries of a directory, found on one walk and within a time.
//!
//! Each entry follows the line that `git log --max-count=1 <commit> -- <path>` follows. If a parent has the same, it
//! goes on with the first such parent. If none has, the commit itself is the answer. Entries that are on the same
//! commit go on together, and the commit that was made last is next.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::{Duration, Instant};

use tenon_domain::file_path::bytes_of;

use super::bloom::Key;
use super::last::LastCommit;
use super::{History, Node, Unanswered, Walked};
use crate::error::GitError;
use crate::mode::Mode;
use crate::objects::{Header, ObjectKind};
use crate::oid::Oid;
use crate::repository::Repository;
use crate::stored_tree::stored_entries;
use crate::tree_path::LookupPath;

/// Bytes of a directory that is read. Of a larger one, Git is asked entry by entry.
const LARGEST: u64 = 1 << 20;

impl Repository {
    /// The last commits, from `from` backwards, that changed these entries of a directory, in their order. Names are in
    /// their kept form. `None` for an entry if that was not found out in `time`, or Git could not say. The commit must
    /// be known to be in this repository, because answers are remembered.
    pub fn last_commits(
        &self,
        from: Oid,
        folder: Option<&LookupPath>,
        names: &[&str],
        time: Duration,
    ) -> Result<Vec<Option<Oid>>, GitError> {
        let deadline = Instant::now() + time;
        let prefix = folder.map(|folder| format!("{}/", folder.as_kept())).unwrap_or_default();
        let path = |name: &&str| LookupPath::parse(&format!("{prefix}{name}"));
        let paths: Vec<Option<LookupPath>> = names.iter().map(path).collect();
        let known = |path: &LookupPath| self.recall(&LastCommit(from, path.clone()));
        let mut found: Vec<Option<Oid>> =
            paths.iter().map(|path| path.as_ref().and_then(known).and_then(|known| *known)).collect();
        let missing: Vec<usize> = (0..names.len())
            .filter(|at| matches!((found.get(*at), paths.get(*at)), (Some(None), Some(Some(_)))))
            .collect();
        if missing.is_empty() {
            return Ok(found);
        }
        let wanted = Wanted { folder, names, paths: &paths, deadline };
        let (walked, is_sure) = match self.walk_entries(from, &wanted, &missing) {
            Ok(answer) => answer,
            Err(Unanswered::Unsure) => (Vec::new(), false),
            Err(Unanswered::Failed(error)) => return Err(error),
        };
        for (at, id) in walked {
            if let Some(place) = found.get_mut(at) {
                *place = Some(id);
            }
        }
        if !is_sure {
            self.ask_for_entries(from, &paths, &mut found, deadline)?;
        }
        for at in missing {
            if let (Some(Some(id)), Some(Some(path))) = (found.get(at).copied(), paths.get(at)) {
                self.remember(LastCommit(from, path.clone()), || Ok(Some(id)))?;
            }
        }
        Ok(found)
    }

    /// Asks Git for those that are not found, one after the other.
    fn ask_for_entries(
        &self,
        from: Oid,
        paths: &[Option<LookupPath>],
        found: &mut [Option<Oid>],
        deadline: Instant,
    ) -> Result<(), GitError> {
        for (path, found) in paths.iter().zip(found).filter(|(_, found)| found.is_none()) {
            let Some(path) = path else { continue };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let command = self.git("rev-list").arg("--max-count=1").arg(from.to_string()).paths([path.argument()]);
            match command.time(left).text() {
                Ok(line) => *found = line.trim().parse().ok(),
                Err(GitError::Timeout(_) | GitError::TooLarge(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The findings of the walk. `true` if Git has to be asked for nothing more: all is found, or the time is over.
    fn walk_entries(&self, from: Oid, wanted: &Wanted<'_>, missing: &[usize]) -> Walked<(Vec<(usize, Oid)>, bool)> {
        let most = self.limits().reads.walked_commits;
        let mut walk = Walk::begin(History::of(self)?, from, wanted, missing)?;
        loop {
            let Some((node, held)) = walk.next() else { return Ok((walk.found, true)) };
            if Instant::now() >= wanted.deadline {
                return Ok((walk.found, true));
            }
            match walk.history.step().and_then(|steps| if steps > most { Err(Unanswered::Unsure) } else { Ok(()) }) {
                Ok(()) => {}
                Err(Unanswered::Unsure) => return Ok((walk.found, false)),
                Err(failed) => return Err(failed),
            }
            match walk.pass_on(node, held) {
                Ok(()) => {}
                // The findings so far are valid.
                Err(Unanswered::Unsure) => return Ok((walk.found, false)),
                Err(failed) => return Err(failed),
            }
        }
    }
}

/// The entries that are asked for.
struct Wanted<'a> {
    folder: Option<&'a LookupPath>,
    names: &'a [&'a str],
    paths: &'a [Option<LookupPath>],
    deadline: Instant,
}

/// The mode and the object of a name in a directory.
type Entry = (Mode, Oid);

/// An entry that is looked for: the same wherever it is held.
struct Item {
    at: usize,
    entry: Entry,
    key: Option<Key>,
}

struct Walk<'a> {
    history: History,
    wanted: &'a Wanted<'a>,
    folder_key: Option<Key>,
    items: Vec<Item>,
    by_name: HashMap<Cow<'a, [u8]>, usize>,
    /// Commits that are next, the one that was made last first.
    waiting: BinaryHeap<(u64, Reverse<usize>, Node)>,
    order: usize,
    /// The items that each of them holds.
    held: HashMap<Node, Vec<usize>>,
    /// The directory as trees of commits have it.
    folders: HashMap<Oid, Option<Oid>>,
    found: Vec<(usize, Oid)>,
}

impl<'a> Walk<'a> {
    fn begin(history: History, from: Oid, wanted: &'a Wanted<'a>, missing: &[usize]) -> Walked<Self> {
        let mut walk = Self {
            history,
            wanted,
            folder_key: wanted.folder.and_then(|folder| Key::of(folder.as_kept())),
            items: Vec::new(),
            by_name: HashMap::new(),
            waiting: BinaryHeap::new(),
            order: 0,
            held: HashMap::new(),
            folders: HashMap::new(),
            found: Vec::new(),
        };
        let start = walk.history.node(from)?;
        let tree = walk.history.tree(start)?;
        let own = walk.folder(tree)?.ok_or(Unanswered::Unsure)?;
        let mut there = HashMap::new();
        walk.each_entry(own, |name, entry| {
            there.insert(name.to_vec(), entry);
        })?;
        for at in missing {
            let (Some(name), Some(Some(path))) = (wanted.names.get(*at), wanted.paths.get(*at)) else { continue };
            let Some(name) = bytes_of(name) else { continue };
            let Some(entry) = there.get(name.as_ref()) else { continue };
            walk.by_name.insert(name, walk.items.len());
            walk.items.push(Item { at: *at, entry: *entry, key: Key::of(path.as_kept()) });
        }
        walk.give(start, (0..walk.items.len()).collect())?;
        Ok(walk)
    }

    /// The next commit, with the items that it holds.
    fn next(&mut self) -> Option<(Node, Vec<usize>)> {
        loop {
            let (_, _, node) = self.waiting.pop()?;
            if let Some(held) = self.held.remove(&node) {
                return Some((node, held));
            }
        }
    }

    fn give(&mut self, node: Node, items: Vec<usize>) -> Walked<()> {
        if items.is_empty() {
            return Ok(());
        }
        if let Some(held) = self.held.get_mut(&node) {
            held.extend(items);
            return Ok(());
        }
        let seconds = self.history.seconds(node)?;
        self.held.insert(node, items);
        self.waiting.push((seconds, Reverse(self.order), node));
        self.order += 1;
        Ok(())
    }

    /// Gives the entries that a commit holds to its parents, and marks as found those that none of them has.
    fn pass_on(&mut self, node: Node, held: Vec<usize>) -> Walked<()> {
        let parents = self.history.parents(node)?;
        let mut left = held;
        if let Some(first) = parents.first() {
            let (alone, rest) = self.left_alone(node, left)?;
            self.give(*first, alone)?;
            left = rest;
        }
        let tree = self.history.tree(node)?;
        for parent in &parents {
            if left.is_empty() {
                return Ok(());
            }
            let theirs = self.history.tree(*parent)?;
            let is_same = theirs == tree || self.folder(theirs)? == self.folder(tree)?;
            let (same, rest) = if is_same { (left, Vec::new()) } else { self.compare(theirs, left)? };
            self.give(*parent, same)?;
            left = rest;
        }
        if !left.is_empty() {
            let id = self.history.id(node)?;
            let places = left.iter().filter_map(|item| self.items.get(*item)).map(|item| (item.at, id));
            self.found.extend(places);
        }
        Ok(())
    }

    /// Which of these items a commit certainly has from its first parent, and which ones have to be compared.
    fn left_alone(&mut self, node: Node, items: Vec<usize>) -> Walked<(Vec<usize>, Vec<usize>)> {
        if self.history.outside(node).is_some() {
            return Ok((Vec::new(), items));
        }
        if let Some(key) = self.folder_key
            && self.history.graph.leaves_alone(node, key)?
        {
            return Ok((items, Vec::new()));
        }
        let (mut alone, mut rest) = (Vec::new(), Vec::new());
        for item in items {
            let key = self.items.get(item).and_then(|item| item.key);
            let is_alone = match key {
                Some(key) => self.history.graph.leaves_alone(node, key)?,
                None => false,
            };
            if is_alone { alone.push(item) } else { rest.push(item) }
        }
        Ok((alone, rest))
    }

    /// Which of these items a commit with this tree has as well.
    fn compare(&mut self, tree: Oid, items: Vec<usize>) -> Walked<(Vec<usize>, Vec<usize>)> {
        let Some(folder) = self.folder(tree)? else { return Ok((Vec::new(), items)) };
        let mut has = vec![false; self.items.len()];
        let (by_name, known) = (std::mem::take(&mut self.by_name), std::mem::take(&mut self.items));
        let read = self.each_entry(folder, |name, entry| {
            let item = by_name.get(name).copied();
            if let Some(at) = item
                && known.get(at).is_some_and(|item| item.entry == entry)
                && let Some(has) = has.get_mut(at)
            {
                *has = true;
            }
        });
        (self.by_name, self.items) = (by_name, known);
        read?;
        Ok(items.into_iter().partition(|item| has.get(*item).copied().unwrap_or_default()))
    }

    /// The directory below this tree; `None` if there is none.
    fn folder(&mut self, tree: Oid) -> Walked<Option<Oid>> {
        let Some(folder) = self.wanted.folder else { return Ok(Some(tree)) };
        if let Some(known) = self.folders.get(&tree) {
            return Ok(*known);
        }
        let mut at = Some(tree);
        for name in folder.as_kept().split('/') {
            let (Some(above), Some(name)) = (at, bytes_of(name)) else { break };
            let mut below = None;
            self.each_entry(above, |other, (mode, id)| {
                if other == name.as_ref() && !mode.is_blob() {
                    below = Some(id);
                }
            })?;
            at = below;
        }
        self.folders.insert(tree, at);
        Ok(at)
    }

    fn each_entry(&mut self, tree: Oid, mut see: impl FnMut(&[u8], Entry)) -> Walked<()> {
        match self.history.objects.small(tree, LARGEST)? {
            Some((Header { kind: ObjectKind::Tree, .. }, Some(content))) => {
                for entry in stored_entries(&content) {
                    let (mode, name, id) = entry.ok_or(Unanswered::Unsure)?;
                    see(name, (Mode::read(mode).ok_or(Unanswered::Unsure)?, id));
                }
                Ok(())
            }
            // An object that is no directory any more has no entries.
            Some((Header { kind: ObjectKind::Blob | ObjectKind::Commit, .. }, _)) => Ok(()),
            _ => Err(Unanswered::Unsure),
        }
    }
}
