//! All accounts, and the actions of administrators on them.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::user::{self, ListUsers};
use tenon_app::{Command, two_factor};
use tenon_domain::id::UserId;

use super::account;
use super::user_row::Row;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;

const ADDRESS: &str = "/admin/users";

/// The parts of the list, with their names in addresses and on tabs.
const FILTERS: [(&str, &str); 5] = [
    ("", "All"),
    ("active", "Active"),
    ("blocked", "Blocked"),
    ("pending", "Pending approval"),
    ("external", "External"),
];

#[derive(Template)]
#[template(path = "admin/users.html")]
struct ListPage {
    frame: Frame,
    tabs: Vec<Tab>,
    filter: &'static str,
    search: String,
    users: Vec<Row>,
    pages: Pagination,
    problems: Problems,
}

struct Tab {
    words: &'static str,
    href: String,
    is_here: bool,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    present(&context, Problems::default()).await
}

async fn present(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let asked = context.query("filter").unwrap_or_default();
    let filter = FILTERS.iter().find(|known| known.0 == asked).map_or("", |known| known.0);
    let search = context.parameters().words("search").or_else(|| context.parameters().words("search_query"));
    let request = ListUsers {
        search: search.clone(),
        active: filter == "active",
        blocked: filter == "blocked",
        pending: filter == "pending",
        external: filter == "external",
        page: chosen(context.parameters()),
        ..ListUsers::default()
    };
    let (frame, (now, found)) = context.read(move |query| Ok((query.now, user::list(query, request)?))).await?;
    let address = context.own(ADDRESS);
    let search = search.unwrap_or_default();
    let query = |filter: &str| {
        let search = if search.is_empty() { String::new() } else { format!("&search={}", in_query(&search)) };
        format!("filter={filter}{search}")
    };
    let tab = |known: &(&'static str, &'static str)| Tab {
        words: known.1,
        href: format!("{address}?{}", query(known.0)),
        is_here: known.0 == filter,
    };
    let tabs = FILTERS.iter().map(tab).collect();
    let pages = Pagination::of(&found).with_query(&query(filter)).at(&address);
    let me = frame.user.as_ref().map(|user| user.id);
    let users = found.items.into_iter().map(|view| Row::new(view, me, now)).collect();
    Answer::page(&ListPage { frame, tabs, filter, search, users, pages, problems })
}

/// Changes the state of an account as the last segment of the address says.
pub(super) async fn change(context: RequestContext) -> Result<Answer, PageError> {
    let id = UserId::new(context.id("id")?);
    let work: fn(&mut Command<'_>, UserId) -> Result<(), AppError> = match context.segment("event") {
        "block" => |command, id| user::block(command, id).map(drop),
        "unblock" => |command, id| user::unblock(command, id).map(drop),
        "activate" => |command, id| user::activate(command, id).map(drop),
        "deactivate" => |command, id| user::deactivate(command, id).map(drop),
        "ban" => |command, id| user::ban(command, id).map(drop),
        "unban" => |command, id| user::unban(command, id).map(drop),
        "approve" => user::approve,
        "reject" => user::reject,
        "disable_two_factor" => two_factor::disable_of,
        _ => return Err(PageError::NotFound),
    };
    match context.write(move |command| work(command, id)).await {
        // A rejected account has no page.
        Ok(()) if is_from_account(&context) && context.segment("event") != "reject" => {
            let page = context.own(&format!("{ADDRESS}/{id}"));
            Ok(Answer::done(&page).cookie(cookie::of_flash(Flash::AccountChanged)))
        }
        Ok(()) => Ok(done(&context)),
        Err(error) => refused(&context, id, error).await,
    }
}

/// Deletes an account. Its contributions stay. Groups that only it owns prevent this.
pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let id = UserId::new(context.id("id")?);
    match context.write(move |command| user::delete(command, id, false, None)).await {
        Ok(()) => Ok(done(&context)),
        Err(error) => refused(&context, id, error).await,
    }
}

/// True if a form was sent from the page of the account, and not from the list.
fn is_from_account(context: &RequestContext) -> bool {
    context.form().text("", "from") == "account"
}

/// The page from which the form was sent, with the reason why the account was not changed.
pub(super) async fn refused(context: &RequestContext, id: UserId, error: AppError) -> Result<Answer, PageError> {
    let problems = Problems::of(error)?;
    let page = if is_from_account(context) {
        account::present(context, id, problems).await?
    } else {
        present(context, problems).await?
    };
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn done(context: &RequestContext) -> Answer {
    Answer::done(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::AccountChanged))
}
