//! Snippets: lists, pages and forms, of users alone and of projects.

mod comment;
mod form;
mod list;
mod show;
mod talk;

use tenon_app::identity::Guard;
use tenon_app::snippet::SnippetReference;
use tenon_domain::id::SnippetId;

use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::context::request::RequestContext;
use crate::kit::error::PageError;
use crate::table::project::ProjectTable;
use crate::table::site::SiteTable;

pub(crate) fn site(table: &mut SiteTable) {
    table.get("/snippets", Guard::Anyone, list::public);
    table.post("/snippets", Guard::SignedIn, form::create);
    table.get("/snippets/new", Guard::SignedIn, form::new);
    table.get("/snippets/{id}", Guard::Anyone, show::show);
    table.put("/snippets/{id}", Guard::SignedIn, form::update);
    table.delete("/snippets/{id}", Guard::SignedIn, form::delete);
    table.get("/snippets/{id}/edit", Guard::SignedIn, form::edit);
    table.get("/snippets/{id}/raw", Guard::Anyone, show::raw);
    table.get("/snippets/{id}/raw/{ref}/{*path}", Guard::Anyone, show::raw);
}

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page("/snippets", list::read, list::of_project);
    table.post("/snippets", form::create_in_project);
    table.get("/snippets/new", form::new_in_project);
    table.get("/snippets/{id}", show::show_in_project);
    table.put("/snippets/{id}", form::update_in_project);
    table.delete("/snippets/{id}", form::delete_in_project);
    table.post("/snippets/{id}/notes", comment::create);
    table.delete("/snippets/{id}/notes/{note_id}", comment::delete);
    table.get("/snippets/{id}/edit", form::edit_in_project);
    table.get("/snippets/{id}/raw", show::raw_in_project);
    table.get("/snippets/{id}/raw/{ref}/{*path}", show::raw_in_project);
}

/// The snippet in the address of a page of the site.
fn reference(context: &RequestContext) -> Result<SnippetReference, PageError> {
    Ok(SnippetReference { project: None, id: SnippetId::new(context.id("id")?) })
}

/// The snippet in the address of a page of a project.
fn reference_in(context: &ProjectContext) -> Result<SnippetReference, PageError> {
    Ok(SnippetReference { project: Some(context.project()), id: SnippetId::new(context.asked.number("id")?) })
}

/// The frame of the pages of the snippets of a project.
fn frame(context: &ProjectContext, api_path: &str) -> ProjectFrame {
    ProjectFrame::new(&context.frame.root, &context.page, Tab::Snippets).with_api_path(api_path)
}
