//! Signing in with a passkey. The script asks for a challenge, lets the browser answer it, and sends the form.

use actix_web::http::header;

use super::sign_in::{FormValues, refused, signed_in, words};
use crate::context::request::RequestContext;
use crate::kit::answer::{Answer, RawBody};
use crate::kit::error::PageError;

/// The request to the browser. It is not part of the page, because it is good for a few minutes only.
pub(super) async fn ask(context: RequestContext) -> Result<Answer, PageError> {
    let asked = context.app_of_stranger().ask_for_passkey(context.holder()).await?;
    Ok(Answer::raw(RawBody::Whole(asked.into_bytes())).header(header::CONTENT_TYPE, "application/json".to_owned()))
}

pub(super) async fn submit(context: RequestContext) -> Result<Answer, PageError> {
    let answer = context.form().text("", "credential");
    let (app, browser) = (context.app_of_stranger(), context.browser(false));
    match app.sign_in_with_passkey(context.holder(), answer, browser).await? {
        Ok(started) => Ok(signed_in(&context, context.return_to(), &started)),
        Err(refusal) => refused(context, words(refusal), FormValues::default()).await,
    }
}
