//! The outbox.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::{EventId, NamespaceId, ProjectId, UserId};

use crate::error::StoreResult;
use crate::row::{naive, utc};
use crate::schema::events;
use crate::unit_of_work::{ReadTx, WriteTx};

#[derive(Queryable, Selectable)]
#[diesel(table_name = events)]
struct EventRow {
    id: i64,
    kind: String,
    actor_id: Option<i64>,
    user_id: Option<i64>,
    namespace_id: Option<i64>,
    project_id: Option<i64>,
    detail: Option<String>,
    created_at: NaiveDateTime,
}

/// Appends an event to the transaction that made it happen.
pub fn append(tx: &mut WriteTx<'_>, event: &Event) -> StoreResult<()> {
    diesel::insert_into(events::table)
        .values((
            events::kind.eq(event.kind.as_str()),
            events::actor_id.eq(event.actor.map(UserId::get)),
            events::user_id.eq(event.user.map(UserId::get)),
            events::namespace_id.eq(event.namespace.map(NamespaceId::get)),
            events::project_id.eq(event.project.map(ProjectId::get)),
            events::detail.eq(&event.detail),
            events::created_at.eq(naive(event.at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// The oldest events that nobody has looked at yet, in order. `None` stands for one of a kind that this version does not
/// know: a newer one shares the database.
pub fn unrelayed(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<(EventId, Option<Event>)>> {
    let rows: Vec<EventRow> = events::table
        .filter(diesel::dsl::not(events::relayed))
        .order(events::id)
        .limit(limit)
        .select(EventRow::as_select())
        .load(tx.conn)?;
    let known = |row: EventRow| {
        let event = EventKind::parse(&row.kind).map(|kind| Event {
            kind,
            actor: row.actor_id.map(UserId::new),
            user: row.user_id.map(UserId::new),
            namespace: row.namespace_id.map(NamespaceId::new),
            project: row.project_id.map(ProjectId::new),
            detail: row.detail,
            at: utc(row.created_at),
        });
        (EventId::new(row.id), event)
    };
    Ok(rows.into_iter().map(known).collect())
}

/// Takes an event out of the queue; yields false where another relay was faster, which then has made its jobs.
pub fn mark_relayed(tx: &mut WriteTx<'_>, id: EventId) -> StoreResult<bool> {
    let unseen = events::table.find(id.get()).filter(diesel::dsl::not(events::relayed));
    Ok(diesel::update(unseen).set(events::relayed.eq(true)).execute(tx.conn)? > 0)
}
