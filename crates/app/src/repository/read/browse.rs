//! Directories and files as pages show them: under addresses that name a branch, tag or commit together with a path.

use std::collections::HashMap;
use std::time::Duration;

use tenon_domain::file_path::FilePath;
use tenon_domain::limits::PageLimits;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::settings::DiffRules;
use tenon_git::blob::Blob;
use tenon_git::diff::{DiffLimits, FileDiff};
use tenon_git::language::of_path;
use tenon_git::tree::{Depth, EntryKind, TreeEntry};
use tenon_git::{LookupPath, Oid, Resolved, ResolvedKind};

pub use tenon_git::RefKind;

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::repository::read::code_owners::{PathOwners, owners_of};
use crate::repository::read::commit::{CommitView, found_commit};
use crate::repository::read::context::{Code, RepositoryContext};
use crate::repository::read::file::Content;
use crate::repository::read::sidebar::{FileTree, file_tree};
use crate::repository::read::sides::Sides;
use crate::repository::read::tree::EntryView;

/// How long the last commits of the entries of one directory are looked for, if they are all that is asked for.
const ALL_LAST_COMMITS: Duration = Duration::from_secs(10);

/// Files of a commit whose differences a page shows, and how long Git may compare.
const DIFF_FILES: usize = 300;
const DIFF_TIME: Duration = Duration::from_secs(10);

/// Branches, and tags, that a page offers to switch to.
const OFFERED: usize = 100;

/// The part of an address behind the project and the kind of page.
#[derive(Debug, Clone, Default)]
pub struct Address {
    /// A branch, tag or commit, and a path in it, decoded to its kept form ([`tenon_domain::file_path`]). The top of
    /// the default branch if there are none.
    pub segments: Vec<String>,
    /// Only names of this kind are meant.
    pub only: Option<RefKind>,
}

/// The commit that the first part of an address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCommit {
    /// A branch, a tag, another ref, or digits of a commit, or any of these with steps back, as addresses write it.
    pub name: String,
    /// Of what kind it is; `None` for a commit, or `HEAD`.
    pub kind: Option<RefKind>,
    /// The commit behind it.
    pub commit_id: String,
}

/// The target of an address.
#[derive(Debug, Clone)]
pub struct Located {
    /// The commit.
    pub at: NamedCommit,
    /// From the top of the repository; empty at the top.
    pub path: FilePath,
}

/// The result of a request for a page.
#[derive(Debug, Clone)]
pub enum Browsed<T> {
    /// The subject of the page.
    Found(T),
    /// The other kind: a file if a directory was asked for, or a directory if a file was.
    Other(Located),
    /// There is no commit yet.
    Empty,
}

/// Names of branches and tags, by name.
#[derive(Debug, Clone, Default)]
pub struct RefNames {
    /// Some branches.
    pub branches: Vec<String>,
    /// Some tags.
    pub tags: Vec<String>,
    /// True if there are more of either.
    pub has_more: bool,
}

/// An entry of a directory.
#[derive(Debug, Clone)]
pub struct DirectoryEntry {
    /// The entry itself.
    pub entry: EntryView,
    /// The last commit that changed it, if that was found out in time.
    pub last: Option<CommitView>,
}

/// The text that introduces a directory.
#[derive(Debug, Clone)]
pub struct Readme {
    /// From the top of the repository.
    pub path: FilePath,
    /// Its bytes; `None` if there are more than pages show.
    pub content: Option<Vec<u8>>,
}

/// A directory.
#[derive(Debug, Clone)]
pub struct DirectoryPage {
    /// Its place.
    pub located: Located,
    /// The last commit that changed it; at the top the commit itself.
    pub last: Option<CommitView>,
    /// Its entries: directories, then files, then submodules.
    pub entries: Page<DirectoryEntry>,
    /// The file that introduces it.
    pub readme: Option<Readme>,
    /// The tree of files beside it.
    pub tree: FileTree,
    /// The other places to which one may go.
    pub refs: RefNames,
}

