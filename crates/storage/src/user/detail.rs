//! The details of an account: the person at work, and what administrators know.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::user::{User, UserDetails};

use super::confirmed_emails;
use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::user_details;

#[derive(Queryable, Selectable)]
#[diesel(table_name = user_details)]
struct DetailRow {
    user_id: i64,
    job_title: String,
    pronouns: Option<String>,
    commit_email: Option<String>,
    note: Option<String>,
    theme_id: i64,
    created_by_id: Option<i64>,
    current_sign_in_ip: Option<String>,
    last_sign_in_ip: Option<String>,
}

impl From<DetailRow> for UserDetails {
    fn from(row: DetailRow) -> Self {
        Self {
            job_title: row.job_title,
            pronouns: row.pronouns,
            commit_email: row.commit_email,
            note: row.note,
            theme: row.theme_id,
            created_by: row.created_by_id.map(UserId::new),
            current_sign_in_ip: row.current_sign_in_ip,
            last_sign_in_ip: row.last_sign_in_ip,
        }
    }
}

/// The details of these users; those of whom nothing is known are left out.
pub fn details(tx: &mut ReadTx<'_>, ids: &[UserId]) -> StoreResult<HashMap<UserId, UserDetails>> {
    let rows: Vec<DetailRow> = user_details::table
        .filter(in_ids(user_details::user_id, ids, UserId::get))
        .select(DetailRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|row| (UserId::new(row.user_id), row.into())).collect())
}

/// The address of a user in commits that pages and the API make: the one that they have chosen, if it is still a confirmed
/// one of theirs, and else the primary one.
pub fn commit_email(tx: &mut ReadTx<'_>, user: &User) -> StoreResult<String> {
    let query = user_details::table.find(user.id.get()).select(user_details::commit_email);
    match query.first::<Option<String>>(tx.conn).optional()?.flatten() {
        Some(chosen) if confirmed_emails(tx, user.id)?.contains(&chosen) => Ok(chosen),
        Some(_) | None => Ok(user.email.clone()),
    }
}

/// Stores what is known of a user, the addresses of sign-ins aside.
pub fn set_details(tx: &mut WriteTx<'_>, user: UserId, details: &UserDetails) -> StoreResult<()> {
    let set = (
        user_details::job_title.eq(&details.job_title),
        user_details::pronouns.eq(details.pronouns.as_deref()),
        user_details::commit_email.eq(details.commit_email.as_deref()),
        user_details::note.eq(details.note.as_deref()),
        user_details::theme_id.eq(details.theme),
        user_details::created_by_id.eq(details.created_by.map(UserId::get)),
    );
    on_each!(tx.conn, c => diesel::insert_into(user_details::table)
        .values((user_details::user_id.eq(user.get()), set))
        .on_conflict(user_details::user_id)
        .do_update()
        .set(set)
        .execute(c))?;
    Ok(())
}

/// Notes the address of a sign-in; the one before it is that of the sign-in before.
pub fn set_sign_in_ip(tx: &mut WriteTx<'_>, user: UserId, address: Option<&str>) -> StoreResult<()> {
    let changed = diesel::update(user_details::table.find(user.get()))
        .set((
            user_details::last_sign_in_ip.eq(user_details::current_sign_in_ip),
            user_details::current_sign_in_ip.eq(address),
        ))
        .execute(tx.conn)?;
    if changed == 0 {
        diesel::insert_into(user_details::table)
            .values((
                user_details::user_id.eq(user.get()),
                user_details::job_title.eq(""),
                user_details::current_sign_in_ip.eq(address),
            ))
            .execute(tx.conn)?;
    }
    Ok(())
}
