//! The data for pages of code beside directories and files: origins of lines, all names, and comparisons.

use std::sync::Arc;
use std::time::Duration;

use tenon_domain::file_path::FilePath;
use tenon_domain::limits::PageLimits;
use tenon_git::blame::{Blame, BlameLines};
use tenon_git::compare::CompareFrom;
use tenon_git::diff::FileDiff;
use tenon_git::language::of_path;
use tenon_git::tree::{Depth, EntryKind};
use tenon_git::{GitError, LookupPath, Oid, Resolved, ResolvedKind, Revision};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::repository::read::browse::{
    Address, Browsed, Located, Place, RefKind, RefNames, WhiteSpace, diff_limits, locate, missing, offered,
    own_last_commit, views,
};
use crate::repository::read::commit::CommitView;
use crate::repository::read::context::{Code, RepositoryContext};
use crate::repository::read::sides::Sides;

/// Lines of a part of a file.
pub const BLAME_LINES: usize = 1000;

/// How long Git may look for the origins of the lines of a page.
const BLAME_TIME: Duration = Duration::from_secs(15);

/// The most commits of a comparison that a page shows.
const COMMITS: i64 = 100;

/// Lines next to each other that come from one commit.
#[derive(Debug, Clone)]
pub struct BlamedLines {
    /// The commit.
    pub commit: CommitView,
    /// The place of the lines before it: in this commit, under this path. `None` if it has added the file.
    pub previous: Option<(String, FilePath)>,
    /// How many lines.
    pub count: usize,
}

/// A part of a file, with the origins of its lines.
#[derive(Debug, Clone)]
pub struct BlamePage {
    /// The place of the file.
    pub located: Located,
    /// The lines, in groups. None if they are bytes, or more than a page shows.
    pub groups: Option<Vec<BlamedLines>>,
    /// The bytes of the file. None if there are no groups.
    pub text: Option<Vec<u8>>,
    /// The object with its content, by which its colours are known.
    pub blob: Oid,
    /// The last commit that changed it, if that was found out in time.
    pub last: Option<CommitView>,
    /// How many bytes it has.
    pub size: u64,
    /// Its language, if its name decides.
    pub language: Option<&'static str>,
    /// The number of the first of these lines, from 1.
    pub first: usize,
    /// How many lines the file has.
    pub total: usize,
    /// The other places to which one may go.
    pub refs: RefNames,
}

/// The origins of the lines of a part of the file at an address; parts are numbered from 1. 404 if it names nothing;
/// fails with [`AppError::TookTooLong`] if finding that out takes too long.
pub async fn blame_page(app: &App, code: &Code, address: Address, part: usize) -> Result<Browsed<BlamePage>, AppError> {
    let (Code(code), PageLimits { text: most, last_commits, .. }) = (code.clone(), app.limits().pages.clone());
    app.on_git_long(move || {
        let Some(Place { commit, located, path }) = locate(&code, &address)? else { return Err(missing()) };
        let Some(path) = path else { return Ok(Browsed::Other(located)) };
        let Some((_, blob)) = code.repository.file_at(commit, &path, most)? else {
            let entry = code.repository.tree_entry(commit, &path)?.filter(|entry| entry.kind == EntryKind::Tree);
            return entry.map(|_| Browsed::Other(located)).ok_or_else(missing);
        };
        let refs = offered(&code)?;
        let text = blob.content.filter(|bytes| !bytes.iter().take(8000).any(|byte| *byte == 0));
        let (language, size, blob) = (of_path(path.as_kept()), blob.size, blob.id);
        let last = own_last_commit(&code, commit, Some(&path), last_commits.duration())?;
        let last = views(&code, last.as_slice())?.into_values().next();
        let page = BlamePage { located, groups: None, text, blob, last, size, language, first: 1, total: 0, refs };
        let Some(text) = &page.text else { return Ok(Browsed::Found(page)) };
        let total = text.split_inclusive(|byte| *byte == b'\n').count();
        let first = part.saturating_sub(1).saturating_mul(BLAME_LINES).saturating_add(1);
        let lines = BlameLines { start: first, end: first.saturating_add(BLAME_LINES - 1) };
        let found = if first > total { None } else { code.repository.blame(commit, &path, Some(lines), BLAME_TIME)? };
        let ranges = match found {
            Some(Blame::Lines(ranges)) => ranges,
            Some(Blame::TooManyLines) | None => Vec::new(),
        };
        let group = |range: tenon_git::blame::BlameRange| BlamedLines {
            commit: CommitView::new(range.commit, &code.pages),
            previous: range.previous.map(|(commit, path)| (commit.to_string(), path)),
            count: range.lines.len(),
        };
        let groups = Some(ranges.into_iter().map(group).collect());
        Ok(Browsed::Found(BlamePage { groups, first, total, ..page }))
    })
    .await
}

