//! Keeping a copy of a server from calling others.

use diesel::prelude::*;
use tenon_domain::hook::Health;
use tenon_domain::time::Timestamp;

use crate::db::row::naive;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::schema::{hook_deliveries, hooks, jobs, project_mirrors, services};

/// Disables all hooks and parks their deliveries, switches integrations and mirrors off, and removes the waiting jobs of these kinds.
pub fn disarm(tx: &mut WriteTx<'_>, kinds: &[&str], now: Timestamp) -> StoreResult<()> {
    let Health { failures, failing_since, .. } = Health::disabled(now);
    diesel::update(hooks::table)
        .set((hooks::failures.eq(failures), hooks::failing_since.eq(failing_since.map(naive))))
        .execute(tx.conn)?;
    let open = hook_deliveries::table.filter(hook_deliveries::state.eq_any(["waiting", "retrying"]));
    diesel::update(open).set(hook_deliveries::state.eq("parked")).execute(tx.conn)?;
    diesel::update(services::table).set(services::active.eq(false)).execute(tx.conn)?;
    diesel::update(project_mirrors::table).set(project_mirrors::enabled.eq(false)).execute(tx.conn)?;
    diesel::delete(jobs::table.filter(jobs::kind.eq_any(kinds))).execute(tx.conn)?;
    Ok(())
}
