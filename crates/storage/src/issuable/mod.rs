//! Issues, and what merge requests share with them. Deleted ones are never found.

mod bulk;
mod columns;
mod condition;
mod count;
mod due;
mod exclude;
mod filter;
mod key_column;
mod list;
mod lookup;
mod named;
mod order;
mod people;
pub mod position;
mod revocation;
mod search;
mod statistics;
mod write;

pub use crate::rows::sender::Sender;
pub use crate::visibility::issuables::{IssuableSet, VisibleIssuables, visible_of};
pub use bulk::{BulkIssuable, insert_many, rebuild_counters};
pub use columns::{Column, ColumnContent, columns};
pub use count::{count_by_labels, count_by_milestones};
pub use due::{due_without_reminder, mark_reminded};
pub use filter::{
    BranchFilter, DueFilter, Exclusion, IssuableFilter, IssuableOrder, LabelFilter, MilestoneFilter, ReactionFilter,
    SearchIn, StateFilter, UsersFilter, WeightFilter,
};
pub use list::{list, walk};
pub use named::named;
pub use people::{assignees, mentioned, participants, subscribed_of, subscriptions};
pub use revocation::{Followed, followers, purge_inaccessible};
pub use statistics::{StateCounts, count_by_state, count_waiting, lifetimes};
pub use write::{
    copy_subscriptions, count_note, delete, insert, recount_notes, recount_votes, set_assignees, set_labels,
    set_subscription, touch, touch_project, touch_pushed_project, update,
};

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::{Iid, IssuableId, LabelId, ProjectId};
use tenon_domain::issuable::{Issuable, IssuableKind};

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::rows::issuable::IssuableRow;
use crate::schema::{issuable_labels, issuables, labels};

/// The one of that number in a project.
pub fn find(tx: &mut ReadTx<'_>, kind: IssuableKind, project: ProjectId, iid: Iid) -> StoreResult<Option<Issuable>> {
    let found: Option<IssuableRow> = on_each!(tx.conn, c => issuables::table
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::kind.eq(kind.as_str()))
        .filter(issuables::iid.eq(iid.get()))
        .filter(issuables::deleted_at.is_null())
        .select(IssuableRow::as_select())
        .first(c)
        .optional())?;
    found.map(TryInto::try_into).transpose()
}

/// The one of that id.
pub fn find_by_id(tx: &mut ReadTx<'_>, id: IssuableId) -> StoreResult<Option<Issuable>> {
    Ok(by_ids(tx, &[id])?.pop())
}

/// Those of these ids, in no order.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[IssuableId]) -> StoreResult<Vec<Issuable>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<IssuableRow> = on_each!(tx.conn, c => issuables::table
        .filter(in_ids(issuables::id, ids, IssuableId::get))
        .filter(issuables::deleted_at.is_null())
        .select(IssuableRow::as_select())
        .load(c))?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// The newest of a kind in a project, confidential or not.
pub fn newest(
    tx: &mut ReadTx<'_>,
    kind: IssuableKind,
    project: ProjectId,
    confidential: bool,
) -> StoreResult<Option<Issuable>> {
    let found: Option<IssuableRow> = issuables::table
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::kind.eq(kind.as_str()))
        .filter(issuables::confidential.eq(confidential))
        .filter(issuables::deleted_at.is_null())
        .order(issuables::iid.desc())
        .select(IssuableRow::as_select())
        .first(tx.conn)
        .optional()?;
    found.map(TryInto::try_into).transpose()
}

/// True if a number was given out in a project, also to what has been deleted.
pub fn iid_is_used(tx: &mut ReadTx<'_>, kind: IssuableKind, project: ProjectId, iid: Iid) -> StoreResult<bool> {
    let query = issuables::table
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::kind.eq(kind.as_str()))
        .filter(issuables::iid.eq(iid.get()));
    Ok(diesel::select(diesel::dsl::exists(query)).get_result(tx.conn)?)
}

/// The labels of each, by name.
pub fn label_names(
    tx: &mut ReadTx<'_>,
    ids: &[IssuableId],
) -> StoreResult<HashMap<IssuableId, Vec<(LabelId, String)>>> {
    let mut found: HashMap<IssuableId, Vec<(LabelId, String)>> = HashMap::new();
    if ids.is_empty() {
        return Ok(found);
    }
    let rows: Vec<(i64, i64, String)> = on_each!(tx.conn, c => issuable_labels::table
        .inner_join(labels::table)
        .filter(in_ids(issuable_labels::issuable_id, ids, IssuableId::get))
        .order((labels::name, labels::id))
        .select((issuable_labels::issuable_id, labels::id, labels::name))
        .load(c))?;
    for (issuable, label, name) in rows {
        found.entry(IssuableId::new(issuable)).or_default().push((LabelId::new(label), name));
    }
    Ok(found)
}

/// The address from which it was sent, if that is known.
pub fn sender(tx: &mut ReadTx<'_>, id: IssuableId) -> StoreResult<Option<Sender>> {
    let found: Option<(Option<String>, Option<String>)> = issuables::table
        .find(id.get())
        .select((issuables::user_agent, issuables::ip_address))
        .first(tx.conn)
        .optional()?;
    Ok(found.and_then(Sender::of))
}
