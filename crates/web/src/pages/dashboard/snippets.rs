//! The caller's snippets, also those in projects.

use askama::Template;
use tenon_app::snippet::{self, ListSnippets, SnippetSet};

use super::frame::DashboardFrame;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::snippet::SnippetRow;

#[derive(Template)]
#[template(path = "dashboard/snippets.html")]
struct SnippetsPage {
    frame: Frame,
    top: DashboardFrame,
    rows: Vec<SnippetRow>,
    pages: Pagination,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let page = chosen(context.parameters());
    let read = context.read(move |query| {
        let own = SnippetSet::Of(query.user()?.id);
        Ok((DashboardFrame::read(query, "snippets")?, snippet::list(query, ListSnippets::of(own, page))?))
    });
    let (frame, (top, found)) = read.await?;
    let (rows, pages) = SnippetRow::listed(&frame, context.app().base_url(), found);
    Answer::cacheable(&SnippetsPage { frame, top, rows, pages })
}
