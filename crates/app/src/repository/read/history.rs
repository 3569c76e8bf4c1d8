//! Lists of commits with their totals. Counting the commits that changed a busy directory takes seconds: an answer waits for
//! that only for a moment; it is counted on, and remembered for the next answer.

use tenon_domain::page::{Page, PageRequest};
use tenon_git::commit::{CommitQuery, CommitRange, UncountedPage};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::repository::read::browse::{Address, Browsed, Located, Place, RefNames, locate, offered};
use crate::repository::read::commit::CommitView;
use crate::repository::read::context::{Code, RepositoryContext};

/// A page of a list, whose total may not be known yet.
#[derive(Debug, Clone)]
pub struct CountedPage<T> {
    /// The page. Where its total is not known, it is a lower bound that says whether there is a next page.
    pub page: Page<T>,
    /// Whether the total is known.
    pub is_counted: bool,
}

impl<T> CountedPage<T> {
    /// A page without anything.
    pub(crate) fn empty(request: PageRequest) -> Self {
        Self { page: Page { items: Vec::new(), total: 0, request }, is_counted: true }
    }

    /// The same page of converted items.
    #[must_use]
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> CountedPage<U> {
        CountedPage { page: self.page.map(convert), is_counted: self.is_counted }
    }
}

/// The history of what is at an address: commits, newest first.
#[derive(Debug, Clone)]
pub struct HistoryPage {
    /// Where it is.
    pub located: Located,
    /// The commits.
    pub commits: CountedPage<CommitView>,
    /// Where else one may go.
    pub refs: RefNames,
}

/// The commits that changed what is at an address. 404 where it begins with the name of nothing.
pub async fn history(
    app: &App,
    code: &Code,
    address: Address,
    page: PageRequest,
) -> Result<Browsed<HistoryPage>, AppError> {
    let Code(code) = code.clone();
    let asked = code.clone();
    // With a path, Git reads more of the history than the page has.
    let is_long = !address.segments.is_empty();
    let work = move || {
        let Some(Place { commit, located, path }) = locate(&asked, &address)? else { return Ok(None) };
        let wanted = CommitQuery { path, ..CommitQuery::new(CommitRange::From(commit)) };
        let found = asked.repository.commits_uncounted(&wanted, page)?;
        Ok(Some((located, wanted, found, offered(&asked)?)))
    };
    let found = if is_long { app.on_git_long(work).await? } else { app.read_git(work).await? };
    let Some((located, wanted, UncountedPage { page, total }, refs)) = found else { return Ok(Browsed::Empty) };
    let commits = page.map(|commit| CommitView::new(commit, &code.page));
    let commits = counted(app, &code, wanted, commits, total).await;
    Ok(Browsed::Found(HistoryPage { located, commits, refs }))
}

/// The page with its total, where that is known or found in time. It is counted on otherwise.
pub(crate) async fn counted<T>(
    app: &App,
    code: &RepositoryContext,
    query: CommitQuery,
    page: Page<T>,
    total: Option<i64>,
) -> CountedPage<T> {
    let total = match total {
        Some(total) => Some(total),
        None => count(app, code, query).await,
    };
    let page = Page { total: total.unwrap_or(page.total), ..page };
    CountedPage { page, is_counted: total.is_some() }
}

async fn count(app: &App, code: &RepositoryContext, query: CommitQuery) -> Option<i64> {
    let counting = &app.repositories().counting;
    let count = counting.begin((code.repository.path().to_owned(), query.clone()))?;
    let (this, repository) = (app.clone(), code.repository.clone());
    let task = tokio::spawn(async move {
        let _count = count;
        this.on_git_long(move || Ok(repository.commit_count(&query)?)).await
    });
    let found = tokio::time::timeout(app.limits().reads.count_patience.duration(), task).await;
    found.ok()?.ok()?.ok()
}
