//! The queries of the addresses of the page of a difference.

use tenon_app::merge_request::DifferencePage;

use super::commits;
use crate::context::project::ProjectContext;
use crate::parts::issuable::difference_query::{SEEN, only};

/// The queries of addresses of the page.
pub(super) struct Queries {
    /// The query of the page itself.
    pub(super) query: String,
    /// The other mode, and the other choice about white space.
    pub(super) other_mode: String,
    pub(super) other_space: String,
    /// The query with the version that is shown: a comment is about its lines.
    pub(super) pinned: String,
    /// The query with all files.
    pub(super) whole: String,
    /// The query of the page, of whatever file.
    pub(super) of_files: String,
}

/// Parameters of the address stay in the addresses of the page. The caller's preferences are not added to them.
pub(super) fn queries(
    context: &ProjectContext,
    both: &commits::PageData,
    difference: &DifferencePage,
    is_parallel: bool,
    ignores_space: bool,
) -> Queries {
    let (query, whole) = (query(difference, true), query(difference, false));
    let asked = |name: &str, what: &'static str| if context.request.query(name).is_some() { what } else { "" };
    let viewed = asked("view", if is_parallel { "view=parallel" } else { "view=inline" });
    let space = asked("w", if ignores_space { "w=1" } else { "w=0" });
    let other_space = join(&join(&query, viewed), if ignores_space { "w=0" } else { "w=1" });
    let other_mode = join(&join(&query, if is_parallel { "view=inline" } else { "view=parallel" }), space);
    let (query, whole) = (join(&join(&query, viewed), space), join(&join(&whole, viewed), space));
    let shown_version = difference.version.or_else(|| both.request.versions.first().map(|version| version.id));
    let file = context.request.parameters().number("file").map(|number| format!("file={number}")).unwrap_or_default();
    let of_files = query.clone();
    let (query, other_mode) = (join(&query, &file), join(&other_mode, &file));
    let other_space = join(&other_space, &file);
    let pinned = match shown_version.filter(|_| difference.version.is_none()) {
        Some(id) => join(&format!("diff_id={id}"), &query),
        None => query.clone(),
    };
    Queries { query, other_mode, other_space, pinned, whole, of_files }
}

/// Joins two parts of a query. Either may be empty.
pub(super) fn join(a: &str, b: &str) -> String {
    if a.is_empty() || b.is_empty() { format!("{a}{b}") } else { format!("{a}&{b}") }
}

/// The query of a difference. If it is not `narrowed` to one file, it has all files.
fn query(difference: &DifferencePage, narrowed: bool) -> String {
    let since = difference.since.as_ref().map(|_| format!("since={SEEN}"));
    let version = difference.version.map(|id| format!("diff_id={id}"));
    let start = difference.start.as_ref().map(|start| format!("start_sha={start}"));
    let one = difference.file.as_ref().filter(|_| narrowed).map(only);
    since.into_iter().chain(version).chain(start).chain(one).collect::<Vec<_>>().join("&")
}
