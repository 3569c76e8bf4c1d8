//! Keeping a copy of a server from calling others.

use diesel::prelude::*;
use tenon_domain::time::{TimeDelta, Timestamp};

use crate::db::row::naive;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::schema::{hook_deliveries, hooks, jobs, project_mirrors, services};

/// How long hooks are paused: for as long as a copy is used.
const PAUSE: TimeDelta = TimeDelta::days(36_500);

/// Pauses all hooks and parks their deliveries, switches integrations and mirrors off, and removes the waiting jobs of these kinds.
pub fn disarm(tx: &mut WriteTx<'_>, kinds: &[&str], now: Timestamp) -> StoreResult<()> {
    diesel::update(hooks::table).set(hooks::paused_until.eq(naive(now + PAUSE))).execute(tx.conn)?;
    let open = hook_deliveries::table.filter(hook_deliveries::state.eq_any(["waiting", "retrying"]));
    diesel::update(open).set(hook_deliveries::state.eq("parked")).execute(tx.conn)?;
    diesel::update(services::table).set(services::active.eq(false)).execute(tx.conn)?;
    diesel::update(project_mirrors::table).set(project_mirrors::enabled.eq(false)).execute(tx.conn)?;
    diesel::delete(jobs::table.filter(jobs::kind.eq_any(kinds))).execute(tx.conn)?;
    Ok(())
}
