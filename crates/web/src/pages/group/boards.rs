//! The boards of a group, with the issues of its projects.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::board;
use tenon_app::error::AppError;
use tenon_app::{Command, ContainerReference, Query, Reference};
use tenon_domain::id::{BoardId, BoardListId, LabelId};

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, GroupPath, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::board::{BoardPart, FormValues, Home, Listed, changed, moved, number, read};
use crate::parts::issuable::list::Row;

#[derive(Template)]
#[template(path = "group/boards.html")]
struct ListPage {
    frame: Frame,
    group: GroupFrame,
    listed: Listed,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "group/board.html")]
struct BoardPage {
    frame: Frame,
    group: GroupFrame,
    board: BoardPart,
    problems: Problems,
}

fn of(group: &Reference) -> ContainerReference {
    ContainerReference::Group(group.clone())
}

fn id(context: &GroupContext) -> Result<BoardId, PageError> {
    context.number("id").map(BoardId::new)
}

fn list_id(context: &GroupContext) -> Result<BoardListId, PageError> {
    context.number("list").map(BoardListId::new)
}

/// Changes a board of the group.
async fn write<T: Send + 'static>(
    context: &GroupContext,
    work: impl FnOnce(&mut Command<'_>, &ContainerReference) -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    let path: GroupPath = context.path.clone();
    let written = context.request.write(move |command| {
        let group = path.find(&mut command.query())?;
        work(command, &of(&group))
    });
    written.await
}

fn done(context: &GroupContext, below: &str, flash: Flash) -> Answer {
    Answer::done(&context.request.own(&context.path.address(&format!("/-{below}")))).cookie(cookie::of_flash(flash))
}

pub(super) async fn list(context: GroupContext) -> Result<Answer, PageError> {
    present_list(&context, String::new(), Problems::default()).await
}

async fn present_list(context: &GroupContext, typed: String, problems: Problems) -> Result<Answer, PageError> {
    let request = chosen(context.request.parameters());
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        board::all(query, &of(group), request)
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Issues);
    let listed = Listed::new(format!("{}/-/boards", group.href), found, page.may.manage_labels, typed);
    Answer::cacheable(&ListPage { frame, group, listed, problems })
}

pub(super) async fn create(context: GroupContext) -> Result<Answer, PageError> {
    let change = changed(context.request.form());
    match write(&context, move |command, of| board::create(command, of, change)).await {
        Ok(made) => Ok(done(&context, &format!("/boards/{}", made.board.id), Flash::BoardSaved)),
        Err(error) => {
            let typed = FormValues::sent(context.request.form()).name;
            let page = present_list(&context, typed, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn show(context: GroupContext) -> Result<Answer, PageError> {
    present(&context, None, Problems::default()).await
}

async fn present(context: &GroupContext, typed: Option<FormValues>, problems: Problems) -> Result<Answer, PageError> {
    let id = id(context)?;
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        read(query, &of(group), id)
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Issues);
    let base_url = context.request.app().base_url();
    let href = format!("{}/-", group.href);
    let home = Home { href: &href, may_change: page.may.manage_labels };
    let board = BoardPart::new(&home, found, typed, |view| Row::across(&frame, base_url, view, false));
    Answer::cacheable(&BoardPage { frame, group, board, problems })
}

/// The page of the board after a change, or with the reasons why there was none.
async fn answer<T>(
    context: &GroupContext,
    written: Result<T, AppError>,
    flash: Flash,
    typed: Option<FormValues>,
) -> Result<Answer, PageError> {
    match written {
        Ok(_) => Ok(done(context, &format!("/boards/{}", id(context)?), flash)),
        Err(error) => Ok(present(context, typed, Problems::of(error)?).await?.status(StatusCode::UNPROCESSABLE_ENTITY)),
    }
}

pub(super) async fn update(context: GroupContext) -> Result<Answer, PageError> {
    let (id, form) = (id(&context)?, context.request.form());
    let (shown, typed) = (OriginalValues::sent(form), FormValues::sent(form));
    let change = changed(form.changed(&shown));
    let written = write(&context, move |command, of| board::edit(command, of, id, change)).await;
    answer(&context, written, Flash::BoardSaved, Some(typed)).await
}

pub(super) async fn delete(context: GroupContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    write(&context, move |command, of| board::delete(command, of, id, None)).await?;
    Ok(done(&context, "/boards", Flash::BoardDeleted))
}

pub(super) async fn add_list(context: GroupContext) -> Result<Answer, PageError> {
    let (id, label) = (id(&context)?, LabelId::new(number(context.request.form(), "list", "label_id")?));
    let written = write(&context, move |command, of| board::add_list(command, of, id, label)).await;
    answer(&context, written, Flash::BoardSaved, None).await
}

pub(super) async fn move_list(context: GroupContext) -> Result<Answer, PageError> {
    let (id, list) = (id(&context)?, list_id(&context)?);
    let position = number(context.request.form(), "list", "position")?;
    let written = write(&context, move |command, of| board::move_list(command, of, id, list, position)).await;
    answer(&context, written, Flash::BoardSaved, None).await
}

pub(super) async fn delete_list(context: GroupContext) -> Result<Answer, PageError> {
    let (id, list) = (id(&context)?, list_id(&context)?);
    let written = write(&context, move |command, of| board::delete_list(command, of, id, list, None)).await;
    answer(&context, written, Flash::BoardSaved, None).await
}

pub(super) async fn move_issue(context: GroupContext) -> Result<Answer, PageError> {
    let (id, request) = (id(&context)?, moved(context.request.form())?);
    let written = write(&context, move |command, of| board::move_issue(command, of, id, request)).await;
    answer(&context, written, Flash::IssueMoved, None).await
}
