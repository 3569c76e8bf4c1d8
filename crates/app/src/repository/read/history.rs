//! The history of a file or directory: the commits that changed it.

use tenon_domain::page::PageRequest;
use tenon_git::commit::{CommitQuery, CommitRange, UncountedPage};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::repository::read::browse::{Address, Browsed, Located, Place, RefNames, locate, offered};
use crate::repository::read::commit::CommitView;
use crate::repository::read::context::Code;
use crate::repository::read::counted::{CountedPage, counted};

/// The history of what is at an address: commits, newest first.
#[derive(Debug, Clone)]
pub struct HistoryPage {
    /// Its place.
    pub located: Located,
    /// The commits.
    pub commits: CountedPage<CommitView>,
    /// The other places to which one may go.
    pub refs: RefNames,
}

/// Which commits of a history are wanted.
#[derive(Debug, Clone, Default)]
pub struct HistoryFilter {
    /// Those whose message has this text, in any letter case.
    pub message: Option<String>,
    /// Those whose author has this text in name or address, in any letter case.
    pub author: Option<String>,
}

/// The commits that changed what is at an address. 404 if it begins with the name of nothing.
pub async fn history(
    app: &App,
    code: &Code,
    address: Address,
    filter: HistoryFilter,
    page: PageRequest,
) -> Result<Browsed<HistoryPage>, AppError> {
    let Code(code) = code.clone();
    let asked = code.clone();
    // With a path or a text, Git reads more of the history than the page has.
    let is_long = !address.segments.is_empty() || filter.message.is_some() || filter.author.is_some();
    let work = move || {
        let Some(Place { commit, located, path }) = locate(&asked, &address)? else { return Ok(None) };
        let HistoryFilter { message, author } = filter;
        let wanted = CommitQuery { path, message, author, ..CommitQuery::new(CommitRange::From(commit)) };
        let found = asked.repository.uncounted_commits(&wanted, page)?;
        Ok(Some((located, wanted, found, offered(&asked)?)))
    };
    let found = if is_long { app.on_git_long(work).await? } else { app.read_git(work).await? };
    let Some((located, wanted, UncountedPage { page, total }, refs)) = found else { return Ok(Browsed::Empty) };
    let commits = page.map(|commit| CommitView::new(commit, &code.pages));
    let commits = counted(app, &code, wanted, commits, total).await;
    Ok(Browsed::Found(HistoryPage { located, commits, refs }))
}
