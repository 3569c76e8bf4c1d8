//! To-do lists.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, NoteId, ProjectId, TodoId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;
use tenon_domain::todo::{Todo, TodoAction};

use crate::db::connection::Backend;
use crate::db::expressions::{in_ids, in_ids_large};
use crate::db::paging::page;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{issuables, todos};
use crate::visibility::issuables::{VisibleIssuables, visible_of};

#[derive(Queryable, Selectable)]
#[diesel(table_name = todos)]
struct TodoRow {
    id: i64,
    user_id: i64,
    author_id: i64,
    issuable_id: i64,
    note_id: Option<i64>,
    action: String,
    done: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<TodoRow> for Todo {
    type Error = StoreError;

    fn try_from(row: TodoRow) -> StoreResult<Self> {
        Ok(Self {
            id: TodoId::new(row.id),
            user: UserId::new(row.user_id),
            author: UserId::new(row.author_id),
            issuable: IssuableId::new(row.issuable_id),
            note: row.note_id.map(NoteId::new),
            action: parsed("todos", "action", row.id, &row.action, TodoAction::parse)?,
            done: row.done,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

/// Which entries of a user's list.
#[derive(Debug, Clone)]
pub struct TodoFilter {
    /// Whose list.
    pub user: UserId,
    /// The issues and merge requests that this user may see: entries about anything else are left out.
    pub visible_issuables: Vec<VisibleIssuables>,
    /// Done, or not.
    pub done: bool,
    /// For this reason.
    pub action: Option<TodoAction>,
    /// Not for these reasons.
    pub but: Vec<TodoAction>,
    /// Caused by this user.
    pub author: Option<UserId>,
    /// About something in one of these projects.
    pub projects: Option<Vec<ProjectId>>,
    /// About issues, or about merge requests.
    pub kind: Option<IssuableKind>,
}

type Query<'a> = todos::BoxedQuery<'a, Backend>;

fn matching<'a>(filter: &TodoFilter, visible: &[IssuableId]) -> Query<'a> {
    let mut query = todos::table
        .filter(todos::user_id.eq(filter.user.get()))
        .filter(todos::done.eq(filter.done))
        .filter(in_ids(todos::issuable_id, visible, IssuableId::get))
        .into_boxed::<Backend>();
    if let Some(action) = filter.action {
        query = query.filter(todos::action.eq(action.as_str()));
    }
    if !filter.but.is_empty() {
        query = query.filter(todos::action.ne_all(filter.but.iter().map(|action| action.as_str())));
    }
    if let Some(author) = filter.author {
        query = query.filter(todos::author_id.eq(author.get()));
    }
    query
}

/// The targets of the entries, as far as the user may see them. One person's list: few enough to hold.
fn visible(tx: &mut ReadTx<'_>, filter: &TodoFilter) -> StoreResult<Vec<IssuableId>> {
    let mut about = todos::table
        .inner_join(issuables::table)
        .filter(todos::user_id.eq(filter.user.get()))
        .filter(todos::done.eq(filter.done))
        .filter(issuables::deleted_at.is_null())
        .select(todos::issuable_id)
        .distinct()
        .into_boxed::<Backend>();
    if let Some(projects) = &filter.projects {
        about = about.filter(in_ids_large(issuables::project_id, projects, ProjectId::get));
    }
    if let Some(kind) = filter.kind {
        about = about.filter(issuables::kind.eq(kind.as_str()));
    }
    let ids: Vec<i64> = about.load(tx.conn)?;
    let ids: Vec<IssuableId> = ids.into_iter().map(IssuableId::new).collect();
    let mut seen = Vec::new();
    for visible in &filter.visible_issuables {
        seen.extend(visible_of(tx, visible, &ids)?);
    }
    Ok(seen)
}

/// One page of a user's list, newest first.
pub fn list(tx: &mut ReadTx<'_>, filter: &TodoFilter, request: PageRequest) -> StoreResult<Page<Todo>> {
    let visible = visible(tx, filter)?;
    let total = matching(filter, &visible).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<TodoRow> = matching(filter, &visible)
            .order(todos::id.desc())
            .limit(limit)
            .offset(offset)
            .select(TodoRow::as_select())
            .load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// How many entries of a user's list match.
pub fn count(tx: &mut ReadTx<'_>, filter: &TodoFilter) -> StoreResult<i64> {
    let visible = visible(tx, filter)?;
    Ok(matching(filter, &visible).count().get_result(tx.conn)?)
}

/// The targets of the newest `most` entries of a user's list that are not done, visible or not: one id for each entry.
pub fn newest_pending(tx: &mut ReadTx<'_>, user: UserId, most: i64) -> StoreResult<Vec<IssuableId>> {
    let pending = todos::table.filter(todos::user_id.eq(user.get())).filter(todos::done.eq(false));
    let found: Vec<i64> = pending.order(todos::id.desc()).limit(most).select(todos::issuable_id).load(tx.conn)?;
    Ok(found.into_iter().map(IssuableId::new).collect())
}

/// Marks all entries that match as done.
pub fn mark_all_done(tx: &mut WriteTx<'_>, filter: &TodoFilter, at: Timestamp) -> StoreResult<()> {
    let visible = visible(tx, filter)?;
    let ids: Vec<i64> = matching(filter, &visible).select(todos::id).load(tx.conn)?;
    let listed = todos::table.filter(in_ids(todos::id, &ids, std::convert::identity));
    diesel::update(listed).set((todos::done.eq(true), todos::updated_at.eq(naive(at)))).execute(tx.conn)?;
    Ok(())
}

/// Marks one entry as done.
pub fn mark_done(tx: &mut WriteTx<'_>, id: TodoId, at: Timestamp) -> StoreResult<()> {
    diesel::update(todos::table.find(id.get()))
        .set((todos::done.eq(true), todos::updated_at.eq(naive(at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Marks all entries of a user's list about an issuable as done.
pub fn mark_issuable_done(tx: &mut WriteTx<'_>, user: UserId, issuable: IssuableId, at: Timestamp) -> StoreResult<()> {
    let pending = todos::table
        .filter(todos::issuable_id.eq(issuable.get()))
        .filter(todos::user_id.eq(user.get()))
        .filter(todos::done.eq(false));
    diesel::update(pending).set((todos::done.eq(true), todos::updated_at.eq(naive(at)))).execute(tx.conn)?;
    Ok(())
}

/// Those of these users who have something about an issuable on their lists that is not done.
pub fn pending_of(tx: &mut ReadTx<'_>, issuable: IssuableId, users: &[UserId]) -> StoreResult<Vec<UserId>> {
    let found: Vec<i64> = todos::table
        .filter(todos::issuable_id.eq(issuable.get()))
        .filter(in_ids(todos::user_id, users, UserId::get))
        .filter(todos::done.eq(false))
        .select(todos::user_id)
        .distinct()
        .load(tx.conn)?;
    Ok(found.into_iter().map(UserId::new).collect())
}

/// Stores a new entry; the id in `todo` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, todo: &Todo) -> StoreResult<TodoId> {
    let id = diesel::insert_into(todos::table)
        .values((
            todos::user_id.eq(todo.user.get()),
            todos::author_id.eq(todo.author.get()),
            todos::issuable_id.eq(todo.issuable.get()),
            todos::note_id.eq(todo.note.map(NoteId::get)),
            todos::action.eq(todo.action.as_str()),
            todos::done.eq(todo.done),
            todos::created_at.eq(naive(todo.created_at)),
            todos::updated_at.eq(naive(todo.updated_at)),
        ))
        .returning(todos::id)
        .get_result(tx.conn)?;
    Ok(TodoId::new(id))
}

/// The entry of that id on a user's list.
pub fn find(tx: &mut ReadTx<'_>, user: UserId, id: TodoId) -> StoreResult<Option<Todo>> {
    let row: Option<TodoRow> = todos::table
        .find(id.get())
        .filter(todos::user_id.eq(user.get()))
        .select(TodoRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}
