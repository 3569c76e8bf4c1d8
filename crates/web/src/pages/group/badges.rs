//! The badges of a group, which its projects show as well.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::badge;
use tenon_app::error::AppError;
use tenon_app::{ContainerReference, Query, Reference};
use tenon_domain::id::BadgeId;

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, GroupPath, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::badge::{FormValues, Listed, changed};

const ADDRESS: &str = "/-/settings/badges";

#[derive(Template)]
#[template(path = "group/badges.html")]
struct ListPage {
    frame: Frame,
    group: GroupFrame,
    listed: Listed,
    typed: FormValues,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "group/badge.html")]
struct EditPage {
    frame: Frame,
    group: GroupFrame,
    /// The address of the list.
    href: String,
    typed: FormValues,
    problems: Problems,
}

fn of(group: &Reference) -> ContainerReference {
    ContainerReference::Group(group.clone())
}

fn found(path: &GroupPath, query: &mut Query<'_>) -> Result<ContainerReference, AppError> {
    Ok(of(&path.find(query)?))
}

fn id(context: &GroupContext) -> Result<BadgeId, PageError> {
    context.number("id").map(BadgeId::new)
}

fn done(context: &GroupContext, flash: Flash) -> Answer {
    Answer::done(&context.request.own(&context.path.address(ADDRESS))).cookie(cookie::of_flash(flash))
}

pub(super) async fn list(context: GroupContext) -> Result<Answer, PageError> {
    present_list(&context, FormValues::default(), Problems::default()).await
}

/// The list. 403 for callers who may not change it: they see the badges on the pages of projects.
async fn present_list(context: &GroupContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let request = chosen(context.request.parameters());
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        badge::list(query, &of(group), None, request)
    };
    let (frame, page, found) = context.read(work).await?;
    if !page.may.administer {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let group = GroupFrame::new(&frame.root, &page, Tab::Settings);
    let listed = Listed::new(format!("{}{ADDRESS}", group.href), found, |_own| true);
    Answer::page(&ListPage { frame, group, listed, typed, problems })
}

pub(super) async fn create(context: GroupContext) -> Result<Answer, PageError> {
    let form = context.request.form();
    let (path, change) = (context.path.clone(), changed(form));
    let written = context.request.write(move |command| {
        let of = found(&path, &mut command.query())?;
        badge::create(command, &of, change)
    });
    match written.await {
        Ok(_) => Ok(done(&context, Flash::BadgeSaved)),
        Err(error) => {
            let page = present_list(&context, FormValues::sent(None, form), Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn edit(context: GroupContext) -> Result<Answer, PageError> {
    present(&context, None, Problems::default()).await
}

/// The form with typed or stored values. 403 if the caller may not save it.
async fn present(context: &GroupContext, typed: Option<FormValues>, problems: Problems) -> Result<Answer, PageError> {
    let id = id(context)?;
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        badge::show(query, &of(group), id)
    };
    let (frame, page, found) = context.read(work).await?;
    if !page.may.administer {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let group = GroupFrame::new(&frame.root, &page, Tab::Settings);
    let typed = typed.unwrap_or_else(|| FormValues::of(found.badge));
    Answer::page(&EditPage { href: format!("{}{ADDRESS}", group.href), frame, group, typed, problems })
}

pub(super) async fn update(context: GroupContext) -> Result<Answer, PageError> {
    let (path, id) = (context.path.clone(), id(&context)?);
    let shown = OriginalValues::sent(context.request.form());
    let change = changed(context.request.form().changed(&shown));
    let written = context.request.write(move |command| {
        let of = found(&path, &mut command.query())?;
        badge::edit(command, &of, id, change)
    });
    match written.await {
        Ok(_) => Ok(done(&context, Flash::BadgeSaved)),
        Err(error) => {
            let typed = FormValues::sent(Some(id.get()), context.request.form());
            let page = present(&context, Some(typed), Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete(context: GroupContext) -> Result<Answer, PageError> {
    let (path, id) = (context.path.clone(), id(&context)?);
    let written = context.request.write(move |command| {
        let of = found(&path, &mut command.query())?;
        badge::delete(command, &of, id, None)
    });
    written.await?;
    Ok(done(&context, Flash::BadgeDeleted))
}
