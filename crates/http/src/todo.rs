//! To-do lists.

use tenon_app::identity::Guard;
use tenon_app::todo::{self, ListTodos};
use tenon_domain::id::{ProjectId, TodoId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::todo::TodoAction;
use tenon_edge::error::ApiError;

use crate::dto::todo::TodoDto;
use crate::endpoint::{Call, Created, NoContent, Paged, Routes};
use crate::params::{Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Todos")
        .get("/todos", Guard::SignedIn, list, "The caller's to-do list, newest first.")
        .post("/todos/mark_as_done", Guard::SignedIn, mark_all_as_done, "Marks all entries of the caller as done.")
        .post("/todos/{id:int}/mark_as_done", Guard::SignedIn, mark_as_done, "Marks one entry as done.");
}

choice! {
    /// Filters of entries.
    pub(crate) enum StateParam {
        /// Pending.
        Pending = "pending",
        /// Done.
        Done = "done",
    }
}

params! {
    /// Filters of entries.
    pub(crate) struct FilterParams {
        /// With this reason; unknown reasons are ignored.
        action: Option<String>,
        /// Caused by this user.
        author_id: Option<i64>,
        /// In this project.
        project_id: Option<i64>,
        /// In this group or its subgroups.
        group_id: Option<i64>,
        /// The state; pending by default.
        state: Option<StateParam>,
        /// About this type, `Issue` or `MergeRequest`; unknown types are ignored.
        r#type: Option<String>,
    }
}

params! {
    /// Filters of entries.
    pub(crate) struct ListParams {
        filter: FilterParams,
        paging: Paging,
    }
}

impl From<FilterParams> for ListTodos {
    fn from(params: FilterParams) -> Self {
        let kinds = [IssuableKind::Issue, IssuableKind::MergeRequest];
        Self {
            action: params.action.as_deref().and_then(TodoAction::parse),
            but: Vec::new(),
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
