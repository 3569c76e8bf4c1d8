//! Entries of to-do lists as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::todo::{TodoTarget, TodoView};
use utoipa::ToSchema;

use super::issue::IssueDto;
use super::merge_request::MergeRequestDto;
use super::user::UserRefDto;

/// An entry of the caller's to-do list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TodoDto {
    id: i64,
    project: TodoProjectDto,
    author: Option<UserRefDto>,
    /// The reason for the entry.
    action_name: &'static str,
    target_type: &'static str,
    target: TodoTargetDto,
    target_url: String,
    /// The comment that caused it, or the title of the target.
    body: String,
    /// `pending` or `done`.
    state: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
}

/// The target of an entry.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum TodoTargetDto {
    /// An issue.
    Issue(Box<IssueDto>),
    /// A merge request.
    MergeRequest(Box<MergeRequestDto>),
}

/// The project of the target.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TodoProjectDto {
    id: i64,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
}

impl From<TodoView> for TodoDto {
    fn from(view: TodoView) -> Self {
        let (project, home) = (view.project.project, view.project.home);
        Self {
            id: view.todo.id.get(),
            project: TodoProjectDto {
                id: project.id.get(),
                name_with_namespace: format!("{} / {}", home.full_name, project.name),
                path_with_namespace: home.path_of(&project.path),
                description: project.description,
                name: project.name,
                path: project.path,
                created_at: project.created_at,
            },
            author: view.author.map(Into::into),
            action_name: view.todo.action.as_str(),
            target_type: view.target.shared().issuable.kind.type_name(),
            target: match view.target {
                TodoTarget::Issue(view) => TodoTargetDto::Issue(Box::new(IssueDto::single(*view))),
                TodoTarget::MergeRequest(view) => TodoTargetDto::MergeRequest(Box::new((*view).into())),
            },
            target_url: view.target_url,
            body: view.body,
            state: if view.todo.done { "done" } else { "pending" },
            created_at: view.todo.created_at,
            updated_at: view.todo.updated_at,
        }
    }
}
