//! One account, as administrators see it: its data, the actions on it, its projects and keys. Also the tokens with
//! which administrators act as its user.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::user::{self, UserRef, UserView};
use tenon_app::{PageRequest, Query, Reference, gpg_key, project, ssh_key, token};
use tenon_domain::id::{TokenId, UserId};

use super::user_row::{Action, Row};
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::{self, Pagination};
use crate::kit::problems::Problems;
use crate::kit::words::Moment;
use crate::parts::key::{GpgKeyRow, SshKeyRow};
use crate::parts::project_list::{ProjectList, ProjectOrdering};
use crate::parts::token::{FormValues, Outcome, Tokens};

const FORM: &str = "personal_access_token";

/// A page of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Account,
    Edit,
    Projects,
    Keys,
    Tokens,
}

/// The top of each page of an account.
pub(super) struct AccountFrame {
    pub(super) name: String,
    pub(super) username: String,
    pub(super) href: String,
    tab: Tab,
}

impl AccountFrame {
    pub(super) fn new(frame: &Frame, view: &UserView, tab: Tab) -> Self {
        Self {
            name: view.user.name.clone(),
            username: view.user.username.clone(),
            href: format!("{}/admin/users/{}", frame.root, view.user.id),
            tab,
        }
    }

    /// The address of the tab, below that of the account.
    const fn below(&self) -> &'static str {
        match self.tab {
            Tab::Account => "",
            Tab::Edit => "edit",
            Tab::Projects => "projects",
            Tab::Keys => "keys",
            Tab::Tokens => "impersonation_tokens",
        }
    }

    pub(super) fn is_at(&self, tab: &str) -> bool {
        self.below() == tab
    }

    /// The words before the name in the title.
    pub(super) const fn title(&self) -> &'static str {
        match self.tab {
            Tab::Account => "",
            Tab::Edit => "Edit ",
            Tab::Projects => "Projects · ",
            Tab::Keys => "Keys · ",
            Tab::Tokens => "Impersonation tokens · ",
        }
    }
}

#[derive(Template)]
#[template(path = "admin/account.html")]
struct AccountPage {
    frame: Frame,
    top: AccountFrame,
    problems: Problems,
    row: Row,
    is_confirmed: bool,
    signed_in: Option<Moment>,
    has_second_factor: bool,
    projects_limit: i64,
    may_create_group: bool,
    /// The addresses of the latest sign-ins, the newest first.
    signed_in_from: String,
    created_by: Option<UserRef>,
    note: String,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let id = UserId::new(context.id("id")?);
    present(&context, id, Problems::default()).await
}

/// The page of an account, with the problems of a refused action.
pub(super) async fn present(context: &RequestContext, id: UserId, problems: Problems) -> Result<Answer, PageError> {
    let read = context.read(move |query| Ok((query.now, user::show(query, id, false)?)));
    let (frame, (now, view)) = read.await?;
    let me = frame.user.as_ref().map(|user| user.id);
    let (user, has_second_factor) = (view.user.clone(), view.two_factor_enabled);
    let addresses: Vec<String> =
        view.details.current_sign_in_ip.iter().chain(&view.details.last_sign_in_ip).cloned().collect();
    let (details, created_by) = (view.details.clone(), view.created_by.clone());
    let top = AccountFrame::new(&frame, &view, Tab::Account);
    let mut row = Row::new(view, me, now);
    // The use case refuses it for administrators.
    if has_second_factor && !user.admin {
        row.events.push(Action::asking("disable_two_factor", "Disable two-factor authentication", "Disable"));
    }
    Answer::page(&AccountPage {
        frame,
        top,
        problems,
        row,
        is_confirmed: user.confirmed_at.is_some(),
        signed_in: user.current_sign_in_at.or(user.last_sign_in_at).map(Moment::from),
        has_second_factor,
        projects_limit: user.projects_limit,
        may_create_group: user.can_create_group,
        signed_in_from: addresses.join(", "),
        created_by,
        note: details.note.unwrap_or_default(),
    })
}

#[derive(Template)]
#[template(path = "admin/account_projects.html")]
struct ProjectsPage {
    frame: Frame,
    top: AccountFrame,
    listed: ProjectList,
}

