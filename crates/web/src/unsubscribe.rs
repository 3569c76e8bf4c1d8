//! The page behind the link in a mail that ends the mail about one issue or merge request. It works without a sign-in, by the key
//! in its address; reading it changes nothing.

use askama::Template;
use tenon_app::identity::Guard;
use tenon_app::notification;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::site::Routes;
use crate::visit::Visit;

/// The pattern of the page. Programs that show mail send its form by themselves (RFC 8058): they have no token of ours.
pub(crate) const ONE_CLICK: &str = "/-/sent_notifications/{key}/unsubscribe";

pub(crate) fn routes(routes: &mut Routes) {
    routes.get(ONE_CLICK, Guard::Anyone, form);
    routes.post(ONE_CLICK, Guard::Anyone, submit);
}

#[derive(Template)]
#[template(path = "unsubscribe.html")]
struct UnsubscribePage {
    frame: Frame,
    key: String,
    is_done: bool,
}

async fn form(visit: Visit) -> Result<Answer, PageError> {
    let key = visit.segment("key").to_owned();
    let asked = key.clone();
    let (frame, is_known) = visit.read(move |query| Ok(notification::is_key(query, &asked))).await?;
    if !is_known {
        return Err(PageError::NotFound);
    }
    Answer::page(&UnsubscribePage { frame, key, is_done: false })
}

async fn submit(visit: Visit) -> Result<Answer, PageError> {
    let key = visit.segment("key").to_owned();
    let sent = key.clone();
    visit.write(move |command| notification::unsubscribe(command, &sent)).await?;
    Answer::page(&UnsubscribePage { frame: visit.frame().await?, key, is_done: true })
}
