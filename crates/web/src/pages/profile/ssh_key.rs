//! One's own SSH keys.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::AccountReference;
use tenon_app::ssh_key::{self, KeyUsage, NewSshKey};
use tenon_domain::id::SshKeyId;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::{self, Pagination};
use crate::kit::problems::Problems;
use crate::parts::key::SshKeyRow;

const ADDRESS: &str = "/profile/keys";

#[derive(Template)]
#[template(path = "profile/ssh_keys.html")]
struct KeysPage {
    frame: Frame,
    problems: Problems,
    title: String,
    key: String,
    keys: Vec<SshKeyRow>,
    pages: Pagination,
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, String::new(), String::new(), Problems::default()).await
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let key = form.filled("key", "key").unwrap_or_default();
    // A key ends with the comment of its maker.
    let comment = || key.split_whitespace().nth(2).unwrap_or_default().to_owned();
    let title = form.filled("key", "title").unwrap_or_else(comment);
    let new = NewSshKey::new(title.clone(), key.clone(), KeyUsage::AuthAndSigning, None);
    match context.write(move |command| ssh_key::create(command, AccountReference::Own, new)).await {
        Ok(_) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::KeyAdded))),
        Err(error) => {
            let page = page(&context, title, key, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let id = SshKeyId::new(context.id("id")?);
    context.write(move |command| ssh_key::delete(command, AccountReference::Own, id, None)).await?;
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::KeyRemoved)))
}

async fn page(context: &RequestContext, title: String, key: String, problems: Problems) -> Result<Answer, PageError> {
    let request = pagination::asked(context.parameters());
    let (frame, found) = context.read(move |query| ssh_key::list(query, request)).await?;
    let pages = Pagination::of(&found);
    let keys = found.items.into_iter().map(Into::into).collect();
    Answer::page(&KeysPage { frame, problems, title, key, keys, pages })
}
