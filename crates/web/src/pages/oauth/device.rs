//! The pages on which a user allows a device that has no browser.

use actix_web::http::StatusCode;
use askama::Template;

use super::authorize::{ScopeRow, rows};
use super::parameter::sent;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;

const ADDRESS: &str = "/oauth/device";

#[derive(Template)]
#[template(path = "oauth/device.html")]
struct CodePage {
    frame: Frame,
    /// True if a code was entered that belongs to no device.
    is_unknown: bool,
    user_code: String,
}

#[derive(Template)]
#[template(path = "oauth/device_consent.html")]
struct ConsentPage {
    frame: Frame,
    application: String,
    scopes: Vec<ScopeRow>,
    user_code: String,
}

/// Asks for the code. A code in the address is filled in, and the user compares it with the one on the device.
pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let user_code = context.query("user_code").unwrap_or_default().to_owned();
    Answer::page(&CodePage { frame: context.frame().await?, is_unknown: false, user_code })
}

/// Asks the user to allow the device.
pub(super) async fn review(context: RequestContext) -> Result<Answer, PageError> {
    let typed = sent(&context, "user_code").unwrap_or_default();
    let found = context.app().find_device(context.identity(), typed.clone()).await?;
    let Some(request) = found else { return unknown(&context, typed).await };
    Answer::page(&ConsentPage {
        frame: context.frame().await?,
        application: request.application.name,
        scopes: rows(&request.scopes),
        user_code: request.user_code.as_str().to_owned(),
    })
}

/// The user allows it.
pub(super) async fn approve(context: RequestContext) -> Result<Answer, PageError> {
    decide(context, true, Flash::DeviceAllowed).await
}

/// The user refuses it.
pub(super) async fn deny(context: RequestContext) -> Result<Answer, PageError> {
    decide(context, false, Flash::DeviceDenied).await
}

async fn decide(context: RequestContext, is_allowed: bool, flash: Flash) -> Result<Answer, PageError> {
    let typed = sent(&context, "user_code").unwrap_or_default();
    if !context.app().decide_device(context.identity(), typed.clone(), is_allowed).await? {
        return unknown(&context, typed).await;
    }
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(flash)))
}

async fn unknown(context: &RequestContext, user_code: String) -> Result<Answer, PageError> {
    let page = CodePage { frame: context.frame().await?, is_unknown: true, user_code };
    Ok(Answer::page(&page)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}
