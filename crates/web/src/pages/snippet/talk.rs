//! The comments on the page of a snippet of a project.

use tenon_app::PageRequest;
use tenon_app::snippet::ShownNote;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::kit::words::Moment;
use crate::parts::links::PersonLink;

/// Comments on a page.
const COMMENTS: i64 = 50;

/// The comments that the page of a snippet shows.
pub(super) struct Talk {
    pub(super) notes: Vec<Note>,
    pub(super) total: i64,
    pub(super) may_comment: bool,
    /// The text of a comment that was refused.
    pub(super) typed: String,
}

pub(super) struct Note {
    pub(super) id: i64,
    pub(super) author: Option<PersonLink>,
    pub(super) at: Moment,
    /// Safe HTML, made by the renderer of Markdown.
    pub(super) html: String,
    pub(super) may_delete: bool,
}

/// The page of comments that an address asks for.
pub(super) fn chosen_page(context: &ProjectContext) -> PageRequest {
    let number = context.request.query("page").and_then(|page| page.parse().ok());
    PageRequest::new(number, Some(COMMENTS))
}

impl Talk {
    pub(super) fn new(frame: &Frame, found: Page<ShownNote>, may_comment: bool, typed: String) -> Self {
        let note = |shown: ShownNote| Note {
            id: shown.view.note.id.get(),
            author: shown.view.author.as_ref().map(|user| PersonLink::new(frame, user)),
            at: shown.view.note.created_at.into(),
            html: shown.html,
            may_delete: shown.may_delete,
        };
        Self { notes: found.items.into_iter().map(note).collect(), total: found.total, may_comment, typed }
    }
}
