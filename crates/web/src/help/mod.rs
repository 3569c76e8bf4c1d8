//! Pages that help.

mod markdown;
pub(crate) mod quick_action;
mod shortcut;

use std::sync::LazyLock;

use askama::Template;
use tenon_app::highlighter::{Licence, licences};
use tenon_app::identity::Guard;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::site::Routes;
use crate::visit::Visit;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/help", Guard::Anyone, show);
    routes.get("/help/markdown", Guard::Anyone, markdown::show);
    routes.get("/help/quick_actions", Guard::Anyone, quick_action::show);
    routes.get("/help/shortcuts", Guard::Anyone, shortcut::show);
    routes.get("/help/licences", Guard::Anyone, show_licences);
}

#[derive(Template)]
#[template(path = "help/index.html")]
struct IndexPage {
    frame: Frame,
    base_url: String,
}

async fn show(visit: Visit) -> Result<Answer, PageError> {
    Answer::page(&IndexPage { frame: visit.frame().await?, base_url: visit.app().base_url().to_owned() })
}

#[derive(Template)]
#[template(path = "help/licences.html")]
struct LicencesPage {
    frame: Frame,
    licences: &'static [Licence],
}

/// The licences of what is built into the server and asks for its text to be shown.
async fn show_licences(visit: Visit) -> Result<Answer, PageError> {
    static LICENCES: LazyLock<Vec<Licence>> = LazyLock::new(licences);
    Answer::page(&LicencesPage { frame: visit.frame().await?, licences: &LICENCES })
}