/// Names of files.
#[derive(Debug, Clone)]
pub struct FileNames {
    /// The branch, tag or commit.
    pub located: Located,
    /// The paths of files, from the top of the repository.
    pub paths: Vec<FilePath>,
    /// How many match, with those beyond the number that was asked for.
    pub total: usize,
    /// True if there are more files than are looked through; then none is listed.
    pub is_too_many: bool,
    /// The other places to which one may go.
    pub refs: RefNames,
}

/// At most `most` of the files at a branch, tag or commit whose paths contain this text, whatever the case. 404 if the
/// address names nothing, or has a path. Lists none if there are more than `reads.tree_entries`.
pub async fn file_names(
    app: &App,
    code: &Code,
    address: Address,
    wanted: &str,
    most: usize,
) -> Result<FileNames, AppError> {
    let (Code(code), wanted) = (code.clone(), wanted.to_lowercase());
    app.on_git_long(move || {
        let Some(Place { commit, located, path: None }) = locate(&code, &address)? else { return Err(missing()) };
        let (entries, is_too_many) = match code.repository.tree_entries(commit, None, Depth::All) {
            Err(GitError::TooLarge(_)) => (Arc::new(None), true),
            entries => (entries?, false),
        };
        let files = entries.iter().flatten().filter(|entry| entry.kind == EntryKind::Blob);
        let paths = files.map(|entry| &entry.path).filter(|path| path.to_string().to_lowercase().contains(&wanted));
        let found: Vec<&FilePath> = paths.collect();
        let paths = found.iter().take(most).map(|path| (*path).clone()).collect();
        Ok(FileNames { located, paths, total: found.len(), is_too_many, refs: offered(&code)? })
    })
    .await
}

/// The commits that one branch, tag or commit has and another has not.
#[derive(Debug, Clone)]
pub struct ComparisonPage {
    /// The commits, newest first.
    pub commits: Vec<CommitView>,
    /// True if there are more commits than that.
    pub has_more_commits: bool,
    /// The files that differ.
    pub files: Vec<FileDiff>,
    /// True if there are more files, or more text, than pages show.
    pub is_cut: bool,
    /// The commit of the second side.
    pub head: String,
    /// The compared sides.
    pub sides: Sides,
    /// The branches that the sides name, if both name one: `HEAD` names the default branch.
    pub branches: Option<(String, String)>,
}

/// Compares two branches, tags or commits: what the second one has done since the last commit that both have, or, if
/// `straight`, what differs. 404 if one is not there.
pub async fn comparison_page(
    app: &App,
    code: &Code,
    sides: (String, String),
    straight: bool,
    white_space: WhiteSpace,
) -> Result<ComparisonPage, AppError> {
    let (Code(code), limits) = (code.clone(), diff_limits(app, white_space));
    app.on_git_long(move || {
        let from = side(&code, &sides.0)?.ok_or_else(missing)?;
        let to = side(&code, &sides.1)?.ok_or_else(missing)?;
        let way = if straight { CompareFrom::Straight } else { CompareFrom::MergeBase };
        let found = code.repository.compare(from.commit, to.commit, way, COMMITS + 1, limits)?;
        let mut commits: Vec<CommitView> =
            found.commits.into_iter().rev().map(|commit| CommitView::new(commit, &code.pages)).collect();
        let most = usize::try_from(COMMITS).unwrap_or(usize::MAX);
        let has_more_commits = commits.len() > most;
        commits.truncate(most);
        let branch = |side: &Resolved| match &side.kind {
            ResolvedKind::Branch(name) => Some(name.to_string()),
            ResolvedKind::Tag(_) | ResolvedKind::Other(_) | ResolvedKind::Commit => None,
        };
        Ok(ComparisonPage {
            commits,
            has_more_commits,
            files: found.diff.files,
            is_cut: found.diff.overflow,
            head: to.commit.to_string(),
            sides: code.sides(found.base.unwrap_or(Oid::EMPTY_TREE), to.commit),
            branches: branch(&from).zip(branch(&to)),
        })
    })
    .await
}

