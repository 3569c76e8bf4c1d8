//! The public keys of a user, for programs.

use actix_web::http::header;
use tenon_app::error::AppError;
use tenon_app::{PageRequest, Query, Reference, gpg_key, ssh_key};
use tenon_domain::id::UserId;
use tenon_domain::page::Page;

use crate::context::request::RequestContext;
use crate::kit::answer::{Answer, RawBody};
use crate::kit::error::PageError;

/// The SSH keys of a user, one a line.
pub(crate) async fn ssh_keys(context: RequestContext, id: UserId) -> Result<Answer, PageError> {
    let page = |query: &mut Query<'_>, user: &Reference, page| {
        Ok(ssh_key::list_of(query, user, page)?.map(|key| format!("{}\n", key.text)))
    };
    listed(context, id, page).await
}

/// The OpenPGP keys of a user, one behind the other.
pub(crate) async fn gpg_keys(context: RequestContext, id: UserId) -> Result<Answer, PageError> {
    let page = |query: &mut Query<'_>, user: &Reference, page| {
        Ok(gpg_key::list_of(query, user, page)?.map(|key| format!("{}\n", key.text.trim_end())))
    };
    listed(context, id, page).await
}

/// All keys of a kind as plain text. An account has a bounded number of keys.
async fn listed(
    context: RequestContext,
    id: UserId,
    page: fn(&mut Query<'_>, &Reference, PageRequest) -> Result<Page<String>, AppError>,
) -> Result<Answer, PageError> {
    let read = context.ask(move |query| {
        let (user, mut texts) = (Reference::Id(id.get()), String::new());
        for number in 1.. {
            let found = page(query, &user, PageRequest::new(Some(number), Some(PageRequest::MAX_PER_PAGE)))?;
            texts.extend(found.items.iter().map(String::as_str));
            if number >= found.total_pages() {
                break;
            }
        }
        Ok(texts)
    });
    let keys = read.await?;
    let plain = Answer::raw(RawBody::Whole(keys.into_bytes()));
    Ok(plain.header(header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()))
}
