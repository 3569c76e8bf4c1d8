//! Labels of projects and groups.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::container::Container;
use tenon_domain::id::{LabelId, NamespaceId, ProjectId, UserId};
use tenon_domain::label::Label;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::{Backend, on_each};
use crate::db::expressions::in_ids;
use crate::db::hierarchy::{ancestors_of_project, projects_within};
use crate::db::paging::page;
use crate::db::predicate::contains;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::rows::container::columns;
use crate::rows::label::{LabelRow, load, within};
pub use crate::rows::label::{LabelSet, named};
use crate::schema::{
    board_lists, boards, issuable_labels, issuables, label_priorities, label_subscriptions, labels, resource_events,
};

/// One page of the labels of `set` whose name contains `search`, by name: archived ones only, none of them, or all.
pub fn list(
    tx: &mut ReadTx<'_>,
    set: LabelSet,
    search: Option<&str>,
    archived: Option<bool>,
    request: PageRequest,
) -> StoreResult<Page<Label>> {
    let matching = || {
        let mut query = within(set);
        if let Some(text) = search {
            query = query.filter(contains(labels::name, &text.to_lowercase()));
        }
        if let Some(archived) = archived {
            query = query.filter(labels::archived.eq(archived));
        }
        query
    };
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        load(tx, matching().order((labels::name, labels::id)).limit(limit).offset(offset))
    })
}

/// How many labels a project or group has of its own.
pub fn count(tx: &mut ReadTx<'_>, container: Container) -> StoreResult<i64> {
    Ok(match container {
        Container::Project(id) => labels::table.filter(labels::project_id.eq(id.get())).count().get_result(tx.conn)?,
        Container::Group(id) => labels::table.filter(labels::namespace_id.eq(id.get())).count().get_result(tx.conn)?,
    })
}

/// The first labels of a set that are offered, by name: none that are archived.
pub fn first(tx: &mut ReadTx<'_>, set: LabelSet, limit: i64) -> StoreResult<Vec<Label>> {
    load(tx, within(set).filter(labels::archived.eq(false)).order((labels::name, labels::id)).limit(limit))
}

/// The label of that id, if it is in `set`.
pub fn find(tx: &mut ReadTx<'_>, set: LabelSet, id: LabelId) -> StoreResult<Option<Label>> {
    Ok(load(tx, within(set).filter(labels::id.eq(id.get())))?.pop())
}

/// The labels of these ids.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[LabelId]) -> StoreResult<HashMap<LabelId, Label>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = load(tx, labels::table.filter(in_ids(labels::id, ids, LabelId::get)).into_boxed::<Backend>())?;
    Ok(found.into_iter().map(|label| (label.id, label)).collect())
}

/// The priorities that a project gives to these labels.
pub fn priorities(tx: &mut ReadTx<'_>, project: ProjectId, ids: &[LabelId]) -> StoreResult<HashMap<LabelId, i64>> {
    let rows: Vec<(i64, i64)> = label_priorities::table
        .filter(label_priorities::project_id.eq(project.get()))
        .filter(in_ids(label_priorities::label_id, ids, LabelId::get))
        .select((label_priorities::label_id, label_priorities::priority))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(label, priority)| (LabelId::new(label), priority)).collect())
}

/// Those of these labels that `user` follows.
pub fn followed(tx: &mut ReadTx<'_>, user: UserId, ids: &[LabelId]) -> StoreResult<HashSet<LabelId>> {
    let rows: Vec<i64> = label_subscriptions::table
        .filter(label_subscriptions::user_id.eq(user.get()))
        .filter(in_ids(label_subscriptions::label_id, ids, LabelId::get))
        .select(label_subscriptions::label_id)
        .load(tx.conn)?;
    Ok(rows.into_iter().map(LabelId::new).collect())
}

/// Users who want to hear of what gets one of these labels.
pub fn followers(tx: &mut ReadTx<'_>, ids: &[LabelId]) -> StoreResult<HashSet<UserId>> {
    let rows: Vec<i64> = label_subscriptions::table
        .filter(in_ids(label_subscriptions::label_id, ids, LabelId::get))
        .select(label_subscriptions::user_id)
        .load(tx.conn)?;
    Ok(rows.into_iter().map(UserId::new).collect())
}