/// A file.
#[derive(Debug, Clone)]
pub struct FilePage {
    /// Its place.
    pub located: Located,
    /// The object with its content, by which its colours are known.
    pub blob: Oid,
    /// The last commit that changed it, if that was found out in time.
    pub last: Option<CommitView>,
    /// How many bytes it has.
    pub size: u64,
    /// The bytes; `None` if there are more than pages show.
    pub content: Option<Vec<u8>>,
    /// Its language, if its name decides.
    pub language: Option<&'static str>,
    /// Its code owners, as the file of the same commit says.
    pub owners: PathOwners,
    /// The tree of files beside it.
    pub tree: FileTree,
    /// True if it is a symbolic link, whose content is its target.
    pub is_link: bool,
    /// True if it may be executed.
    pub is_executable: bool,
    /// The other places to which one may go.
    pub refs: RefNames,
}

/// The bytes of a file.
#[derive(Debug, Clone)]
pub struct RawFile {
    /// The last component of its path.
    pub name: FilePath,
    /// Them.
    pub content: Content,
    /// The blob.
    pub blob_id: String,
    /// True if the address names them for ever, by a commit.
    pub is_fixed: bool,
}

/// The entries of a directory, with the last commit of each.
#[derive(Debug, Clone)]
pub struct DirectoryLog {
    /// Its place.
    pub located: Located,
    /// Its entries.
    pub entries: Page<DirectoryEntry>,
}

/// The directory at an address. 404 if it names nothing.
pub async fn directory(
    app: &App,
    code: &Code,
    address: Address,
    page: PageRequest,
) -> Result<Browsed<DirectoryPage>, AppError> {
    let (Code(code), PageLimits { text: most, last_commits, .. }) = (code.clone(), app.limits().pages.clone());
    app.read_git(move || {
        let place = match directory_at(&code, &address, page, last_commits.duration())? {
            Browsed::Found(place) => place,
            Browsed::Other(located) => return Ok(Browsed::Other(located)),
            Browsed::Empty => return Ok(Browsed::Empty),
        };
        let Directory { commit, located, path, entries, last } = place;
        let repository = &code.repository;
        let readme = match repository.readme(commit, path.as_ref())?.and_then(|path| LookupPath::try_from(&path).ok()) {
            Some(path) => repository
                .file_at(commit, &path, most)?
                .filter(|(entry, _)| !entry.is_link())
                .map(|(_, blob)| Readme { path: path.file().clone(), content: blob.content }),
            None => None,
        };
        let tree = file_tree(&code, commit, path.as_ref())?;
        Ok(Browsed::Found(DirectoryPage { located, last, entries, readme, tree, refs: offered(&code)? }))
    })
    .await
}

/// The entries of the directory at an address with their last commits, which are looked for much longer than for
/// [`directory`]. 404 if it names nothing.
pub async fn directory_log(
    app: &App,
    code: &Code,
    address: Address,
    page: PageRequest,
) -> Result<Browsed<DirectoryLog>, AppError> {
    let Code(code) = code.clone();
    app.on_git_long(move || {
        Ok(match directory_at(&code, &address, page, ALL_LAST_COMMITS)? {
            Browsed::Found(Directory { located, entries, .. }) => Browsed::Found(DirectoryLog { located, entries }),
            Browsed::Other(located) => Browsed::Other(located),
            Browsed::Empty => Browsed::Empty,
        })
    })
    .await
}

/// A directory with the last commits that were found in time.
struct Directory {
    commit: Oid,
    located: Located,
    path: Option<LookupPath>,
    entries: Page<DirectoryEntry>,
    last: Option<CommitView>,
}

fn directory_at(
    code: &RepositoryContext,
    address: &Address,
    page: PageRequest,
    time: Duration,
) -> Result<Browsed<Directory>, AppError> {
    let Some(Place { commit, located, path }) = locate(code, address)? else { return Ok(Browsed::Empty) };
    let repository = &code.repository;
    let Some(found) = repository.tree(commit, path.as_ref(), Depth::One, page)? else {
        let path = path.ok_or_else(missing)?;
        let entry = repository.tree_entry(commit, &path)?.filter(|entry| entry.kind == EntryKind::Blob);
        return entry.map(|_| Browsed::Other(located)).ok_or_else(missing);
    };
    let names: Vec<&str> = found.items.iter().map(TreeEntry::kept_name).collect();
    let mut last = repository.last_commits(commit, path.as_ref(), &names, time)?;
    last.push(own_last_commit(code, commit, path.as_ref(), time)?);
    let ids: Vec<Oid> = last.iter().flatten().copied().collect();
    let commits = views(code, &ids)?;
    let view = |id: Option<Oid>| id.and_then(|id| commits.get(&id).cloned());
    let own = last.pop().flatten();
    let mut last = last.into_iter();
    let entries = found.map(|entry| DirectoryEntry { entry: entry.into(), last: view(last.next().flatten()) });
    Ok(Browsed::Found(Directory { commit, located, path, last: view(own), entries }))
}

