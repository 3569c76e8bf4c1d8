//! Reading snippets.

use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::snippet::{SnippetAction, SnippetFile};
use tenon_domain::time::Timestamp;
use tenon_domain::visibility::Visibility;
use tenon_storage::snippet::{self, Searched, Sender, SnippetFilter, SnippetSet};

use super::view::{SnippetView, view, views};
use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::core::highlighter::{Naming, Origin, Source, digest};
use crate::policy::reference::Reference;
use crate::policy::snippet::SnippetReference;
use crate::shared::markdown::render;

/// The snippets that are wanted.
#[derive(Debug, Clone)]
pub struct ListSnippets {
    /// Of these.
    pub set: SnippetSet,
    /// Made at or after this moment.
    pub created_after: Option<Timestamp>,
    /// Made at or before this moment.
    pub created_before: Option<Timestamp>,
    /// The part of the list.
    pub page: PageRequest,
}

impl ListSnippets {
    /// All of a set.
    #[must_use]
    pub const fn of(set: SnippetSet, page: PageRequest) -> Self {
        Self { set, created_after: None, created_before: None, page }
    }
}

/// The snippets that the caller may read, newest first. Callers who are no administrators get, of all, those that are public and
/// their own.
pub fn list(query: &mut Query<'_>, request: ListSnippets) -> Result<Page<SnippetView>, AppError> {
    let set = match (request.set, query.viewer().user()) {
        (SnippetSet::All, Some(user)) if !query.is_admin() => SnippetSet::PublicOrOf(user),
        (SnippetSet::All, None) => SnippetSet::Public,
        (set, _) => set,
    };
    let ListSnippets { created_after, created_before, page, .. } = request;
    found(query, &SnippetFilter { set, created_after, created_before, search: None }, page)
}

/// The snippets of a project that the caller may read, newest first. There are none if the project has no snippets for them.
pub fn of_project(
    query: &mut Query<'_>,
    project: &Reference,
    request: ListSnippets,
) -> Result<Page<SnippetView>, AppError> {
    let home = query.project(project, ProjectAction::Read)?;
    list(query, ListSnippets { set: SnippetSet::In(home.project.id), ..request })
}

/// The snippets that the caller may read and that have the words of a search.
pub(crate) fn search(
    query: &mut Query<'_>,
    search: Searched,
    page: PageRequest,
) -> Result<Page<SnippetView>, AppError> {
    let set = SnippetSet::All;
    found(query, &SnippetFilter { set, created_after: None, created_before: None, search: Some(search) }, page)
}

fn found(query: &mut Query<'_>, filter: &SnippetFilter, page: PageRequest) -> Result<Page<SnippetView>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let found = snippet::list(&mut query.tx, viewer, today, filter, page)?;
    Ok(Page { items: views(query, found.items)?, total: found.total, request: found.request })
}

/// A snippet.
pub fn show(query: &mut Query<'_>, of: &SnippetReference) -> Result<SnippetView, AppError> {
    let found = query.snippet(of, SnippetAction::Read, Missing::Record)?;
    view(query, found.snippet)
}

/// A file of a snippet: that of this path, or the first.
pub fn file(query: &mut Query<'_>, of: &SnippetReference, path: Option<&str>) -> Result<SnippetFile, AppError> {
    let found = query.snippet(of, SnippetAction::Read, Missing::Snippet)?;
    snippet::file(&mut query.tx, found.snippet.id, path)?.ok_or(AppError::NotFound(match path {
        Some(_) => Missing::File,
        None => Missing::Snippet,
    }))
}

/// From where a snippet was sent; administrators only.
pub fn sender(query: &mut Query<'_>, of: &SnippetReference) -> Result<Sender, AppError> {
    query.administrators_only()?;
    let found = query.snippet(of, SnippetAction::Read, Missing::Record)?;
    snippet::sender(&mut query.tx, found.snippet.id)?.ok_or(AppError::NotFound(Missing::Sender))
}

/// A snippet for its page.
#[derive(Debug, Clone)]
pub struct SnippetPage {
    /// The snippet.
    pub view: SnippetView,
    /// Its files, in order.
    pub files: Vec<SnippetFile>,
    /// Its description as safe HTML.
    pub description: Option<String>,
    /// True if the caller may change and remove it.
    pub may_edit: bool,
}

/// A snippet for its page.
pub fn page(query: &mut Query<'_>, of: &SnippetReference) -> Result<SnippetPage, AppError> {
    let found = query.snippet(of, SnippetAction::Read, Missing::Record)?;
    let may_edit = found.may(query, SnippetAction::Edit);
    let files = snippet::files(&mut query.tx, found.snippet.id)?;
    let home = found.home.as_ref().map(|home| Reference::Id(home.project.id.get()));
    let text = found.snippet.description.as_deref().filter(|text| !text.trim().is_empty());
    let description = text.map(|text| render(query, text, home.as_ref())).transpose()?;
    Ok(SnippetPage { view: view(query, found.snippet)?, files, description, may_edit })
}

impl SnippetPage {
    /// The texts of its files, for [`App::colours`](crate::App::colours).
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let snippet = &self.view.snippet;
        let own = snippet.author.get().saturating_neg();
        let origin = snippet.project.map_or_else(|| Origin::new(own), Origin::from);
        let source = |file: &SnippetFile| {
            let name = Naming::from(file.path.rsplit('/').next().unwrap_or_default());
            Source { origin, blob: digest(&file.content), name, text: file.content.as_str().into() }
        };
        self.files.iter().map(source).collect()
    }
}

/// A snippet for the form that changes it. Fails for callers who may not.
pub fn for_form(query: &mut Query<'_>, of: &SnippetReference) -> Result<SnippetPage, AppError> {
    query.user()?;
    let found = query.snippet(of, SnippetAction::Edit, Missing::Record)?;
    let files = snippet::files(&mut query.tx, found.snippet.id)?;
    Ok(SnippetPage { view: view(query, found.snippet)?, files, description: None, may_edit: true })
}

/// The visibilities that the caller may choose for a snippet, the one that it has among them, and the one that a form for a new
/// snippet offers first. Fails for callers who may not make one there.
pub fn visibilities(
    query: &mut Query<'_>,
    present: Option<Visibility>,
    home: Option<&Reference>,
) -> Result<(Vec<Visibility>, Visibility), AppError> {
    if present.is_none() {
        query.snippet_home(home)?;
    }
    let settings = query.settings()?;
    let is_admin = query.is_admin();
    let is_offered = |wanted: &Visibility| Some(*wanted) == present || is_admin || !settings.restricts(*wanted);
    let offered: Vec<Visibility> = Visibility::ALL.into_iter().filter(is_offered).collect();
    let first = settings.default_snippet_visibility;
    let first = if offered.contains(&first) { first } else { offered.first().copied().unwrap_or(first) };
    Ok((offered, present.unwrap_or(first)))
}
