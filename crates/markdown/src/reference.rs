//! The references that a text can have.

use std::collections::HashSet;

use crate::{Ends, OutsidePictures};

/// The most references that are taken from one text. Each costs a look-up, and no reader follows more.
pub const MAX_REFERENCES: usize = 200;

/// A reference in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reference {
    /// `@name`: a user, or a group by its full path (`@group/sub`). Without the `@`.
    User(String),
    /// `#12`, `project#12`, `group/project#12`, or the address of an issue on this server.
    Issue {
        /// The path as it is written: `None` is this project, one segment a project of the same namespace, several a
        /// full path.
        project: Option<String>,
        /// The number behind the `#`.
        iid: i64,
    },
    /// `!12`, and the same longer forms as of an issue.
    MergeRequest {
        /// As for an issue.
        project: Option<String>,
        /// The number behind the `!`.
        iid: i64,
    },
    /// `~bug` or `~"two words"`. Without the `~` and the quotes.
    Label(String),
    /// `%1.0` or `%"two words"`. Without the `%` and the quotes.
    Milestone(String),
    /// `ABC-12`: an issue of another program, if the project uses one.
    External(String),
}

/// The server and the project to which a text belongs, and the end of the work on it.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The address of this server, to recognise full addresses of its issues. Empty: none are recognised.
    pub base_url: &'a str,
    /// The path of the project that the text belongs to, with a slash before it: its uploads are found there. Empty: of
    /// none.
    pub project: &'a str,
    /// The text's name among the texts of the same page, such as the number of a comment. The names of its footnotes and
    /// headings are made of it. Empty: it is the main text of the page.
    pub key: &'a str,
    /// True if blocks name the place in the text that they come from, and have the direction of their own letters.
    pub shows_places: bool,
    /// True if `[[page]]` and `[[words|page]]` are links to the pages of a wiki.
    pub links_pages: bool,
    /// How pictures of other servers are shown. None: they are links.
    pub outside: Option<&'a OutsidePictures>,
    /// The condition that ends the work early.
    pub ends: Ends<'a>,
}

impl<'a> Options<'a> {
    /// A text of no project, on the server with this address.
    pub const fn of(base_url: &'a str) -> Self {
        Self {
            base_url,
            project: "",
            key: "",
            shows_places: false,
            links_pages: false,
            outside: None,
            ends: Ends::NEVER,
        }
    }

    /// The address of this server without a slash at its end; none if it is not known.
    pub(crate) fn base(&self) -> Option<&'a str> {
        let base = self.base_url.trim_end_matches('/');
        (!base.is_empty()).then_some(base)
    }
}

/// A user or group whom a text calls by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The name without the `@`, as it is written.
    pub username: String,
    /// True if the name starts a line, be it behind other names: then the user is addressed directly.
    pub leads: bool,
}

/// The first [`MAX_REFERENCES`] different ones.
pub(crate) fn distinct<'r>(references: impl Iterator<Item = &'r Reference>) -> Vec<Reference> {
    let mut seen = HashSet::new();
    references.filter(|reference| seen.insert(*reference)).take(MAX_REFERENCES).cloned().collect()
}
