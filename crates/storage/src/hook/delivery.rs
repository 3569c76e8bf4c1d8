//! Events on their way to hooks, with the last attempt to send each.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::dsl::count_star;
use diesel::prelude::*;
use tenon_domain::hook::{DeliveryState, Trigger};
use tenon_domain::id::{HookDeliveryId, HookEventId, HookId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{hook_deliveries, hook_events, hooks, projects};

/// A delivery to be stored.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    /// To this hook.
    pub hook: HookId,
    /// Of this event.
    pub event: HookEventId,
    /// The name by which its receiver knows it; the same on every attempt.
    pub uuid: String,
    /// When it was made.
    pub at: Timestamp,
}

/// An event on its way to a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id.
    pub id: HookDeliveryId,
    /// To this hook.
    pub hook: HookId,
    /// Of this event.
    pub event: HookEventId,
    /// The kind of the event; `None` for one that a newer version of the program has stored.
    pub trigger: Option<Trigger>,
    /// The name by which receivers know the event.
    pub event_uuid: String,
    /// The name by which its receiver knows it.
    pub uuid: String,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// How often it was sent.
    pub attempts: i64,
    /// The last attempt; empty if there was none.
    pub last: Attempt,
    /// When it was made.
    pub created_at: Timestamp,
}

/// One attempt to send a delivery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempt {
    /// The address to which it was sent.
    pub url: String,
    /// The headers of the request as a JSON object, without secrets.
    pub request_headers: String,
    /// The status of the response; `None` if there was none.
    pub response_status: Option<i64>,
    /// The headers of the response as a JSON object.
    pub response_headers: String,
    /// The beginning of the response.
    pub response_body: String,
    /// How long it took, in microseconds.
    pub duration_micros: i64,
    /// Why there was no response.
    pub error: Option<String>,
    /// When it was made.
    pub at: Option<Timestamp>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = hook_deliveries)]
struct DeliveryRow {
    id: i64,
    hook_id: i64,
    event_id: i64,
    uuid: String,
    state: String,
    attempts: i64,
    url: String,
    request_headers: String,
    response_status: Option<i64>,
    response_headers: String,
    response_body: String,
    duration_micros: i64,
    error: Option<String>,
    attempted_at: Option<NaiveDateTime>,
    created_at: NaiveDateTime,
}

impl DeliveryRow {
    fn into_delivery(self, trigger: &str, event_uuid: String) -> StoreResult<Delivery> {
        let state = DeliveryState::parse(&self.state).ok_or_else(|| StoreError::Inconsistent {
            table: "hook_deliveries",
            column: "state",
            id: self.id,
            value: self.state.clone(),
        })?;
        Ok(Delivery {
            id: HookDeliveryId::new(self.id),
            hook: HookId::new(self.hook_id),
            event: HookEventId::new(self.event_id),
            trigger: Trigger::parse(trigger),
            event_uuid,
            uuid: self.uuid,
            state,
            attempts: self.attempts,
            last: Attempt {
                url: self.url,
                request_headers: self.request_headers,
                response_status: self.response_status,
                response_headers: self.response_headers,
                response_body: self.response_body,
                duration_micros: self.duration_micros,
                error: self.error,
                at: self.attempted_at.map(utc),
            },
            created_at: utc(self.created_at),
        })
    }
}

/// Deliveries with what is shown of their events.
macro_rules! with_events {
    ($deliveries:expr) => {
        $deliveries.inner_join(hook_events::table).select((
            DeliveryRow::as_select(),
            hook_events::hook_trigger,
            hook_events::uuid,
        ))
    };
}

