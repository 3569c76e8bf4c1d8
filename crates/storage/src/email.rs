//! Secondary addresses of users.

pub mod confirmation;

use diesel::prelude::*;
use tenon_domain::email::Email;
use tenon_domain::id::{EmailId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::paging::page;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{emails, user_details, users};

#[derive(Queryable, Selectable)]
#[diesel(table_name = emails)]
struct EmailRow {
    id: i64,
    user_id: i64,
    email: String,
    confirmed_at: Option<Moment>,
    created_at: Moment,
}

impl From<EmailRow> for Email {
    fn from(row: EmailRow) -> Self {
        Self {
            id: EmailId::new(row.id),
            user: UserId::new(row.user_id),
            address: row.email,
            confirmed_at: row.confirmed_at.map(utc),
            created_at: utc(row.created_at),
        }
    }
}

/// The address of that id, whosever it is.
pub fn find(tx: &mut ReadTx<'_>, id: EmailId) -> StoreResult<Option<Email>> {
    let found: Option<EmailRow> =
        emails::table.find(id.get()).select(EmailRow::as_select()).first(tx.conn).optional()?;
    Ok(found.map(Into::into))
}

/// The secondary address of a user that reads so.
pub fn find_of(tx: &mut ReadTx<'_>, user: UserId, address: &str) -> StoreResult<Option<Email>> {
    let query = emails::table.filter(emails::email.eq(address)).filter(emails::user_id.eq(user.get()));
    let found: Option<EmailRow> = query.select(EmailRow::as_select()).first(tx.conn).optional()?;
    Ok(found.map(Into::into))
}

/// How many secondary addresses a user has.
pub fn count(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<i64> {
    Ok(emails::table.filter(emails::user_id.eq(user.get())).count().get_result(tx.conn)?)
}

/// One page of the secondary addresses of a user, by id.
pub fn list(tx: &mut ReadTx<'_>, user: UserId, request: PageRequest) -> StoreResult<Page<Email>> {
    let total = count(tx, user)?;
    page(request, total, |limit, offset| {
        let rows: Vec<EmailRow> = emails::table
            .filter(emails::user_id.eq(user.get()))
            .order(emails::id.asc())
            .limit(limit)
            .offset(offset)
            .select(EmailRow::as_select())
            .load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// Stores a new address, whose id is ignored, and yields its id.
pub fn insert(tx: &mut WriteTx<'_>, email: &Email) -> StoreResult<EmailId> {
    let id = diesel::insert_into(emails::table)
        .values((
            emails::user_id.eq(email.user.get()),
            emails::email.eq(&email.address),
            emails::confirmed_at.eq(email.confirmed_at.map(naive)),
            emails::created_at.eq(naive(email.created_at)),
        ))
        .returning(emails::id)
        .get_result(tx.conn)?;
    Ok(EmailId::new(id))
}

/// Notes that an address was confirmed.
pub fn confirm(tx: &mut WriteTx<'_>, id: EmailId, at: Timestamp) -> StoreResult<()> {
    diesel::update(emails::table.find(id.get())).set(emails::confirmed_at.eq(naive(at))).execute(tx.conn)?;
    Ok(())
}

/// Removes an address, also if its user publishes it or has it in commits.
pub fn delete(tx: &mut WriteTx<'_>, email: &Email) -> StoreResult<()> {
    diesel::delete(emails::table.find(email.id.get())).execute(tx.conn)?;
    diesel::update(users::table.find(email.user.get()).filter(users::public_email.eq(&email.address)))
        .set(users::public_email.eq(""))
        .execute(tx.conn)?;
    diesel::update(user_details::table.find(email.user.get()).filter(user_details::commit_email.eq(&email.address)))
        .set(user_details::commit_email.eq(None::<String>))
        .execute(tx.conn)?;
    Ok(())
}
