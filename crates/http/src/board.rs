//! Boards of projects and groups, and their lists.

use tenon_app::board::{self, BoardChange};
use tenon_app::identity::Guard;
use tenon_app::{ContainerReference, Reference};
use tenon_domain::id::{BoardId, BoardListId, LabelId};
use tenon_edge::error::ApiError;

use crate::dto::board::{BoardDto, BoardListDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, params};

/// The project or group of the boards.
type Subject = fn(&Caller) -> ContainerReference;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Boards");
    let of_project: Subject = |caller| ContainerReference::Project(Reference::parse(caller.path("id")));
    let of_group: Subject = |caller| ContainerReference::Group(Reference::parse(caller.path("id")));
    both(
        api,
        [
            "/projects/{id}/boards",
            "/projects/{id}/boards/{board_id:int}",
            "/projects/{id}/boards/{board_id:int}/lists",
            "/projects/{id}/boards/{board_id:int}/lists/{list_id:int}",
        ],
        of_project,
    );
    both(
        api,
        [
            "/groups/{id}/boards",
            "/groups/{id}/boards/{board_id:int}",
            "/groups/{id}/boards/{board_id:int}/lists",
            "/groups/{id}/boards/{board_id:int}/lists/{list_id:int}",
        ],
        of_group,
    );
}

fn both(api: &mut Routes, [boards, board, lists, list]: [&'static str; 4], of: Subject) {
    api.get(boards, Guard::SignedIn, move |call| all(call, of), "The boards, the oldest first.")
        .post(boards, Guard::SignedIn, move |call| create(call, of), "Makes a board without lists.")
        .get(board, Guard::SignedIn, move |call| show(call, of), "A board.")
        .put(board, Guard::SignedIn, move |call| edit(call, of), "Changes a board.")
        .delete(board, Guard::SignedIn, move |call| delete(call, of), "Removes a board with its lists.")
        .get(lists, Guard::SignedIn, move |call| all_lists(call, of), "The lists of a board, in their order.")
        .post(lists, Guard::SignedIn, move |call| add_list(call, of), "Adds the list of a label behind the others.")
        .get(list, Guard::SignedIn, move |call| show_list(call, of), "A list of a board.")
        .put(list, Guard::SignedIn, move |call| move_list(call, of), "Moves a list to another place.")
        .delete(list, Guard::SignedIn, move |call| delete_list(call, of), "Removes a list; issues and label stay.");
}

params! {
    /// A new board.
    pub(crate) struct CreateParams {
        /// Its name.
        name: String,
    }
}

params! {
    /// Changes of a board.
    pub(crate) struct EditParams {
        /// Its name.
        name: Option<String>,
        /// True if pages do not show the open issues that are in no list.
        hide_backlog_list: Option<bool>,
        /// True if pages do not show the closed issues.
        hide_closed_list: Option<bool>,
    }
}

params! {
    /// A new list.
    pub(crate) struct AddListParams {
        /// The id of its label.
        label_id: i64,
    }
}

params! {
    /// The place of a list.
    pub(crate) struct MoveListParams {
        /// The place among the lists, from 0 on.
        position: i64,
    }
}

fn board_id(caller: &Caller) -> Result<BoardId, ApiError> {
    caller.path_i64("board_id").map(BoardId::new)
}

fn list_id(caller: &Caller) -> Result<BoardListId, ApiError> {
    caller.path_i64("list_id").map(BoardListId::new)
}

async fn all(Call { caller, params }: Call<Paging>, of: Subject) -> Result<Paged<BoardDto>, ApiError> {
    let of = of(&caller);
    let page = caller.read(move |query| board::all(query, &of, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>, of: Subject) -> Result<Json<BoardDto>, ApiError> {
    let (of, id) = (of(&call), board_id(&call)?);
    Ok(Json(call.read(move |query| board::show(query, &of, id)).await?.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>, of: Subject) -> Result<Created<BoardDto>, ApiError> {
    let (of, change) = (of(&caller), BoardChange { name: Some(params.name), ..BoardChange::default() });
    Ok(Created(caller.write(move |command| board::create(command, &of, change)).await?.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>, of: Subject) -> Result<Json<BoardDto>, ApiError> {
    let (of, id) = (of(&caller), board_id(&caller)?);
    let EditParams { name, hide_backlog_list, hide_closed_list } = params;
    let change = BoardChange { name, hides_open: hide_backlog_list, hides_closed: hide_closed_list };
    Ok(Json(caller.write(move |command| board::edit(command, &of, id, change)).await?.into()))
}

async fn delete(call: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, id, since) = (of(&call), board_id(&call)?, call.head().unmodified_since);
    call.write(move |command| board::delete(command, &of, id, since)).await?;
    Ok(NoContent)
}

async fn all_lists(Call { caller, params }: Call<Paging>, of: Subject) -> Result<Paged<BoardListDto>, ApiError> {
    let (of, id) = (of(&caller), board_id(&caller)?);
    let page = caller.read(move |query| board::lists(query, &of, id, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show_list(call: Call<()>, of: Subject) -> Result<Json<BoardListDto>, ApiError> {
    let (of, id, list) = (of(&call), board_id(&call)?, list_id(&call)?);
    Ok(Json(call.read(move |query| board::list(query, &of, id, list)).await?.into()))
}

async fn add_list(
    Call { caller, params }: Call<AddListParams>,
    of: Subject,
) -> Result<Created<BoardListDto>, ApiError> {
    let (of, id, label) = (of(&caller), board_id(&caller)?, LabelId::new(params.label_id));
    Ok(Created(caller.write(move |command| board::add_list(command, &of, id, label)).await?.into()))
}

async fn move_list(Call { caller, params }: Call<MoveListParams>, of: Subject) -> Result<Json<BoardListDto>, ApiError> {
    let (of, id, list) = (of(&caller), board_id(&caller)?, list_id(&caller)?);
    let moved = caller.write(move |command| board::move_list(command, &of, id, list, params.position)).await?;
    Ok(Json(moved.into()))
}

async fn delete_list(call: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, id, list) = (of(&call), board_id(&call)?, list_id(&call)?);
    let since = call.head().unmodified_since;
    call.write(move |command| board::delete_list(command, &of, id, list, since)).await?;
    Ok(NoContent)
}
