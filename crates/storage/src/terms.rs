//! Who has accepted the terms of service.

use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;

use crate::db::connection::on_each;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::terms_acceptances;

/// True if a user has accepted the terms in any version.
pub fn any_accepted(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<bool> {
    let accepted = terms_acceptances::table.filter(terms_acceptances::user_id.eq(user.get()));
    Ok(diesel::select(diesel::dsl::exists(accepted)).get_result(tx.conn)?)
}

/// Notes that a user accepts a version, if that is not noted yet.
pub fn accept(tx: &mut WriteTx<'_>, user: UserId, version: &str, at: Timestamp) -> StoreResult<()> {
    on_each!(tx.conn, c => diesel::insert_into(terms_acceptances::table)
        .values((
            terms_acceptances::user_id.eq(user.get()),
            terms_acceptances::version.eq(version),
            terms_acceptances::accepted_at.eq(naive(at)),
        ))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}
