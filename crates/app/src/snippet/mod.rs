//! Snippets: a few files of text under one title, of a user alone or in a project.

mod change;
mod read;
mod view;

pub use change::{EditSnippet, FilesChange, NewSnippet, create, delete, edit};
pub(crate) use read::search;
pub use read::{ListSnippets, SnippetPage, file, for_form, list, of_project, page, sender, show, visibilities};
pub use tenon_storage::snippet::{Sender, SnippetSet};
pub use view::SnippetView;

pub use crate::policy::snippet::SnippetReference;

/// Bytes of a request with the files of a snippet.
pub const MAX_BODY: usize = 8 << 20;
