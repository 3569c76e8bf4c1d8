//! Directories.

use std::sync::Arc;

use tenon_domain::file_path::{FilePath, bytes_of, kept};
use tenon_domain::page::{Page, PageRequest};

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::commit::parse;
use crate::error::GitError;
use crate::mode::Mode;
use crate::objects::{Header, ObjectKind, Objects};
use crate::oid::Oid;
use crate::remembered::{Question, Size};
use crate::repository::Repository;
use crate::stored_tree::{StoredEntry, stored_entries};
use crate::tree_path::LookupPath;

/// The type of an entry of a directory, in the order of listings.
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
    /// The type of the entry.
    pub kind: EntryKind,
    /// Six octal digits, such as `100644`: those that Git shows, whatever others are stored.
    pub mode: String,
    /// From the top of the repository.
    pub path: FilePath,
    /// The bytes of a file; `None` if they were not asked for.
    pub size: Option<u64>,
}

impl TreeEntry {
    /// The last component of the path, in its kept form.
    #[must_use]
    pub fn kept_name(&self) -> &str {
        self.path.as_kept().rsplit('/').next().unwrap_or_default()
    }

    /// True if it is a symbolic link.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.mode == Mode::Link.digits()
    }
}

impl Size for TreeEntry {
    fn size(&self) -> usize {
        size_of::<Self>() + self.path.size() + self.mode.len()
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

/// The content of a directory of a commit.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Listing {
    commit: Oid,
    folder: Option<LookupPath>,
    depth: Depth,
}

impl Question for Listing {
    type Answer = Option<Vec<TreeEntry>>;
}

/// The entry at a path of a commit.
#[derive(Debug, PartialEq, Eq, Hash)]
struct EntryAt(Oid, LookupPath);

impl Question for EntryAt {
    type Answer = Option<TreeEntry>;
}

/// Bytes of a line of `ls-tree` that are read: a push brings no longer paths than 4,096 bytes.
const LINE: usize = 5 << 10;
/// Bytes of a commit that is read for the name of its tree.
const COMMIT: u64 = 256 << 10;
/// Bytes of a tree that are read. A push may bring far less.
const LARGEST: u64 = 64 << 20;

impl Repository {
    /// A page of the entries of `path`, or of the top, in `commit`: directories, then files, then submodules, each by
    /// path. `None` if there is no such directory.
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
        Ok(Some(Page::cut(entries, page).map(TreeEntry::clone)))
    }

    /// All entries of `path`, or of the top, in `commit`, in Git's order. `None` if there is no such directory. Fails
    /// with [`GitError::TooLarge`] if these, with everything below, are more than `reads.tree_entries`.
    pub fn tree_entries(
        &self,
        commit: Oid,
        path: Option<&LookupPath>,
        depth: Depth,
    ) -> Result<Arc<Option<Vec<TreeEntry>>>, GitError> {
        self.tree_entries_by(&mut self.objects(), commit, path, depth)
    }

