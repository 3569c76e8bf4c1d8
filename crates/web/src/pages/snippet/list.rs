//! Lists of snippets.

use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::snippet::{self, ListSnippets, SnippetSet, SnippetView};
use tenon_domain::page::Page;
use tenon_domain::visibility::Visibility;

use super::frame;
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::ProjectFrame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::snippet::SnippetRow;

#[derive(Template)]
#[template(path = "snippet/public.html")]
struct PublicPage {
    frame: Frame,
    rows: Vec<SnippetRow>,
    pages: Pagination,
}

/// All public snippets. Strangers have to sign in if administrators hide public content from them.
pub(super) async fn public(context: RequestContext) -> Result<Answer, PageError> {
    let is_closed = context.app().known_settings().restricts(Visibility::Public);
    let request = ListSnippets::of(SnippetSet::Public, chosen(context.parameters()));
    let read = move |query: &mut Query<'_>| {
        if is_closed {
            query.user()?;
        }
        snippet::list(query, request)
    };
    let (frame, found) = context.read(read).await?;
    let (rows, pages) = SnippetRow::listed(&frame, context.app().base_url(), found);
    Answer::cacheable(&PublicPage { frame, rows, pages })
}

#[derive(Template)]
#[template(path = "snippet/project_list.html")]
struct ProjectPage {
    frame: Frame,
    project: ProjectFrame,
    may_create: bool,
    rows: Vec<SnippetRow>,
    pages: Pagination,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<SnippetView>, AppError> {
    snippet::of_project(query, &asked.project, ListSnippets::of(SnippetSet::All, chosen(&asked.query)))
}

pub(super) async fn of_project(context: ProjectContext, found: Page<SnippetView>) -> Result<Answer, PageError> {
    if !context.page.may.read_snippets {
        return Err(PageError::NotFound);
    }
    let project = frame(&context, "/snippets");
    let may_create = context.page.may.create_snippet;
    let (mut rows, pages) = SnippetRow::listed(&context.frame, context.request.app().base_url(), found);
    // All are of the project whose page this is.
    for row in &mut rows {
        row.home = None;
    }
    Answer::cacheable(&ProjectPage { project, may_create, rows, pages, frame: context.frame })
}
