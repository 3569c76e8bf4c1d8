//! One's own second factor.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::two_factor::{self, RecoveryCodes, Requirement};

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::problems;
use crate::frame::Frame;
use crate::visit::Visit;
use crate::words::Moment;

const ADDRESS: &str = "/profile/two_factor_auth";

#[derive(Template)]
#[template(path = "profile/two_factor.html")]
struct TwoFactorPage {
    frame: Frame,
    problems: Vec<String>,
    is_enabled: bool,
    /// The secret to set up; shown until it is confirmed.
    pending: Option<Pending>,
    /// Shown once.
    codes: Vec<String>,
    required_now: bool,
    required_until: Option<Moment>,
}

struct Pending {
    secret: String,
    uri: String,
}

pub(super) async fn show(visit: Visit) -> Result<Answer, PageError> {
    page(&visit, Vec::new(), None).await
}

/// Turns the second factor on, with a first code, for a caller who gives the password.
pub(super) async fn confirm(visit: Visit) -> Result<Answer, PageError> {
    let code = visit.form().filled("", "pin_code").unwrap_or_default();
    // A browser that was left open must not be enough to lock its user out.
    let password = visit.form().secret("user", "password");
    if visit.app().confirm_password(visit.identity(), password).await?.is_none() {
        return refused(&visit, wrong_password()).await;
    }
    match visit.write(move |command| two_factor::confirm(command, &code)).await {
        Ok(codes) => page(&visit, Vec::new(), Some(codes)).await,
        Err(error) => refused(&visit, problems(error)?).await,
    }
}

/// New recovery codes, for a caller who gives the password.
pub(super) async fn renew_codes(visit: Visit) -> Result<Answer, PageError> {
    let password = visit.form().secret("user", "password");
    let Some(confirmed) = visit.app().confirm_password(visit.identity(), password).await? else {
        return refused(&visit, wrong_password()).await;
    };
    match visit.write(move |command| two_factor::new_recovery_codes(command, confirmed)).await {
        Ok(codes) => page(&visit, Vec::new(), Some(codes)).await,
        Err(error) => refused(&visit, problems(error)?).await,
    }
}

/// Turns the second factor off, for a caller who gives the password.
pub(super) async fn disable(visit: Visit) -> Result<Answer, PageError> {
    let password = visit.form().secret("user", "password");
    let Some(confirmed) = visit.app().confirm_password(visit.identity(), password).await? else {
        return refused(&visit, wrong_password()).await;
    };
    visit.write(move |command| two_factor::disable(command, confirmed)).await?;
    Ok(Answer::to(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::TwoFactorOff)))
}

fn wrong_password() -> Vec<String> {
    vec!["Password is invalid".to_owned()]
}

async fn refused(visit: &Visit, problems: Vec<String>) -> Result<Answer, PageError> {
    Ok(page(visit, problems, None).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn page(visit: &Visit, problems: Vec<String>, codes: Option<RecoveryCodes>) -> Result<Answer, PageError> {
    let read = |query: &mut tenon_app::Query<'_>| {
        let user = query.user()?.id;
        Ok((two_factor::is_enabled(query, user)?, two_factor::requirement(query, user)?))
    };
    let (frame, (is_enabled, requirement)) = visit.read(read).await?;
    // The secret is made when the page is first shown: without a code that proves it, it changes nothing.
    let pending = if is_enabled { None } else { pending(visit).await? };
    let (required_now, required_until) = match requirement {
        Requirement::Overdue => (true, None),
        Requirement::Until(end) => (false, Some(Moment::from(end))),
        Requirement::None | Requirement::Unannounced => (false, None),
    };
    let codes = codes.into_iter().flatten().map(|code| code.expose().to_owned()).collect();
    Answer::page(&TwoFactorPage { frame, problems, is_enabled, pending, codes, required_now, required_until })
}

async fn pending(visit: &Visit) -> Result<Option<Pending>, PageError> {
    match visit.write(two_factor::begin).await {
        Ok(pending) => {
            Ok(Some(Pending { secret: pending.secret.expose().to_owned(), uri: pending.uri.expose().to_owned() }))
        }
        // Another request has turned it on in the meantime.
        Err(AppError::Conflict(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
