//! All parts of pages on one page, light and dark, for those who change the style sheet. No other page leads to it.

use askama::Template;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

#[derive(Template)]
#[template(path = "help/parts.html")]
struct PartsPage {
    frame: Frame,
    icons: Vec<&'static str>,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    Answer::page(&PartsPage { frame: context.frame().await?, icons: crate::kit::asset::icon_names() })
}
