//! The labels of a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::label::{self, LabelView};
use tenon_app::{ContainerReference, Query};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::problems::Problems;
use crate::parts::label::{FormValues, Listed, reference, toggle, wanted};
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page("/labels", read_list, list);
    table.post("/labels", create);
    table.page("/labels/new", read_new, new);
    table.page("/labels/{id}/edit", read_edit, edit);
    table.put("/labels/{id}", update);
    table.delete("/labels/{id}", delete);
    table.post("/labels/{id}/toggle_subscription", toggle_subscription);
    table.post("/labels/{id}/promote", promote);
}

#[derive(Template)]
#[template(path = "label/list.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    listed: Listed,
}

#[derive(Template)]
#[template(path = "label/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address to which the form of a new label is sent.
    href: String,
    /// The label that is changed. None for a new one.
    id: Option<i64>,
    problems: Problems,
    typed: FormValues,
}

fn of(asked: &ProjectRequest) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<LabelView>, AppError> {
    label::list(query, &of(asked), &wanted(&asked.query))
}

async fn list(context: ProjectContext, found: Page<LabelView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Labels).with_api_path("/labels");
    let lists = [(IssuableKind::Issue, project.has_issues), (IssuableKind::MergeRequest, project.has_merge_requests)];
    let lists: Vec<IssuableKind> = lists.into_iter().filter_map(|(kind, has)| has.then_some(kind)).collect();
    let listed = Listed::new(&project.href, &lists, found, context.request.parameters());
    let may_manage = context.page.may.manage_labels;
    let may_promote = may_manage && context.group_where(|may| may.manage_labels).await?.is_some();
    let listed = Listed { may_manage, may_promote, ..listed };
    Answer::cacheable(&ListPage { frame: context.frame, project, listed })
}

fn read_new(query: &mut Query<'_>, _: &ProjectRequest) -> Result<(), AppError> {
    query.user().map(drop)
}

async fn new(context: ProjectContext, (): ()) -> Result<Answer, PageError> {
    if !context.page.may.manage_labels {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let typed = FormValues::new(context.request.parameters());
    form(context, None, typed, Problems::default())
}

fn read_edit(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<LabelView, AppError> {
    query.user()?;
    label::show(query, &of(asked), &reference(asked.number("id")?))
}

/// The form of a label of the project's own. 403 for labels of groups, which are changed in the group.
async fn edit(context: ProjectContext, found: LabelView) -> Result<Answer, PageError> {
    if !context.page.may.manage_labels || !found.is_project_label {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    form(context, Some(found.label.id.get()), FormValues::of(found), Problems::default())
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let request = match typed.created() {
        Ok(request) => request,
        Err(problems) => return refused(context, None, typed, problems),
    };
    let of = of(&context.asked);
    match context.request.write(move |command| label::create(command, &of, request)).await {
        Ok(_) => Ok(context.done("/labels").cookie(cookie::of_flash(Flash::LabelSaved))),
        Err(error) => refused(context, None, typed, Problems::of(error)?),
    }
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), context.asked.number("id")?);
    let shown = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(form);
    let request = match typed.changed(form) {
        Ok(request) => request,
        Err(problems) => return refused(context, Some(id), typed, problems),
    };
    let written = context.request.write(move |command| label::edit(command, &of, &reference(id), request));
    match written.await {
        Ok(_) => Ok(context.done("/labels").cookie(cookie::of_flash(Flash::LabelSaved))),
        Err(error) => refused(context, Some(id), typed, Problems::of(error)?),
    }
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), context.asked.number("id")?);
    context.request.write(move |command| label::delete(command, &of, &reference(id))).await?;
    Ok(context.done("/labels").cookie(cookie::of_flash(Flash::LabelRemoved)))
}

/// Turns a label into one of the group. Labels of the same name in other projects of the group are merged into it.
async fn promote(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, id) = (context.project(), context.asked.number("id")?);
    context.request.write(move |command| label::promote(command, &project, &reference(id))).await?;
    Ok(context.done("/labels").cookie(cookie::of_flash(Flash::LabelPromoted)))
}

async fn toggle_subscription(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), context.asked.number("id")?);
    context.request.write(move |command| toggle(command, &of, id)).await?;
    Ok(context.done("/labels"))
}

fn refused(
    context: ProjectContext,
    id: Option<i64>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    Ok(form(context, id, typed, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn form(context: ProjectContext, id: Option<i64>, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Labels).with_api_path("/labels");
    let href = format!("{}/labels", project.href);
    Answer::page(&FormPage { href, id, problems, typed, project, frame: context.frame })
}
