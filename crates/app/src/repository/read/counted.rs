//! Lists of commits with their totals. Counting the commits that changed a busy directory takes seconds: an answer waits for
//! that only for a moment; it is counted on, and remembered for the next answer.

use tenon_domain::page::{Page, PageRequest};
use tenon_git::commit::CommitQuery;

use crate::core::app::App;
use crate::repository::read::context::RepositoryContext;

/// A page of a list, whose total may not be known yet.
#[derive(Debug, Clone)]
pub struct CountedPage<T> {
    /// The page. If its total is not known, it is a lower bound that says whether there is a next page.
    pub page: Page<T>,
    /// True if the total is known.
    pub is_counted: bool,
}

impl<T> CountedPage<T> {
    /// A page without anything.
    pub(crate) fn empty(request: PageRequest) -> Self {
        Self { page: Page::empty(request), is_counted: true }
    }

    /// The same page of converted items.
    #[must_use]
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> CountedPage<U> {
        CountedPage { page: self.page.map(convert), is_counted: self.is_counted }
    }
}

/// The page with its total, if that is known or found in time. It is counted on otherwise.
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
    let (this, repository, is_fixed) = (app.clone(), code.repository.clone(), query.is_fixed());
    let counted = async move {
        let _count = count;
        this.on_git_long(move || Ok(repository.commit_count(&query)?)).await
    };
    let patience = app.limits().reads.count_patience.duration();
    if !is_fixed {
        // No other answer would have it: it ends with this one.
        return tokio::time::timeout(patience, counted).await.ok()?.ok();
    }
    tokio::time::timeout(patience, tokio::spawn(counted)).await.ok()?.ok()?.ok()
}