pub(super) async fn projects(context: RequestContext) -> Result<Answer, PageError> {
    let id = UserId::new(context.id("id")?);
    let order = ProjectOrdering::parse(context.parameters());
    let request = order.request(context.parameters());
    let read = context.read(move |query| {
        let view = user::show(query, id, false)?;
        Ok((view, project::of_user(query, &Reference::Id(id.get()), request)?))
    });
    let (frame, (view, found)) = read.await?;
    let listed = ProjectList::new(&frame.root, order, context.parameters(), found);
    Answer::page(&ProjectsPage { top: AccountFrame::new(&frame, &view, Tab::Projects), frame, listed })
}

#[derive(Template)]
#[template(path = "admin/account_keys.html")]
struct KeysPage {
    frame: Frame,
    top: AccountFrame,
    keys: Vec<SshKeyRow>,
    pages: Pagination,
    gpg_keys: Vec<GpgKeyRow>,
}

/// The public keys. An account has a bounded number of OpenPGP keys.
pub(super) async fn keys(context: RequestContext) -> Result<Answer, PageError> {
    let (id, request) = (UserId::new(context.id("id")?), pagination::asked(context.parameters()));
    let read = context.read(move |query| {
        let (view, user) = (user::show(query, id, false)?, Reference::Id(id.get()));
        let first = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
        let gpg_keys = gpg_key::list_of(query, &user, first)?;
        Ok((view, ssh_key::list_of(query, &user, request)?, gpg_keys))
    });
    let (frame, (view, found, gpg_keys)) = read.await?;
    let pages = Pagination::of(&found);
    let keys = found.items.into_iter().map(Into::into).collect();
    let gpg_keys = gpg_keys.items.into_iter().map(Into::into).collect();
    Answer::page(&KeysPage { top: AccountFrame::new(&frame, &view, Tab::Keys), frame, keys, pages, gpg_keys })
}

#[derive(Template)]
#[template(path = "admin/account_tokens.html")]
struct TokensPage {
    frame: Frame,
    top: AccountFrame,
    tokens: Tokens,
}

/// The tokens that work.
pub(super) async fn tokens(context: RequestContext) -> Result<Answer, PageError> {
    let id = UserId::new(context.id("id")?);
    tokens_with(&context, id, Outcome::default()).await
}

async fn tokens_with(context: &RequestContext, id: UserId, outcome: Outcome) -> Result<Answer, PageError> {
    let request = pagination::asked(context.parameters());
    let read = context.read(move |query: &mut Query<'_>| {
        let view = user::show(query, id, false)?;
        Ok((view, token::impersonations(query, id, Some(true), request)?))
    });
    let (frame, (view, found)) = read.await?;
    let top = AccountFrame::new(&frame, &view, Tab::Tokens);
    // `sudo` is not for them, whoever the user is.
    let tokens = Tokens::new(tokens_of(context, id), FORM, false, found, outcome);
    Answer::page(&TokensPage { frame, top, tokens })
}

/// The address of the tokens of an account.
fn tokens_of(context: &RequestContext, id: UserId) -> String {
    context.own(&format!("/admin/users/{id}/impersonation_tokens"))
}

pub(super) async fn create_token(context: RequestContext) -> Result<Answer, PageError> {
    let id = UserId::new(context.id("id")?);
    let typed = FormValues::sent(context.form(), FORM);
    let made = match typed.day() {
        Ok(expires_at) => {
            let name = typed.name.clone();
            let scopes: Vec<String> = typed.scopes.iter().map(|scope| scope.as_str().to_owned()).collect();
            let made =
                context.write(move |command| token::create_impersonation(command, id, name, &scopes, expires_at));
            match made.await {
                Ok(made) => Ok(made),
                Err(error) => Err(Problems::of(error)?),
            }
        }
        Err(problems) => Err(problems),
    };
    match made {
        Ok(made) => {
            let outcome = Outcome { made: Some(made), ..Outcome::default() };
            Ok(tokens_with(&context, id, outcome).await?.status(StatusCode::CREATED))
        }
        Err(problems) => {
            let outcome = Outcome { typed, problems, made: None };
            Ok(tokens_with(&context, id, outcome).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn revoke_token(context: RequestContext) -> Result<Answer, PageError> {
    let (id, token) = (UserId::new(context.id("id")?), TokenId::new(context.id("token")?));
    context.write(move |command| token::revoke_impersonation(command, id, token, None)).await?;
    Ok(Answer::done(&tokens_of(&context, id)).cookie(cookie::of_flash(Flash::TokenRevoked)))
}
