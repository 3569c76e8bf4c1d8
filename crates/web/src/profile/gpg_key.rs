//! One's own OpenPGP keys.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::AccountReference;
use tenon_app::gpg_key;
use tenon_domain::id::GpgKeyId;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::frame::Frame;
use crate::key::GpgKeyRow;
use crate::pagination::{self, Pagination};
use crate::visit::Visit;

const ADDRESS: &str = "/profile/gpg_keys";

#[derive(Template)]
#[template(path = "profile/gpg_keys.html")]
struct KeysPage {
    frame: Frame,
    problems: Problems,
    key: String,
    keys: Vec<GpgKeyRow>,
    pages: Pagination,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    page(&visit, String::new(), Problems::default()).await
}

pub(super) async fn create(visit: Visit) -> Result<Answer, PageError> {
    let key = visit.form().filled("gpg_key", "key").unwrap_or_default();
    let added = match visit.app().new_gpg_key(visit.identity(), AccountReference::Own, &key).await {
        Ok(new) => visit.write(move |command| gpg_key::create(command, AccountReference::Own, new)).await,
        Err(error) => Err(error),
    };
    match added {
        Ok(_) => Ok(Answer::to(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::KeyAdded))),
        Err(error) => Ok(page(&visit, key, Problems::of(error)?).await?.status(StatusCode::UNPROCESSABLE_ENTITY)),
    }
}

pub(super) async fn delete(visit: Visit) -> Result<Answer, PageError> {
    let id = GpgKeyId::new(visit.id("id")?);
    visit.write(move |command| gpg_key::delete(command, AccountReference::Own, id, None)).await?;
    Ok(Answer::to(&visit.own(ADDRESS)).cookie(cookie::of_flash(Flash::KeyRemoved)))
}

async fn page(visit: &Visit, key: String, problems: Problems) -> Result<Answer, PageError> {
    let request = pagination::asked(visit);
    let (frame, found) = visit.read(move |query| gpg_key::list(query, AccountReference::Own, request)).await?;
    let pages = Pagination::of(&found);
    let keys = found.items.into_iter().map(Into::into).collect();
    Answer::page(&KeysPage { frame, problems, key, keys, pages })
}
