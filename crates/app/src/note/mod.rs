//! Comments and discussions.

mod change;
mod commit_links;
mod discussion;
mod draft;
mod page;
mod resolve;
mod suggestion;
mod view;

pub use crate::shared::issuable::suggestions::SuggestionView;
pub use change::{NewNote, Noted, create, delete, edit, edit_seen, edit_unchanged};
pub use discussion::{DiscussionView, discussion, discussions, reply, start};
pub use draft::{
    NewDraft, Review, ShownDraft, discard_draft, drafts, edit_draft, own_drafts, publish_drafts, write_draft,
};
pub use page::{
    Conversation, KeptNotes, ShownNote, Thread, conversation, on_lines, one, page_of_note, page_of_thread, thread,
    thread_of, ticked,
};
pub use resolve::{resolve, resolve_note};
pub use suggestion::{Suggestions, TextPlace, suggested};
pub use tenon_storage::note::NoteOrder;
pub(crate) use view::views;
pub use view::{ListNotes, NoteView, list, show, target};
