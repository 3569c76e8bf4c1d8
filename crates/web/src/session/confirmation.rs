//! The page behind a link that was sent to an address. Reading it changes nothing: programs open the links in mail, too.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{Secret, email};

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::frame::Frame;
use crate::visit::Visit;

const FIELD: &str = "confirmation_token";

#[derive(Template)]
#[template(path = "session/confirmation.html")]
struct ConfirmationPage {
    frame: Frame,
    token: String,
    /// The address that is to be confirmed; `None` where the link has ended.
    address: Option<String>,
}

pub(super) async fn form(visit: Visit) -> Result<Answer, PageError> {
    let token = visit.query(FIELD).unwrap_or_default().to_owned();
    page(&visit, token).await
}

pub(super) async fn submit(visit: Visit) -> Result<Answer, PageError> {
    let token = visit.form().secret("", FIELD);
    match visit.write(move |command| email::confirm(command, &token)).await {
        Ok(()) => Ok(Answer::to(&visit.own("/")).cookie(cookie::of_flash(Flash::EmailConfirmed))),
        Err(AppError::NotFound(_)) => page(&visit, String::new()).await,
        Err(error) => Err(error.into()),
    }
}

async fn page(visit: &Visit, token: String) -> Result<Answer, PageError> {
    let presented = Secret::given(token.clone());
    let (frame, address) = visit.read(move |query| email::awaited_address(query, &presented)).await?;
    let status = if address.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(Answer::page(&ConfirmationPage { frame, token, address })?.status(status))
}
