//! Snippets as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::snippet::SnippetView;
use tenon_domain::id::ProjectId;
use utoipa::ToSchema;

use super::user::UserRefDto;

/// A snippet, without its texts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SnippetDto {
    id: i64,
    title: String,
    /// The path of its first file.
    file_name: String,
    description: Option<String>,
    /// `private`, `internal` or `public`.
    visibility: &'static str,
    author: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// Null for one of a user alone.
    project_id: Option<i64>,
    web_url: String,
    /// The address of the text of its first file.
    raw_url: String,
    files: Vec<SnippetFileDto>,
}

/// A file of a snippet.
#[derive(Debug, Serialize, ToSchema)]
struct SnippetFileDto {
    path: String,
    /// The address of its text.
    raw_url: String,
}

impl From<SnippetView> for SnippetDto {
    fn from(view: SnippetView) -> Self {
        let file = |path: &String| SnippetFileDto { path: path.clone(), raw_url: view.file_url(path) };
        Self {
            files: view.paths.iter().map(file).collect(),
            file_name: view.paths.first().cloned().unwrap_or_default(),
            id: view.snippet.id.get(),
            visibility: view.snippet.visibility.as_str(),
            author: view.author.map(Into::into),
            updated_at: view.snippet.updated_at,
            created_at: view.snippet.created_at,
            project_id: view.snippet.project.map(ProjectId::get),
            title: view.snippet.title,
            description: view.snippet.description,
            web_url: view.web_url,
            raw_url: view.raw_url,
        }
    }
}
