//! The public keys of a user, for programs.

use actix_web::http::header;
use tenon_app::ssh_key;
use tenon_app::{PageRequest, Reference};
use tenon_domain::id::UserId;

use crate::answer::{Answer, RawBody};
use crate::error::PageError;
use crate::visit::Visit;

/// The SSH keys of a user, one a line.
pub(crate) async fn ssh_keys(visit: Visit, id: UserId) -> Result<Answer, PageError> {
    let read = visit.ask(move |query| {
        let user = Reference::Id(id.get());
        let mut lines = String::new();
        let mut number = 1;
        loop {
            let page = PageRequest::new(Some(number), Some(PageRequest::MAX_PER_PAGE));
            let found = ssh_key::list_of(query, &user, page)?;
            for key in &found.items {
                lines.push_str(&key.text);
                lines.push('\n');
            }
            // An account has a bounded number of keys.
            if number >= found.total_pages() {
                return Ok(lines);
            }
            number += 1;
        }
    });
    let keys = read.await?;
    let plain = Answer::raw(RawBody::Whole(keys.into_bytes()));
    Ok(plain.header(header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()))
}
