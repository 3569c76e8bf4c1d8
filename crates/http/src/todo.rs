//! To-do lists (specification 2, Todo; reference: issues-merge-requests-projects, section 5).

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::identity::Guard;
use tenon_app::todo::{self, ListTodos, TodoTarget, TodoView};
use tenon_domain::id::{ProjectId, TodoId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::todo::TodoAction;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::issue::IssueDto;
use crate::merge_request::MergeRequestDto;
use crate::params::{Paging, choice, params};
use crate::reply::{Created, NoContent, Paged};
use crate::routes::Routes;
use crate::user::UserRefDto;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Todos")
        .get("/todos", Guard::SignedIn, list, "The caller's to-do list, newest first.")
        .post("/todos/mark_as_done", Guard::SignedIn, mark_all_as_done, "Deals with the caller's whole list.")
        .post("/todos/{id:int}/mark_as_done", Guard::SignedIn, mark_as_done, "Deals with one entry.");
}

choice! {
    /// Which entries are wanted.
    pub(crate) enum StateParam {
        /// Those not dealt with.
        Pending = "pending",
        /// Those dealt with.
        Done = "done",
    }
}

params! {
    /// Which entries are meant.
    pub(crate) struct FilterParams {
        /// For this reason; unknown ones do not count.
        action: Option<String>,
        /// Caused by this user.
        author_id: Option<i64>,
        /// About something in this project.
        project_id: Option<i64>,
        /// About something in this group or below it.
        group_id: Option<i64>,
        /// Pending ones where absent.
        state: Option<StateParam>,
        /// About something of this kind, `Issue` or `MergeRequest`; unknown ones do not count.
        r#type: Option<String>,
    }
}

params! {
    /// Which entries are wanted.
    pub(crate) struct ListParams {
        filter: FilterParams,
        paging: Paging,
    }
}

/// An entry of the caller's list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TodoDto {
    id: i64,
    project: TodoProjectDto,
    author: Option<UserRefDto>,
    /// Why it is there.
    action_name: &'static str,
    target_type: &'static str,
    target: TodoTargetDto,
    target_url: String,
    /// The comment that caused it, or the title of the target.
    body: String,
    /// `pending` or `done`.
    state: &'static str,
    #[serde(serialize_with = "crate::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::json_time::moment")]
    updated_at: DateTime<Utc>,
}

/// What is to be looked at.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum TodoTargetDto {
    /// An issue.
    Issue(Box<IssueDto>),
    /// A merge request.
    MergeRequest(Box<MergeRequestDto>),
}

/// The project of what is to be looked at.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TodoProjectDto {
    id: i64,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    #[serde(serialize_with = "crate::json_time::moment")]
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

impl From<FilterParams> for ListTodos {
    fn from(params: FilterParams) -> Self {
        let kinds = [IssuableKind::Issue, IssuableKind::MergeRequest];
        Self {
            action: params.action.as_deref().and_then(TodoAction::parse),
            author: params.author_id.map(UserId::new),
            project: params.project_id.map(ProjectId::new),
            group: params.group_id,
            done: params.state == Some(StateParam::Done),
            kind: params.r#type.and_then(|name| kinds.into_iter().find(|kind| kind.type_name() == name)),
        }
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<TodoDto>, ApiError> {
    let (request, page) = (params.filter.into(), params.paging.into());
    let page = caller.read(move |query| todo::list(query, &request, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn mark_as_done(call: Call<()>) -> Result<Created<TodoDto>, ApiError> {
    let id = TodoId::new(call.path_i64("id")?);
    let view = call.write(move |command| todo::mark_done(command, id)).await?;
    Ok(Created(view.into()))
}

async fn mark_all_as_done(Call { caller, params }: Call<FilterParams>) -> Result<NoContent, ApiError> {
    let request = params.into();
    caller.write(move |command| todo::mark_all_done(command, &request)).await?;
    Ok(NoContent)
}
