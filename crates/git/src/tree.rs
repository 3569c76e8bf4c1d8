//! Directories (reference, repository-git-webhooks, section 12).

use tenon_domain::page::{Page, PageRequest};

use crate::branch::size;
use crate::command::budget::Budget;
use crate::command::lossy;
use crate::error::GitError;
use crate::objects::ObjectKind;
use crate::oid::Oid;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The directory itself.
    One,
    /// Everything below it.
    All,
}

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
        let Some(mut entries) = self.tree_entries(commit, path, depth)? else { return Ok(None) };
        entries.sort_by(|one, other| one.kind.cmp(&other.kind).then_with(|| one.path.cmp(&other.path)));
        let total = i64::try_from(entries.len()).unwrap_or(i64::MAX);
        let items = entries.into_iter().skip(size(page.offset())).take(size(page.per_page())).collect();
        Ok(Some(Page { items, total, request: page }))
    }

    /// Everything that lies in `path`, or at the top, of `commit`, in Git's order. `None` when there is no such directory.
    pub fn tree_entries(
        &self,
        commit: Oid,
        path: Option<&LookupPath>,
        depth: Depth,
    ) -> Result<Option<Vec<TreeEntry>>, GitError> {
        let prefix = path.map(|path| format!("{}/", path.as_str())).unwrap_or_default();
        let Some(tree) = self.tree_id(commit, path)? else { return Ok(None) };
        let recursive: &[&str] = if depth == Depth::All { &["-r", "-t"] } else { &[] };
        let output =
            self.git("ls-tree").args(["-z", "--full-tree"]).args(recursive).operands([tree.to_string()]).bytes()?;
        parse(&output, &prefix).map(Some)
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
            && let Some(line) = records.next(0, usize::MAX)?
        {
            files.push(entry(&line, "").ok_or(GitError::Unexpected("ls-tree"))?);
        }
        Ok(files)
    }

    /// The tree of a directory; `None` when there is no such directory.
    pub(crate) fn tree_id(&self, commit: Oid, path: Option<&LookupPath>) -> Result<Option<Oid>, GitError> {
        let name = match path {
            Some(path) => format!("{commit}:{}", path.as_str()),
            None => format!("{commit}^{{tree}}"),
        };
        Ok(self.objects()?.header(&name)?.filter(|header| header.kind == ObjectKind::Tree).map(|header| header.oid))
    }

    /// The entry at `path` in `commit`; `None` when there is none.
    pub fn tree_entry(&self, commit: Oid, path: &LookupPath) -> Result<Option<TreeEntry>, GitError> {
        let (folder, _) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        let entries = self.tree_entries(commit, LookupPath::parse(folder).as_ref(), Depth::One)?;
        Ok(entries.into_iter().flatten().find(|entry| entry.path == path.as_str()))
    }
}

/// `<mode> <kind> <oid>[ <size>]\t<path>`, each ended by a NUL.
fn parse(output: &[u8], prefix: &str) -> Result<Vec<TreeEntry>, GitError> {
    let lines = output.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    lines.map(|line| entry(line, prefix).ok_or(GitError::Unexpected("ls-tree"))).collect()
}

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
