//! Pins: while a backup runs, nothing takes bytes away that its rows may name.
//!
//! A backup commits its pin before it takes its snapshot. Whoever removes files or objects asks for pins first, and waits while one
//! is alive. Rows may go meanwhile. A pin ends by itself if its backup does not renew it.

use diesel::prelude::*;
use tenon_domain::time::Timestamp;

use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::backup_pins;

/// Sets a pin, or renews it, until `lease_until`. Pins that have ended go.
pub fn hold(tx: &mut WriteTx<'_>, id: &str, now: Timestamp, lease_until: Timestamp) -> StoreResult<()> {
    diesel::delete(backup_pins::table.filter(backup_pins::lease_until.le(naive(now)))).execute(tx.conn)?;
    let held = diesel::update(backup_pins::table.find(id))
        .set(backup_pins::lease_until.eq(naive(lease_until)))
        .execute(tx.conn)?;
    if held == 0 {
        diesel::insert_into(backup_pins::table)
            .values((
                backup_pins::id.eq(id),
                backup_pins::started_at.eq(naive(now)),
                backup_pins::lease_until.eq(naive(lease_until)),
            ))
            .execute(tx.conn)?;
    }
    Ok(())
}

/// Takes a pin away; one that has ended is no error.
pub fn release(tx: &mut WriteTx<'_>, id: &str) -> StoreResult<()> {
    diesel::delete(backup_pins::table.find(id)).execute(tx.conn)?;
    Ok(())
}

/// True if a backup runs at `now`, so that no bytes may be removed.
pub fn is_held(tx: &mut ReadTx<'_>, now: Timestamp) -> StoreResult<bool> {
    let alive = backup_pins::table.filter(backup_pins::lease_until.gt(naive(now)));
    Ok(diesel::select(diesel::dsl::exists(alive)).get_result(tx.conn)?)
}
