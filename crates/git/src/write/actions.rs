//! A commit out of changes to files.

use std::collections::{BTreeMap, HashMap};

use tenon_domain::file_path::{bytes_of, kept};

use crate::error::GitError;
use crate::mode::Mode;
use crate::name::BranchName;
use crate::objects::{ObjectKind, Objects};
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;
use crate::stored_tree::{StoredEntry, stored_entries};
use crate::tree_path::{LookupPath, TreePath};
use crate::write::reference::RefChange;
use crate::write::{Refusal, WriteError};

/// A commit to be made.
#[derive(Debug, Clone)]
pub struct CommitRequest {
    /// The branch that it will be the tip of.
    pub branch: BranchName,
    /// The tip of the branch; `None` if the branch is to be made.
    pub tip: Option<Oid>,
    /// The parent of the commit; `None` for the first one of a repository.
    pub start: Option<Oid>,
    /// Who has written the change.
    pub author: Signature,
    /// Who makes the commit.
    pub committer: Signature,
    /// The message, as it will be stored.
    pub message: String,
    /// The changes, in order.
    pub actions: Vec<Action>,
}

/// A change to a file.
#[derive(Debug, Clone)]
pub enum Action {
    /// A new file.
    Create {
        /// The file, which must not be there.
        path: TreePath,
        /// Its content.
        content: Vec<u8>,
        /// True if the file is a program.
        executable: bool,
    },
    /// A file with this content, whether or not one is there.
    Put {
        /// The file.
        path: TreePath,
        /// Its content.
        content: Vec<u8>,
        /// True if it replaces a file that has another content.
        replaces: bool,
    },
    /// Another content.
    Update {
        /// The file, which must be there.
        path: TreePath,
        /// Its new content.
        content: Vec<u8>,
        /// The last commit that changed the file, if the caller has seen it.
        last_commit: Option<Oid>,
    },
    /// Another place.
    Move {
        /// Its path before.
        from: TreePath,
        /// Its path after.
        to: TreePath,
        /// Its new content; `None` if it stays the same.
        content: Option<Vec<u8>>,
        /// The last commit that changed the file, if the caller has seen it.
        last_commit: Option<Oid>,
    },
    /// No file any more.
    Delete {
        /// The file, which must be there.
        path: TreePath,
        /// The last commit that changed the file, if the caller has seen it.
        last_commit: Option<Oid>,
    },
    /// A program or not.
    Chmod {
        /// The file, which must be there.
        path: TreePath,
        /// True if the file becomes a program.
        executable: bool,
        /// The last commit that changed the file, if the caller has seen it.
        last_commit: Option<Oid>,
    },
    /// Another commit of a submodule, which must be there.
    Submodule {
        /// The path of the submodule.
        path: TreePath,
        /// The commit in the other repository.
        commit: Oid,
    },
}

impl Repository {
    /// Makes the commit and moves the branch to it, all or nothing. Gives its name.
    ///
    /// The refusals are:
    ///
    /// - a file is there that is to be made, or is not there, or has changed, that is to be changed,
    /// - a file is to be made at the path of a directory,
    /// - the commit changes nothing ([`Refusal::Empty`]),
    /// - the message is too long,
    /// - the tip of the branch is not `tip`.
    pub fn commit_actions(&self, request: &CommitRequest) -> Result<Oid, WriteError> {
        let commit = self.prepare_commit(request)?;
        self.update_refs(&[RefChange::to(request.branch.full(), request.tip, commit)])?;
        Ok(commit)
    }

    /// As [`Repository::commit_actions`], and the commit may change nothing.
    pub fn commit_even_unchanged(&self, request: &CommitRequest) -> Result<Oid, WriteError> {
        let commit = self.made_commit(request)?;
        self.update_refs(&[RefChange::to(request.branch.full(), request.tip, commit)])?;
        Ok(commit)
    }

    /// Makes the commit, which no ref names yet. Refusals as in [`Repository::commit_actions`], but for those of the
    /// branch.
    pub fn prepare_commit(&self, request: &CommitRequest) -> Result<Oid, WriteError> {
        let commit = self.made_commit(request)?;
        let before = match request.start {
            Some(start) => self.tree_of(start)?,
            None => Oid::EMPTY_TREE,
        };
        if self.tree_of(commit)? == before {
            return Err(Refusal::Empty.into());
        }
        Ok(commit)
    }

