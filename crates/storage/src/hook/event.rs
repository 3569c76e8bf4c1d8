//! Events as hooks receive them.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::hook::Trigger;
use tenon_domain::id::{HookEventId, ProjectId, UserId};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{hook_deliveries, hook_event_bytes, hook_events};

/// An event to be stored for hooks.
#[derive(Debug, Clone, Copy)]
pub struct NewHookEvent<'a> {
    /// The project of the event; `None` for the whole server.
    pub project: Option<ProjectId>,
    /// Who made it happen.
    pub actor: Option<UserId>,
    /// Its kind.
    pub trigger: Trigger,
    /// The name by which receivers know it.
    pub uuid: &'a str,
    /// The data as of the moment of the event, as JSON.
    pub captured: &'a str,
    /// When it happened.
    pub at: Timestamp,
}

/// An event of which no body has been made yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEvent {
    /// Its id. Of one project, a later event has a larger one.
    pub id: HookEventId,
    /// Who made it happen.
    pub actor: Option<UserId>,
    /// Its kind; `None` for one that a newer version of the program has stored.
    pub trigger: Option<Trigger>,
    /// The data as of the moment of the event, as JSON.
    pub captured: String,
    /// When it happened.
    pub at: Timestamp,
}

/// Stores an event.
pub fn insert_event(tx: &mut WriteTx<'_>, event: &NewHookEvent<'_>) -> StoreResult<()> {
    let bytes = i64::try_from(event.captured.len()).unwrap_or(i64::MAX);
    diesel::insert_into(hook_events::table)
        .values((
            hook_events::project_id.eq(event.project.map(ProjectId::get)),
            hook_events::actor_id.eq(event.actor.map(UserId::get)),
            hook_events::hook_trigger.eq(event.trigger.as_str()),
            hook_events::uuid.eq(event.uuid),
            hook_events::captured.eq(event.captured),
            hook_events::created_at.eq(naive(event.at)),
            hook_events::bytes.eq(bytes),
        ))
        .execute(tx.conn)?;
    add_bytes(tx, event.project.map_or(SERVER, ProjectId::get), bytes)
}

/// Stands for the whole server in the counts of bytes.
const SERVER: i64 = 0;

fn add_bytes(tx: &mut WriteTx<'_>, project: i64, bytes: i64) -> StoreResult<()> {
    let known = hook_event_bytes::table.find(project);
    let more = hook_event_bytes::bytes.eq(hook_event_bytes::bytes + bytes);
    if diesel::update(known).set(more).execute(tx.conn)? == 0 {
        let row = (hook_event_bytes::project_id.eq(project), hook_event_bytes::bytes.eq(bytes));
        diesel::insert_into(hook_event_bytes::table).values(row).execute(tx.conn)?;
    }
    Ok(())
}

/// Bytes that are held of the events of a project, or of the whole server: what was captured, or the bodies made of it.
pub fn held_bytes(tx: &mut ReadTx<'_>, project: Option<ProjectId>) -> StoreResult<i64> {
    let row = hook_event_bytes::table.find(project.map_or(SERVER, ProjectId::get)).select(hook_event_bytes::bytes);
    Ok(row.first(tx.conn).optional()?.unwrap_or_default())
}

/// The oldest events of a project, or of the whole server, without a body, in the order in which they happened.
pub fn unrendered_events(tx: &mut ReadTx<'_>, project: Option<ProjectId>, limit: i64) -> StoreResult<Vec<HookEvent>> {
    let unrendered = hook_events::table.filter(hook_events::body.is_null()).into_boxed::<Backend>();
    let of_project = match project {
        Some(project) => unrendered.filter(hook_events::project_id.eq(project.get())),
        None => unrendered.filter(hook_events::project_id.is_null()),
    };
    let rows: Vec<(i64, Option<i64>, String, String, NaiveDateTime)> = of_project
        .order(hook_events::id)
        .limit(limit)
        .select((
            hook_events::id,
            hook_events::actor_id,
            hook_events::hook_trigger,
            hook_events::captured,
            hook_events::created_at,
        ))
        .load(tx.conn)?;
    Ok(rows
        .into_iter()
        .map(|(id, actor, trigger, captured, at)| HookEvent {
            id: HookEventId::new(id),
            actor: actor.map(UserId::new),
            trigger: Trigger::parse(&trigger),
            captured,
            at: utc(at),
        })
        .collect())
}

