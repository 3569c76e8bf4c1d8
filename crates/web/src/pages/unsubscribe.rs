//! The page behind a link in mails. It ends the mail about one issue or merge request, or the mail of a service to one
//! address. The key in its address replaces a sign-in. Reading the page changes nothing.

use askama::Template;
use tenon_app::identity::Guard;
use tenon_app::{Query, notification};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::table::site::SiteTable;

/// The pattern of the page. Programs that show mail send its form by themselves (RFC 8058): they have no token of ours.
pub(crate) const ONE_CLICK: &str = "/-/sent_notifications/{key}/unsubscribe";

pub(crate) fn routes(table: &mut SiteTable) {
    table.get(ONE_CLICK, Guard::Anyone, form);
    table.post(ONE_CLICK, Guard::Anyone, submit);
}

#[derive(Template)]
#[template(path = "unsubscribe.html")]
struct UnsubscribePage {
    frame: Frame,
    key: String,
    /// True if the mail is that of a service.
    is_of_service: bool,
    is_done: bool,
}

async fn form(context: RequestContext) -> Result<Answer, PageError> {
    show(context, false).await
}

async fn submit(context: RequestContext) -> Result<Answer, PageError> {
    let key = context.segment("key").to_owned();
    context.write(move |command| notification::unsubscribe(command, &key)).await?;
    show(context, true).await
}

async fn show(context: RequestContext, is_done: bool) -> Result<Answer, PageError> {
    let key = context.segment("key").to_owned();
    let asked = key.clone();
    let read = move |query: &mut Query<'_>| {
        let is_known = notification::is_key(query, &asked);
        Ok(is_known.then(|| notification::is_key_of_service(query, &asked)))
    };
    let (frame, is_of_service) = context.read(read).await?;
    let Some(is_of_service) = is_of_service else { return Err(PageError::NotFound) };
    Answer::page(&UnsubscribePage { frame, key, is_of_service, is_done })
}