/// The file at an address. 404 if it names nothing.
pub async fn file_page(app: &App, code: &Code, address: Address) -> Result<Browsed<FilePage>, AppError> {
    let (Code(code), PageLimits { text: most, last_commits, .. }) = (code.clone(), app.limits().pages.clone());
    app.read_git(move || {
        let Some(Place { commit, located, path }) = locate(&code, &address)? else { return Err(missing()) };
        let Some(path) = path else { return Ok(Browsed::Other(located)) };
        let Some((entry, blob)) = code.repository.file_at(commit, &path, most)? else {
            let entry = code.repository.tree_entry(commit, &path)?.filter(|entry| entry.kind == EntryKind::Tree);
            return entry.map(|_| Browsed::Other(located)).ok_or_else(missing);
        };
        let last = own_last_commit(&code, commit, Some(&path), last_commits.duration())?;
        let last = views(&code, last.as_slice())?.into_values().next();
        let Blob { id: blob, size, content } = blob;
        let (is_link, is_executable) = (entry.is_link(), entry.mode == "100755");
        let (language, tree) = (of_path(path.as_kept()), file_tree(&code, commit, Some(&path))?);
        let (refs, owners) = (offered(&code)?, owners_of(&code.repository, commit, path.file())?);
        let found =
            FilePage { located, blob, last, size, content, language, owners, tree, is_link, is_executable, refs };
        Ok(Browsed::Found(found))
    })
    .await
}

/// The bytes of the file at an address, at once if there are at most `at_once`. 404 if it names no file.
pub async fn raw_file(app: &App, code: &Code, address: Address, at_once: u64) -> Result<RawFile, AppError> {
    let Code(code) = code.clone();
    app.read_git(move || {
        let Some(Place { commit, located, path: Some(path) }) = locate(&code, &address)? else { return Err(missing()) };
        let (entry, blob) = code.repository.file_at(commit, &path, at_once)?.ok_or_else(missing)?;
        Ok(RawFile {
            name: entry.path.name(),
            blob_id: blob.id.to_string(),
            content: Content::of(&code, blob),
            is_fixed: located.at.kind.is_none() && located.at.name == located.at.commit_id,
        })
    })
    .await
}

/// A commit, and what it changes against its first parent.
#[derive(Debug, Clone)]
pub struct CommitPage {
    /// The commit, with the lines that it adds and removes.
    pub commit: CommitView,
    /// The files that it changes.
    pub files: Vec<FileDiff>,
    /// True if there are more files, or more text, than pages show.
    pub is_cut: bool,
    /// Its first parent, or nothing, and the commit.
    pub sides: Sides,
}

/// A commit with what it changes. 404 if there is none.
pub async fn commit_page(
    app: &App,
    code: &Code,
    revision: String,
    white_space: WhiteSpace,
) -> Result<CommitPage, AppError> {
    let (Code(code), limits) = (code.clone(), diff_limits(app, white_space));
    app.on_git_long(move || {
        let commit = found_commit(&code, &revision, true)?;
        let id: Oid = commit.id.parse().map_err(AppError::internal)?;
        let before = commit.parent_ids.first().map(|parent| parent.parse().map_err(AppError::internal)).transpose()?;
        let sides = code.sides(before.unwrap_or(Oid::EMPTY_TREE), id);
        let diff = code.repository.diff(sides.before, sides.after, limits)?;
        Ok(CommitPage { commit, files: diff.files, is_cut: diff.overflow, sides })
    })
    .await
}

/// The meaning of white space in a comparison of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WhiteSpace {
    /// It does.
    #[default]
    Counts,
    /// Lines that differ in nothing else are the same.
    Ignored,
}

/// How much of a difference is shown, as the settings say.
pub(crate) fn shown_limits(app: &App) -> DiffLimits {
    let DiffRules { files, lines, patch_bytes } = app.known_settings().diffs;
    DiffLimits { files, file_bytes: patch_bytes, total_lines: lines, ..DiffLimits::default() }
}

