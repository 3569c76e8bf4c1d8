//! One's own access tokens.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::token::{self, ListTokens, TokenOrder, TokenView};
use tenon_domain::id::TokenId;
use tenon_domain::time::Date;
use tenon_domain::token::{Scope, Scopes};

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::pagination::{self, Pagination};
use crate::visit::Visit;
use crate::words::{Moment, day};

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
    problems: Problems,
    name: String,
    expires_at: String,
    scopes: Vec<ScopeBox>,
    /// The token that was just made: shown once.
    secret: Option<String>,
    tokens: Vec<TokenRow>,
    pages: Pagination,
}

struct ScopeBox {
    name: &'static str,
    words: &'static str,
    ticked: bool,
}

struct TokenRow {
    id: i64,
    name: String,
    scopes: String,
    created: Moment,
    used: Option<Moment>,
    expires: Option<String>,
}

#[derive(Default)]
struct Typed {
    name: String,
    expires_at: String,
    scopes: Vec<Scope>,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    page(&visit, Typed::default(), Problems::default(), None).await
}

/// Makes a token, and shows it: it is stored nowhere.
pub(super) async fn create(visit: Visit) -> Result<Answer, PageError> {
    const FORM: &str = "personal_access_token";
    let form = visit.form();
    let typed = Typed {
        name: form.filled(FORM, "name").unwrap_or_default(),
        expires_at: form.filled(FORM, "expires_at").unwrap_or_default(),
        scopes: form.list(FORM, "scopes").into_iter().filter_map(Scope::parse).collect(),
    };
    let expires_at = match typed.expires_at.as_str() {
        "" => None,
        // Four digits for the year: dates are compared as texts by one of the databases.
        text => match text.parse::<Date>() {
            Ok(date) if text.len() == 10 => Some(date),
            Ok(_) | Err(_) => {
                let problem = Problems::with("expires_at", "Expires at is not a day, such as 2027-01-31");
                return refused(&visit, typed, problem).await;
            }
        },
    };
    let (name, scopes) = (typed.name.clone(), Scopes::new(typed.scopes.clone()));
    match visit.write(move |command| token::create_own(command, name, scopes, expires_at)).await {
        Ok(made) => {
            Ok(page(&visit, Typed::default(), Problems::default(), Some(made)).await?.status(StatusCode::CREATED))
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
    Ok(page(visit, typed, problems, None).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn page(visit: &Visit, typed: Typed, problems: Problems, made: Option<TokenView>) -> Result<Answer, PageError> {
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
    let scopes = offered.map(|(scope, words, _)| ScopeBox {
        name: scope.as_str(),
        words,
        ticked: typed.scopes.contains(&scope),
    });
    let pages = Pagination::of(&found);
    let page = TokensPage {
        frame,
        base_url: visit.app().base_url().to_owned(),
        problems,
        scopes: scopes.collect(),
        name: typed.name,
        expires_at: typed.expires_at,
        secret: made.and_then(|view| view.secret).map(|secret| secret.expose().to_owned()),
        tokens: found.items.into_iter().map(row).collect(),
        pages,
    };
    Answer::page(&page)
}

fn row(view: TokenView) -> TokenRow {
    let token = view.token;
    TokenRow {
        id: token.id.get(),
        name: token.name,
        scopes: token.scopes.iter().map(Scope::as_str).collect::<Vec<_>>().join(", "),
        created: token.created_at.into(),
        used: token.last_used_at.map(Moment::from),
        expires: token.expires_at.map(day),
    }
}
