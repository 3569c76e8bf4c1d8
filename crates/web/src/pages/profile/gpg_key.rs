//! One's own OpenPGP keys.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::{AccountReference, gpg_key};
use tenon_domain::id::GpgKeyId;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::pagination::{self, Pagination};
use crate::kit::problems::Problems;
use crate::parts::key::GpgKeyRow;

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

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, String::new(), Problems::default()).await
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let key = context.form().filled("gpg_key", "key").unwrap_or_default();
    let added = match context.app().new_gpg_key(context.identity(), AccountReference::Own, &key).await {
        Ok(new) => context.write(move |command| gpg_key::create(command, AccountReference::Own, new)).await,
        Err(error) => Err(error),
    };
    match added {
        Ok(_) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::KeyAdded))),
        Err(error) => Ok(page(&context, key, Problems::of(error)?).await?.status(StatusCode::UNPROCESSABLE_ENTITY)),
    }
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let id = GpgKeyId::new(context.id("id")?);
    context.write(move |command| gpg_key::delete(command, AccountReference::Own, id, None)).await?;
    Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::KeyRemoved)))
}

async fn page(context: &RequestContext, key: String, problems: Problems) -> Result<Answer, PageError> {
    let request = pagination::asked(context.parameters());
    let (frame, found) = context.read(move |query| gpg_key::list(query, AccountReference::Own, request)).await?;
    let pages = Pagination::of(&found);
    let keys = found.items.into_iter().map(Into::into).collect();
    Answer::page(&KeysPage { frame, problems, key, keys, pages })
}
