//! The pages on which a user allows a device that has no browser.

use actix_web::http::StatusCode;
use askama::Template;

use super::authorize::{ScopeRow, rows};
use super::sent;
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::frame::Frame;
use crate::visit::Visit;

const ADDRESS: &str = "/oauth/device";

#[derive(Template)]
#[template(path = "oauth/device.html")]
struct CodePage {
    frame: Frame,
    /// Whether this code was entered, and is no device's.
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

/// Asks for the code. One that came with the address is filled in: the user compares it with what the device shows.
pub(super) async fn show(visit: Visit) -> Result<Answer, PageError> {
    let user_code = visit.query("user_code").unwrap_or_default().to_owned();
    Answer::page(&CodePage { frame: visit.frame().await?, is_unknown: false, user_code })
}

/// Asks whether the device may act for the user.
pub(super) async fn review(visit: Visit) -> Result<Answer, PageError> {
    let typed = sent(&visit, "user_code").unwrap_or_default();
    let found = visit.app().find_device(visit.identity(), typed.clone()).await?;
    let Some(request) = found else { return unknown(&visit, typed).await };
    Answer::page(&ConsentPage {
        frame: visit.frame().await?,
        application: request.application.name,
        scopes: rows(&request.scopes),
        user_code: request.user_code.as_str().to_owned(),
    })
}

/// The user allows it.
pub(super) async fn approve(visit: Visit) -> Result<Answer, PageError> {
    decide(visit, true, Flash::DeviceAllowed).await
}

/// The user does not.
pub(super) async fn deny(visit: Visit) -> Result<Answer, PageError> {
    decide(visit, false, Flash::DeviceDenied).await
}

async fn decide(visit: Visit, is_allowed: bool, flash: Flash) -> Result<Answer, PageError> {
    let typed = sent(&visit, "user_code").unwrap_or_default();
    if !visit.app().decide_device(visit.identity(), typed.clone(), is_allowed).await? {
        return unknown(&visit, typed).await;
    }
    Ok(Answer::to(&visit.own(ADDRESS)).cookie(cookie::of_flash(flash)))
}

async fn unknown(visit: &Visit, user_code: String) -> Result<Answer, PageError> {
    let page = CodePage { frame: visit.frame().await?, is_unknown: true, user_code };
    Ok(Answer::page(&page)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}
