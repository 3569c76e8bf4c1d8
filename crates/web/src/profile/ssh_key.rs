//! One's own SSH keys.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::AccountReference;
use tenon_app::ssh_key::{self, KeyUsage, NewSshKey};
use tenon_domain::id::SshKeyId;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::key::SshKeyRow;
use crate::pagination::{self, Pagination};
use crate::visit::Visit;

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

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    page(&visit, String::new(), String::new(), Problems::default()).await
}

pub(super) async fn create(visit: Visit) -> Result<Answer, PageError> {
    let form = visit.form();
    let key = form.filled("key", "key").unwrap_or_default();
    // A key ends with the name that its maker gave it.
    let comment = || key.split_whitespace().nth(2).unwrap_or_default().to_owned();
    let title = form.filled("key", "title").unwrap_or_else(comment);
    let new = NewSshKey::new(title.clone(), key.clone(), KeyUsage::AuthAndSigning, None);
    match visit.write(move |command| ssh_key::create(command, AccountReference::Own, new)).await {
        Ok(_) => Ok(Answer::to(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::KeyAdded))),
        Err(error) => {
            let page = page(&visit, title, key, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete(visit: Visit) -> Result<Answer, PageError> {
    let id = SshKeyId::new(visit.id("id")?);
    visit.write(move |command| ssh_key::delete(command, AccountReference::Own, id, None)).await?;
    Ok(Answer::to(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::KeyRemoved)))
}

async fn page(visit: &Visit, title: String, key: String, problems: Problems) -> Result<Answer, PageError> {
    let request = pagination::asked(visit);
    let (frame, found) = visit.read(move |query| ssh_key::list(query, request)).await?;
    let pages = Pagination::of(&found);
    let keys = found.items.into_iter().map(Into::into).collect();
    Answer::page(&KeysPage { frame, problems, title, key, keys, pages })
}
