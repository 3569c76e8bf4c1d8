//! One's own e-mail addresses.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{AccountReference, PageRequest, Query, email};
use tenon_domain::id::EmailId;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::{self, Pagination};
use crate::kit::problems::Problems;

const ADDRESS: &str = "/profile/emails";

#[derive(Template)]
#[template(path = "profile/emails.html")]
struct EmailsPage {
    frame: Frame,
    problems: Problems,
    address: String,
    primary: String,
    emails: Vec<EmailRow>,
    /// True if a link is sent to an address that has to be confirmed.
    sends_mail: bool,
    pages: Pagination,
}

struct EmailRow {
    id: i64,
    address: String,
    confirmed: bool,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, String::new(), Problems::default()).await
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let address = context.form().filled("email", "email").unwrap_or_default();
    let new = address.clone();
    match context.write(move |command| email::create(command, AccountReference::Own, &new, false)).await {
        Ok(_) => {
            let flash = if context.app().sends_mail() { Flash::EmailLinkSent } else { Flash::EmailAdded };
            Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(flash)))
        }
        Err(error) => Ok(page(&context, address, Problems::of(error)?).await?.status(StatusCode::UNPROCESSABLE_ENTITY)),
    }
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let id = EmailId::new(context.id("id")?);
    context.write(move |command| email::delete(command, AccountReference::Own, id, None)).await?;
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::EmailRemoved)))
}

/// The confirmed addresses of the caller, the primary one first. There are at most as many as on a page of the others.
pub(super) fn confirmed(query: &mut Query<'_>) -> Result<Vec<String>, AppError> {
    let user = query.user()?;
    let primary = user.confirmed_at.is_some().then(|| user.email.clone());
    let all = PageRequest::new(Some(1), Some(PageRequest::MAX_PER_PAGE));
    let others = email::list(query, AccountReference::Own, all)?.items;
    let others = others.into_iter().filter(|email| email.confirmed_at.is_some()).map(|email| email.address);
    Ok(primary.into_iter().chain(others).collect())
}

async fn page(context: &RequestContext, address: String, problems: Problems) -> Result<Answer, PageError> {
    let request = pagination::asked(context.parameters());
    let read = move |query: &mut Query<'_>| {
        let primary = query.user()?.email.clone();
        Ok((primary, email::list(query, AccountReference::Own, request)?))
    };
    let (frame, (primary, found)) = context.read(read).await?;
    let pages = Pagination::of(&found);
    let row = |email: tenon_domain::email::Email| EmailRow {
        id: email.id.get(),
        confirmed: email.confirmed_at.is_some(),
        address: email.address,
    };
    let emails = found.items.into_iter().map(row).collect();
    let sends_mail = context.app().sends_mail();
    Answer::page(&EmailsPage { frame, problems, address, primary, emails, sends_mail, pages })
}
