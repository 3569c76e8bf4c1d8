//! To-do lists.

use tenon_app::identity::Guard;
use tenon_app::todo::{self, ListTodos};
use tenon_domain::id::{ProjectId, TodoId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::todo::TodoAction;

use crate::dto::todo::TodoDto;
use crate::endpoint::{Call, Created, NoContent, Paged, Routes};
use crate::params::{Paging, choice, params};
use crate::wire::error::ApiError;

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
