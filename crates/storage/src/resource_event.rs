//! Changes of labels, milestone and state of an issuable, and who spent how much time on it.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, LabelId, MilestoneId, ResourceEventId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::{Backend, on_each};
use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{resource_events, timelogs};

/// The kind of change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A label was added or taken away; nothing is known of a label that is gone.
    Label {
        /// Which.
        label: Option<LabelId>,
        /// True if it was added.
        added: bool,
    },
    /// A milestone was set or taken away.
    Milestone {
        /// Which.
        milestone: Option<MilestoneId>,
        /// True if it was set.
        added: bool,
    },
    /// The state changed to this one.
    State(String),
}

/// Which changes are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Of labels.
    Label,
    /// Of the milestone.
    Milestone,
    /// Of the state.
    State,
}

impl ChangeKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::Milestone => "milestone",
            Self::State => "state",
        }
    }
}

/// A recorded change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceEvent {
    /// Its id.
    pub id: ResourceEventId,
    /// Of what.
    pub issuable: IssuableId,
    /// By whom.
    pub user: Option<UserId>,
    /// The change.
    pub change: Change,
    /// When.
    pub created_at: Timestamp,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = resource_events)]
struct EventRow {
    id: i64,
    issuable_id: i64,
    user_id: Option<i64>,
    kind: String,
    action: String,
    label_id: Option<i64>,
    milestone_id: Option<i64>,
    created_at: NaiveDateTime,
}

impl TryFrom<EventRow> for ResourceEvent {
    type Error = StoreError;

    fn try_from(row: EventRow) -> StoreResult<Self> {
        let added = row.action == "add";
        let change = match row.kind.as_str() {
            "label" => Change::Label { label: row.label_id.map(LabelId::new), added },
            "milestone" => Change::Milestone { milestone: row.milestone_id.map(MilestoneId::new), added },
            "state" => Change::State(row.action),
            _ => {
                return Err(StoreError::Inconsistent {
                    table: "resource_events",
                    column: "kind",
                    id: row.id,
                    value: row.kind,
                });
            }
        };
        Ok(Self {
            id: ResourceEventId::new(row.id),
            issuable: IssuableId::new(row.issuable_id),
            user: row.user_id.map(UserId::new),
            change,
            created_at: utc(row.created_at),
        })
    }
}

/// One page of the changes of a kind, oldest first.
pub fn list(
    tx: &mut ReadTx<'_>,
    issuable: IssuableId,
    kind: ChangeKind,
    request: PageRequest,
) -> StoreResult<Page<ResourceEvent>> {
    let matching = || {
        resource_events::table
            .filter(resource_events::issuable_id.eq(issuable.get()))
            .filter(resource_events::kind.eq(kind.as_str()))
    };
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<EventRow> = matching()
            .order(resource_events::id)
            .limit(limit)
            .offset(offset)
            .select(EventRow::as_select())
            .load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// The newest `limit` changes of a kind from one moment on, until another one, oldest first.
pub fn between(
    tx: &mut ReadTx<'_>,
    issuable: IssuableId,
    kind: ChangeKind,
    (from, until): (Option<Timestamp>, Option<Timestamp>),
    limit: i64,
) -> StoreResult<Vec<ResourceEvent>> {
    let mut matching = resource_events::table
        .filter(resource_events::issuable_id.eq(issuable.get()))
        .filter(resource_events::kind.eq(kind.as_str()))
        .into_boxed::<Backend>();
    if let Some(from) = from {
        matching = matching.filter(resource_events::created_at.ge(naive(from)));
    }
    if let Some(until) = until {
        matching = matching.filter(resource_events::created_at.lt(naive(until)));
    }
    let newest = matching.order(resource_events::id.desc()).limit(limit);
    let rows: Vec<EventRow> = newest.select(EventRow::as_select()).load(tx.conn)?;
    rows.into_iter().rev().map(TryInto::try_into).collect()
}

/// One change of a kind.
pub fn find(
    tx: &mut ReadTx<'_>,
    issuable: IssuableId,
    kind: ChangeKind,
    id: ResourceEventId,
) -> StoreResult<Option<ResourceEvent>> {
    let row: Option<EventRow> = resource_events::table
        .find(id.get())
        .filter(resource_events::issuable_id.eq(issuable.get()))
        .filter(resource_events::kind.eq(kind.as_str()))
        .select(EventRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

/// Records changes.
pub fn insert(
    tx: &mut WriteTx<'_>,
    issuable: IssuableId,
    user: Option<UserId>,
    changes: &[Change],
    at: Timestamp,
) -> StoreResult<()> {
    let word = |added: bool| if added { "add" } else { "remove" };
    let rows: Vec<_> = changes
        .iter()
        .map(|change| {
            let (kind, action, label, milestone) = match change {
                Change::Label { label, added } => ("label", word(*added), *label, None),
                Change::Milestone { milestone, added } => ("milestone", word(*added), None, *milestone),
                Change::State(state) => ("state", state.as_str(), None, None),
            };
            (
                resource_events::issuable_id.eq(issuable.get()),
                resource_events::user_id.eq(user.map(UserId::get)),
                resource_events::kind.eq(kind),
                resource_events::action.eq(action),
                resource_events::label_id.eq(label.map(LabelId::get)),
                resource_events::milestone_id.eq(milestone.map(MilestoneId::get)),
                resource_events::created_at.eq(naive(at)),
            )
        })
        .collect();
    if !rows.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(resource_events::table).values(&rows).execute(c))?;
    }
    Ok(())
}

/// Copies the changes of labels from one issuable to another; those of labels that are gone with them.
pub fn copy_label_changes(tx: &mut WriteTx<'_>, from: IssuableId, to: IssuableId) -> StoreResult<()> {
    let rows: Vec<EventRow> = resource_events::table
        .filter(resource_events::issuable_id.eq(from.get()))
        .filter(resource_events::kind.eq("label"))
        .order(resource_events::id)
        .select(EventRow::as_select())
        .load(tx.conn)?;
    for row in rows {
        let event = ResourceEvent::try_from(row)?;
        insert(tx, to, event.user, &[event.change], event.created_at)?;
    }
    Ok(())
}

/// Records that time was spent, in seconds; negative if some was taken back.
pub fn log_time(
    tx: &mut WriteTx<'_>,
    issuable: IssuableId,
    user: Option<UserId>,
    seconds: i64,
    at: Timestamp,
) -> StoreResult<()> {
    diesel::insert_into(timelogs::table)
        .values((
            timelogs::issuable_id.eq(issuable.get()),
            timelogs::user_id.eq(user.map(UserId::get)),
            timelogs::seconds.eq(seconds),
            timelogs::created_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}
