//! Tasks of the server on itself. Few rows: of each kind and outcome the newest ones are kept.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::ServerTaskId;
use tenon_domain::server_task::{ServerTask, TaskEnd, TaskKind, TaskOutcome};
use tenon_domain::time::Timestamp;

use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::server_tasks;

/// The tasks of one kind and outcome that are kept.
const KEPT: i64 = 30;

#[derive(Queryable, Selectable)]
#[diesel(table_name = server_tasks)]
struct TaskRow {
    id: i64,
    kind: String,
    requested_at: NaiveDateTime,
    started_at: Option<NaiveDateTime>,
    ended_at: Option<NaiveDateTime>,
    outcome: Option<String>,
    summary: String,
    findings: String,
    size: Option<i64>,
}

impl TryFrom<TaskRow> for ServerTask {
    type Error = StoreError;

    fn try_from(row: TaskRow) -> StoreResult<Self> {
        let outcome = row.outcome.as_deref();
        let outcome =
            outcome.map(|text| parsed("server_tasks", "outcome", row.id, text, TaskOutcome::parse)).transpose()?;
        let read = |text: &str| serde_json::from_str(text).ok();
        let findings = parsed("server_tasks", "findings", row.id, &row.findings, read)?;
        let (summary, size) = (row.summary, row.size);
        Ok(Self {
            id: ServerTaskId::new(row.id),
            kind: parsed("server_tasks", "kind", row.id, &row.kind, TaskKind::parse)?,
            requested_at: utc(row.requested_at),
            started_at: row.started_at.map(utc),
            end: row.ended_at.zip(outcome).map(|(at, outcome)| TaskEnd {
                at: utc(at),
                outcome,
                summary,
                findings,
                size,
            }),
        })
    }
}

/// Asks for a task. `false` if one of the kind waits or runs already.
pub fn request(tx: &mut WriteTx<'_>, kind: TaskKind, now: Timestamp) -> StoreResult<bool> {
    let unfinished =
        server_tasks::table.filter(server_tasks::kind.eq(kind.as_str()).and(server_tasks::ended_at.is_null()));
    if diesel::select(diesel::dsl::exists(unfinished)).get_result(tx.conn)? {
        return Ok(false);
    }
    diesel::insert_into(server_tasks::table)
        .values((server_tasks::kind.eq(kind.as_str()), server_tasks::requested_at.eq(naive(now))))
        .execute(tx.conn)?;
    Ok(true)
}

/// When a task of a kind was asked for last.
pub fn last_request(tx: &mut ReadTx<'_>, kind: TaskKind) -> StoreResult<Option<Timestamp>> {
    let last: Option<NaiveDateTime> = server_tasks::table
        .filter(server_tasks::kind.eq(kind.as_str()))
        .order(server_tasks::id.desc())
        .select(server_tasks::requested_at)
        .first(tx.conn)
        .optional()?;
    Ok(last.map(utc))
}

/// The tasks that have not ended, oldest first: one of each kind at most.
pub fn unfinished(tx: &mut ReadTx<'_>) -> StoreResult<Vec<ServerTask>> {
    let rows: Vec<TaskRow> = server_tasks::table
        .filter(server_tasks::ended_at.is_null())
        .order(server_tasks::id)
        .select(TaskRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Notes that a task begins.
pub fn start(tx: &mut WriteTx<'_>, id: ServerTaskId, now: Timestamp) -> StoreResult<()> {
    diesel::update(server_tasks::table.find(id.get())).set(server_tasks::started_at.eq(naive(now))).execute(tx.conn)?;
    Ok(())
}

/// Notes the end of a task, and drops the oldest ones that have ended like it.
pub fn finish(tx: &mut WriteTx<'_>, task: &ServerTask, end: &TaskEnd) -> StoreResult<()> {
    diesel::update(server_tasks::table.find(task.id.get()))
        .set((
            server_tasks::ended_at.eq(naive(end.at)),
            server_tasks::outcome.eq(end.outcome.as_str()),
            server_tasks::summary.eq(&end.summary),
            server_tasks::findings.eq(serde_json::json!(end.findings).to_string()),
            server_tasks::size.eq(end.size),
        ))
        .execute(tx.conn)?;
    let alike = || {
        let kind = server_tasks::kind.eq(task.kind.as_str());
        server_tasks::table.filter(kind.and(server_tasks::outcome.eq(end.outcome.as_str())))
    };
    let oldest: Option<i64> = alike()
        .order(server_tasks::id.desc())
        .offset(KEPT - 1)
        .limit(1)
        .select(server_tasks::id)
        .first(tx.conn)
        .optional()?;
    if let Some(oldest) = oldest {
        diesel::delete(alike().filter(server_tasks::id.lt(oldest))).execute(tx.conn)?;
    }
    Ok(())
}

/// The last task of a kind that has ended in one of these ways.
pub fn last(tx: &mut ReadTx<'_>, kind: TaskKind, outcomes: &[TaskOutcome]) -> StoreResult<Option<ServerTask>> {
    let words: Vec<&str> = outcomes.iter().map(|outcome| outcome.as_str()).collect();
    let row: Option<TaskRow> = server_tasks::table
        .filter(server_tasks::kind.eq(kind.as_str()).and(server_tasks::outcome.eq_any(words)))
        .order(server_tasks::id.desc())
        .select(TaskRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

/// The newest tasks of all kinds, at most so many.
pub fn newest(tx: &mut ReadTx<'_>, count: i64) -> StoreResult<Vec<ServerTask>> {
    let rows: Vec<TaskRow> =
        server_tasks::table.order(server_tasks::id.desc()).limit(count).select(TaskRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}
