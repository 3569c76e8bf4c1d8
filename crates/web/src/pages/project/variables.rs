//! The variables of a project, and those that it has of the groups above it.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::variable::{self, InheritedVariable, VariableOwner, VariableReference, VariableView};
use tenon_app::{ContainerReference, Query};
use tenon_domain::id::VariableId;
use tenon_domain::page::Page;
use tenon_domain::variable::Variable;

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
use crate::parts::variable::{FormValues, Holder, Listed, Row, changed, created};
use crate::table::project::ProjectTable;

const ADDRESS: &str = "/variables";

pub(super) fn routes(table: &mut ProjectTable) {
    table.page(ADDRESS, read_list, list);
    table.post(ADDRESS, create);
    table.page("/variables/{id}/edit", read_one, edit);
    table.put("/variables/{id}", update);
    table.delete("/variables/{id}", delete);
    table.get("/settings/ci_cd", |context| async move { Ok(Answer::to(&context.address(ADDRESS))) });
}

#[derive(Template)]
#[template(path = "project/variables.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    listed: Listed,
    /// Variables of groups, each with the name and the address of its group.
    inherited: Vec<(Row, String, String)>,
    typed: FormValues,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "project/variable.html")]
struct EditPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address of the list.
    href: String,
    typed: FormValues,
    problems: Problems,
}

fn owner(asked: &ProjectRequest) -> VariableOwner {
    VariableOwner::Container(ContainerReference::Project(asked.project.clone()))
}

fn reference(asked: &ProjectRequest) -> Result<VariableReference, AppError> {
    asked.number("id").map(|id| VariableReference::Id(VariableId::new(id)))
}

type Found = (Page<Variable>, Vec<InheritedVariable>);

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Found, AppError> {
    query.user()?;
    let own = variable::list_without_values(query, &owner(asked), chosen(&asked.query))?;
    Ok((own, variable::inherited(query, &asked.project)?))
}

async fn list(context: ProjectContext, found: Found) -> Result<Answer, PageError> {
    let protected = context.request.app().known_settings().protects_variables;
    present_list(context, found, FormValues::new(Holder::Container, protected), Problems::default())
}

fn present_list(
    context: ProjectContext,
    (own, inherited): Found,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let root = context.frame.root.clone();
    let project = ProjectFrame::new(&root, &context.page, Tab::Settings).with_api_path(ADDRESS);
    let listed = Listed::new(format!("{}{ADDRESS}", project.href), own);
    let inherited = inherited.into_iter().map(|InheritedVariable { variable, group }| {
        (Row::of(variable), group.full_name, format!("{root}/groups/{}", group.full_path))
    });
    Answer::page(&ListPage { frame: context.frame, project, listed, inherited: inherited.collect(), typed, problems })
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let form = context.request.form();
    let (owner, request) = (owner(&context.asked), created(form));
    match context.request.write(move |command| variable::create(command, &owner, request)).await {
        Ok(_) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::VariableSaved))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let typed = FormValues::new(Holder::Container, false).sent(form);
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_list(query, &asked)).await?;
            let page = present_list(ProjectContext { frame, ..context }, found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<VariableView, AppError> {
    query.user()?;
    variable::show(query, &owner(asked), &reference(asked)?)
}

async fn edit(context: ProjectContext, found: VariableView) -> Result<Answer, PageError> {
    present(context, FormValues::of(&found), Problems::default())
}

fn present(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings)
        .with_api_path(&format!("{ADDRESS}/{}", typed.key));
    let href = format!("{}{ADDRESS}", project.href);
    Answer::page(&EditPage { frame: context.frame, project, href, typed, problems })
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let (owner, reference) = (owner(&context.asked), reference(&context.asked)?);
    let shown = OriginalValues::sent(context.request.form());
    let change = changed(context.request.form().changed(&shown));
    match context.request.write(move |command| variable::edit(command, &owner, &reference, change)).await {
        Ok(_) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::VariableSaved))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_one(query, &asked)).await?;
            let typed = FormValues::of(&found).sent(context.request.form());
            let page = present(ProjectContext { frame, ..context }, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (owner, reference) = (owner(&context.asked), reference(&context.asked)?);
    context.request.write(move |command| variable::delete(command, &owner, &reference, None)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::VariableDeleted)))
}
