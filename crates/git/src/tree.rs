//! Directories.

use std::sync::Arc;

use tenon_domain::page::{Page, PageRequest};

use crate::branch::size;
use crate::command::budget::Budget;
use crate::command::lossy;
use crate::error::GitError;
use crate::objects::{Header, ObjectKind, Session};
use crate::oid::Oid;
use crate::remembered::Question;
use crate::repository::Repository;
use crate::tree_path::LookupPath;

/// What an entry of a directory is; in the order in which they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A directory.
    Tree,
    /// A file or symbolic link.
    Blob,
    /// A submodule.
    Commit,
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The object's name.
    pub id: Oid,
    /// What it is.
    pub kind: EntryKind,
    /// Six octal digits, such as `100644`.
    pub mode: String,
    /// From the top of the repository; replaced where it was no UTF-8.
    pub path: String,
    /// The bytes of a file, when they were asked for.
    pub size: Option<u64>,
}

impl TreeEntry {
    /// The last component of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether it is a symbolic link.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.mode == "120000"
    }
}

/// How far a listing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Depth {
    /// The directory itself.
    One,
    /// Everything below it.
    All,
}

/// Bytes of a line of `ls-tree` that are read: a push brings no longer paths than 4,096 bytes.
const LINE: usize = 5 << 10;
/// Bytes of a tree that are read. A push may bring far less.
const LARGEST: u64 = 64 << 20;

impl Repository {
    /// A page of what lies in `path`, or at the top, of `commit`: directories, then files, then submodules, each by path.
    /// `None` when there is no such directory.
    pub fn tree(
        &self,
        commit: Oid,
        path: Option<&LookupPath>,
        depth: Depth,
        page: PageRequest,
    ) -> Result<Option<Page<TreeEntry>>, GitError> {
        let Some(entries) = &*self.tree_entries(commit, path, depth)? else { return Ok(None) };
        let mut entries: Vec<&TreeEntry> = entries.iter().collect();
        entries.sort_by(|one, other| one.kind.cmp(&other.kind).then_with(|| one.path.cmp(&other.path)));
        let total = i64::try_from(entries.len()).unwrap_or(i64::MAX);
        let items = entries.into_iter().skip(size(page.offset())).take(size(page.per_page())).cloned().collect();
        Ok(Some(Page { items, total, request: page }))
    }

    /// Everything that lies in `path`, or at the top, of `commit`, in Git's order. `None` when there is no such directory.
    /// Fails with [`GitError::TooLarge`] where that, with everything below, has more than `reads.tree_entries`.
    pub fn tree_entries(
        &self,
        commit: Oid,
        path: Option<&LookupPath>,
        depth: Depth,
    ) -> Result<Arc<Option<Vec<TreeEntry>>>, GitError> {
        self.tree_entries_by(&mut self.session(), commit, path, depth)
    }

    fn tree_entries_by(
        &self,
        session: &mut Session<'_>,
        commit: Oid,
        path: Option<&LookupPath>,
        depth: Depth,
    ) -> Result<Arc<Option<Vec<TreeEntry>>>, GitError> {
        self.remember(Question::Tree(commit, path.cloned(), depth), || {
            let prefix = path.map(|path| format!("{}/", path.as_str())).unwrap_or_default();
            match depth {
                Depth::One => read_tree(session, &tree_name(commit, path), &prefix),
                Depth::All => {
                    let Some(tree) = self.tree_id(commit, path)? else { return Ok(None) };
                    let command = self.git("ls-tree").args(["-z", "--full-tree", "-r", "-t"]);
                    let mut records = command.operands([tree.to_string()]).budget(Budget::Long).stream()?.records();
                    let (mut entries, most) = (Vec::new(), self.limits().reads.tree_entries);
                    while let Some(line) = records.next(0, LINE)? {
                        if entries.len() == most {
                            return Err(GitError::TooLarge("ls-tree"));
                        }
                        entries.push(entry(&line, &prefix).ok_or(GitError::Unexpected("ls-tree"))?);
                    }
                    Ok(Some(entries))
                }
            }
        })
    }

