//! The deploy tokens of a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::deploy_token::{self, DeployTokenView};
use tenon_app::error::AppError;
use tenon_app::{ContainerReference, Query};
use tenon_domain::id::DeployTokenId;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::deploy_token::{FormValues, Listed, Outcome};
use crate::table::project::ProjectTable;

const ADDRESS: &str = "/settings/deploy_tokens";

pub(super) fn routes(table: &mut ProjectTable) {
    table.page(ADDRESS, read, show);
    table.post(ADDRESS, create);
    table.delete("/settings/deploy_tokens/{id}", revoke);
}

#[derive(Template)]
#[template(path = "project/deploy_tokens.html")]
struct TokensPage {
    frame: Frame,
    project: ProjectFrame,
    listed: Listed,
}

fn of(asked: &ProjectRequest) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<DeployTokenView>, AppError> {
    query.user()?;
    deploy_token::list(query, &of(asked), None, chosen(&asked.query))
}

async fn show(context: ProjectContext, found: Page<DeployTokenView>) -> Result<Answer, PageError> {
    present(context, found, Outcome::default())
}

fn present(context: ProjectContext, found: Page<DeployTokenView>, outcome: Outcome) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings).with_api_path("/deploy_tokens");
    let listed = Listed::new(format!("{}{ADDRESS}", project.href), true, found, outcome);
    Answer::page(&TokensPage { frame: context.frame, project, listed })
}

/// The page after a form, with the list as it is now.
async fn again(context: ProjectContext, outcome: Outcome) -> Result<Answer, PageError> {
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read(query, &asked)).await?;
    present(ProjectContext { frame, ..context }, found, outcome)
}

/// Makes a token, and shows it. The token itself is stored nowhere.
async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let problems = match typed.created() {
        Ok(request) => {
            let of = of(&context.asked);
            match context.request.write(move |command| deploy_token::create(command, &of, request)).await {
                Ok(made) => {
                    let outcome = Outcome { made: Some(made), ..Outcome::default() };
                    return Ok(again(context, outcome).await?.status(StatusCode::CREATED));
                }
                Err(error) => Problems::of(error)?,
            }
        }
        Err(problems) => problems,
    };
    let outcome = Outcome { typed, problems, made: None };
    Ok(again(context, outcome).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn revoke(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), DeployTokenId::new(context.asked.number("id")?));
    context.request.write(move |command| deploy_token::delete(command, &of, id, None)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::TokenRevoked)))
}
