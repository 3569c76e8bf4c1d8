//! Lines that a difference leaves out: a page, or the rows that the script puts between those of the difference.

use std::sync::Arc;

use askama::Template;
use tenon_app::highlighter::Source;
use tenon_app::repository::{self, Browsed, FilePage};

use super::Room;
use super::frame::{ProjectFrame, Spot, Tab};
use crate::answer::Answer;
use crate::code::Lines;
use crate::error::PageError;
use crate::frame::Frame;
use crate::gap::{Gap, Wanted};
use crate::place::in_query;
use crate::text;

/// Rows of a table of a difference.
#[derive(Template)]
#[template(path = "parts/context_rows.html")]
struct Rows {
    lines: Lines,
    wanted: Wanted,
    /// What is still left out above and beneath these lines.
    above: Option<Gap>,
    beneath: Option<Gap>,
    is_parallel: bool,
    /// The address of the file.
    address: String,
}

impl Rows {
    fn is_empty(&self) -> bool {
        self.lines.lines().next().is_none()
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

/// The lines that an address asks for. None where it is that of a file which is called as these pages are.
pub(super) fn wanted(room: &Room) -> Option<Wanted> {
    let is_below = room.asked.below("path").last().is_some_and(|last| last == "diff");
    Wanted::parse(room.visit.parameters()).filter(|_| is_below)
}

/// 404 where the address names no file, or one that is no text or too large to be shown.
pub(super) async fn show(room: Room, wanted: Wanted) -> Result<Answer, PageError> {
    let mut asked = room.at();
    asked.segments.pop();
    let only = asked.only;
    let Browsed::Found(found) = repository::file_page(room.visit.app(), room.code()?, asked).await? else {
        return Err(PageError::NotFound);
    };
    let FilePage { located, blob, content, refs, .. } = found;
    let spot = Spot::new(&located, refs, only, "blob");
    let bytes = content.filter(|bytes| !text::is_binary(bytes)).ok_or(PageError::NotFound)?;
    let text: Arc<str> = text::shown(&bytes).into();
    let origin = room.page.view.brief.project.id.into();
    let source = Source { origin, blob, name: spot.last.as_str().into(), text: Arc::clone(&text) };
    let colours = room.visit.app().colours(vec![source]).await.pop();
    let skipped = usize::try_from(wanted.since - 1).unwrap_or(usize::MAX);
    let twin = format!("/repository/files/{}?ref={}", in_query(&spot.path), in_query(&spot.name));
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Files).with_twin(&twin);
    let rows = Rows {
        above: wanted.above(),
        beneath: wanted.below(text.lines().count()),
        lines: Lines::new(text, colours, wanted.count()).behind(skipped),
        is_parallel: room.visit.query("view") == Some("parallel"),
        address: format!("{}/blob/{}{}", project.href, spot.revision, spot.below),
        wanted,
    };
    if room.visit.is_fragment() {
        return Answer::fragment(&rows);
    }
    Answer::cacheable(&ContextPage { frame: room.frame, project, spot, rows })
}
