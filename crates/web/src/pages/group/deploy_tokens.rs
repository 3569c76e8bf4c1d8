//! The deploy tokens of a group, which open all projects below it.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::deploy_token;
use tenon_app::{ContainerReference, Query, Reference};
use tenon_domain::id::DeployTokenId;

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::deploy_token::{FormValues, Listed, Outcome};

const ADDRESS: &str = "/-/settings/deploy_tokens";

#[derive(Template)]
#[template(path = "group/deploy_tokens.html")]
struct TokensPage {
    frame: Frame,
    group: GroupFrame,
    listed: Listed,
}

fn of(group: &Reference) -> ContainerReference {
    ContainerReference::Group(group.clone())
}

pub(super) async fn show(context: GroupContext) -> Result<Answer, PageError> {
    present(&context, Outcome::default()).await
}

/// The list as it is now. Maintainers read it, owners change it.
async fn present(context: &GroupContext, outcome: Outcome) -> Result<Answer, PageError> {
    let request = chosen(context.request.parameters());
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        deploy_token::list(query, &of(group), None, request)
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Settings);
    let listed = Listed::new(format!("{}{ADDRESS}", group.href), page.may.administer, found, outcome);
    Answer::page(&TokensPage { frame, group, listed })
}

/// Makes a token, and shows it. The token itself is stored nowhere.
pub(super) async fn create(context: GroupContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let problems = match typed.created() {
        Ok(request) => {
            let path = context.path.clone();
            let written = context.request.write(move |command| {
                let of = of(&path.find(&mut command.query())?);
                deploy_token::create(command, &of, request)
            });
            match written.await {
                Ok(made) => {
                    let outcome = Outcome { made: Some(made), ..Outcome::default() };
                    return Ok(present(&context, outcome).await?.status(StatusCode::CREATED));
                }
                Err(error) => Problems::of(error)?,
            }
        }
        Err(problems) => problems,
    };
    let outcome = Outcome { typed, problems, made: None };
    Ok(present(&context, outcome).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn revoke(context: GroupContext) -> Result<Answer, PageError> {
    let (path, id) = (context.path.clone(), DeployTokenId::new(context.number("id")?));
    let written = context.request.write(move |command| {
        let of = of(&path.find(&mut command.query())?);
        deploy_token::delete(command, &of, id, None)
    });
    written.await?;
    let list = context.request.own(&context.path.address(ADDRESS));
    Ok(Answer::done(&list).cookie(cookie::of_flash(Flash::TokenRevoked)))
}
