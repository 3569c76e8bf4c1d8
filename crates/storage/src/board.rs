//! Boards of projects and groups, and their lists.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::dsl::{exists, max, not};
use diesel::prelude::*;
use tenon_domain::board::{Board, BoardList};
use tenon_domain::container::Container;
use tenon_domain::id::{BoardId, BoardListId, LabelId, NamespaceId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::hierarchy::descendants;
use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::container::{columns, container};
use crate::rows::label::LabelRow;
use crate::schema::{board_lists, boards, labels, namespace_closure};

#[derive(Queryable, Selectable)]
#[diesel(table_name = boards)]
struct BoardRow {
    id: i64,
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    name: String,
    hides_open: bool,
    hides_closed: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<BoardRow> for Board {
    type Error = StoreError;

    fn try_from(row: BoardRow) -> StoreResult<Self> {
        Ok(Self {
            id: BoardId::new(row.id),
            container: container("boards", row.id, row.project_id, row.namespace_id)?,
            name: row.name,
            hides_open: row.hides_open,
            hides_closed: row.hides_closed,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = boards, treat_none_as_null = true)]
struct BoardColumns<'a> {
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    name: &'a str,
    hides_open: bool,
    hides_closed: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a Board> for BoardColumns<'a> {
    fn from(board: &'a Board) -> Self {
        let (project_id, namespace_id) = columns(board.container);
        Self {
            project_id,
            namespace_id,
            name: &board.name,
            hides_open: board.hides_open,
            hides_closed: board.hides_closed,
            created_at: naive(board.created_at),
            updated_at: naive(board.updated_at),
        }
    }
}

type Query = boards::BoxedQuery<'static, Backend>;

fn of(container: Container) -> Query {
    let all = boards::table.into_boxed::<Backend>();
    match container {
        Container::Project(id) => all.filter(boards::project_id.eq(id.get())),
        Container::Group(id) => all.filter(boards::namespace_id.eq(id.get())),
    }
}

fn load(tx: &mut ReadTx<'_>, query: Query) -> StoreResult<Vec<Board>> {
    let rows: Vec<BoardRow> = query.select(BoardRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// One page of the boards of a project or group, the oldest first.
pub fn list(tx: &mut ReadTx<'_>, container: Container, request: PageRequest) -> StoreResult<Page<Board>> {
    let total = count(tx, container)?;
    page(request, total, |limit, offset| load(tx, of(container).order(boards::id).limit(limit).offset(offset)))
}

/// How many boards a project or group has.
pub fn count(tx: &mut ReadTx<'_>, container: Container) -> StoreResult<i64> {
    Ok(of(container).count().get_result(tx.conn)?)
}

/// The board of that id, if it belongs to the project or group.
pub fn find(tx: &mut ReadTx<'_>, container: Container, id: BoardId) -> StoreResult<Option<Board>> {
    Ok(load(tx, of(container).filter(boards::id.eq(id.get())))?.pop())
}

/// Stores a new board and yields its id; the id in `board` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, board: &Board) -> StoreResult<BoardId> {
    let id = diesel::insert_into(boards::table)
        .values(BoardColumns::from(board))
        .returning(boards::id)
        .get_result(tx.conn)?;
    Ok(BoardId::new(id))
}

/// Stores a board as it now is.
pub fn update(tx: &mut WriteTx<'_>, board: &Board) -> StoreResult<()> {
    diesel::update(boards::table.find(board.id.get())).set(BoardColumns::from(board)).execute(tx.conn)?;
    Ok(())
}

/// Removes a board with its lists.
pub fn delete(tx: &mut WriteTx<'_>, id: BoardId) -> StoreResult<()> {
    diesel::delete(boards::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// The lists of these boards, each board's in their order.
pub fn lists(tx: &mut ReadTx<'_>, ids: &[BoardId]) -> StoreResult<HashMap<BoardId, Vec<BoardList>>> {
    let mut found: HashMap<BoardId, Vec<BoardList>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let rows: Vec<(i64, i64, NaiveDateTime, LabelRow)> = board_lists::table
        .inner_join(labels::table)
        .filter(in_ids(board_lists::board_id, ids, BoardId::get))
        .order((board_lists::position, board_lists::id))
        .select((board_lists::board_id, board_lists::id, board_lists::updated_at, LabelRow::as_select()))
        .load(tx.conn)?;
    for (board, id, updated_at, label) in rows {
        let list = BoardList { id: BoardListId::new(id), label: label.try_into()?, updated_at: utc(updated_at) };
        found.entry(BoardId::new(board)).or_default().push(list);
    }
    Ok(found)
}

/// Stores a new list, which comes behind the others of its board.
pub fn insert_list(tx: &mut WriteTx<'_>, board: BoardId, label: LabelId, at: Timestamp) -> StoreResult<()> {
    let last: Option<i64> = board_lists::table
        .filter(board_lists::board_id.eq(board.get()))
        .select(max(board_lists::position))
        .get_result(tx.conn)?;
    diesel::insert_into(board_lists::table)
        .values((
            board_lists::board_id.eq(board.get()),
            board_lists::label_id.eq(label.get()),
            board_lists::position.eq(last.map_or(0, |last| last.saturating_add(1))),
            board_lists::updated_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Puts the lists of a board into this order. `moved` is the one that a user has moved.
pub fn order_lists(
    tx: &mut WriteTx<'_>,
    ordered: &[BoardListId],
    moved: BoardListId,
    at: Timestamp,
) -> StoreResult<()> {
    for (position, id) in (0_i64..).zip(ordered) {
        diesel::update(board_lists::table.find(id.get())).set(board_lists::position.eq(position)).execute(tx.conn)?;
    }
    diesel::update(board_lists::table.find(moved.get())).set(board_lists::updated_at.eq(naive(at))).execute(tx.conn)?;
    Ok(())
}

/// Removes a list.
pub fn delete_list(tx: &mut WriteTx<'_>, id: BoardListId) -> StoreResult<()> {
    diesel::delete(board_lists::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// Removes the lists of boards of a group, and of the groups below it, whose label belongs to a group that no longer
/// stands above: it was moved away.
pub fn delete_left_behind(tx: &mut WriteTx<'_>, group: NamespaceId) -> StoreResult<()> {
    let above = namespace_closure::table
        .filter(namespace_closure::descendant_id.nullable().eq(boards::namespace_id))
        .filter(namespace_closure::ancestor_id.nullable().eq(labels::namespace_id));
    let left: Vec<i64> = board_lists::table
        .inner_join(boards::table)
        .inner_join(labels::table)
        .filter(
            boards::namespace_id.eq_any(descendants(group.get()).select(namespace_closure::descendant_id.nullable())),
        )
        .filter(not(exists(above)))
        .select(board_lists::id)
        .load(tx.conn)?;
    diesel::delete(board_lists::table.filter(in_ids(board_lists::id, &left, std::convert::identity)))
        .execute(tx.conn)?;
    Ok(())
}