/// Stores a new label; the id in `label` is ignored. Fails with [`crate::UniqueKey::LabelName`].
pub fn insert(tx: &mut WriteTx<'_>, label: &Label, at: Timestamp) -> StoreResult<LabelId> {
    let (project, namespace) = columns(label.container);
    let at: NaiveDateTime = naive(at);
    let id = diesel::insert_into(labels::table)
        .values((
            labels::project_id.eq(project),
            labels::namespace_id.eq(namespace),
            labels::name.eq(&label.name),
            labels::color.eq(&label.color),
            labels::description.eq(&label.description),
            labels::archived.eq(label.archived),
            labels::created_at.eq(at),
            labels::updated_at.eq(at),
        ))
        .returning(labels::id)
        .get_result(tx.conn)?;
    Ok(LabelId::new(id))
}

/// Stores a label as it now is. Fails with [`crate::UniqueKey::LabelName`].
pub fn update(tx: &mut WriteTx<'_>, label: &Label, at: Timestamp) -> StoreResult<()> {
    let (project, namespace) = columns(label.container);
    diesel::update(labels::table.find(label.id.get()))
        .set((
            labels::project_id.eq(project),
            labels::namespace_id.eq(namespace),
            labels::name.eq(&label.name),
            labels::color.eq(&label.color),
            labels::description.eq(&label.description),
            labels::archived.eq(label.archived),
            labels::updated_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes a label from everything and for good.
pub fn delete(tx: &mut WriteTx<'_>, id: LabelId) -> StoreResult<()> {
    diesel::delete(labels::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// Puts `into` in every place of `from`, and removes `from`. If `into` has no priority it gets that of `from`. Those
/// who follow `from` follow `into`.
pub fn merge(tx: &mut WriteTx<'_>, from: LabelId, into: LabelId) -> StoreResult<()> {
    let carriers: Vec<i64> = issuable_labels::table
        .filter(issuable_labels::label_id.eq(from.get()))
        .select(issuable_labels::issuable_id)
        .load(tx.conn)?;
    carry(tx, &carriers, into)?;
    let lists = board_lists::table
        .filter(board_lists::label_id.eq(from.get()))
        .select((board_lists::id, board_lists::board_id))
        .load(tx.conn)?;
    relist(tx, &lists, into)?;
    diesel::update(resource_events::table.filter(resource_events::label_id.eq(from.get())))
        .set(resource_events::label_id.eq(into.get()))
        .execute(tx.conn)?;
    let priorities: Vec<(i64, i64)> = label_priorities::table
        .filter(label_priorities::label_id.eq(from.get()))
        .select((label_priorities::project_id, label_priorities::priority))
        .load(tx.conn)?;
    for (project, priority) in priorities {
        let row = (
            label_priorities::project_id.eq(project),
            label_priorities::label_id.eq(into.get()),
            label_priorities::priority.eq(priority),
        );
        on_each!(tx.conn, c => diesel::insert_into(label_priorities::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(c))?;
    }
    let followers: Vec<i64> = label_subscriptions::table
        .filter(label_subscriptions::label_id.eq(from.get()))
        .select(label_subscriptions::user_id)
        .load(tx.conn)?;
    for user in followers {
        set_followed(tx, into, UserId::new(user), true)?;
    }
    delete(tx, from)
}

/// Gives a label a priority in a project, or takes it away.
pub fn set_priority(tx: &mut WriteTx<'_>, project: ProjectId, id: LabelId, priority: Option<i64>) -> StoreResult<()> {
    diesel::delete(label_priorities::table.find((project.get(), id.get()))).execute(tx.conn)?;
    if let Some(priority) = priority {
        diesel::insert_into(label_priorities::table)
            .values((
                label_priorities::project_id.eq(project.get()),
                label_priorities::label_id.eq(id.get()),
                label_priorities::priority.eq(priority),
            ))
            .execute(tx.conn)?;
    }
    Ok(())
}

/// Makes `user` follow a label, or no longer; yields whether that changed anything.
pub fn set_followed(tx: &mut WriteTx<'_>, id: LabelId, user: UserId, follow: bool) -> StoreResult<bool> {
    let row = (label_subscriptions::label_id.eq(id.get()), label_subscriptions::user_id.eq(user.get()));
    let changed = if follow {
        on_each!(tx.conn, c => diesel::insert_into(label_subscriptions::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(c))?
    } else {
        diesel::delete(label_subscriptions::table.find((id.get(), user.get()))).execute(tx.conn)?
    };
    Ok(changed > 0)
}

/// All labels of a project's own that have the name of one, among the projects below a group.
pub fn namesakes_below(tx: &mut ReadTx<'_>, group: NamespaceId, name: &str) -> StoreResult<Vec<LabelId>> {
    let below = projects_within(group.get());
    let found: Vec<i64> = labels::table
        .filter(labels::name.eq(name))
        .filter(labels::project_id.eq_any(below))
        .select(labels::id)
        .load(tx.conn)?;
    Ok(found.into_iter().map(LabelId::new).collect())
}

/// The labels of groups that a project's issues carry, or lists of its boards have, although those groups no longer stand
/// above it: it was moved away.
pub fn left_behind(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<Label>> {
    let carried = issuable_labels::table
        .inner_join(issuables::table.on(issuables::id.eq(issuable_labels::issuable_id)))
        .filter(issuables::project_id.eq(project.get()))
        .select(issuable_labels::label_id);
    let listed = board_lists::table
        .inner_join(boards::table)
        .filter(boards::project_id.eq(project.get()))
        .select(board_lists::label_id);
    let rows: Vec<LabelRow> = labels::table
        .filter(labels::namespace_id.is_not_null())
        .filter(labels::namespace_id.ne_all(ancestors_of_project(project.get())))
        .filter(labels::id.eq_any(carried).or(labels::id.eq_any(listed)))
        .order(labels::id)
        .select(LabelRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Puts `into` in the place of `from` on a project's issues and in the lists of its boards.
pub fn replace_in(tx: &mut WriteTx<'_>, project: ProjectId, from: LabelId, into: LabelId) -> StoreResult<()> {
    let carriers: Vec<i64> = issuable_labels::table
        .inner_join(issuables::table.on(issuables::id.eq(issuable_labels::issuable_id)))
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuable_labels::label_id.eq(from.get()))
        .select(issuable_labels::issuable_id)
        .load(tx.conn)?;
    carry(tx, &carriers, into)?;
    let moved = issuable_labels::table.filter(issuable_labels::label_id.eq(from.get())).filter(in_ids(
        issuable_labels::issuable_id,
        &carriers,
        std::convert::identity,
    ));
    diesel::delete(moved).execute(tx.conn)?;
    let lists = board_lists::table
        .inner_join(boards::table)
        .filter(board_lists::label_id.eq(from.get()))
        .filter(boards::project_id.eq(project.get()))
        .select((board_lists::id, board_lists::board_id))
        .load(tx.conn)?;
    relist(tx, &lists, into)
}

/// Gives `label` to lists of boards, of which each is named with its board. A list whose board has one with the label is
/// removed.
fn relist(tx: &mut WriteTx<'_>, lists: &[(i64, i64)], label: LabelId) -> StoreResult<()> {
    for chunk in lists.chunks(1000) {
        let boards: Vec<i64> = chunk.iter().map(|(_, board)| *board).collect();
        let taken: Vec<i64> = board_lists::table
            .filter(board_lists::label_id.eq(label.get()))
            .filter(in_ids(board_lists::board_id, &boards, std::convert::identity))
            .select(board_lists::board_id)
            .load(tx.conn)?;
        let (gone, kept): (Vec<_>, Vec<_>) = chunk.iter().partition(|(_, board)| taken.contains(board));
        diesel::delete(board_lists::table.filter(in_ids(board_lists::id, &gone, |(id, _)| id))).execute(tx.conn)?;
        diesel::update(board_lists::table.filter(in_ids(board_lists::id, &kept, |(id, _)| id)))
            .set(board_lists::label_id.eq(label.get()))
            .execute(tx.conn)?;
    }
    Ok(())
}

fn carry(tx: &mut WriteTx<'_>, carriers: &[i64], label: LabelId) -> StoreResult<()> {
    for chunk in carriers.chunks(1000) {
        let rows: Vec<_> = chunk
            .iter()
            .map(|id| (issuable_labels::issuable_id.eq(*id), issuable_labels::label_id.eq(label.get())))
            .collect();
        on_each!(tx.conn, c => diesel::insert_into(issuable_labels::table)
            .values(&rows)
            .on_conflict_do_nothing()
            .execute(c))?;
    }
    Ok(())
}
