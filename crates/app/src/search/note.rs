//! Searching in comments.

use tenon_domain::id::IssuableId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::search::Search;
use tenon_storage::{issuable, note};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::note::{NoteView, views};
use crate::policy::reference::Reference;
use crate::shared::issuable::view::visible;

/// The newest matches that are read.
const MOST: i64 = 1000;

/// The comments of a project that have `text`, newest first, on what the caller may see.
pub(super) fn in_project(
    query: &mut Query<'_>,
    project: &Reference,
    text: &str,
    page: PageRequest,
) -> Result<Page<NoteView>, AppError> {
    let id = query.project(project, ProjectAction::Read)?.project.id;
    let Some(search) = Search::parse(text) else { return Ok(Page::empty(page)) };
    let mut matches = note::search(&mut query.tx, id, &search, MOST)?;
    let about: Vec<IssuableId> = matches.iter().map(|note| note.issuable).collect();
    let open = visible(query, &about)?;
    matches.retain(|note| open.contains(&note.issuable));
    let Page { items: shown, total, request } = Page::cut(matches, page);
    let of: Vec<IssuableId> = shown.iter().map(|note| note.issuable).collect();
    let about = issuable::by_ids(&mut query.tx, &of)?;
    let mut items = Vec::new();
    for issue in &about {
        let notes = shown.iter().filter(|note| note.issuable == issue.id).cloned().collect();
        items.extend(views(query, issue, notes)?);
    }
    items.sort_by_key(|view| std::cmp::Reverse(view.note.id));
    Ok(Page { items, total, request })
}
