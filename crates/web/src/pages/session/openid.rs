//! Signing in with an account at a provider.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::openid::{Begun, Finished, IdTokenError, OpenIdAnswer, OpenIdRefusal};
use tenon_app::session::SignedIn;

use super::sign_in::{self, FormValues, signed_in};
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::return_to::ReturnTo;

/// A page that leads to a provider at once. A form may only lead to this server: a browser would not follow its redirect.
#[derive(Template)]
#[template(path = "session/leaving.html")]
struct LeavingPage {
    frame: Frame,
    address: String,
}

/// Sends the browser to a provider.
pub(super) async fn begin(context: RequestContext) -> Result<Answer, PageError> {
    let return_to = context.return_to().to_string();
    let app = context.app_of_stranger();
    let begun = app.begin_openid(context.segment("provider"), context.holder(), return_to).await?;
    leave(&context, begun).await
}

/// The page that leads to the provider, or the reason why none does.
pub(crate) async fn leave(context: &RequestContext, begun: Begun) -> Result<Answer, PageError> {
    match begun {
        Begun::At(address) => Answer::page(&LeavingPage { frame: context.frame().await?, address }),
        Begun::Unreachable => refused(context, OpenIdRefusal::Unreachable).await,
    }
}

/// The browser has come back. This GET changes something: a provider knows no other way. What it changes was begun in the same
/// browser, by a form of this server.
pub(super) async fn finish(context: RequestContext) -> Result<Answer, PageError> {
    let text = |name: &str| context.query(name).map(str::to_owned);
    let answer = OpenIdAnswer {
        code: text("code").filter(|_| context.query("error").is_none()),
        state: text("state").unwrap_or_default(),
        issuer: text("iss"),
    };
    let (app, browser) = (context.app_of_stranger(), context.browser(false));
    let finished =
        app.finish_openid(context.identity(), context.segment("provider"), context.holder(), answer, browser);
    match finished.await? {
        Ok(Finished::SignedIn(SignedIn::Started(started), return_to)) => {
            Ok(signed_in(&context, &ReturnTo::parse(Some(&return_to)), &started))
        }
        Ok(Finished::SignedIn(SignedIn::AwaitsSecondFactor(cookie), return_to)) => {
            let form = ReturnTo::parse(Some(&return_to)).through(&context.own("/users/sign_in"));
            Ok(Answer::to(&form).cookie(cookie::awaiting_second_factor(&cookie)))
        }
        Ok(Finished::Linked) => {
            let there = context.own("/profile/identities");
            Ok(Answer::to(&there).cookie(cookie::of_flash(Flash::IdentityAdded)))
        }
        Err(refusal) => refused(&context, refusal).await,
    }
}

async fn refused(context: &RequestContext, refusal: OpenIdRefusal) -> Result<Answer, PageError> {
    let problem = words(&refusal);
    let frame = context.frame().await?;
    if frame.user.is_none() {
        return sign_in::refused(context.clone(), &problem, FormValues::default()).await;
    }
    let page = LeavingRefused { frame, problem };
    Ok(Answer::page(&page)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The same for a user who has signed in already.
#[derive(Template)]
#[template(path = "session/not_linked.html")]
struct LeavingRefused {
    frame: Frame,
    problem: String,
}

fn words(refusal: &OpenIdRefusal) -> String {
    match refusal {
        OpenIdRefusal::Unknown => "Your sign-in has expired or was started in another browser. Please try again.",
        OpenIdRefusal::Denied => "The sign-in was cancelled.",
        OpenIdRefusal::Unreachable => "The sign-in provider does not answer. Please try again later.",
        OpenIdRefusal::Token(IdTokenError::Time) => "The sign-in provider's clock differs. Please try again.",
        OpenIdRefusal::Token(_) => "The answer of the sign-in provider was refused.",
        OpenIdRefusal::NoAccount => {
            "No account is linked to this sign-in. Sign in another way and add it in your settings under Linked accounts."
        }
        OpenIdRefusal::Unverified => "The sign-in provider has not verified your email address.",
        OpenIdRefusal::EmailTaken => {
            "An account with your email address already exists. Sign in to it and add this sign-in in your settings under \
             Linked accounts."
        }
        OpenIdRefusal::NotMade(problem) => return format!("Your account could not be created: {problem}."),
        OpenIdRefusal::LinkedElsewhere => "This account is already linked to another user.",
        OpenIdRefusal::SignIn(refusal) => sign_in::words(*refusal),
    }
    .to_owned()
}
