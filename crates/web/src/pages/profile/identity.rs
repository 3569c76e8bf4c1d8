//! One's own accounts at sign-in providers.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::openid::{self, LinkedAccount};
use tenon_app::user;

use super::two_factor::unconfirmed;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::pages::session::leave;

const ADDRESS: &str = "/profile/identities";

#[derive(Template)]
#[template(path = "profile/identities.html")]
struct IdentitiesPage {
    frame: Frame,
    problems: Problems,
    accounts: Vec<LinkedAccount>,
    has_password: bool,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Problems::default()).await
}

/// Sends the browser to a provider, to add an account there. The caller must give the password.
pub(super) async fn add(context: RequestContext) -> Result<Answer, PageError> {
    let password = context.form().secret("user", "password");
    let Some(confirmed) = context.app().confirm_password(context.identity(), password).await? else {
        return refused(&context, Problems::plain(unconfirmed(&context))).await;
    };
    let (identity, holder) = (context.identity(), context.holder());
    let provider = context.form().text("", "provider");
    let begun = context.app().begin_openid_link(identity, confirmed, &provider, holder).await?;
    leave(&context, begun).await
}

/// Removes an account at a provider. The caller must give the password.
pub(super) async fn remove(context: RequestContext) -> Result<Answer, PageError> {
    let password = context.form().secret("user", "password");
    let Some(confirmed) = context.app().confirm_password(context.identity(), password).await? else {
        return refused(&context, Problems::plain(unconfirmed(&context))).await;
    };
    let provider = context.form().text("", "provider");
    match context.write(move |command| openid::unlink(command, confirmed, &provider)).await {
        Ok(()) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::IdentityRemoved))),
        Err(error) => refused(&context, Problems::of(error)?).await,
    }
}

async fn refused(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    Ok(page(context, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn page(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let read = context.read(|query| Ok((openid::list(query)?, user::has_password(query)?)));
    let (frame, (accounts, has_password)) = read.await?;
    Answer::page(&IdentitiesPage { frame, problems, accounts, has_password })
}
