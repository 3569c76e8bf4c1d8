//! Lists of users that strategies of feature flags name.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::feature_flag::UserList;
use tenon_domain::id::{Iid, ProjectId, UserListId};
use tenon_domain::page::{Page, PageRequest};

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::predicate::contains;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{feature_flag_strategies, feature_flag_user_lists};

#[derive(Queryable, Selectable)]
#[diesel(table_name = feature_flag_user_lists)]
struct ListRow {
    id: i64,
    project_id: i64,
    iid: i64,
    name: String,
    user_xids: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl From<ListRow> for UserList {
    fn from(row: ListRow) -> Self {
        Self {
            id: UserListId::new(row.id),
            project: ProjectId::new(row.project_id),
            iid: Iid::new(row.iid),
            name: row.name,
            users: row.user_xids,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        }
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = feature_flag_user_lists)]
struct ListColumns<'a> {
    project_id: i64,
    iid: i64,
    name: &'a str,
    user_xids: &'a str,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a UserList> for ListColumns<'a> {
    fn from(list: &'a UserList) -> Self {
        Self {
            project_id: list.project.get(),
            iid: list.iid.get(),
            name: &list.name,
            user_xids: &list.users,
            created_at: naive(list.created_at),
            updated_at: naive(list.updated_at),
        }
    }
}

type Query = feature_flag_user_lists::BoxedQuery<'static, Backend>;

fn of(project: ProjectId, search: Option<&str>) -> Query {
    let query = feature_flag_user_lists::table
        .filter(feature_flag_user_lists::project_id.eq(project.get()))
        .into_boxed::<Backend>();
    match search {
        None => query,
        Some(search) => query.filter(contains(feature_flag_user_lists::name, &search.to_lowercase())),
    }
}

fn load(tx: &mut ReadTx<'_>, query: Query) -> StoreResult<Vec<UserList>> {
    let rows: Vec<ListRow> = query.select(ListRow::as_select()).load(tx.conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// One page of the lists of a project, the oldest first: all, or those whose name contains a text, whatever the case.
pub fn user_lists(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    search: Option<&str>,
    request: PageRequest,
) -> StoreResult<Page<UserList>> {
    let total = of(project, search).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        load(tx, of(project, search).order(feature_flag_user_lists::id).limit(limit).offset(offset))
    })
}

/// How many lists a project has.
pub fn count_user_lists(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<i64> {
    Ok(of(project, None).count().get_result(tx.conn)?)
}

/// The list of that number.
pub fn find_user_list(tx: &mut ReadTx<'_>, project: ProjectId, iid: Iid) -> StoreResult<Option<UserList>> {
    Ok(load(tx, of(project, None).filter(feature_flag_user_lists::iid.eq(iid.get())))?.pop())
}

/// The list of that id, if it belongs to the project.
pub fn user_list_of_id(tx: &mut ReadTx<'_>, project: ProjectId, id: UserListId) -> StoreResult<Option<UserList>> {
    Ok(load(tx, of(project, None).filter(feature_flag_user_lists::id.eq(id.get())))?.pop())
}

/// The lists of these ids.
pub fn user_lists_by_ids(tx: &mut ReadTx<'_>, ids: &[UserListId]) -> StoreResult<HashMap<UserListId, UserList>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<ListRow> = feature_flag_user_lists::table
        .filter(in_ids(feature_flag_user_lists::id, ids, UserListId::get))
        .select(ListRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(UserList::from).map(|list| (list.id, list)).collect())
}

/// True if a strategy names the list.
pub fn is_user_list_used(tx: &mut ReadTx<'_>, id: UserListId) -> StoreResult<bool> {
    let naming = feature_flag_strategies::table.filter(feature_flag_strategies::user_list_id.eq(id.get()));
    let first: Option<i64> = naming.select(feature_flag_strategies::id).first(tx.conn).optional()?;
    Ok(first.is_some())
}

/// Stores a new list and yields its id; the id in `list` is ignored. Fails with [`crate::UniqueKey::UserListName`].
pub fn insert_user_list(tx: &mut WriteTx<'_>, list: &UserList) -> StoreResult<UserListId> {
    let id = diesel::insert_into(feature_flag_user_lists::table)
        .values(ListColumns::from(list))
        .returning(feature_flag_user_lists::id)
        .get_result(tx.conn)?;
    Ok(UserListId::new(id))
}

/// Stores a list as it now is. Fails with [`crate::UniqueKey::UserListName`].
pub fn update_user_list(tx: &mut WriteTx<'_>, list: &UserList) -> StoreResult<()> {
    diesel::update(feature_flag_user_lists::table.find(list.id.get())).set(ListColumns::from(list)).execute(tx.conn)?;
    Ok(())
}

/// Removes a list.
pub fn delete_user_list(tx: &mut WriteTx<'_>, id: UserListId) -> StoreResult<()> {
    diesel::delete(feature_flag_user_lists::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
