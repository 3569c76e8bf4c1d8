//! One's own access tokens.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::token::{self, ListTokens, TokenOrder};
use tenon_domain::id::TokenId;
use tenon_domain::token::{Scope, Scopes};

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::pagination;
use crate::token::{Outcome, Tokens, Typed};
use crate::visit::Visit;

const ADDRESS: &str = "/profile/personal_access_tokens";

/// The scopes that a person chooses from, in words. The others are for machines and can be had over the API.
const SCOPES: [(Scope, &str, bool); 6] = [
    (Scope::Api, "Everything: read and change all that you can, over the API and Git", false),
    (Scope::ReadApi, "Read everything over the API", false),
    (Scope::ReadUser, "Read your profile", false),
    (Scope::ReadRepository, "Read repositories: git clone and fetch", false),
    (Scope::WriteRepository, "Write repositories: git push", false),
    (Scope::Sudo, "Act as any user", true),
];

#[derive(Template)]
#[template(path = "profile/tokens.html")]
struct TokensPage {
    frame: Frame,
    base_url: String,
    tokens: Tokens,
}

const FORM: &str = "personal_access_token";

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    page(&visit, Outcome::default()).await
}

/// Makes a token, and shows it: it is stored nowhere.
pub(super) async fn create(visit: Visit) -> Result<Answer, PageError> {
    let typed = Typed::sent(visit.form(), FORM);
    let expires_at = match typed.day() {
        Ok(day) => day,
        Err(problems) => return refused(&visit, typed, problems).await,
    };
    let (name, scopes) = (typed.name.clone(), Scopes::new(typed.scopes.clone()));
    match visit.write(move |command| token::create_own(command, name, scopes, expires_at)).await {
        Ok(made) => {
            let outcome = Outcome { made: Some(made), ..Outcome::default() };
            Ok(page(&visit, outcome).await?.status(StatusCode::CREATED))
        }
        Err(error) => refused(&visit, typed, Problems::of(error)?).await,
    }
}

pub(super) async fn revoke(visit: Visit) -> Result<Answer, PageError> {
    let id = TokenId::new(visit.id("id")?);
    // An administrator may revoke any token over the API; here everyone has their own.
    visit
        .write(move |command| {
            let own = command.user()?.id;
            match token::personal(&mut command.query(), id) {
                Ok(view) if view.token.user == own => token::revoke_personal(command, id, None),
                Ok(_) | Err(_) => Err(tenon_app::error::AppError::NotFound(tenon_app::error::Missing::Plain)),
            }
        })
        .await?;
    Ok(Answer::to(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::TokenRevoked)))
}

async fn refused(visit: &Visit, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    let outcome = Outcome { typed, problems, made: None };
    Ok(page(visit, outcome).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn page(visit: &Visit, outcome: Outcome) -> Result<Answer, PageError> {
    let request = pagination::asked(visit);
    let (frame, (found, is_admin)) = visit
        .read(move |query| {
            let user = query.user()?;
            let (own, is_admin) = (user.id, user.admin);
            let request = ListTokens {
                user: Some(own),
                active: Some(true),
                order_by: TokenOrder::CreatedAt,
                descending: true,
                page: request,
                ..ListTokens::default()
            };
            Ok((token::list_personal(query, request)?, is_admin))
        })
        .await?;
    let offered = SCOPES.into_iter().filter(|(_, _, for_admins)| is_admin || !for_admins);
    let offered = offered.map(|(scope, words, _)| (scope, words));
    let tokens = Tokens::new(visit.own(ADDRESS), FORM, offered, found, outcome);
    Answer::page(&TokensPage { frame, base_url: visit.app().base_url().to_owned(), tokens })
}
