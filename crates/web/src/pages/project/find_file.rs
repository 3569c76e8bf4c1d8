//! Names of all files at a branch, tag or commit.

use actix_web::http::header::HeaderName;
use askama::Template;
use tenon_app::repository::{self, FileNames};

use super::spot::Spot;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

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

/// The results, for the script, which shows them while the user types.
#[derive(Template)]
#[template(path = "project/found_files.html")]
struct Fragment<'a> {
    project: &'a ProjectFrame,
    spot: &'a Spot,
    search: &'a str,
    rows: &'a [(String, String)],
    total: usize,
    is_too_many: bool,
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let asked = context.at();
    let only = asked.only;
    let search = context.request.parameters().words("search").unwrap_or_default();
    let found = repository::file_names(context.request.app(), context.code()?, asked, &search, SHOWN).await?;
    let FileNames { located, paths, total, is_too_many, refs } = found;
    let spot = Spot::new(&located, refs, only, "find_file");
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Files).with_api_path("/repository/tree");
    let rows: Vec<(String, String)> = paths.iter().map(|path| (path.legible(), in_path(path.as_kept()))).collect();
    if context.request.is_fragment() {
        let (project, spot, search, rows) = (&project, &spot, search.as_str(), rows.as_slice());
        return Answer::fragment(&Fragment { project, spot, search, rows, total, is_too_many });
    }
    Answer::cacheable(&FindPage { frame: context.frame, project, spot, search, rows, total, is_too_many })
}

/// The names as a list in JSON. A long list ends after some thousand names. A header has the total.
pub(super) async fn list(context: ProjectContext) -> Result<Answer, PageError> {
    let search = context.request.parameters().words("search").unwrap_or_default();
    let found = repository::file_names(context.request.app(), context.code()?, context.at(), &search, LISTED).await?;
    let names: Vec<String> = found.paths.iter().map(ToString::to_string).collect();
    let answer = Answer::json(&names.into());
    // If a repository has too many files for a search, none are listed, and they are not counted.
    let total = if found.is_too_many { "unknown".to_owned() } else { found.total.to_string() };
    Ok(answer.header(HeaderName::from_static("x-total"), total))
}