    fn tree_entries_by(
        &self,
        objects: &mut Objects,
        commit: Oid,
        path: Option<&LookupPath>,
        depth: Depth,
    ) -> Result<Arc<Option<Vec<TreeEntry>>>, GitError> {
        self.remember(Listing { commit, folder: path.cloned(), depth }, || {
            let prefix = path.map(|path| format!("{}/", path.as_kept())).unwrap_or_default();
            match depth {
                Depth::One => {
                    let Some(content) = read_tree(objects, commit, path)? else { return Ok(None) };
                    stored(&content, &prefix).map(Some).ok_or(GitError::Unexpected("cat-file"))
                }
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

    /// The tree of a directory; `None` if there is no such directory.
    pub(crate) fn tree_id(&self, commit: Oid, path: Option<&LookupPath>) -> Result<Option<Oid>, GitError> {
        tree_behind(&mut self.objects(), commit, path)
    }

    /// The entry at `path` in `commit`; `None` if there is none.
    pub fn tree_entry(&self, commit: Oid, path: &LookupPath) -> Result<Option<TreeEntry>, GitError> {
        self.tree_entry_by(&mut self.objects(), commit, path)
    }

    pub(crate) fn tree_entry_by(
        &self,
        objects: &mut Objects,
        commit: Oid,
        path: &LookupPath,
    ) -> Result<Option<TreeEntry>, GitError> {
        let (folder, name) = path.as_kept().rsplit_once('/').unwrap_or(("", path.as_kept()));
        let folder = LookupPath::parse(folder);
        let listed = self.recall(&Listing { commit, folder: folder.clone(), depth: Depth::One });
        if let Some(listed) = listed {
            return Ok(listed.iter().flatten().find(|entry| entry.path == *path.file()).cloned());
        }
        let found = self.remember(EntryAt(commit, path.clone()), || {
            let Some(content) = read_tree(objects, commit, folder.as_ref())? else { return Ok(None) };
            let name = bytes_of(name);
            for entry in stored_entries(&content) {
                let entry = entry.ok_or(GitError::Unexpected("cat-file"))?;
                if Some(entry.1) == name.as_deref() {
                    let entry = tree_entry(entry, path.file().clone());
                    return entry.map(Some).ok_or(GitError::Unexpected("cat-file"));
                }
            }
            Ok(None)
        })?;
        Ok((*found).clone())
    }

    /// The path as this commit has it. In JSON and on pages, a name that is no UTF-8 has U+FFFD. Each component with
    /// that character stands for the name of exactly these bytes, or else for the first one that is shown so.
    pub fn exact_path(&self, commit: Oid, path: LookupPath) -> Result<LookupPath, GitError> {
        if !path.as_kept().contains(REPLACED) {
            return Ok(path);
        }
        let (mut objects, mut found) = (self.objects(), String::new());
        for name in path.as_kept().split('/') {
            let mut exact = name.to_owned();
            if name.contains(REPLACED) {
                let folder = LookupPath::parse(&found);
                let Some(content) = read_tree(&mut objects, commit, folder.as_ref())? else { return Ok(path) };
                exact = name_shown_as(&content, name).unwrap_or(exact);
            }
            let between = if found.is_empty() { "" } else { "/" };
            found = format!("{found}{between}{exact}");
        }
        Ok(LookupPath::parse(&found).unwrap_or(path))
    }
}

/// The character that is shown for bytes that are no UTF-8.
const REPLACED: char = '\u{fffd}';

/// The name in this directory that has exactly these bytes, or else the first one that is shown so, in its kept form.
fn name_shown_as(content: &[u8], name: &str) -> Option<String> {
    let wanted = bytes_of(name)?;
    let names = || stored_entries(content).flatten().map(|(_, name, _)| name);
    let found = names().find(|it| *it == wanted.as_ref()).or_else(|| names().find(|it| lossy(it) == name));
    found.map(kept)
}

/// The tree of a directory, or the one at the top; `None` if there is none.
fn tree_behind(objects: &mut Objects, commit: Oid, path: Option<&LookupPath>) -> Result<Option<Oid>, GitError> {
    let name = match path {
        Some(path) => format!("{commit}:{}", path.as_kept()),
        // Git would keep the tree in memory that it finds by a name.
        None => match objects.small(commit, COMMIT)? {
            None => return Ok(None),
            Some((Header { kind: ObjectKind::Commit, .. }, Some(content))) => {
                return parse::tree(&content).map(Some).ok_or(GitError::Unexpected("cat-file"));
            }
            Some(_) => format!("{commit}^{{tree}}"),
        },
    };
    Ok(objects.header(&name)?.filter(|header| header.kind == ObjectKind::Tree).map(|header| header.oid))
}

/// The content of the tree of a directory, or of the one at the top; `None` if there is none.
fn read_tree(objects: &mut Objects, commit: Oid, path: Option<&LookupPath>) -> Result<Option<Vec<u8>>, GitError> {
    let Some(tree) = tree_behind(objects, commit, path)? else { return Ok(None) };
    match objects.small(tree, LARGEST)? {
        Some((Header { kind: ObjectKind::Tree, .. }, Some(content))) => Ok(Some(content)),
        Some((Header { kind: ObjectKind::Tree, .. }, None)) => Err(GitError::TooLarge("cat-file")),
        _ => Ok(None),
    }
}

/// The entries of a tree; `None` if it is damaged.
fn stored(content: &[u8], prefix: &str) -> Option<Vec<TreeEntry>> {
    let entry = |entry: StoredEntry<'_>| tree_entry(entry, below(prefix, entry.1));
    stored_entries(content).map(|it| it.and_then(entry)).collect()
}

/// The path of a name below the path of this kept form.
fn below(prefix: &str, name: &[u8]) -> FilePath {
    match bytes_of(prefix) {
        Some(prefix) if !prefix.is_empty() => FilePath::from_bytes(&[prefix.as_ref(), name].concat()),
        _ => FilePath::from_bytes(name),
    }
}

fn tree_entry((mode, _, id): StoredEntry<'_>, path: FilePath) -> Option<TreeEntry> {
    let mode = Mode::read(mode)?;
    let kind = match mode {
        Mode::Tree => EntryKind::Tree,
        Mode::Submodule => EntryKind::Commit,
        Mode::File | Mode::Program | Mode::Link => EntryKind::Blob,
    };
    Some(TreeEntry { id, kind, mode: mode.digits().to_owned(), path, size: None })
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
    Some(TreeEntry { id, kind, mode, path: below(prefix, name), size })
}
