//! Searching in repositories: commits and files of the default branch.

use std::collections::BTreeMap;

use tenon_domain::file_path::FilePath;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::{LookupPath, Oid, Revision};

use super::Found;
use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::commit::{CommitDetail, CommitView};
use crate::repository::read::context::RepositoryContext;

/// Lines of a file that have the text, or a file whose path has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobHit {
    /// The path.
    pub path: FilePath,
    /// The line with its neighbours; the first lines if the path matched.
    pub data: String,
    /// The number of the first of these lines.
    pub start_line: u64,
    /// The branch.
    pub branch: String,
    /// The project.
    pub project: tenon_domain::id::ProjectId,
}

/// The most matches of each kind, in contents and in paths.
const MOST: usize = 100;
/// Lines shown before and after one that matches.
const AROUND: u64 = 2;
/// Larger files are shown by the matching line only.
const LARGEST: u64 = 1 << 20;
/// An id is recognised from this many digits on.
const SHORTEST_ID: usize = 7;

/// The repository of a project; nothing if the caller may not read it. The project itself must be visible.
async fn readable(app: &App, identity: &Identity, project: Reference) -> Result<Option<RepositoryContext>, AppError> {
    app.read(identity, move |query| {
        query.user()?;
        match query.code(&project, ProjectAction::ReadCode) {
            Ok(code) => Ok(Some(code)),
            Err(AppError::Forbidden) => Ok(None),
            Err(other) => Err(other),
        }
    })
    .await
}

/// The commits of the default branch whose message has `text`, in any letter case, or the one of that id.
pub(super) async fn commits(
    app: &App,
    identity: &Identity,
    project: Reference,
    text: String,
    page: PageRequest,
) -> Result<Found, AppError> {
    let Some(code) = readable(app, identity, project).await? else { return Ok(Found::Nothing(page)) };
    app.on_git_long(move || {
        let Some(tip) = code.commit_named(None)? else { return Ok(Found::Nothing(page)) };
        let id = code.project.id;
        let detail = |commit: tenon_git::commit::Commit| CommitDetail {
            commit: CommitView::new(commit, &code.pages),
            last_pipeline: None,
            project: id,
        };
        if let Some(commit) = named(&code, text.trim())?
            && let Some(commit) = code.repository.commit(commit)?
        {
            return Ok(Found::Commits(Page { items: vec![detail(commit)], total: 1, request: page }));
        }
        let message = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        if message.is_none() {
            return Ok(Found::Nothing(page));
        }
        let wanted = CommitQuery { message, ..CommitQuery::new(CommitRange::From(tip)) };
        Ok(Found::Commits(code.repository.counted_commits(&wanted, page)?.map(detail)))
    })
    .await
}

fn named(code: &RepositoryContext, text: &str) -> Result<Option<Oid>, AppError> {
    if text.len() < SHORTEST_ID || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let Ok(revision) = Revision::parse(text) else { return Ok(None) };
    Ok(code.repository.resolve(&revision)?.map(|resolved| resolved.commit))
}

/// The files of the default branch with `text` in content or path, by path.
pub(super) async fn blobs(
    app: &App,
    identity: &Identity,
    project: Reference,
    text: String,
    page: PageRequest,
) -> Result<Found, AppError> {
    let Some(code) = readable(app, identity, project).await? else { return Ok(Found::Nothing(page)) };
    app.on_git_long(move || {
        let Some(tip) = code.commit_named(None)? else { return Ok(Found::Nothing(page)) };
        let wanted = Wanted::parse(&text);
        // In paths first: of a file that matches in both ways, the line says more.
        let mut hits: BTreeMap<FilePath, (u64, String)> = BTreeMap::new();
        let paths =
            if wanted.is_empty() { Vec::new() } else { code.repository.search_paths(tip, &wanted.text, usize::MAX)? };
        for path in paths.into_iter().filter(|path| wanted.takes(path)).take(MOST) {
            hits.insert(path, (1, String::new()));
        }
        let found = code.repository.search_content(tip, &wanted.text, usize::MAX)?;
        let mut content = BTreeMap::new();
        for hit in found.into_iter().filter(|hit| wanted.takes(&hit.path)) {
            content.entry(hit.path).or_insert((hit.line, hit.text));
        }
        hits.extend(content.into_iter().take(MOST));
        let Page { items: shown, total, request } = Page::cut(hits.into_iter().collect(), page);
        let branch = code.project.default_branch.clone().unwrap_or_default();
        let mut items = Vec::new();
        for (path, (line, text)) in shown {
            let (start_line, data) = around(&code, tip, &path, line)?.unwrap_or((line, text));
            items.push(BlobHit { path, data, start_line, branch: branch.clone(), project: code.project.id });
        }
        Ok(Found::Blobs(Page { items, total, request }))
    })
    .await
}

