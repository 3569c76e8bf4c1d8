//! Pages that help, without anything of the database.

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
    routes.get("/help/licences", Guard::Anyone, show_licences);
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
