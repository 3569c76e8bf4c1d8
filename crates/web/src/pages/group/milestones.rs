//! The milestones of a group.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::issuable::IssuableView;
use tenon_app::milestone::{self, ListMilestones, MilestoneView};
use tenon_app::{ContainerReference, Query, Reference, markdown};

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::parts::issuable::list::Row;
use crate::parts::milestone::{FormValues, MilestoneRow, counted, find, wanted_state};
use crate::parts::milestone_contents::{self, Contents};

#[derive(Template)]
#[template(path = "group/milestones.html")]
struct ListPage {
    frame: Frame,
    group: GroupFrame,
    state: &'static str,
    rows: Vec<MilestoneRow>,
    pages: Pagination,
    may_manage: bool,
}

#[derive(Template)]
#[template(path = "group/milestone.html")]
struct ShowPage {
    frame: Frame,
    group: GroupFrame,
    milestone: MilestoneRow,
    /// Safe HTML, made by the renderer of Markdown.
    description: String,
    contents: Contents,
    may_manage: bool,
    /// Always false: milestones of groups cannot be promoted.
    may_promote: bool,
}

#[derive(Template)]
#[template(path = "group/milestone_form.html")]
struct FormPage {
    frame: Frame,
    group: GroupFrame,
    /// The address to which the form of a new milestone is sent.
    href: String,
    /// The number of the milestone that is changed. None for a new one.
    iid: Option<i64>,
    problems: Problems,
    typed: FormValues,
}

/// The start of the addresses of milestones.
fn below(top: &GroupFrame) -> String {
    format!("{}/-", top.href)
}

pub(super) async fn list(context: GroupContext) -> Result<Answer, PageError> {
    let (state, active) = wanted_state(context.request.query("state"));
    let page = chosen(context.request.parameters());
    let work = move |query: &mut Query<'_>, group: &Reference| {
        let request = ListMilestones { active, page, ..ListMilestones::default() };
        counted(query, &ContainerReference::Group(group.clone()), request)
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Milestones);
    let pages = Pagination::of(&found.0).with_query(&format!("state={state}"));
    let rows = MilestoneRow::all(&below(&group), &found);
    Answer::cacheable(&ListPage { frame, group, state, rows, pages, may_manage: page.may.manage_milestones })
}

pub(super) async fn show(context: GroupContext) -> Result<Answer, PageError> {
    let iid = context.number("iid")?;
    let work = move |query: &mut Query<'_>, group: &Reference| {
        let of = ContainerReference::Group(group.clone());
        let view = find(query, &of, iid)?;
        let description = markdown::render(query, &view.milestone.description, None)?;
        Ok((description, milestone_contents::read(query, &of, &view)?, view))
    };
    let (frame, page, (description, found, view)) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Milestones);
    let base_url = context.request.app().base_url();
    let row = |view: &IssuableView, is_draft: bool| Row::across(&frame, base_url, view, is_draft);
    Answer::cacheable(&ShowPage {
        milestone: MilestoneRow::new(&below(&group), &view),
        description,
        contents: Contents::new(found, row),
        may_manage: page.may.manage_milestones,
        may_promote: false,
        group,
        frame,
    })
}

pub(super) async fn new(context: GroupContext) -> Result<Answer, PageError> {
    form(&context, None, Some(FormValues::default()), Problems::default()).await
}

pub(super) async fn edit(context: GroupContext) -> Result<Answer, PageError> {
    let iid = context.number("iid")?;
    form(&context, Some(iid), None, Problems::default()).await
}

/// The form with typed or stored values. 403 if the caller may not save it.
async fn form(
    context: &GroupContext,
    iid: Option<i64>,
    typed: Option<FormValues>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        iid.map(|iid| find(query, &ContainerReference::Group(group.clone()), iid)).transpose()
    };
    let (frame, page, found) = context.read(work).await?;
    if !page.may.manage_milestones {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let group = GroupFrame::new(&frame.root, &page, Tab::Milestones);
    let typed = typed.or_else(|| found.map(|view| FormValues::of(view.milestone))).ok_or(PageError::NotFound)?;
    Answer::page(&FormPage { href: format!("{}/milestones", below(&group)), frame, group, iid, problems, typed })
}

async fn refused(
    context: &GroupContext,
    iid: Option<i64>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    Ok(form(context, iid, Some(typed), problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn saved(context: &GroupContext, view: &MilestoneView) -> Answer {
    Answer::done(&context.request.own(&context.path.address(&format!("/-/milestones/{}", view.milestone.iid))))
}

pub(super) async fn create(context: GroupContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let request = match typed.created() {
        Ok(request) => request,
        Err(problems) => return refused(&context, None, typed, problems).await,
    };
    let group = context.path.clone();
    let written = context.request.write(move |command| {
        let of = ContainerReference::Group(group.find(&mut command.query())?);
        milestone::create(command, &of, request)
    });
    match written.await {
        Ok(view) => Ok(saved(&context, &view)),
        Err(error) => refused(&context, None, typed, Problems::of(error)?).await,
    }
}

pub(super) async fn update(context: GroupContext) -> Result<Answer, PageError> {
    let iid = context.number("iid")?;
    let shown = form::OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(form);
    let request = match typed.changed(form) {
        Ok(request) => request,
        Err(problems) => return refused(&context, Some(iid), typed, problems).await,
    };
    let group = context.path.clone();
    let written = context.request.write(move |command| {
        let of = ContainerReference::Group(group.find(&mut command.query())?);
        let id = find(&mut command.query(), &of, iid)?.milestone.id;
        milestone::edit(command, &of, id, request)
    });
    match written.await {
        Ok(view) => Ok(saved(&context, &view)),
        Err(error) => refused(&context, Some(iid), typed, Problems::of(error)?).await,
    }
}

pub(super) async fn delete(context: GroupContext) -> Result<Answer, PageError> {
    let iid = context.number("iid")?;
    let group = context.path.clone();
    let written = context.request.write(move |command| {
        let of = ContainerReference::Group(group.find(&mut command.query())?);
        let id = find(&mut command.query(), &of, iid)?.milestone.id;
        milestone::delete(command, &of, id, None)
    });
    written.await?;
    let there = context.request.own(&context.path.address("/-/milestones"));
    Ok(Answer::done(&there).cookie(cookie::of_flash(Flash::MilestoneRemoved)))
}