/// The changes of one file, by the kept form of its path, between two branches, tags or commits. `None` if one of them is
/// not there.
pub async fn file_difference(
    app: &App,
    code: &Code,
    sides: (String, String),
    path: String,
) -> Result<Option<(Vec<FileDiff>, Sides)>, AppError> {
    let (Code(code), limits) = (code.clone(), diff_limits(app, WhiteSpace::Counts));
    app.on_git_long(move || {
        let (Some(from), Some(to)) = (side(&code, &sides.0)?, side(&code, &sides.1)?) else { return Ok(None) };
        let Some(path) = LookupPath::parse(&path) else { return Ok(None) };
        let found = code.repository.diff_of(from.commit, to.commit, &[path], limits)?;
        Ok(Some((found.files, code.sides(from.commit, to.commit))))
    })
    .await
}

/// True if an address names a branch, tag or commit, or what lies in one.
pub async fn is_there(app: &App, code: &Code, address: Address) -> Result<bool, AppError> {
    let Code(code) = code.clone();
    app.read_git(move || match locate(&code, &address) {
        Ok(Some(Place { commit, path: Some(path), .. })) => Ok(code.repository.tree_entry(commit, &path)?.is_some()),
        Ok(place) => Ok(place.is_some()),
        Err(AppError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    })
    .await
}

/// For each of these names whether it is that of a branch, tag or commit.
pub async fn known_revisions(app: &App, code: &Code, names: Vec<String>) -> Result<Vec<bool>, AppError> {
    let Code(code) = code.clone();
    app.read_git(move || names.iter().map(|name| Ok(side(&code, name)?.is_some())).collect()).await
}

/// Names of branches and tags, as many as a page offers.
pub async fn ref_names(app: &App, code: &Code) -> Result<RefNames, AppError> {
    let Code(code) = code.clone();
    app.read_git(move || if code.repository.exists() { offered(&code) } else { Ok(RefNames::default()) }).await
}

/// Some names of branches or tags, and how many there are.
#[derive(Debug, Clone, Default)]
pub struct FoundRefs {
    /// The names: those that begin with the text first, then by name.
    pub names: Vec<String>,
    /// How many match, with those beyond the number that was asked for.
    pub total: usize,
}

/// At most `most` of the branches, or of the tags, whose names contain a text, whatever the case.
pub async fn refs_named(
    app: &App,
    code: &Code,
    kind: RefKind,
    wanted: &str,
    most: usize,
) -> Result<FoundRefs, AppError> {
    let (Code(code), wanted) = (code.clone(), wanted.to_lowercase());
    app.on_git_long(move || {
        if !code.repository.exists() {
            return Ok(FoundRefs::default());
        }
        let prefix = if kind == RefKind::Tag { "refs/tags/" } else { "refs/heads/" };
        let all = code.repository.names_below(prefix, usize::MAX)?;
        let names = all.iter().filter_map(|name| name.as_str().strip_prefix(prefix));
        let mut found: Vec<(bool, &str)> = names
            .filter_map(|name| {
                let lower = name.to_lowercase();
                lower.contains(&wanted).then(|| (!lower.starts_with(&wanted), name))
            })
            .collect();
        found.sort_unstable();
        let names = found.iter().take(most).map(|(_, name)| (*name).to_owned()).collect();
        Ok(FoundRefs { names, total: found.len() })
    })
    .await
}

/// The commit of a name.
fn side(code: &RepositoryContext, name: &str) -> Result<Option<Resolved>, AppError> {
    if !code.repository.exists() {
        return Ok(None);
    }
    let Ok(revision) = Revision::parse(name) else { return Ok(None) };
    Ok(code.repository.resolve(&revision)?)
}
