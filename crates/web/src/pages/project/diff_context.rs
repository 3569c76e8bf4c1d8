//! Lines that a difference leaves out: a page, or the rows that the script puts between those of the difference.

use std::sync::Arc;

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::highlighter::Source;
use tenon_app::repository::{self, Browsed, Content, FilePage};

use super::spot::Spot;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::code::Lines;
use crate::kit::error::PageError;
use crate::kit::gap::{Gap, GapRequest};
use crate::kit::text;

/// Rows of a table of a difference.
#[derive(Template)]
#[template(path = "parts/context_rows.html")]
struct Rows {
    lines: Lines,
    wanted: GapRequest,
    /// The gaps above and below these lines.
    above: Option<Gap>,
    below: Option<Gap>,
    is_parallel: bool,
    /// The address of the file.
    address: String,
    /// The reason why there are no more lines, if the page gives one.
    note: Option<&'static str>,
    /// The address of its bytes, if the file is too large for its lines to be shown. Empty otherwise.
    raw: String,
}

impl Rows {
    fn is_empty(&self) -> bool {
        self.note.is_none() && self.lines.lines().next().is_none()
    }

    /// The number of one of the lines.
    fn number(&self, index: usize) -> u64 {
        self.wanted.since.saturating_add(u64::try_from(index).unwrap_or(u64::MAX))
    }

    /// The number that it had before the change.
    fn before(&self, number: u64) -> String {
        self.wanted.before(number).map(|number| number.to_string()).unwrap_or_default()
    }
}

#[derive(Template)]
#[template(path = "project/context.html")]
struct ContextPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    rows: Rows,
}

/// The lines that an address asks for. None if it is the address of a file that has the name of these pages.
pub(super) fn wanted(context: &ProjectContext) -> Option<GapRequest> {
    let is_below = context.asked.below("file").last().is_some_and(|last| last == "diff");
    GapRequest::parse(context.request.parameters()).filter(|_| is_below)
}

/// 404 if the address names no file, or one that is no text.
pub(super) async fn show(context: ProjectContext, wanted: GapRequest) -> Result<Answer, PageError> {
    let mut asked = context.at();
    asked.segments.pop();
    let place = in_path(&asked.segments.join("/"));
    let origin = context.page.view.brief.project.id.into();
    if context.request.is_fragment() {
        // The rows need neither the last commit of the file nor the choice of branches.
        let most = context.request.app().limits().pages.text;
        let file = repository::raw_file(context.request.app(), context.code()?, asked, most).await?;
        let bytes = match file.content {
            Content::Whole(bytes) => Some(bytes),
            Content::Large(_) => None,
        };
        let blob = file.blob_id.parse().map_err(AppError::internal)?;
        let source = |text| Source { origin, blob, name: file.name.to_string().into(), text };
        return Answer::fragment(&rows(&context, wanted, &place, bytes, source).await?);
    }
    let only = asked.only;
    let Browsed::Found(found) = repository::file_page(context.request.app(), context.code()?, asked).await? else {
        return Err(PageError::NotFound);
    };
    let FilePage { located, blob, content: bytes, refs, .. } = found;
    let spot = Spot::new(&located, refs, only, "blob");
    let api_path = format!("/repository/files/{}?ref={}", in_query(&spot.kept_path), in_query(&spot.name));
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Files).with_api_path(&api_path);
    let source = |text| Source { origin, blob, name: spot.last.as_str().into(), text };
    let rows = rows(&context, wanted, &place, bytes, source).await?;
    Answer::cacheable(&ContextPage { frame: context.frame, project, spot, rows })
}

/// The lines of a file. `bytes` is none if the file is larger than pages show. `place` is its place, behind the kind of
/// page in its addresses.
async fn rows(
    context: &ProjectContext,
    wanted: GapRequest,
    place: &str,
    bytes: Option<Vec<u8>>,
    source: impl FnOnce(Arc<str>) -> Source,
) -> Result<Rows, PageError> {
    let address = context.address(&format!("/blob/{place}"));
    let is_parallel = context.request.query("view") == Some("parallel");
    let Some(bytes) = bytes else {
        let raw = context.address(&format!("/raw/{place}"));
        let (lines, note) = (Lines::new("".into(), None, 0), Some("This file is too large to display more lines."));
        return Ok(Rows { lines, wanted, above: None, below: None, is_parallel, address, note, raw });
    };
    if text::is_binary(&bytes) {
        return Err(PageError::NotFound);
    }
    let text: Arc<str> = text::shown(&bytes).into();
    let colours = Some(context.request.app().colours_of_file(source(Arc::clone(&text))).await);
    let skipped = usize::try_from(wanted.since - 1).unwrap_or(usize::MAX);
    let count = text.lines().count();
    Ok(Rows {
        above: wanted.above(),
        below: wanted.below(count),
        note: wanted.is_past_end(count).then_some("End of file."),
        lines: Lines::new(text, colours, wanted.count()).behind(skipped),
        is_parallel,
        address,
        raw: String::new(),
        wanted,
    })
}
