//! The details of an account about the person at work.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::user::UserDetails;

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::user_details;

/// The details of these users; those who have said nothing are left out.
pub fn details(tx: &mut ReadTx<'_>, ids: &[UserId]) -> StoreResult<HashMap<UserId, UserDetails>> {
    let rows: Vec<(i64, String, Option<String>)> = user_details::table
        .filter(in_ids(user_details::user_id, ids, UserId::get))
        .select((user_details::user_id, user_details::job_title, user_details::pronouns))
        .load(tx.conn)?;
    let details = |(id, job_title, pronouns)| (UserId::new(id), UserDetails { job_title, pronouns });
    Ok(rows.into_iter().map(details).collect())
}

/// Stores what is known of a user.
pub fn set_details(tx: &mut WriteTx<'_>, user: UserId, details: &UserDetails) -> StoreResult<()> {
    let set = (user_details::job_title.eq(&details.job_title), user_details::pronouns.eq(details.pronouns.as_deref()));
    on_each!(tx.conn, c => diesel::insert_into(user_details::table)
        .values((user_details::user_id.eq(user.get()), set))
        .on_conflict(user_details::user_id)
        .do_update()
        .set(set)
        .execute(c))?;
    Ok(())
}