/// Stores the body that was made of an event; `false` if it has one, or is gone. Its source is not kept.
pub fn render_event(
    tx: &mut WriteTx<'_>,
    project: Option<ProjectId>,
    id: HookEventId,
    body: &str,
) -> StoreResult<bool> {
    let unrendered = || hook_events::table.find(id.get()).filter(hook_events::body.is_null());
    let Some(before) = unrendered().select(hook_events::bytes).first::<i64>(tx.conn).optional()? else {
        return Ok(false);
    };
    let bytes = i64::try_from(body.len()).unwrap_or(i64::MAX);
    diesel::update(unrendered())
        .set((hook_events::body.eq(body), hook_events::captured.eq(""), hook_events::bytes.eq(bytes)))
        .execute(tx.conn)?;
    add_bytes(tx, project.map_or(SERVER, ProjectId::get), bytes - before)?;
    Ok(true)
}

/// How many of the oldest events are inspected for some that make room: more would cost each write the same again for as long as
/// a receiver does not answer.
const INSPECTED: i64 = 1000;

/// Removes those of the oldest events of a project, or of the whole server, that no delivery waits for, until they have held so
/// many bytes; `limit` of them at most. Returns how many there were.
pub fn make_room(tx: &mut WriteTx<'_>, project: Option<ProjectId>, bytes: i64, limit: i64) -> StoreResult<usize> {
    let rendered = || {
        let rendered = hook_events::table.filter(hook_events::body.is_not_null()).into_boxed::<Backend>();
        match project {
            Some(project) => rendered.filter(hook_events::project_id.eq(project.get())),
            None => rendered.filter(hook_events::project_id.is_null()),
        }
    };
    let open = hook_deliveries::table
        .filter(hook_deliveries::event_id.eq(hook_events::id))
        .filter(hook_deliveries::state.eq_any(["waiting", "retrying"]));
    // One more statement, so that those that are waited for are not walked beyond that.
    let beyond: Option<i64> = rendered()
        .order(hook_events::id)
        .offset(INSPECTED)
        .limit(1)
        .select(hook_events::id)
        .first(tx.conn)
        .optional()?;
    let rows: Vec<(i64, i64)> = rendered()
        .filter(diesel::dsl::not(diesel::dsl::exists(open)))
        .filter(hook_events::id.lt(beyond.unwrap_or(i64::MAX)))
        .order(hook_events::id)
        .select((hook_events::id, hook_events::bytes))
        .limit(limit)
        .load(tx.conn)?;
    let mut freed = 0;
    let mut ids = Vec::new();
    for (id, held) in rows {
        if freed >= bytes {
            break;
        }
        freed += held;
        ids.push(id);
    }
    remove(tx, &ids)
}

/// Removes events with their deliveries; returns how many there were.
fn remove(tx: &mut WriteTx<'_>, ids: &[i64]) -> StoreResult<usize> {
    let rows: Vec<(Option<i64>, i64)> = hook_events::table
        .filter(hook_events::id.eq_any(ids))
        .select((hook_events::project_id, hook_events::bytes))
        .load(tx.conn)?;
    let mut sums: HashMap<i64, i64> = HashMap::new();
    for (project, bytes) in rows {
        *sums.entry(project.unwrap_or(SERVER)).or_default() += bytes;
    }
    for (project, bytes) in sums {
        add_bytes(tx, project, -bytes)?;
        diesel::delete(hook_event_bytes::table.find(project).filter(hook_event_bytes::bytes.le(0))).execute(tx.conn)?;
    }
    diesel::delete(hook_deliveries::table.filter(hook_deliveries::event_id.eq_any(ids))).execute(tx.conn)?;
    Ok(diesel::delete(hook_events::table.filter(hook_events::id.eq_any(ids))).execute(tx.conn)?)
}

