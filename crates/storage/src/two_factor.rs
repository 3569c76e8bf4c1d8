//! Second factors of accounts, and who must have one.

use std::collections::HashSet;

use chrono::NaiveDate;
use diesel::dsl::min;
use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;

use crate::db::connection::on_each;
use crate::db::expressions::{in_ids, in_subquery};
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{members, namespace_closure, namespaces, passkeys, recovery_codes, two_factor_graces, two_factors};

/// The second factor of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwoFactor {
    /// The sealed secret.
    pub secret: String,
    /// The time step of the last code that was accepted.
    pub last_step: Option<i64>,
    /// Since when it counts; `None` until the user has confirmed it.
    pub enabled_at: Option<Timestamp>,
}

/// The second factor of a user, also one that is not confirmed yet.
pub fn find(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Option<TwoFactor>> {
    let found: Option<(String, Option<i64>, Option<Moment>)> = two_factors::table
        .find(user.get())
        .select((two_factors::secret, two_factors::last_step, two_factors::enabled_at))
        .first(tx.conn)
        .optional()?;
    Ok(found.map(|(secret, last_step, enabled_at)| TwoFactor { secret, last_step, enabled_at: enabled_at.map(utc) }))
}

/// True if a user signs in with a second factor: an authenticator or a passkey.
pub fn is_enabled(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<bool> {
    let enabled = two_factors::table.find(user.get()).filter(two_factors::enabled_at.is_not_null());
    let keys = passkeys::table.filter(passkeys::user_id.eq(user.get()));
    let exists = diesel::dsl::exists(enabled).or(diesel::dsl::exists(keys));
    Ok(diesel::select(exists).get_result(tx.conn)?)
}

/// Those of these users who sign in with a second factor.
pub fn enabled_among(tx: &mut ReadTx<'_>, users: &[UserId]) -> StoreResult<HashSet<UserId>> {
    let found: Vec<i64> = two_factors::table
        .filter(in_ids(two_factors::user_id, users, UserId::get))
        .filter(two_factors::enabled_at.is_not_null())
        .select(two_factors::user_id)
        .load(tx.conn)?;
    let with_keys: Vec<i64> = passkeys::table
        .filter(in_ids(passkeys::user_id, users, UserId::get))
        .select(passkeys::user_id)
        .distinct()
        .load(tx.conn)?;
    Ok(found.into_iter().chain(with_keys).map(UserId::new).collect())
}

/// Stores a second factor that the user has not confirmed yet. There must be none.
pub fn insert(tx: &mut WriteTx<'_>, user: UserId, secret: &str, at: Timestamp) -> StoreResult<()> {
    diesel::insert_into(two_factors::table)
        .values((
            two_factors::user_id.eq(user.get()),
            two_factors::secret.eq(secret),
            two_factors::created_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// From now on the user signs in with the second factor. Since when the user was asked for one stays known: who removes it
/// gets no new time.
pub fn enable(tx: &mut WriteTx<'_>, user: UserId, at: Timestamp) -> StoreResult<()> {
    diesel::update(two_factors::table.find(user.get())).set(two_factors::enabled_at.eq(naive(at))).execute(tx.conn)?;
    Ok(())
}

/// Notes the time step of a code that was accepted.
pub fn set_last_step(tx: &mut WriteTx<'_>, user: UserId, step: i64) -> StoreResult<()> {
    diesel::update(two_factors::table.find(user.get())).set(two_factors::last_step.eq(step)).execute(tx.conn)?;
    Ok(())
}

/// Removes the second factor of a user, with the recovery codes.
pub fn delete(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    replace_recovery_codes(tx, user, &[])?;
    delete_secret(tx, user)
}

/// Removes the secret of a user's authenticator. The recovery codes stay: they are those of the user's passkeys, too.
pub fn delete_secret(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    diesel::delete(two_factors::table.find(user.get())).execute(tx.conn)?;
    Ok(())
}

/// Stores the digests of new recovery codes; the earlier ones are void.
pub fn replace_recovery_codes(tx: &mut WriteTx<'_>, user: UserId, digests: &[String]) -> StoreResult<()> {
    diesel::delete(recovery_codes::table.filter(recovery_codes::user_id.eq(user.get()))).execute(tx.conn)?;
    for digest in digests {
        diesel::insert_into(recovery_codes::table)
            .values((recovery_codes::user_id.eq(user.get()), recovery_codes::digest.eq(digest)))
            .execute(tx.conn)?;
    }
    Ok(())
}

/// Removes one recovery code; whether it was there.
pub fn use_recovery_code(tx: &mut WriteTx<'_>, user: UserId, digest: &str) -> StoreResult<bool> {
    Ok(diesel::delete(recovery_codes::table.find((user.get(), digest))).execute(tx.conn)? > 0)
}

/// When a user was first asked to set up a second factor.
pub fn grace_began_at(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Option<Timestamp>> {
    let began: Option<Moment> =
        two_factor_graces::table.find(user.get()).select(two_factor_graces::began_at).first(tx.conn).optional()?;
    Ok(began.map(utc))
}

/// Notes that a user is asked to set up a second factor, if that is not noted yet.
pub fn begin_grace(tx: &mut WriteTx<'_>, user: UserId, at: Timestamp) -> StoreResult<()> {
    on_each!(tx.conn, c => diesel::insert_into(two_factor_graces::table)
        .values((two_factor_graces::user_id.eq(user.get()), two_factor_graces::began_at.eq(naive(at))))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}

/// Notes that a user is not asked any more.
pub fn end_grace(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    diesel::delete(two_factor_graces::table.find(user.get())).execute(tx.conn)?;
    Ok(())
}

/// The shortest time, in hours, in which a group wants its members to set up a second factor; `None` if none of the
/// user's does. The user's groups are those that they are a direct member of, those below, whose members they are
/// thereby, and those above, whose rules hold for the groups below them.
pub fn required_by_groups(tx: &mut ReadTx<'_>, user: UserId, today: NaiveDate) -> StoreResult<Option<i64>> {
    let current = || {
        members::table
            .filter(members::user_id.eq(user.get()))
            .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
            .filter(members::namespace_id.is_not_null())
            .select(members::namespace_id.assume_not_null())
    };
    let above = namespace_closure::table
        .filter(in_subquery(namespace_closure::descendant_id, current()))
        .select(namespace_closure::ancestor_id);
    let below = namespace_closure::table
        .filter(in_subquery(namespace_closure::ancestor_id, current()))
        .select(namespace_closure::descendant_id);
    let hours = namespaces::table
        .filter(in_subquery(namespaces::id, above).or(in_subquery(namespaces::id, below)))
        .filter(namespaces::require_two_factor_authentication.eq(true))
        .filter(namespaces::deleting_at.is_null())
        .select(min(namespaces::two_factor_grace_period));
    Ok(hours.get_result(tx.conn)?)
}
