//! Snippets as answers show them.

use std::collections::HashMap;

use tenon_domain::id::{ProjectId, SnippetId};
use tenon_domain::snippet::Snippet;
use tenon_storage::{project, snippet};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::core::links::in_path;
use crate::shared::views::user_ref::UserRef;

/// A snippet as answers show it.
#[derive(Debug, Clone)]
pub struct SnippetView {
    /// The snippet.
    pub snippet: Snippet,
    /// Who made it.
    pub author: Option<UserRef>,
    /// The paths of its files, in order.
    pub paths: Vec<String>,
    /// The full path of its project.
    pub project_path: Option<String>,
    /// Its page.
    pub web_url: String,
    /// The bytes of its first file.
    pub raw_url: String,
}

impl SnippetView {
    /// The bytes of the file of this path.
    #[must_use]
    pub fn file_url(&self, path: &str) -> String {
        format!("{}/main/{}", self.raw_url, in_path(path))
    }
}

/// How these snippets are shown.
pub(super) fn views(query: &mut Query<'_>, snippets: Vec<Snippet>) -> Result<Vec<SnippetView>, AppError> {
    let ids: Vec<SnippetId> = snippets.iter().map(|snippet| snippet.id).collect();
    let mut paths = snippet::paths(&mut query.tx, &ids)?;
    let people = UserRef::of(query, snippets.iter().map(|snippet| snippet.author).collect())?;
    let homes = homes(query, &snippets)?;
    let links = query.app.links();
    let view = |snippet: Snippet| {
        let project_path = snippet.project.and_then(|id| homes.get(&id).cloned());
        let web_url = links.snippet(project_path.as_deref(), snippet.id);
        SnippetView {
            author: people.get(&snippet.author).cloned(),
            paths: paths.remove(&snippet.id).unwrap_or_default(),
            raw_url: format!("{web_url}/raw"),
            project_path,
            web_url,
            snippet,
        }
    };
    Ok(snippets.into_iter().map(view).collect())
}

/// The full paths of the projects of these snippets.
fn homes(query: &mut Query<'_>, snippets: &[Snippet]) -> Result<HashMap<ProjectId, String>, AppError> {
    let mut ids: Vec<ProjectId> = snippets.iter().filter_map(|snippet| snippet.project).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(project::full_paths(&mut query.tx, &ids)?)
}

/// How one snippet is shown.
pub(super) fn view(query: &mut Query<'_>, snippet: Snippet) -> Result<SnippetView, AppError> {
    views(query, vec![snippet])?.pop().ok_or(AppError::NotFound(Missing::Record))
}
