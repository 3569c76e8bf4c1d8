//! Pages that help.

mod markdown;
mod part;
pub(crate) mod quick_action;
mod shortcut;

use std::sync::LazyLock;

use askama::Template;
use tenon_app::highlighter::{Licence, licences};
use tenon_app::identity::Guard;
use tenon_app::markdown::render;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::asset;
use crate::kit::error::PageError;
use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/help", Guard::Anyone, show);
    table.get("/help/markdown", Guard::Anyone, markdown::show);
    table.get("/help/quick_actions", Guard::Anyone, quick_action::show);
    table.get("/help/shortcuts", Guard::Anyone, shortcut::show);
    table.get("/help/licences", Guard::Anyone, show_licences);
    table.get("/help/parts", Guard::Anyone, part::show);
}

#[derive(Template)]
#[template(path = "help/index.html")]
struct IndexPage {
    frame: Frame,
    base_url: String,
    /// The texts of the administrators: safe HTML, made by the renderer of Markdown.
    texts: Vec<String>,
    support_url: Option<String>,
}

async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let settings = context.app().known_settings();
    let written = settings.help_texts.clone();
    let read =
        context.read(move |query| written.iter().map(|text| render(query, text, None)).collect::<Result<Vec<_>, _>>());
    let (frame, texts) = read.await?;
    let base_url = context.app().base_url().to_owned();
    Answer::page(&IndexPage { frame, base_url, texts, support_url: settings.support_url.clone() })
}

#[derive(Template)]
#[template(path = "help/licences.html")]
struct LicencesPage {
    frame: Frame,
    licences: &'static [Licence],
    icons: &'static str,
    editor: &'static str,
}

/// The licences of built-in parts that require their text to be shown.
async fn show_licences(context: RequestContext) -> Result<Answer, PageError> {
    static LICENCES: LazyLock<Vec<Licence>> = LazyLock::new(licences);
    let (icons, editor) = (asset::ICONS_LICENCE, asset::EDITOR_LICENCES);
    Answer::page(&LicencesPage { frame: context.frame().await?, licences: &LICENCES, icons, editor })
}
