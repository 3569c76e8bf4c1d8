//! One's own second factor.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::passkey::{self, Passkey};
use tenon_app::two_factor::{self, RecoveryCodes, Requirement};
use tenon_app::user;

use tenon_domain::refusal::Refusal;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::qr::QrPicture;
use crate::kit::return_to::ReturnTo;
use crate::kit::words::Moment;

pub(super) const ADDRESS: &str = "/profile/two_factor_auth";

#[derive(Template)]
#[template(path = "profile/two_factor.html")]
struct TwoFactorPage {
    frame: Frame,
    problems: Problems,
    return_to: ReturnTo,
    is_enabled: bool,
    /// True if the user has an authenticator that shows codes.
    has_authenticator: bool,
    /// True if browsers make passkeys for this server.
    takes_passkeys: bool,
    passkeys: Vec<PasskeyRow>,
    /// True if the user has a password to confirm changes with.
    has_password: bool,
    /// The secret to set up. Shown until it is confirmed.
    pending: Option<Pending>,
    /// The recovery codes. Shown once.
    codes: Vec<String>,
    required_now: bool,
    required_until: Option<Moment>,
    /// True if a second factor is required, and the user reads this for the first time.
    required_soon: bool,
}

struct PasskeyRow {
    id: i64,
    name: String,
    created: Moment,
    used: Option<Moment>,
}

struct Pending {
    secret: String,
    uri: String,
    /// The same as a picture.
    picture: Option<QrPicture>,
}

impl From<Passkey> for PasskeyRow {
    fn from(passkey: Passkey) -> Self {
        Self {
            id: passkey.id.get(),
            name: passkey.name,
            created: passkey.created_at.into(),
            used: passkey.last_used_at.map(Moment::from),
        }
    }
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Problems::default(), None).await
}

/// Makes a secret, which the page shows until it is confirmed. An earlier unconfirmed one becomes void.
pub(super) async fn begin(context: RequestContext) -> Result<Answer, PageError> {
    let page = Answer::to(&context.return_to().through(&context.own(ADDRESS)));
    match context.write(two_factor::begin).await {
        // It was turned on in the meantime: the page says so.
        Ok(_) | Err(AppError::Refused(Refusal::TwoFactor(_))) => Ok(page),
        Err(error) => Err(error.into()),
    }
}

/// Records that the user knows that a second factor is required, and continues without one. The period of grace begins.
pub(super) async fn put_off(context: RequestContext) -> Result<Answer, PageError> {
    context
        .write(|command| {
            let user = command.user()?.id;
            two_factor::announce(command, user)
        })
        .await?;
    Ok(Answer::to(&context.destination()))
}

/// Turns the second factor on, with a first code. The caller must give the password.
pub(super) async fn confirm(context: RequestContext) -> Result<Answer, PageError> {
    let code = context.form().filled("", "pin_code").unwrap_or_default();
    // A browser that was left open must not be enough to lock its user out.
    let password = context.form().secret("user", "password");
    if context.app().confirm_password(context.identity(), password).await?.is_none() {
        return refused(&context, not_confirmed(&context, "on_password")).await;
    }
    match context.write(move |command| two_factor::confirm(command, &code)).await {
        Ok(None) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::AuthenticatorAdded))),
        Ok(codes) => page(&context, Problems::default(), codes).await,
        Err(error) => refused(&context, Problems::of(error)?).await,
    }
}

/// Makes new recovery codes. The caller must give the password.
pub(super) async fn renew_codes(context: RequestContext) -> Result<Answer, PageError> {
    let password = context.form().secret("user", "password");
    let Some(confirmed) = context.app().confirm_password(context.identity(), password).await? else {
        return refused(&context, not_confirmed(&context, "codes_password")).await;
    };
    match context.write(move |command| two_factor::new_recovery_codes(command, confirmed)).await {
        Ok(codes) => page(&context, Problems::default(), Some(codes)).await,
        Err(error) => refused(&context, Problems::of(error)?).await,
    }
}

/// Turns the second factor off. The caller must give the password.
pub(super) async fn disable(context: RequestContext) -> Result<Answer, PageError> {
    let password = context.form().secret("user", "password");
    let Some(confirmed) = context.app().confirm_password(context.identity(), password).await? else {
        return refused(&context, not_confirmed(&context, "off_password")).await;
    };
    match context.write(move |command| two_factor::disable(command, confirmed)).await {
        Ok(()) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::TwoFactorOff))),
        Err(error) => refused(&context, Problems::of(error)?).await,
    }
}

/// Why the caller is not confirmed: the password is wrong, or a user without one has signed in too long ago.
pub(super) fn not_confirmed(context: &RequestContext, field: &str) -> Problems {
    Problems::with(field, unconfirmed(context))
}

/// The same as a sentence.
pub(super) fn unconfirmed(context: &RequestContext) -> &'static str {
    if context.form().has("user", "password") { "Password is invalid" } else { "Sign in again to confirm this change" }
}

pub(super) async fn refused(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    Ok(page(context, problems, None).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn page(
    context: &RequestContext,
    problems: Problems,
    codes: Option<RecoveryCodes>,
) -> Result<Answer, PageError> {
    let read = |query: &mut tenon_app::Query<'_>| {
        let id = query.user()?.id;
        let pending = two_factor::pending(query)?;
        let has_authenticator = two_factor::has_authenticator(query)?;
        let means =
            (two_factor::is_enabled(query, id)?, has_authenticator, passkey::list(query)?, user::has_password(query)?);
        Ok((means, two_factor::requirement(query, id)?, pending))
    };
    let (frame, (means, requirement, pending)) = context.read(read).await?;
    let (is_enabled, has_authenticator, passkeys, has_password) = means;
    let pending = pending.map(|pending| Pending {
        secret: pending.secret.expose().to_owned(),
        picture: QrPicture::of(pending.uri.expose()),
        uri: pending.uri.expose().to_owned(),
    });
    let (required_now, required_until) = match requirement {
        Requirement::Overdue => (true, None),
        Requirement::Until(end) => (false, Some(Moment::from(end))),
        Requirement::None | Requirement::Unannounced => (false, None),
    };
    let required_soon = requirement == Requirement::Unannounced;
    let codes = codes.into_iter().flatten().map(|code| code.expose().to_owned()).collect();
    let return_to = context.return_to().clone();
    Answer::page(&TwoFactorPage {
        frame,
        problems,
        return_to,
        is_enabled,
        has_authenticator,
        has_password,
        takes_passkeys: context.app().has_passkeys(),
        passkeys: passkeys.into_iter().map(PasskeyRow::from).collect(),
        pending,
        codes,
        required_now,
        required_until,
        required_soon,
    })
}
