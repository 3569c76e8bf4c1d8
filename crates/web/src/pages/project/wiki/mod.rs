//! The wiki of a project.

mod form;
mod list;

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::markdown::{WikiPlace, render_wiki};
use tenon_app::wiki::{self, PageView, ShowPage, WikiRights};
use tenon_domain::wiki::{HOME, title_of};

use super::raw;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::taken::TAKEN;
use crate::parts::clone_address::CloneAddresses;
use crate::parts::commit_line::{CommitLine, find_faces};
use crate::table::project::ProjectTable;

pub(super) fn routes(table: &mut ProjectTable) {
    table.get("/wikis", |context| async move { Ok(Answer::to(&context.address("/wikis/home"))) });
    table.post("/wikis", form::create);
    table.get("/wikis/{*slug}", show);
    table.put("/wikis/{*slug}", form::update);
    table.delete("/wikis/{*slug}", form::delete);
    table.get("/wiki_pages", list::pages);
    table.get("/wiki_pages/new", form::new);
    table.get("/wiki_pages/edit/{*slug}", form::edit);
    table.get("/wiki_pages/history/{*slug}", list::history);
}

/// The frame of the pages of a wiki.
fn frame(context: &ProjectContext, api_path: &str) -> ProjectFrame {
    ProjectFrame::new(&context.frame.root, &context.page, Tab::Wiki).with_api_path(api_path)
}

/// The slug in the address.
fn slug(context: &ProjectContext) -> String {
    context.asked.below("slug").join("/")
}

/// The rights of the caller, of which only users with an account have any.
fn rights(context: &ProjectContext, rights: WikiRights) -> WikiRights {
    let is_user = context.frame.user.is_some();
    WikiRights { write: rights.write && is_user, delete: rights.delete && is_user, ..rights }
}

#[derive(Template)]
#[template(path = "wiki/show.html")]
struct ShowTemplate {
    frame: Frame,
    project: ProjectFrame,
    title: String,
    /// The slug as part of addresses.
    address: String,
    /// Safe HTML, made by the renderer of Markdown. None if there is no such page.
    html: Option<String>,
    /// The same of the page that is shown beside it.
    sidebar: Option<String>,
    last: Option<CommitLine>,
    /// True if it is the page as it was once.
    is_old: bool,
    rights: WikiRights,
    clone: CloneAddresses,
    clone_first: String,
    /// There is no code on the page.
    directory: Option<super::tree::Directory>,
}

impl ShowTemplate {
    /// True if the text begins with a title of its own. The name of the page is then none.
    fn is_titled(&self) -> bool {
        self.html.as_ref().is_some_and(|html| html.starts_with("<h1"))
    }
}

/// A page, or another file of the wiki. The page of a slug that is free offers to make it.
async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let slug = slug(&context);
    let version = context.request.query("version").filter(|version| !version.is_empty()).map(str::to_owned);
    let is_old = version.is_some();
    let found = wiki::page(app, identity, context.project(), ShowPage { slug: slug.clone(), version }).await?;
    if found.page.is_none() {
        match raw::of_wiki(&context, slug.clone()).await {
            Err(PageError::NotFound) => {}
            answer => return answer,
        }
    }
    let status = if found.page.is_some() || slug == HOME { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let slug = found.page.as_ref().map_or(slug, |page| page.slug.clone());
    let title = found.page.as_ref().map_or_else(|| title_of(&slug), |page| page.title.clone());
    let html = match found.page {
        Some(page) => Some(rendered(&context, page, "").await?),
        None => None,
    };
    let sidebar = match found.sidebar {
        Some(page) => Some(rendered(&context, page, "sidebar").await?),
        None => None,
    };
    let mut last = found.last.map(CommitLine::from);
    find_faces(&context.request, &context.frame, &mut last).await?;
    let rights = rights(&context, found.rights);
    let clone = if rights.fetch {
        CloneAddresses::of_wiki(context.request.app(), &context.page.view.brief)
    } else {
        CloneAddresses::default()
    };
    let address = in_path(&slug);
    let page = ShowTemplate {
        project: frame(&context, &format!("/wikis/{address}")),
        clone_first: clone.first(),
        clone,
        title,
        address,
        html,
        sidebar,
        last,
        is_old,
        rights,
        directory: None,
        frame: context.frame,
    };
    Ok(Answer::cacheable(&page)?.status(status))
}

/// The text of a page as HTML, with headings below that of the page. `key` is its name among the texts of the page.
async fn rendered(context: &ProjectContext, page: PageView, key: &'static str) -> Result<String, PageError> {
    let place = WikiPlace { key, levels: 1, taken: &TAKEN };
    let text = (page.content.unwrap_or_default(), page.format);
    let (app, identity) = (context.request.app(), context.request.identity());
    let html: Result<String, AppError> = render_wiki(app, identity, context.project(), text, place).await;
    Ok(html?)
}
