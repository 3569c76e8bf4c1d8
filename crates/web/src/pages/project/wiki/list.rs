//! The list of the pages of a wiki, and the history of a page.

use askama::Template;
use tenon_app::wiki;
use tenon_domain::page::Page;

use super::{frame, slug};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::ProjectFrame;
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::commit_line::{CommitLine, find_faces};

#[derive(Template)]
#[template(path = "wiki/pages.html")]
struct PagesTemplate {
    frame: Frame,
    project: ProjectFrame,
    /// The slugs, and their forms in addresses.
    rows: Vec<(String, String)>,
    pages: Pagination,
}

pub(super) async fn pages(context: ProjectContext) -> Result<Answer, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let all = wiki::list(app, identity, context.project()).await?;
    let found = Page::cut(all, chosen(context.request.parameters()));
    let pages = Pagination::of(&found);
    let rows = found.items.into_iter().map(|page| (page.slug.clone(), in_path(&page.slug))).collect();
    let project = frame(&context, "/wikis");
    Answer::cacheable(&PagesTemplate { project, rows, pages, frame: context.frame })
}

#[derive(Template)]
#[template(path = "wiki/history.html")]
struct HistoryTemplate {
    frame: Frame,
    project: ProjectFrame,
    title: String,
    /// The slug as part of addresses.
    address: String,
    commits: Vec<CommitLine>,
    pages: Pagination,
}

pub(super) async fn history(context: ProjectContext) -> Result<Answer, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let page = chosen(context.request.parameters());
    let found = wiki::history(app, identity, context.project(), slug(&context), page).await?;
    let pages = Pagination::of(&found.commits);
    let mut commits: Vec<CommitLine> = found.commits.items.into_iter().map(CommitLine::from).collect();
    find_faces(&context.request, &context.frame, &mut commits).await?;
    let address = in_path(&found.page.slug);
    let project = frame(&context, &format!("/wikis/{address}"));
    let title = found.page.title;
    Answer::cacheable(&HistoryTemplate { project, title, address, commits, pages, frame: context.frame })
}
