//! The page behind a link that was sent to an address. Reading it changes nothing, because programs open the links in
//! mail, too.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{Secret, email};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;

const FIELD: &str = "confirmation_token";

#[derive(Template)]
#[template(path = "session/confirmation.html")]
struct ConfirmationPage {
    frame: Frame,
    token: String,
    /// The address that is to be confirmed. `None` if the link has expired.
    address: Option<String>,
}

pub(super) async fn form(context: RequestContext) -> Result<Answer, PageError> {
    let token = context.query(FIELD).unwrap_or_default().to_owned();
    page(&context, token).await
}

pub(super) async fn submit(context: RequestContext) -> Result<Answer, PageError> {
    let token = context.form().secret("", FIELD);
    match context.write(move |command| email::confirm(command, &token)).await {
        Ok(()) => Ok(Answer::to(&context.own("/")).cookie(cookie::of_flash(Flash::EmailConfirmed))),
        Err(AppError::NotFound(_)) => page(&context, String::new()).await,
        Err(error) => Err(error.into()),
    }
}

async fn page(context: &RequestContext, token: String) -> Result<Answer, PageError> {
    let presented = Secret::given(token.clone());
    let (frame, address) = context.read(move |query| email::awaited_address(query, &presented)).await?;
    let status = if address.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(Answer::page(&ConfirmationPage { frame, token, address })?.status(status))
}