/// A line of a file with its neighbours, and the number of the first of them; nothing for a file that is too large or no text.
fn around(code: &RepositoryContext, tip: Oid, path: &FilePath, line: u64) -> Result<Option<(u64, String)>, AppError> {
    let Ok(path) = LookupPath::try_from(path) else { return Ok(None) };
    let content = code.repository.file_at(tip, &path, LARGEST)?.and_then(|(_, blob)| blob.content);
    let Some(text) = content.and_then(|bytes| String::from_utf8(bytes).ok()) else { return Ok(None) };
    let first = line.saturating_sub(AROUND).max(1);
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let lines = text.split_inclusive('\n').skip(size(first - 1)).take(size(line - first + 1 + AROUND));
    // A line may be the whole file.
    Ok(Some((first, lines.flat_map(|line| line.chars().take(1000)).collect())))
}

/// A parsed search for files: a text, and filters on the path.
struct Wanted {
    text: String,
    filters: Vec<(Filter, String)>,
}

#[derive(Clone, Copy)]
enum Filter {
    FileName,
    Path,
    Extension,
}

impl Wanted {
    fn parse(text: &str) -> Self {
        let mut filters = Vec::new();
        let mut words = Vec::new();
        for word in text.split_whitespace() {
            let filter = match word.split_once(':') {
                Some(("filename", pattern)) => Some((Filter::FileName, pattern)),
                Some(("path", pattern)) => Some((Filter::Path, pattern)),
                Some(("extension", pattern)) => Some((Filter::Extension, pattern)),
                _ => None,
            };
            match filter.filter(|(_, pattern)| !pattern.is_empty()) {
                Some((kind, pattern)) => filters.push((kind, pattern.to_lowercase())),
                None => words.push(word),
            }
        }
        Self { text: words.join(" "), filters }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.filters.is_empty()
    }

    fn takes(&self, path: &FilePath) -> bool {
        let path = path.to_string().to_lowercase();
        let name = path.rsplit('/').next().unwrap_or_default();
        self.filters.iter().all(|(kind, pattern)| match kind {
            Filter::FileName => is_like(name, pattern),
            Filter::Path => path.contains(pattern) || is_like(&path, pattern),
            Filter::Extension => is_like(name.rsplit_once('.').map_or("", |(_, extension)| extension), pattern),
        })
    }
}

/// True if a text is what a pattern says, in which `*` stands for anything. Linear in both.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(found) = rest.find(part) else { return false };
        rest = rest.get(found + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_look_at_the_path() {
        let takes = |search: &str, path: &str| Wanted::parse(search).takes(&path.into());
        assert!(takes("x filename:main.*", "src/Main.rs"));
        assert!(!takes("x filename:main.*", "main.d/x"));
        assert!(takes("path:SRC/", "a/src/x.rs") && !takes("path:src/", "x.rs"));
        assert!(takes("extension:rs", "a.b.rs") && !takes("extension:rs", "rs"));
        assert!(takes("extension:r* filename:a*", "abc.rb") && !takes("extension:r* filename:b*", "abc.rb"));
        let wanted = Wanted::parse("fn  main path:src filename:");
        assert_eq!((wanted.text.as_str(), wanted.filters.len()), ("fn main filename:", 1));
    }

    #[test]
    fn stars_stand_for_anything() {
        for (text, pattern, is) in [
            ("abc", "abc", true),
            ("abc", "a*", true),
            ("abc", "*c", true),
            ("abc", "a*c", true),
            ("abc", "*b*", true),
            ("abc", "*", true),
            ("abc", "a*b", false),
            ("abc", "b*", false),
            ("ab", "ab*b", false),
            ("", "", true),
        ] {
            assert_eq!(is_like(text, pattern), is, "{text} {pattern}");
        }
    }
}
