//! One's own access tokens.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::token::{self, ListTokens, TokenOrder};
use tenon_domain::id::TokenId;
use tenon_domain::token::Scopes;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::{cookie, pagination};
use crate::parts::token::{FormValues, Outcome, Tokens};

const ADDRESS: &str = "/profile/personal_access_tokens";

#[derive(Template)]
#[template(path = "profile/tokens.html")]
struct TokensPage {
    frame: Frame,
    base_url: String,
    tokens: Tokens,
    /// True if the server accepts tokens of feeds.
    has_feed_tokens: bool,
    /// The user's own, if they have one.
    feed_token: Option<String>,
}

const FORM: &str = "personal_access_token";

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Outcome::default()).await
}

/// Makes a token, and shows it. The token itself is stored nowhere.
pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.form(), FORM);
    let expires_at = match typed.day() {
        Ok(day) => day,
        Err(problems) => return refused(&context, typed, problems).await,
    };
    let (name, scopes) = (typed.name.clone(), Scopes::new(typed.scopes.clone()));
    match context.write(move |command| token::create_own(command, name, scopes, expires_at)).await {
        Ok(made) => {
            let outcome = Outcome { made: Some(made), ..Outcome::default() };
            Ok(page(&context, outcome).await?.status(StatusCode::CREATED))
        }
        Err(error) => refused(&context, typed, Problems::of(error)?).await,
    }
}

pub(super) async fn revoke(context: RequestContext) -> Result<Answer, PageError> {
    let id = TokenId::new(context.id("id")?);
    // An administrator may revoke any token over the API. This page has only the caller's own.
    context
        .write(move |command| {
            let own = command.user()?.id;
            match token::personal(&mut command.query(), id) {
                Ok(view) if view.token.user == own => token::revoke_personal(command, id, None),
                Ok(_) | Err(_) => Err(tenon_app::error::AppError::NotFound(tenon_app::error::Missing::Plain)),
            }
        })
        .await?;
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::TokenRevoked)))
}

/// Makes another token of feeds. The links with the one before are of no use any more.
pub(super) async fn reset_feed_token(context: RequestContext) -> Result<Answer, PageError> {
    context.write(token::reset_feed_token).await?;
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::FeedTokenReset)))
}

/// Deletes the token of feeds. The links with it are of no use any more.
pub(super) async fn delete_feed_token(context: RequestContext) -> Result<Answer, PageError> {
    context.write(token::delete_feed_token).await?;
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::FeedTokenDeleted)))
}

async fn refused(context: &RequestContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let outcome = Outcome { typed, problems, made: None };
    Ok(page(context, outcome).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn page(context: &RequestContext, outcome: Outcome) -> Result<Answer, PageError> {
    let request = pagination::asked(context.parameters());
    let (frame, (found, is_admin, feed_token)) = context
        .read(move |query| {
            let (own, is_admin) = (query.user()?.id, query.viewer().is_admin());
            let request = ListTokens {
                user: Some(own),
                active: Some(true),
                order_by: TokenOrder::CreatedAt,
                descending: true,
                page: request,
                ..ListTokens::default()
            };
            Ok((token::list_personal(query, request)?, is_admin, token::feed_token(query)?))
        })
        .await?;
    let has_feed_tokens = context.app().known_settings().feed_tokens;
    let feed_token = feed_token.map(|token| token.expose().to_owned());
    let tokens = Tokens::new(context.own(ADDRESS), FORM, is_admin, found, outcome);
    Answer::page(&TokensPage {
        frame,
        base_url: context.app().base_url().to_owned(),
        tokens,
        has_feed_tokens,
        feed_token,
    })
}
