//! One's own passkeys, on the page of the second factor.

use actix_web::http::{StatusCode, header};
use serde_json::json;
use tenon_app::passkey::{self, Added, PasskeyError};
use tenon_domain::id::PasskeyId;

use super::two_factor::{ADDRESS, page, refused, unconfirmed};
use crate::context::request::RequestContext;
use crate::kit::answer::{Answer, RawBody};
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;

/// The request to the browser. The script asks for it with the fields of the form, so that a passkey is made only if the password is
/// right.
pub(super) async fn begin(context: RequestContext) -> Result<Answer, PageError> {
    let password = context.form().secret("user", "password");
    let Some(confirmed) = context.app().confirm_password(context.identity(), password).await? else {
        return Ok(not_asked(unconfirmed(&context)));
    };
    let (holder, name) = (context.holder(), context.form().text("", "passkey_name"));
    match context.write(move |command| passkey::begin(command, confirmed, &holder, &name)).await {
        Ok(asked) => {
            let json = "application/json".to_owned();
            Ok(Answer::raw(RawBody::Whole(asked.into_bytes())).header(header::CONTENT_TYPE, json))
        }
        Err(error) => {
            let problems = Problems::of(error)?;
            Ok(not_asked(problems.iter().next().map_or("This passkey cannot be added", |problem| &problem.text)))
        }
    }
}

/// Why the browser is asked for nothing, for the script.
fn not_asked(text: &str) -> Answer {
    Answer::json(&json!({"refused": text})).status(StatusCode::UNPROCESSABLE_ENTITY)
}

/// Adds the passkey that the browser has made. The first one turns two-factor authentication on: the page shows the codes for a
/// user who loses it.
pub(super) async fn add(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let (holder, name, answer) = (context.holder(), form.text("", "passkey_name"), form.text("", "credential"));
    match context.write(move |command| passkey::add(command, &holder, &name, &answer)).await {
        Ok(Added::Done(None)) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::PasskeyAdded))),
        Ok(Added::Done(codes)) => page(&context, Problems::default(), codes).await,
        Ok(Added::Refused(error)) => refused(&context, Problems::plain(words(error))).await,
        Err(error) => refused(&context, Problems::of(error)?).await,
    }
}

const fn words(error: PasskeyError) -> &'static str {
    match error {
        PasskeyError::OtherRequest => "The passkey was not added in time. Please try again.",
        PasskeyError::NotVerified => {
            "A passkey must verify you by PIN, fingerprint or face. Set that up on your device first."
        }
        PasskeyError::Algorithm => "This kind of passkey is not supported.",
        _ => "The passkey could not be verified.",
    }
}

pub(super) async fn rename(context: RequestContext) -> Result<Answer, PageError> {
    let (id, name) = (PasskeyId::new(context.id("id")?), context.form().text("", "passkey_name"));
    match context.write(move |command| passkey::rename(command, id, &name)).await {
        Ok(()) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::PasskeySaved))),
        Err(error) => refused(&context, Problems::of(error)?).await,
    }
}

/// Removes a passkey. The caller must give the password.
pub(super) async fn remove(context: RequestContext) -> Result<Answer, PageError> {
    let id = PasskeyId::new(context.id("id")?);
    let password = context.form().secret("user", "password");
    let Some(confirmed) = context.app().confirm_password(context.identity(), password).await? else {
        return refused(&context, Problems::plain(unconfirmed(&context))).await;
    };
    match context.write(move |command| passkey::remove(command, confirmed, id)).await {
        Ok(()) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::PasskeyRemoved))),
        Err(error) => refused(&context, Problems::of(error)?).await,
    }
}