    fn made_commit(&self, request: &CommitRequest) -> Result<Oid, WriteError> {
        self.check_message(&request.message)?;
        let mut files = Files::new(self, request.start);
        for action in &request.actions {
            files.apply(action)?;
        }
        Ok(self.import_commit(request, &files.changes)?)
    }
}

/// A file of the commit that is being made.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) mode: Mode,
    pub(super) content: Content,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Old(Oid),
    New(Vec<u8>),
}

/// The entries of a directory by their names.
type Entries = HashMap<Vec<u8>, (Mode, Oid)>;

/// The changes of the commit so far, by the kept forms of paths; `None` stands for a file that is gone.
struct Files<'a> {
    repository: &'a Repository,
    start: Option<Oid>,
    objects: Objects,
    folders: HashMap<String, Entries>,
    changes: BTreeMap<String, Option<File>>,
}

impl<'a> Files<'a> {
    fn new(repository: &'a Repository, start: Option<Oid>) -> Self {
        let (folders, changes) = (HashMap::new(), BTreeMap::new());
        Self { repository, start, objects: repository.objects(), folders, changes }
    }

    fn apply(&mut self, action: &Action) -> Result<(), WriteError> {
        match action {
            Action::Create { path, content, executable } => {
                self.create(path, File { mode: file_mode(*executable), content: Content::New(content.clone()) })
            }
            Action::Put { path, content, replaces } => self.put(path, content, *replaces),
            Action::Update { path, content, last_commit } => {
                let file = self.existing(path, *last_commit)?;
                self.set(path, Some(File { content: Content::New(content.clone()), ..file }));
                Ok(())
            }
            Action::Move { from, to, content, last_commit } => {
                let file = self.existing(from, *last_commit)?;
                self.set(from, None);
                let content = content.clone().map_or(file.content, Content::New);
                self.create(to, File { mode: file.mode, content })
            }
            Action::Delete { path, last_commit } => {
                self.existing(path, *last_commit)?;
                self.set(path, None);
                Ok(())
            }
            Action::Chmod { path, executable, last_commit } => {
                let file = self.existing(path, *last_commit)?;
                self.set(path, Some(File { mode: file_mode(*executable), ..file }));
                Ok(())
            }
            Action::Submodule { path, commit } => {
                let missing = || Refusal::FileMissing(path.to_string());
                let file =
                    self.find(path.as_kept())?.filter(|file| file.mode == Mode::Submodule).ok_or_else(missing)?;
                self.set(path, Some(File { content: Content::Old(*commit), ..file }));
                Ok(())
            }
        }
    }

    fn set(&mut self, path: &TreePath, file: Option<File>) {
        self.changes.insert(path.as_kept().to_owned(), file);
    }

    fn create(&mut self, path: &TreePath, file: File) -> Result<(), WriteError> {
        for parent in path.parents() {
            if self.find(parent)?.is_some_and(|file| file.mode != Mode::Tree) {
                return Err(Refusal::DirectoryFileConflict.into());
            }
        }
        match self.find(path.as_kept())? {
            Some(found) if found.mode == Mode::Tree => Err(Refusal::DirectoryFileConflict.into()),
            Some(_) => Err(Refusal::FileExists(path.to_string()).into()),
            None => {
                self.set(path, Some(file));
                Ok(())
            }
        }
    }

    /// Makes a file, or replaces the one that is there. A program stays one; a symbolic link becomes a file.
    fn put(&mut self, path: &TreePath, content: &[u8], replaces: bool) -> Result<(), WriteError> {
        let new = |mode| File { mode, content: Content::New(content.to_vec()) };
        let Some(found) = self.find(path.as_kept())?.filter(|found| found.mode.is_blob()) else {
            return self.create(path, new(Mode::File));
        };
        if self.holds(&found, content)? {
            return Ok(());
        }
        if !replaces {
            return Err(Refusal::FileExists(path.to_string()).into());
        }
        self.set(path, Some(new(if found.mode == Mode::Program { Mode::Program } else { Mode::File })));
        Ok(())
    }