/// How much of a difference a page shows.
pub(crate) fn diff_limits(app: &App, white_space: WhiteSpace) -> DiffLimits {
    let total_bytes = usize::try_from(app.limits().pages.text).unwrap_or(usize::MAX);
    let ignore_space = white_space == WhiteSpace::Ignored;
    let shown = shown_limits(app);
    DiffLimits { files: shown.files.min(DIFF_FILES), total_bytes, time: DIFF_TIME, ignore_space, ..shown }
}

pub(crate) fn missing() -> AppError {
    AppError::NotFound(Missing::File)
}

/// The target of an address.
pub(crate) struct Place {
    pub(crate) commit: Oid,
    pub(crate) located: Located,
    pub(crate) path: Option<LookupPath>,
}

/// Finds what the beginning of an address names. `None` if the repository has no commit and none is named; 404 if the
/// name is that of nothing, or no path follows it.
pub(crate) fn locate(code: &RepositoryContext, address: &Address) -> Result<Option<Place>, AppError> {
    if !code.repository.exists() {
        return if address.segments.is_empty() { Ok(None) } else { Err(missing()) };
    }
    // The names of branches and the components of paths may hold encoded slashes.
    let joined = address.segments.join("/");
    let (resolved, used): (Resolved, usize) = if joined.is_empty() {
        let Some(branch) = code.project.default_branch.as_deref() else { return Ok(None) };
        let segments: Vec<&str> = branch.split('/').collect();
        match code.repository.resolve_start(&segments, Some(RefKind::Branch))? {
            Some((resolved, used)) if used == segments.len() => (resolved, 0),
            _ => return Ok(None),
        }
    } else {
        let segments: Vec<&str> = joined.split('/').collect();
        code.repository.resolve_start(&segments, address.only)?.ok_or_else(missing)?
    };
    let rest: Vec<&str> = joined.split('/').skip(used).filter(|_| !joined.is_empty()).collect();
    let path = match rest.as_slice() {
        [] => None,
        rest => {
            let path = LookupPath::parse(&rest.join("/")).ok_or_else(missing)?;
            Some(code.repository.exact_path(resolved.commit, path)?)
        }
    };
    let (name, kind) = match resolved.kind {
        ResolvedKind::Branch(branch) => (branch.as_str().to_owned(), Some(RefKind::Branch)),
        ResolvedKind::Tag(tag) => (tag.as_str().to_owned(), Some(RefKind::Tag)),
        ResolvedKind::Other(_) | ResolvedKind::Commit => {
            let named: Vec<&str> = joined.split('/').take(used).collect();
            (named.join("/"), None)
        }
    };
    let commit = resolved.commit;
    let at = NamedCommit { name, kind, commit_id: commit.to_string() };
    let shown = path.as_ref().map(|path| path.file().clone()).unwrap_or_default();
    Ok(Some(Place { commit, located: Located { at, path: shown }, path }))
}

/// The last commit that changed what a page is about; at the top, that is the commit itself.
pub(crate) fn own_last_commit(
    code: &RepositoryContext,
    commit: Oid,
    path: Option<&LookupPath>,
    within: Duration,
) -> Result<Option<Oid>, AppError> {
    let Some(path) = path else { return Ok(Some(commit)) };
    let (folder, name) = path.as_kept().rsplit_once('/').unwrap_or(("", path.as_kept()));
    let folder = LookupPath::parse(folder);
    Ok(code.repository.last_commits(commit, folder.as_ref(), &[name], within)?.pop().flatten())
}

/// These commits. They come from the history of one that was found.
pub(crate) fn views(code: &RepositoryContext, ids: &[Oid]) -> Result<HashMap<Oid, CommitView>, AppError> {
    let commits = code.repository.commits_at(ids)?;
    Ok(commits.into_iter().map(|(id, commit)| (id, CommitView::new(commit, &code.pages))).collect())
}

/// Names of branches and tags, as many as a page offers.
pub(crate) fn offered(code: &RepositoryContext) -> Result<RefNames, AppError> {
    let branches = code.repository.names_below("refs/heads/", OFFERED + 1)?;
    let tags = code.repository.names_below("refs/tags/", OFFERED + 1)?;
    Ok(RefNames {
        has_more: branches.len() > OFFERED || tags.len() > OFFERED,
        branches: branches.iter().take(OFFERED).filter_map(|name| Some(name.branch()?.as_str().to_owned())).collect(),
        tags: tags.iter().take(OFFERED).filter_map(|name| Some(name.tag()?.as_str().to_owned())).collect(),
    })
}
