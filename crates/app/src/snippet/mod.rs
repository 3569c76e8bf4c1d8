//! Snippets: a few files of text under one title, of a user alone or in a project.

mod change;
mod read;
mod talk;
mod view;

pub use change::{EditSnippet, FilesChange, NewSnippet, create, delete, edit};
pub(crate) use read::search;
pub use read::{ListSnippets, SnippetPage, file, for_form, list, of_project, page, sender, show, visibilities};
pub use talk::{
    Awardable, NotesOrder, ShownNote, SnippetAwardView, SnippetDiscussionView, SnippetNoteView, award, awards, comment,
    delete_note, discussion, discussions, edit_note, give, note, notes, reply, shown_notes, start, withdraw,
};
pub use tenon_storage::snippet::{Sender, SnippetSet};
pub use view::SnippetView;

pub use crate::policy::snippet::SnippetReference;

/// Bytes of a request with the files of a snippet.
pub const MAX_BODY: usize = 8 << 20;