    /// True if a file has this content.
    fn holds(&mut self, file: &File, content: &[u8]) -> Result<bool, GitError> {
        match &file.content {
            _ if file.mode == Mode::Link => Ok(false),
            Content::New(bytes) => Ok(bytes == content),
            Content::Old(id) => {
                let limit = u64::try_from(content.len()).unwrap_or(u64::MAX);
                let found = self.objects.blob(&id.to_string(), limit)?;
                Ok(found.and_then(|blob| blob.content).is_some_and(|bytes| bytes == content))
            }
        }
    }

    /// A file that is there, unless it has changed since the caller has seen it.
    fn existing(&mut self, path: &TreePath, last_commit: Option<Oid>) -> Result<File, WriteError> {
        let missing = || Refusal::FileMissing(path.to_string());
        let file = self.find(path.as_kept())?.filter(|file| file.mode.is_blob()).ok_or_else(missing)?;
        if let (Some(seen), Some(start)) = (last_commit, self.start) {
            let last = self.repository.last_commit_id(start, &LookupPath::from(path))?;
            // A file that this very commit has made has no last commit.
            if last.is_some_and(|last| last != seen) {
                return Err(Refusal::FileChanged(path.to_string()).into());
            }
        }
        Ok(file)
    }

    /// The entry at `path` now: a file, or a directory, whose content then says nothing.
    fn find(&mut self, path: &str) -> Result<Option<File>, GitError> {
        if let Some(changed) = self.changes.get(path)
            && changed.is_some()
        {
            return Ok(changed.clone());
        }
        let below = format!("{path}/");
        let mut below = self.changes.range(below.clone()..).take_while(|(path, _)| path.starts_with(&below));
        if below.any(|(_, file)| file.is_some()) {
            return Ok(Some(File { mode: Mode::Tree, content: Content::Old(Oid::EMPTY_TREE) }));
        }
        if self.changes.contains_key(path) {
            return Ok(None);
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let entry = bytes_of(name).map_or(Ok(None), |name| Ok(self.folder(folder)?.get(name.as_ref()).copied()))?;
        let Some((mode, oid)) = entry else { return Ok(None) };
        if mode == Mode::Tree && self.is_emptied(path)? {
            return Ok(None);
        }
        Ok(Some(File { mode, content: Content::Old(oid) }))
    }

    /// True if everything in a directory has been removed by this commit.
    fn is_emptied(&mut self, folder: &str) -> Result<bool, GitError> {
        let entries: Vec<(Vec<u8>, Mode)> =
            self.folder(folder)?.iter().map(|(name, (mode, _))| (name.clone(), *mode)).collect();
        for (name, mode) in entries {
            let path = format!("{folder}/{}", kept(&name));
            let is_gone = if mode == Mode::Tree {
                self.is_emptied(&path)?
            } else {
                matches!(self.changes.get(&path), Some(None))
            };
            if !is_gone {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The entries of a directory before this commit; none if there is no such directory.
    fn folder(&mut self, path: &str) -> Result<&Entries, GitError> {
        if !self.folders.contains_key(path) {
            let mut entries = HashMap::new();
            if let Some(start) = self.start {
                let name = if path.is_empty() { format!("{start}^{{tree}}") } else { format!("{start}:{path}") };
                let found =
                    self.objects.content(&name, u64::MAX)?.filter(|(header, _)| header.kind == ObjectKind::Tree);
                if let Some((_, Some(content))) = found {
                    entries = parse_tree(&content).ok_or(GitError::Unexpected("cat-file"))?;
                }
            }
            self.folders.insert(path.to_owned(), entries);
        }
        self.folders.get(path).ok_or(GitError::Unexpected("cat-file"))
    }
}

fn file_mode(is_executable: bool) -> Mode {
    if is_executable { Mode::Program } else { Mode::File }
}

/// The entries of a tree; `None` if it is damaged.
fn parse_tree(content: &[u8]) -> Option<Entries> {
    let entry = |(mode, name, oid): StoredEntry<'_>| Some((name.to_vec(), (Mode::read(mode)?, oid)));
    stored_entries(content).map(|it| it.and_then(entry)).collect()
}
