//! The milestones of a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::issuable::IssuableView;
use tenon_app::milestone::{self, ListMilestones, MilestoneView};
use tenon_app::{ContainerReference, Query, markdown};

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::parts::issuable::list::Row;
use crate::parts::links::own_path;
use crate::parts::milestone::{Counted, FormValues, MilestoneRow, counted, find, wanted_state};
use crate::parts::milestone_contents::{self, Contents};
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page("/milestones", read_list, list);
    table.post("/milestones", create);
    table.page("/milestones/new", read_new, new);
    table.page("/milestones/{iid}", read_one, show);
    table.page("/milestones/{iid}/edit", read_edit, edit);
    table.put("/milestones/{iid}", update);
    table.delete("/milestones/{iid}", delete);
    table.post("/milestones/{iid}/promote", promote);
}

#[derive(Template)]
#[template(path = "milestone/list.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    state: &'static str,
    rows: Vec<MilestoneRow>,
    pages: Pagination,
    may_manage: bool,
}

#[derive(Template)]
#[template(path = "milestone/show.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    milestone: MilestoneRow,
    /// Safe HTML, made by the renderer of Markdown.
    description: String,
    contents: Contents,
    may_manage: bool,
    may_promote: bool,
}

#[derive(Template)]
#[template(path = "milestone/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address to which the form of a new milestone is sent.
    href: String,
    /// The number of the milestone that is changed. None for a new one.
    iid: Option<i64>,
    problems: Problems,
    typed: FormValues,
}

fn of(asked: &ProjectRequest) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Counted, AppError> {
    let (_, active) = wanted_state(asked.query.text("state"));
    let request =
        ListMilestones { active, include_ancestors: false, page: chosen(&asked.query), ..ListMilestones::default() };
    counted(query, &of(asked), request)
}

async fn list(context: ProjectContext, found: Counted) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Milestones).with_api_path("/milestones");
    let (state, _) = wanted_state(context.request.query("state"));
    Answer::cacheable(&ListPage {
        pages: Pagination::of(&found.0).with_query(&format!("state={state}")),
        rows: MilestoneRow::all(&project.href, &found),
        may_manage: context.page.may.manage_milestones,
        state,
        project,
        frame: context.frame,
    })
}

/// The data of the page of a milestone.
struct PageData {
    view: MilestoneView,
    description: String,
    contents: milestone_contents::Found,
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    let of = of(asked);
    let view = find(query, &of, asked.iid()?.get())?;
    let description = markdown::render(query, &view.milestone.description, Some(&asked.project))?;
    Ok(PageData { description, contents: milestone_contents::read(query, &of, &view)?, view })
}

async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    let api_path = format!("/milestones/{}", found.view.milestone.id);
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Milestones).with_api_path(&api_path);
    let may_manage = context.page.may.manage_milestones;
    let may_promote = may_manage && context.group_where(|may| may.manage_milestones).await?.is_some();
    let base_url = context.request.app().base_url();
    let row = |view: &IssuableView, is_draft: bool| Row::new(&context.frame, base_url, &project.href, view, is_draft);
    let mut contents = Contents::new(found.contents, row);
    contents.issues = contents.issues.filter(|_| project.has_issues);
    contents.requests = contents.requests.filter(|_| project.has_merge_requests);
    Answer::cacheable(&ShowPage {
        milestone: MilestoneRow::new(&project.href, &found.view),
        description: found.description,
        contents,
        may_manage,
        may_promote,
        project,
        frame: context.frame,
    })
}

fn read_new(query: &mut Query<'_>, _: &ProjectRequest) -> Result<(), AppError> {
    query.user().map(drop)
}

async fn new(context: ProjectContext, (): ()) -> Result<Answer, PageError> {
    if !context.page.may.manage_milestones {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    form(context, None, FormValues::default(), Problems::default())
}

fn read_edit(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<MilestoneView, AppError> {
    query.user()?;
    find(query, &of(asked), asked.iid()?.get())
}

async fn edit(context: ProjectContext, found: MilestoneView) -> Result<Answer, PageError> {
    if !context.page.may.manage_milestones {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    form(context, Some(found.milestone.iid.get()), FormValues::of(found.milestone), Problems::default())
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let request = match typed.created() {
        Ok(request) => request,
        Err(problems) => return refused(context, None, typed, problems),
    };
    let of = of(&context.asked);
    match context.request.write(move |command| milestone::create(command, &of, request)).await {
        Ok(view) => Ok(context.done(&format!("/milestones/{}", view.milestone.iid))),
        Err(error) => refused(context, None, typed, Problems::of(error)?),
    }
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, iid) = (of(&context.asked), context.asked.iid()?.get());
    let shown = form::OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(form);
    let request = match typed.changed(form) {
        Ok(request) => request,
        Err(problems) => return refused(context, Some(iid), typed, problems),
    };
    let written = context.request.write(move |command| {
        let id = find(&mut command.query(), &of, iid)?.milestone.id;
        milestone::edit(command, &of, id, request)
    });
    match written.await {
        Ok(view) => Ok(context.done(&format!("/milestones/{}", view.milestone.iid))),
        Err(error) => refused(context, Some(iid), typed, Problems::of(error)?),
    }
}

/// Turns a milestone into one of the group. Milestones of the same title in other projects of the group are merged into
/// it.
async fn promote(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, of, iid) = (context.project(), of(&context.asked), context.asked.iid()?.get());
    let written = context.request.write(move |command| {
        let id = find(&mut command.query(), &of, iid)?.milestone.id;
        milestone::promote(command, &project, id)
    });
    let view = written.await?;
    let there = own_path(&context.frame.root, context.request.app().base_url(), &view.web_url);
    Ok(Answer::done(&there).cookie(cookie::of_flash(Flash::MilestonePromoted)))
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, iid) = (of(&context.asked), context.asked.iid()?.get());
    context
        .request
        .write(move |command| {
            let id = find(&mut command.query(), &of, iid)?.milestone.id;
            milestone::delete(command, &of, id, None)
        })
        .await?;
    Ok(context.done("/milestones").cookie(cookie::of_flash(Flash::MilestoneRemoved)))
}

fn refused(
    context: ProjectContext,
    iid: Option<i64>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    Ok(form(context, iid, typed, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn form(context: ProjectContext, iid: Option<i64>, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Milestones).with_api_path("/milestones");
    let href = format!("{}/milestones", project.href);
    Answer::page(&FormPage { href, iid, problems, typed, project, frame: context.frame })
}