/// Stores a delivery.
pub fn insert_delivery(tx: &mut WriteTx<'_>, new: &NewDelivery) -> StoreResult<()> {
    diesel::insert_into(hook_deliveries::table)
        .values((
            hook_deliveries::hook_id.eq(new.hook.get()),
            hook_deliveries::event_id.eq(new.event.get()),
            hook_deliveries::uuid.eq(&new.uuid),
            hook_deliveries::state.eq(DeliveryState::Waiting.as_str()),
            hook_deliveries::created_at.eq(naive(new.at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// The first deliveries of a hook that wait, in the order of their events.
pub fn waiting(tx: &mut ReadTx<'_>, hook: HookId, limit: i64) -> StoreResult<Vec<Delivery>> {
    let of_hook = hook_deliveries::table
        .filter(hook_deliveries::hook_id.eq(hook.get()))
        // The index holds these only; a parameter would hide that from the planner.
        .filter(diesel::dsl::sql::<diesel::sql_types::Bool>("hook_deliveries.state = 'waiting'"))
        .order(hook_deliveries::id)
        .limit(limit);
    let rows: Vec<(DeliveryRow, String, String)> = with_events!(of_hook).load(tx.conn)?;
    rows.into_iter().map(|(row, trigger, uuid)| row.into_delivery(&trigger, uuid)).collect()
}

/// A delivery.
pub fn find_delivery(tx: &mut ReadTx<'_>, id: HookDeliveryId) -> StoreResult<Option<Delivery>> {
    let one = hook_deliveries::table.filter(hook_deliveries::id.eq(id.get()));
    let row: Option<(DeliveryRow, String, String)> = with_events!(one).first(tx.conn).optional()?;
    row.map(|(row, trigger, uuid)| row.into_delivery(&trigger, uuid)).transpose()
}

/// Which deliveries a list has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// With a status of response from here to there.
    pub status: Option<(i64, i64)>,
}

/// One page of the deliveries of a hook, newest first.
pub fn deliveries(
    tx: &mut ReadTx<'_>,
    hook: HookId,
    filter: DeliveryFilter,
    request: PageRequest,
) -> StoreResult<Page<Delivery>> {
    let filtered = || {
        let mut of_hook =
            hook_deliveries::table.filter(hook_deliveries::hook_id.eq(hook.get())).into_boxed::<Backend>();
        if let Some((from, to)) = filter.status {
            of_hook = of_hook.filter(hook_deliveries::response_status.between(from, to));
        }
        of_hook
    };
    let total = filtered().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let ids: Vec<i64> = filtered()
            .order(hook_deliveries::id.desc())
            .limit(limit)
            .offset(offset)
            .select(hook_deliveries::id)
            .load(tx.conn)?;
        let listed = hook_deliveries::table.filter(hook_deliveries::id.eq_any(ids)).order(hook_deliveries::id.desc());
        let rows: Vec<(DeliveryRow, String, String)> = with_events!(listed).load(tx.conn)?;
        rows.into_iter().map(|(row, trigger, uuid)| row.into_delivery(&trigger, uuid)).collect()
    })
}

/// Stores an attempt, and the state after it.
pub fn record_attempt(
    tx: &mut WriteTx<'_>,
    id: HookDeliveryId,
    state: DeliveryState,
    attempts: i64,
    attempt: &Attempt,
) -> StoreResult<()> {
    diesel::update(hook_deliveries::table.find(id.get()))
        .set((
            hook_deliveries::state.eq(state.as_str()),
            hook_deliveries::attempts.eq(attempts),
            hook_deliveries::url.eq(&attempt.url),
            hook_deliveries::request_headers.eq(&attempt.request_headers),
            hook_deliveries::response_status.eq(attempt.response_status),
            hook_deliveries::response_headers.eq(&attempt.response_headers),
            hook_deliveries::response_body.eq(&attempt.response_body),
            hook_deliveries::duration_micros.eq(attempt.duration_micros),
            hook_deliveries::error.eq(&attempt.error),
            hook_deliveries::attempted_at.eq(attempt.at.map(naive)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// How many deliveries of these hooks are in each state, but for those that were delivered.
pub fn count_open(tx: &mut ReadTx<'_>, ids: &[HookId]) -> StoreResult<HashMap<(HookId, DeliveryState), i64>> {
    let rows: Vec<(i64, String, i64)> = hook_deliveries::table
        .filter(in_ids(hook_deliveries::hook_id, ids, HookId::get))
        .filter(hook_deliveries::state.ne(DeliveryState::Delivered.as_str()))
        .group_by((hook_deliveries::hook_id, hook_deliveries::state))
        .select((hook_deliveries::hook_id, hook_deliveries::state, count_star()))
        .load(tx.conn)?;
    let known =
        |(hook, state, count): (i64, String, i64)| Some(((HookId::new(hook), DeliveryState::parse(&state)?), count));
    Ok(rows.into_iter().filter_map(known).collect())
}

/// Makes the parked deliveries of a hook wait again, as if they had been made now; returns how many there were.
pub fn unpark(tx: &mut WriteTx<'_>, hook: HookId, now: Timestamp) -> StoreResult<usize> {
    let parked = hook_deliveries::table
        .filter(hook_deliveries::hook_id.eq(hook.get()))
        .filter(hook_deliveries::state.eq(DeliveryState::Parked.as_str()));
    Ok(diesel::update(parked)
        .set((
            hook_deliveries::state.eq(DeliveryState::Waiting.as_str()),
            hook_deliveries::attempts.eq(0),
            hook_deliveries::created_at.eq(naive(now)),
        ))
        .execute(tx.conn)?)
}

/// The hooks to which something waits to be sent, each with the user who has made its project.
pub fn hooks_with_waiting_deliveries(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<(HookId, Option<UserId>)>> {
    let rows: Vec<(i64, Option<i64>)> = hooks::table
        .left_join(projects::table.on(projects::id.nullable().eq(hooks::project_id)))
        .filter(
            hooks::id.eq_any(
                hook_deliveries::table
                    .filter(diesel::dsl::sql::<diesel::sql_types::Bool>("hook_deliveries.state = 'waiting'"))
                    .select(hook_deliveries::hook_id),
            ),
        )
        .order(hooks::id)
        .limit(limit)
        .select((hooks::id, projects::creator_id.nullable()))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(hook, owner)| (HookId::new(hook), owner.map(UserId::new))).collect())
}

/// Deliveries that are to be sent again, and were not sent since this moment, each with the user who has made the project of its
/// hook.
pub fn forgotten_retries(
    tx: &mut ReadTx<'_>,
    before: Timestamp,
    limit: i64,
) -> StoreResult<Vec<(HookDeliveryId, Option<UserId>)>> {
    let rows: Vec<(i64, Option<i64>)> = hook_deliveries::table
        .inner_join(hooks::table.on(hooks::id.eq(hook_deliveries::hook_id)))
        .left_join(projects::table.on(projects::id.nullable().eq(hooks::project_id)))
        .filter(diesel::dsl::sql::<diesel::sql_types::Bool>("hook_deliveries.state = 'retrying'"))
        .filter(hook_deliveries::attempted_at.lt(naive(before)))
        .order((hook_deliveries::attempted_at, hook_deliveries::id))
        .limit(limit)
        .select((hook_deliveries::id, projects::creator_id.nullable()))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(id, owner)| (HookDeliveryId::new(id), owner.map(UserId::new))).collect())
}