    /// Files below the top of `commit`, with their sizes: all of them, or as many as one commit may change.
    pub fn files(&self, commit: Oid) -> Result<Vec<TreeEntry>, GitError> {
        let mut records = self
            .git("ls-tree")
            .args(["-z", "--full-tree", "-r", "-l"])
            .operands([format!("{commit}^{{tree}}")])
            .budget(Budget::Long)
            .stream()?
            .records();
        let (mut files, most) = (Vec::new(), self.limits().push.files_per_commit);
        while files.len() < most
            && let Some(line) = records.next(0, LINE)?
        {
            files.push(entry(&line, "").ok_or(GitError::Unexpected("ls-tree"))?);
        }
        Ok(files)
    }

    /// The tree of a directory; `None` when there is no such directory.
    pub(crate) fn tree_id(&self, commit: Oid, path: Option<&LookupPath>) -> Result<Option<Oid>, GitError> {
        let name = tree_name(commit, path);
        Ok(self.objects()?.header(&name)?.filter(|header| header.kind == ObjectKind::Tree).map(|header| header.oid))
    }

    /// The entry at `path` in `commit`; `None` when there is none.
    pub fn tree_entry(&self, commit: Oid, path: &LookupPath) -> Result<Option<TreeEntry>, GitError> {
        self.tree_entry_by(&mut self.session(), commit, path)
    }

    pub(crate) fn tree_entry_by(
        &self,
        session: &mut Session<'_>,
        commit: Oid,
        path: &LookupPath,
    ) -> Result<Option<TreeEntry>, GitError> {
        let (folder, _) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        let entries = self.tree_entries_by(session, commit, LookupPath::parse(folder).as_ref(), Depth::One)?;
        Ok(entries.iter().flatten().find(|entry| entry.path == path.as_str()).cloned())
    }
}

/// How Git calls the tree of a directory, or the one at the top.
fn tree_name(commit: Oid, path: Option<&LookupPath>) -> String {
    match path {
        Some(path) => format!("{commit}:{}", path.as_str()),
        None => format!("{commit}^{{tree}}"),
    }
}

/// The entries of a tree; `None` when there is none of this name.
fn read_tree(session: &mut Session<'_>, name: &str, prefix: &str) -> Result<Option<Vec<TreeEntry>>, GitError> {
    match session.objects()?.content(name, LARGEST)? {
        Some((Header { kind: ObjectKind::Tree, .. }, Some(content))) => {
            stored(&content, prefix).map(Some).ok_or(GitError::Unexpected("cat-file"))
        }
        Some((Header { kind: ObjectKind::Tree, .. }, None)) => Err(GitError::TooLarge("cat-file")),
        _ => Ok(None),
    }
}

/// A tree as Git stores it: `<mode> <name>\0` and 20 bytes of the object's name, again and again.
fn stored(mut rest: &[u8], prefix: &str) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let blank = rest.iter().position(|byte| *byte == b' ')?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let mode = format!("{:0>6}", std::str::from_utf8(rest.get(..blank)?).ok()?);
        let name = rest.get(blank + 1..end)?;
        let id = Oid::from_raw(rest.get(end + 1..end + 21)?.try_into().ok()?);
        let kind = match mode.as_str() {
            "040000" => EntryKind::Tree,
            "160000" => EntryKind::Commit,
            _ => EntryKind::Blob,
        };
        entries.push(TreeEntry { id, kind, mode, path: format!("{prefix}{}", lossy(name)), size: None });
        rest = rest.get(end + 21..)?;
    }
    Some(entries)
}

/// `<mode> <kind> <oid>[ <size>]\t<path>`.
fn entry(line: &[u8], prefix: &str) -> Option<TreeEntry> {
    let end = line.iter().position(|byte| *byte == b'\t')?;
    let (head, name) = (line.get(..end)?, line.get(end + 1..)?);
    let head = std::str::from_utf8(head).ok()?;
    let mut words = head.split_ascii_whitespace();
    let mode = words.next()?.to_owned();
    let kind = match words.next()? {
        "tree" => EntryKind::Tree,
        "blob" => EntryKind::Blob,
        "commit" => EntryKind::Commit,
        _ => return None,
    };
    let id = words.next()?.parse().ok()?;
    let size = words.next().and_then(|size| size.parse().ok());
    Some(TreeEntry { id, kind, mode, path: format!("{prefix}{}", lossy(name)), size })
}
