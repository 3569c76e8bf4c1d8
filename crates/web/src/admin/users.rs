//! All accounts, and what an administrator does with them.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::user::{self, ListUsers, UserView};
use tenon_app::{Command, two_factor};
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;
use tenon_domain::user::UserState;

use super::account;
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::pagination::{Pagination, chosen};
use crate::place::in_query;
use crate::visit::Visit;
use crate::words::Moment;

const ADDRESS: &str = "/admin/users";

/// The parts of the list, as addresses and tabs say them.
const FILTERS: [(&str, &str); 5] = [
    ("", "All"),
    ("active", "Active"),
    ("blocked", "Blocked"),
    ("pending", "Waiting for approval"),
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

/// What a button does with an account.
pub(super) struct Action {
    /// The last segment of the address.
    pub(super) event: &'static str,
    pub(super) words: &'static str,
    /// The words of a second button that has to be pressed as well; empty where there is none.
    pub(super) confirm: &'static str,
}

impl Action {
    const fn plain(event: &'static str, words: &'static str) -> Self {
        Self { event, words, confirm: "" }
    }

    pub(super) const fn asking(event: &'static str, words: &'static str, confirm: &'static str) -> Self {
        Self { event, words, confirm }
    }
}

const BLOCK: Action = Action::asking("block", "Block", "Block this account");
const BAN: Action = Action::asking("ban", "Ban", "Ban this account");

/// An account.
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) username: String,
    pub(super) email: String,
    pub(super) is_admin: bool,
    pub(super) is_external: bool,
    pub(super) state: &'static str,
    pub(super) created: Moment,
    pub(super) active_on: Option<String>,
    /// What can be done with it.
    pub(super) events: Vec<Action>,
    pub(super) may_delete: bool,
    /// Whether an administrator may act as the user.
    pub(super) may_impersonate: bool,
}

impl Row {
    pub(super) fn new(view: UserView, me: Option<i64>, now: Timestamp) -> Self {
        let user = view.user;
        let may_rest = user.deactivate(now).is_ok();
        let is_me = Some(user.id.get()) == me;
        let events = match user.state {
            _ if is_me || user.ghost => Vec::new(),
            UserState::Active if may_rest => {
                vec![BLOCK, Action::asking("deactivate", "Deactivate", "Deactivate this account"), BAN]
            }
            UserState::Active => vec![BLOCK, BAN],
            UserState::Blocked => vec![Action::plain("unblock", "Unblock")],
            UserState::Deactivated => vec![Action::plain("activate", "Activate"), BLOCK],
            UserState::Banned => vec![Action::plain("unban", "Unban")],
            UserState::Pending => vec![
                Action::plain("approve", "Approve"),
                Action::asking("reject", "Reject", "Reject and delete this account"),
            ],
        };
        Self {
            id: user.id.get(),
            is_admin: user.admin,
            is_external: user.external,
            state: match user.state {
                UserState::Active => "Active",
                UserState::Blocked => "Blocked",
                UserState::Deactivated => "Deactivated",
                UserState::Banned => "Banned",
                UserState::Pending => "Waiting for approval",
            },
            created: user.created_at.into(),
            active_on: user.last_activity_on.map(crate::words::day),
            events,
            may_impersonate: !is_me && user.may_act(),
            may_delete: !is_me && !user.ghost && user.state != UserState::Pending,
            name: user.name,
            username: user.username,
            email: user.email,
        }
    }
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    present(&visit, Problems::default()).await
}

async fn present(visit: &Visit, problems: Problems) -> Result<Answer, PageError> {
    let asked = visit.query("filter").unwrap_or_default();
    let filter = FILTERS.iter().find(|known| known.0 == asked).map_or("", |known| known.0);
    let search = visit.parameters().words("search").or_else(|| visit.parameters().words("search_query"));
    let request = ListUsers {
        search: search.clone(),
        active: filter == "active",
        blocked: filter == "blocked",
        pending: filter == "pending",
        external: filter == "external",
        page: chosen(visit.parameters()),
        ..ListUsers::default()
    };
    let (frame, (now, found)) = visit.read(move |query| Ok((query.now, user::list(query, request)?))).await?;
    let address = visit.own(ADDRESS);
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
pub(super) async fn change(visit: Visit) -> Result<Answer, PageError> {
    let id = UserId::new(visit.id("id")?);
    let work: fn(&mut Command<'_>, UserId) -> Result<(), AppError> = match visit.segment("event") {
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
    match visit.write(move |command| work(command, id)).await {
        // Of an account that was rejected there is no page.
        Ok(()) if is_from_account(&visit) && visit.segment("event") != "reject" => {
            let page = visit.own(&format!("{ADDRESS}/{id}"));
            Ok(Answer::done(&page).cookie(cookie::of_flash(Flash::AccountChanged)))
        }
        Ok(()) => Ok(done(&visit)),
        Err(error) => refused(&visit, id, error).await,
    }
}

/// Deletes an account; what it has made stays. Groups that only it owns stand in the way.
pub(super) async fn delete(visit: Visit) -> Result<Answer, PageError> {
    let id = UserId::new(visit.id("id")?);
    match visit.write(move |command| user::delete(command, id, false, None)).await {
        Ok(()) => Ok(done(&visit)),
        Err(error) => refused(&visit, id, error).await,
    }
}

/// Whether a form was sent from the page of the account, and not from the list.
fn is_from_account(visit: &Visit) -> bool {
    visit.form().text("", "from") == "account"
}

/// The page from which the form was sent, with the reason why the account was not changed.
pub(super) async fn refused(visit: &Visit, id: UserId, error: AppError) -> Result<Answer, PageError> {
    let problems = Problems::of(error)?;
    let page = if is_from_account(visit) {
        account::present(visit, id, problems).await?
    } else {
        present(visit, problems).await?
    };
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn done(visit: &Visit) -> Answer {
    Answer::done(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::AccountChanged))
}
