//! Whom users follow.

use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;
use tenon_domain::user::User;

use crate::db::connection::{Backend, on_each};
use crate::db::paging::page;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::rows::user::UserRow;
use crate::schema::{user_follows, users};

/// One user follows another from now on; whether that is new.
pub fn follow(tx: &mut WriteTx<'_>, follower: UserId, target: UserId, at: Timestamp) -> StoreResult<bool> {
    let stored = on_each!(tx.conn, c => diesel::insert_into(user_follows::table)
        .values((
            user_follows::follower_id.eq(follower.get()),
            user_follows::followed_id.eq(target.get()),
            user_follows::created_at.eq(naive(at)),
        ))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(stored > 0)
}

/// One user follows another no more; whether they did.
pub fn unfollow(tx: &mut WriteTx<'_>, follower: UserId, target: UserId) -> StoreResult<bool> {
    Ok(diesel::delete(user_follows::table.find((follower.get(), target.get()))).execute(tx.conn)? > 0)
}

/// How many users one follows, whatever has become of their accounts.
pub fn count_followed(tx: &mut ReadTx<'_>, follower: UserId) -> StoreResult<i64> {
    Ok(user_follows::table.filter(user_follows::follower_id.eq(follower.get())).count().get_result(tx.conn)?)
}

/// One page of the users who follow one and whose accounts can be used, by id.
pub fn followers(tx: &mut ReadTx<'_>, followed: UserId, request: PageRequest) -> StoreResult<Page<User>> {
    let ids = || user_follows::table.filter(user_follows::followed_id.eq(followed.get()));
    list(tx, || usable().filter(users::id.eq_any(ids().select(user_follows::follower_id))), request)
}

/// One page of the users whom one follows and whose accounts can be used, by id.
pub fn followed(tx: &mut ReadTx<'_>, follower: UserId, request: PageRequest) -> StoreResult<Page<User>> {
    let ids = || user_follows::table.filter(user_follows::follower_id.eq(follower.get()));
    list(tx, || usable().filter(users::id.eq_any(ids().select(user_follows::followed_id))), request)
}

fn usable<'a>() -> users::BoxedQuery<'a, Backend> {
    users::table.filter(users::state.eq("active")).filter(users::deleting_at.is_null()).into_boxed()
}

fn list<'a>(
    tx: &mut ReadTx<'_>,
    all: impl Fn() -> users::BoxedQuery<'a, Backend>,
    request: PageRequest,
) -> StoreResult<Page<User>> {
    let total = all().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<UserRow> =
            all().order(users::id).limit(limit).offset(offset).select(UserRow::as_select()).load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}
