//! The access tokens of a project, for its maintainers.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::access_token::{self, AccessTokenView, AccessTokensPage};
use tenon_app::error::{AppError, Missing};
use tenon_app::{Command, ContainerReference, Query};
use tenon_domain::id::TokenId;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::access_token::{FormValues, Listed, Outcome, shown};
use crate::table::project::ProjectTable;

const ADDRESS: &str = "/settings/access_tokens";

pub(super) fn routes(table: &mut ProjectTable) {
    table.page(ADDRESS, read, show);
    table.post(ADDRESS, create);
    table.post("/settings/access_tokens/{id}/rotate", rotate);
    table.delete("/settings/access_tokens/{id}", revoke);
}

#[derive(Template)]
#[template(path = "project/access_tokens.html")]
struct TokensPage {
    frame: Frame,
    project: ProjectFrame,
    listed: Listed,
}

fn of(asked: &ProjectRequest) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<AccessTokensPage, AppError> {
    query.user()?;
    access_token::page(query, &of(asked), shown(chosen(&asked.query)))
}

async fn show(context: ProjectContext, found: AccessTokensPage) -> Result<Answer, PageError> {
    present(context, found, Outcome::default())
}

fn present(context: ProjectContext, found: AccessTokensPage, outcome: Outcome) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings).with_api_path("/access_tokens");
    let listed = Listed::new(format!("{}{ADDRESS}", project.href), found, outcome);
    Answer::page(&TokensPage { frame: context.frame, project, listed })
}

/// The page after a form, with the list as it is now.
async fn again(context: ProjectContext, outcome: Outcome) -> Result<Answer, PageError> {
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read(query, &asked)).await?;
    present(ProjectContext { frame, ..context }, found, outcome)
}

/// Runs a form that makes a token, and shows the token. It is stored nowhere.
async fn make(
    context: ProjectContext,
    typed: FormValues,
    work: impl FnOnce(&mut Command<'_>, &ContainerReference) -> Result<AccessTokenView, AppError> + Send + 'static,
) -> Result<Answer, PageError> {
    let of = of(&context.asked);
    match context.request.write(move |command| work(command, &of)).await {
        Ok(made) => {
            let outcome = Outcome { made: Some(made), ..Outcome::default() };
            Ok(again(context, outcome).await?.status(StatusCode::CREATED))
        }
        Err(error) => refused(context, typed, Problems::of(error)?).await,
    }
}

async fn refused(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let outcome = Outcome { typed, problems, made: None };
    Ok(again(context, outcome).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    match typed.created() {
        Ok(request) => make(context, typed, move |command, of| access_token::create(command, of, request)).await,
        Err(problems) => refused(context, typed, problems).await,
    }
}

/// Replaces a token by a new one.
async fn rotate(context: ProjectContext) -> Result<Answer, PageError> {
    let id = TokenId::new(context.asked.number("id")?);
    let work = move |command: &mut Command<'_>, of: &ContainerReference| {
        access_token::rotate(command, of, id, None)?.ok_or(AppError::NotFound(Missing::Plain))
    };
    make(context, FormValues::default(), work).await
}

async fn revoke(context: ProjectContext) -> Result<Answer, PageError> {
    let (of, id) = (of(&context.asked), TokenId::new(context.asked.number("id")?));
    context.request.write(move |command| access_token::revoke(command, &of, id, None)).await?;
    Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::TokenRevoked)))
}
