//! The access tokens of a group, for its owners.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::access_token::{self, AccessTokenView};
use tenon_app::error::{AppError, Missing};
use tenon_app::{Command, ContainerReference, Query, Reference};
use tenon_domain::id::TokenId;

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::access_token::{FormValues, Listed, Outcome, shown};

const ADDRESS: &str = "/-/settings/access_tokens";

#[derive(Template)]
#[template(path = "group/access_tokens.html")]
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

/// The list as it is now.
async fn present(context: &GroupContext, outcome: Outcome) -> Result<Answer, PageError> {
    let request = shown(chosen(context.request.parameters()));
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        access_token::page(query, &of(group), request)
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Settings);
    let listed = Listed::new(format!("{}{ADDRESS}", group.href), found, outcome);
    Answer::page(&TokensPage { frame, group, listed })
}

/// Runs a form that makes a token, and shows the token. It is stored nowhere.
async fn make(
    context: &GroupContext,
    typed: FormValues,
    work: impl FnOnce(&mut Command<'_>, &ContainerReference) -> Result<AccessTokenView, AppError> + Send + 'static,
) -> Result<Answer, PageError> {
    let path = context.path.clone();
    let written = context.request.write(move |command| {
        let of = of(&path.find(&mut command.query())?);
        work(command, &of)
    });
    match written.await {
        Ok(made) => {
            let outcome = Outcome { made: Some(made), ..Outcome::default() };
            Ok(present(context, outcome).await?.status(StatusCode::CREATED))
        }
        Err(error) => refused(context, typed, Problems::of(error)?).await,
    }
}

async fn refused(context: &GroupContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let outcome = Outcome { typed, problems, made: None };
    Ok(present(context, outcome).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn create(context: GroupContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    match typed.created() {
        Ok(request) => make(&context, typed, move |command, of| access_token::create(command, of, request)).await,
        Err(problems) => refused(&context, typed, problems).await,
    }
}

/// Replaces a token by a new one.
pub(super) async fn rotate(context: GroupContext) -> Result<Answer, PageError> {
    let id = TokenId::new(context.number("id")?);
    let work = move |command: &mut Command<'_>, of: &ContainerReference| {
        access_token::rotate(command, of, id, None)?.ok_or(AppError::NotFound(Missing::Plain))
    };
    make(&context, FormValues::default(), work).await
}

pub(super) async fn revoke(context: GroupContext) -> Result<Answer, PageError> {
    let (path, id) = (context.path.clone(), TokenId::new(context.number("id")?));
    let written = context.request.write(move |command| {
        let of = of(&path.find(&mut command.query())?);
        access_token::revoke(command, &of, id, None)
    });
    written.await?;
    let list = context.request.own(&context.path.address(ADDRESS));
    Ok(Answer::done(&list).cookie(cookie::of_flash(Flash::TokenRevoked)))
}