/// The body of an event, once it was made.
pub fn event_body(tx: &mut ReadTx<'_>, id: HookEventId) -> StoreResult<Option<String>> {
    let body: Option<Option<String>> =
        hook_events::table.find(id.get()).select(hook_events::body).first(tx.conn).optional()?;
    Ok(body.flatten())
}

/// An event with the body that was made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedEvent {
    /// Who made it happen.
    pub actor: Option<UserId>,
    /// The body.
    pub body: String,
    /// When it happened.
    pub at: Timestamp,
}

/// An event of which a body was made.
pub fn rendered_event(tx: &mut ReadTx<'_>, id: HookEventId) -> StoreResult<Option<RenderedEvent>> {
    let row: Option<(Option<i64>, Option<String>, NaiveDateTime)> = hook_events::table
        .find(id.get())
        .select((hook_events::actor_id, hook_events::body, hook_events::created_at))
        .first(tx.conn)
        .optional()?;
    Ok(row
        .and_then(|(actor, body, at)| Some(RenderedEvent { actor: actor.map(UserId::new), body: body?, at: utc(at) })))
}

/// The bodies of these events, those that are no longer than `most` characters.
pub fn event_bodies(tx: &mut ReadTx<'_>, ids: &[HookEventId], most: i64) -> StoreResult<HashMap<HookEventId, String>> {
    let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
    let rows: Vec<(i64, Option<String>)> = hook_events::table
        .filter(hook_events::id.eq_any(ids))
        .filter(
            diesel::dsl::sql::<diesel::sql_types::Bool>("length(hook_events.body) <= ")
                .bind::<diesel::sql_types::BigInt, _>(most),
        )
        .select((hook_events::id, hook_events::body))
        .load(tx.conn)?;
    Ok(rows.into_iter().filter_map(|(id, body)| Some((HookEventId::new(id), body?))).collect())
}

/// True if so many events of a project, or of the whole server, wait for a body.
pub fn has_events(tx: &mut ReadTx<'_>, project: Option<ProjectId>, many: i64) -> StoreResult<bool> {
    let unrendered = hook_events::table.filter(hook_events::body.is_null()).into_boxed::<Backend>();
    let of_project = match project {
        Some(project) => unrendered.filter(hook_events::project_id.eq(project.get())),
        None => unrendered.filter(hook_events::project_id.is_null()),
    };
    let last = of_project.select(hook_events::id).order(hook_events::id).offset(many.saturating_sub(1).max(0)).limit(1);
    Ok(many <= 0 || last.first::<i64>(tx.conn).optional()?.is_some())
}

/// Removes up to `limit` of the events from before this moment, with their deliveries; returns how many there were.
pub fn purge_events(tx: &mut WriteTx<'_>, before: Timestamp, limit: i64) -> StoreResult<usize> {
    let ids: Vec<i64> = hook_events::table
        .filter(hook_events::created_at.lt(naive(before)))
        .order(hook_events::created_at)
        .select(hook_events::id)
        .limit(limit)
        .load(tx.conn)?;
    remove(tx, &ids)
}

/// The projects of which events wait for a body; `None` stands for the whole server.
pub fn projects_with_unrendered_events(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<Option<ProjectId>>> {
    let ids: Vec<Option<i64>> = hook_events::table
        .filter(hook_events::body.is_null())
        .select(hook_events::project_id)
        .distinct()
        .limit(limit)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(|id| id.map(ProjectId::new)).collect())
}
