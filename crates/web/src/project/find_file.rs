//! Names of all files at a branch, tag or commit.

use actix_web::http::header::HeaderName;
use askama::Template;
use tenon_app::repository::{self, FileNames};

use super::Room;
use super::frame::{ProjectFrame, Spot, Tab};
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::place::in_path;

/// Names on the page.
const SHOWN: usize = 200;
/// Names in the list for programs.
const LISTED: usize = 10_000;

#[derive(Template)]
#[template(path = "project/find_file.html")]
struct FindPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    search: String,
    /// Paths, and the same as parts of addresses.
    rows: Vec<(String, String)>,
    total: usize,
    is_too_many: bool,
}

pub(super) async fn show(room: Room) -> Result<Answer, PageError> {
    let asked = room.at();
    let only = asked.only;
    let search = room.visit.parameters().words("search").unwrap_or_default();
    let found = repository::file_names(room.visit.app(), room.code()?, asked, &search, SHOWN).await?;
    let FileNames { located, paths, total, is_too_many, refs } = found;
    let spot = Spot::new(&located, refs, only, "find_file");
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Files).with_twin("/repository/tree");
    let rows = paths.iter().map(|path| (path.to_string(), in_path(path.as_kept()))).collect();
    Answer::cacheable(&FindPage { frame: room.frame, project, spot, search, rows, total, is_too_many })
}

/// The names as a list in JSON. How many there are is in a header: a long list ends after some thousand of them.
pub(super) async fn list(room: Room) -> Result<Answer, PageError> {
    let search = room.visit.parameters().words("search").unwrap_or_default();
    let found = repository::file_names(room.visit.app(), room.code()?, room.at(), &search, LISTED).await?;
    let names: Vec<String> = found.paths.iter().map(ToString::to_string).collect();
    let answer = Answer::json(&names.into());
    // Of a repository with too many files for a search nothing is listed, and they are not counted.
    let total = if found.is_too_many { "unknown".to_owned() } else { found.total.to_string() };
    Ok(answer.header(HeaderName::from_static("x-total"), total))
}
