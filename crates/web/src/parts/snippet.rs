//! Snippets in lists.

use tenon_app::snippet::SnippetView;
use tenon_domain::page::Page;

use super::links::{PersonLink, own_path};
use crate::context::frame::Frame;
use crate::kit::pagination::Pagination;
use crate::kit::words::{self, Moment};

/// A snippet in a list.
pub(crate) struct SnippetRow {
    pub(crate) href: String,
    pub(crate) title: String,
    pub(crate) visibility: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) author: Option<PersonLink>,
    /// The full path of its project.
    pub(crate) home: Option<String>,
    /// The number of its files, in words.
    pub(crate) files: String,
    pub(crate) at: Moment,
}

impl SnippetRow {
    /// The rows of a page of a list, with the links to its other pages.
    pub(crate) fn listed(frame: &Frame, base_url: &str, found: Page<SnippetView>) -> (Vec<Self>, Pagination) {
        let pages = Pagination::of(&found);
        (found.items.into_iter().map(|view| Self::new(frame, base_url, view)).collect(), pages)
    }

    fn new(frame: &Frame, base_url: &str, view: SnippetView) -> Self {
        Self {
            href: own_path(&frame.root, base_url, &view.web_url),
            visibility: words::visibility(view.snippet.visibility),
            icon: words::visibility_icon(view.snippet.visibility),
            author: view.author.as_ref().map(|user| PersonLink::new(frame, user)),
            home: view.project_path,
            files: words::count(i64::try_from(view.paths.len()).unwrap_or(i64::MAX), "file", "files"),
            at: view.snippet.updated_at.into(),
            title: view.snippet.title,
        }
    }
}
