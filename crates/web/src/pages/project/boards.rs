//! The boards of a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::board::{self, BoardView};
use tenon_app::error::{AppError, Missing};
use tenon_app::{ContainerReference, Query};
use tenon_domain::id::{BoardId, BoardListId, LabelId};
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
use crate::parts::board::{BoardData, BoardPart, FormValues, Home, Listed, changed, moved, number, read};
use crate::parts::issuable::list::Row;
use crate::table::project::ProjectTable;

pub(super) fn routes(table: &mut ProjectTable) {
    table.page("/boards", read_list, list);
    table.post("/boards", create);
    table.page("/boards/{id}", read_one, show);
    table.put("/boards/{id}", update);
    table.delete("/boards/{id}", delete);
    table.post("/boards/{id}/lists", add_list);
    table.put("/boards/{id}/lists/{list}", move_list);
    table.delete("/boards/{id}/lists/{list}", delete_list);
    table.post("/boards/{id}/move", move_issue);
}

#[derive(Template)]
#[template(path = "project/boards.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    listed: Listed,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "project/board.html")]
struct BoardPage {
    frame: Frame,
    project: ProjectFrame,
    board: BoardPart,
    problems: Problems,
}

fn of(asked: &ProjectRequest) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

fn id(asked: &ProjectRequest) -> Result<BoardId, AppError> {
    asked.number("id").map(BoardId::new)
}

fn list_id(asked: &ProjectRequest) -> Result<BoardListId, AppError> {
    asked.number("list").map(BoardListId::new)
}

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<BoardView>, AppError> {
    board::all(query, &of(asked), chosen(&asked.query)).map_err(hidden)
}

/// Without issues there are no boards.
fn hidden(error: AppError) -> AppError {
    match error {
        AppError::Forbidden => AppError::NotFound(Missing::Plain),
        error => error,
    }
}

async fn list(context: ProjectContext, found: Page<BoardView>) -> Result<Answer, PageError> {
    present_list(context, found, String::new(), Problems::default())
}

fn present_list(
    context: ProjectContext,
    found: Page<BoardView>,
    typed: String,
    problems: Problems,
) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Issues).with_api_path("/boards");
    let listed = Listed::new(format!("{}/boards", project.href), found, context.page.may.manage_labels, typed);
    Answer::cacheable(&ListPage { frame: context.frame, project, listed, problems })
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, change) = (of(&context.asked), changed(context.request.form()));
    match context.request.write(move |command| board::create(command, &of, change)).await {
        Ok(made) => Ok(context.done(&format!("/boards/{}", made.board.id)).cookie(cookie::of_flash(Flash::BoardSaved))),
        Err(error) => {
            let (typed, problems) = (FormValues::sent(context.request.form()).name, Problems::of(error)?);
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_list(query, &asked)).await?;
            let page = present_list(ProjectContext { frame, ..context }, found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<BoardData, AppError> {
    read(query, &of(asked), id(asked)?).map_err(hidden)
}

async fn show(context: ProjectContext, found: BoardData) -> Result<Answer, PageError> {
    present(context, found, None, Problems::default())
}

fn present(
    context: ProjectContext,
    found: BoardData,
    typed: Option<FormValues>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Issues).with_api_path("/boards");
    let base_url = context.request.app().base_url();
    let home = Home { href: &project.href, may_change: context.page.may.manage_labels };
    let board =
        BoardPart::new(&home, found, typed, |view| Row::new(&context.frame, base_url, &project.href, view, false));
    Answer::cacheable(&BoardPage { frame: context.frame, project, board, problems })
}

/// The page of the board after a change, or with the reasons why there was none.
async fn answer<T>(
    context: ProjectContext,
    written: Result<T, AppError>,
    flash: Flash,
    typed: Option<FormValues>,
) -> Result<Answer, PageError> {
    let id = id(&context.asked)?;
    match written {
        Ok(_) => Ok(context.done(&format!("/boards/{id}")).cookie(cookie::of_flash(flash))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_one(query, &asked)).await?;
            let page = present(ProjectContext { frame, ..context }, found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id, form) = (of(&context.asked), id(&context.asked)?, context.request.form());
    let (shown, typed) = (OriginalValues::sent(form), FormValues::sent(form));
    let change = changed(form.changed(&shown));
    let written = context.request.write(move |command| board::edit(command, &of, id, change)).await;
    answer(context, written, Flash::BoardSaved, Some(typed)).await
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), id(&context.asked)?);
    context.request.write(move |command| board::delete(command, &of, id, None)).await?;
    Ok(context.done("/boards").cookie(cookie::of_flash(Flash::BoardDeleted)))
}

async fn add_list(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), id(&context.asked)?);
    let label = LabelId::new(number(context.request.form(), "list", "label_id")?);
    let written = context.request.write(move |command| board::add_list(command, &of, id, label)).await;
    answer(context, written, Flash::BoardSaved, None).await
}

async fn move_list(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id, list) = (of(&context.asked), id(&context.asked)?, list_id(&context.asked)?);
    let position = number(context.request.form(), "list", "position")?;
    let written = context.request.write(move |command| board::move_list(command, &of, id, list, position)).await;
    answer(context, written, Flash::BoardSaved, None).await
}

async fn delete_list(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id, list) = (of(&context.asked), id(&context.asked)?, list_id(&context.asked)?);
    let written = context.request.write(move |command| board::delete_list(command, &of, id, list, None)).await;
    answer(context, written, Flash::BoardSaved, None).await
}

async fn move_issue(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id, request) = (of(&context.asked), id(&context.asked)?, moved(context.request.form())?);
    let written = context.request.write(move |command| board::move_issue(command, &of, id, request)).await;
    answer(context, written, Flash::IssueMoved, None).await
}
