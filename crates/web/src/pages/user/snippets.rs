//! The snippets of a user that the caller may read.

use askama::Template;
use tenon_app::snippet::{self, ListSnippets, SnippetSet};

use super::frame::{Tab, UserFrame, find, named};
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::snippet::SnippetRow;

#[derive(Template)]
#[template(path = "user/snippets.html")]
struct SnippetsPage {
    frame: Frame,
    top: UserFrame,
    rows: Vec<SnippetRow>,
    pages: Pagination,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let name = named(&context)?;
    let page = chosen(context.parameters());
    let read = context.read(move |query| {
        let found = find(query, &name)?;
        let request = ListSnippets::of(SnippetSet::Of(found.user.id), page);
        Ok((snippet::list(query, request)?, found))
    });
    let (frame, (listed, found)) = read.await?;
    let (rows, pages) = SnippetRow::listed(&frame, context.app().base_url(), listed);
    Answer::cacheable(&SnippetsPage { top: UserFrame::new(&frame, &found, Tab::Snippets), frame, rows, pages })
}
