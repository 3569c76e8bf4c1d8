//! The badges of a project, with those of the groups above it.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::badge::{self, BadgeView};
use tenon_app::error::AppError;
use tenon_app::{ContainerReference, Query};
use tenon_domain::container::Container;
use tenon_domain::id::BadgeId;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::badge::{FormValues, Listed, changed};
use crate::table::project::ProjectTable;

const ADDRESS: &str = "/settings/badges";

pub(super) fn routes(table: &mut ProjectTable) {
    table.page(ADDRESS, read_list, list);
    table.post(ADDRESS, create);
    table.page("/settings/badges/{id}/edit", read_one, edit);
    table.put("/settings/badges/{id}", update);
    table.delete("/settings/badges/{id}", delete);
}

#[derive(Template)]
#[template(path = "project/badges.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    listed: Listed,
    typed: FormValues,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "project/badge.html")]
struct EditPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address of the list.
    href: String,
    typed: FormValues,
    problems: Problems,
}

fn of(asked: &ProjectRequest) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

fn id(asked: &ProjectRequest) -> Result<BadgeId, AppError> {
    asked.number("id").map(BadgeId::new)
}

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<BadgeView>, AppError> {
    query.user()?;
    badge::list(query, &of(asked), None, chosen(&asked.query))
}

async fn list(context: ProjectContext, found: Page<BadgeView>) -> Result<Answer, PageError> {
    present_list(context, found, FormValues::default(), Problems::default())
}

/// The list. 403 for callers who may not change it: they see the badges on the page of the project.
fn present_list(
    context: ProjectContext,
    found: Page<BadgeView>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    if !context.page.may.edit {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let own = Container::Project(context.page.view.brief.project.id);
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings).with_api_path("/badges");
    let listed = Listed::new(format!("{}{ADDRESS}", project.href), found, |badge| badge.container == own);
    Answer::page(&ListPage { frame: context.frame, project, listed, typed, problems })
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let form = context.request.form();
    let (of, change) = (of(&context.asked), changed(form));
    match context.request.write(move |command| badge::create(command, &of, change)).await {
        Ok(_) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::BadgeSaved))),
        Err(error) => {
            let (typed, problems) = (FormValues::sent(None, form), Problems::of(error)?);
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_list(query, &asked)).await?;
            let page = present_list(ProjectContext { frame, ..context }, found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<BadgeView, AppError> {
    query.user()?;
    badge::show(query, &of(asked), id(asked)?)
}

/// The form of a badge of the project's own. 403 for badges of groups, which are changed in the group.
async fn edit(context: ProjectContext, found: BadgeView) -> Result<Answer, PageError> {
    if !context.page.may.edit || found.badge.container.project().is_none() {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    present(context, FormValues::of(found.badge), Problems::default())
}

fn present(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings).with_api_path("/badges");
    let href = format!("{}{ADDRESS}", project.href);
    Answer::page(&EditPage { frame: context.frame, project, href, typed, problems })
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), id(&context.asked)?);
    let shown = OriginalValues::sent(context.request.form());
    let change = changed(context.request.form().changed(&shown));
    match context.request.write(move |command| badge::edit(command, &of, id, change)).await {
        Ok(_) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::BadgeSaved))),
        Err(error) => {
            let typed = FormValues::sent(Some(id.get()), context.request.form());
            Ok(present(context, typed, Problems::of(error)?)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), id(&context.asked)?);
    context.request.write(move |command| badge::delete(command, &of, id, None)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::BadgeDeleted)))
}
