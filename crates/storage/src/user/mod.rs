//! Accounts.

mod associations;
mod detail;
mod follow;
mod list;
pub mod password_reset;
mod preferences;
mod write;

pub use associations::{Associations, associations};
pub use detail::{commit_email, details, set_details, set_sign_in_ip};
pub use follow::{count_followed, follow, followed, followers, unfollow};
pub use list::{UserFilter, UserOrder, activities, dormant, list, members_of, unconfirmed, walk};
pub use preferences::{preferences, set_preferences};
pub use write::{
    NewUser, add_identity, clear_status, delete, insert, mark_active, mark_deleting, mark_signed_in, remove_identity,
    set_confirmed_email, set_issuer, set_password, set_state, set_status, update,
};

use std::collections::HashMap;

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use tenon_domain::avatar::Avatar;
use tenon_domain::id::UserId;
use tenon_domain::path;
use tenon_domain::time::Timestamp;
use tenon_domain::user::{BasicUser, User};

use crate::db::connection::on_each;
use crate::db::expressions::{in_ids, in_texts};
use crate::db::row::naive;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::rows::user::{BasicUserRow, UserRow};
use crate::schema::{emails, identities, user_statuses, users};

/// As the index of accounts that wait for approval (`users_pending`) has it: a bound value would not be found to be the same.
const PENDING: &str = "users.state = 'blocked_pending_approval'";

/// An account at an outside provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The provider's name.
    pub provider: String,
    /// The account's id there.
    pub extern_uid: String,
}

/// The status of a user at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// An emoji's name.
    pub emoji: String,
    /// A short text.
    pub message: String,
}

/// True if the account is that of an access token of a project or group.
pub fn is_bot(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<bool> {
    Ok(find(tx, id)?.is_some_and(|user| user.bot))
}

/// The user of that id; `None` also while the account is being removed.
pub fn find(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<Option<User>> {
    let found: Option<UserRow> = on_each!(tx.conn, c => users::table
        .find(id.get())
        .filter(users::deleting_at.is_null())
        .select(UserRow::as_select())
        .first(c)
        .optional())?;
    found.map(TryInto::try_into).transpose()
}

/// The user of that name, whatever the case.
pub fn find_by_username(tx: &mut ReadTx<'_>, username: &str) -> StoreResult<Option<User>> {
    let query = users::table
        .filter(users::username_key.eq(path::key(username)))
        .filter(users::deleting_at.is_null())
        .select(UserRow::as_select());
    query.first(tx.conn).optional()?.map(TryInto::try_into).transpose()
}

/// The users of these names, whatever the case.
pub fn by_usernames(tx: &mut ReadTx<'_>, usernames: &[String]) -> StoreResult<Vec<User>> {
    if usernames.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<String> = usernames.iter().map(|name| path::key(name)).collect();
    let rows: Vec<UserRow> = users::table
        .filter(in_texts(users::username_key, &keys))
        .filter(users::deleting_at.is_null())
        .select(UserRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// The user who publishes this address, which is one of their own.
pub fn find_by_public_email(tx: &mut ReadTx<'_>, email: &str) -> StoreResult<Option<User>> {
    let owner = match find_by_email(tx, email)? {
        Some(user) => Some(user),
        None => find_by_secondary_email(tx, email)?,
    };
    Ok(owner.filter(|user| user.profile.public_email == email))
}

/// The user who has confirmed this address, as primary or as secondary one.
pub fn find_by_confirmed_email(tx: &mut ReadTx<'_>, email: &str) -> StoreResult<Option<User>> {
    match find_by_email(tx, email)? {
        Some(user) => Ok(user.confirmed_at.is_some().then_some(user)),
        None => find_by_secondary_email(tx, email),
    }
}

/// The users who have confirmed these addresses, which are normalised, by address. The number of statements does not
/// depend on the number of addresses.
pub fn by_confirmed_emails(tx: &mut ReadTx<'_>, addresses: &[String]) -> StoreResult<HashMap<String, User>> {
    if addresses.is_empty() {
        return Ok(HashMap::new());
    }
    let primary: Vec<UserRow> = users::table
        .filter(in_texts(users::email, addresses))
        .filter(users::confirmed_at.is_not_null())
        .filter(users::deleting_at.is_null())
        .select(UserRow::as_select())
        .load(tx.conn)?;
    let secondary: Vec<(String, i64)> = emails::table
        .filter(in_texts(emails::email, addresses))
        .filter(emails::confirmed_at.is_not_null())
        .select((emails::email, emails::user_id))
        .load(tx.conn)?;
    let ids: Vec<i64> = secondary.iter().map(|(_, id)| *id).collect();
    let owners = users::table.filter(in_ids(users::id, &ids, |id| id)).filter(users::deleting_at.is_null());
    let owners: Vec<UserRow> =
        if ids.is_empty() { Vec::new() } else { owners.select(UserRow::as_select()).load(tx.conn)? };
    let owners = owners.into_iter().map(User::try_from).collect::<Result<Vec<User>, _>>()?;
    let owner =
        |(address, id): (String, i64)| Some((address, owners.iter().find(|user| user.id == UserId::new(id))?.clone()));
    let mut found: HashMap<String, User> = secondary.into_iter().filter_map(owner).collect();
    for row in primary {
        let user = User::try_from(row)?;
        found.insert(user.email.clone(), user);
    }
    Ok(found)
}

/// The user who has confirmed this address as a secondary one.
fn find_by_secondary_email(tx: &mut ReadTx<'_>, email: &str) -> StoreResult<Option<User>> {
    let query = emails::table.filter(emails::email.eq(email)).filter(emails::confirmed_at.is_not_null());
    let owner: Option<i64> = query.select(emails::user_id).first(tx.conn).optional()?;
    owner.map_or(Ok(None), |id| find(tx, UserId::new(id)))
}

/// The user whose own address this is, normalised.
pub fn find_by_email(tx: &mut ReadTx<'_>, email: &str) -> StoreResult<Option<User>> {
    let query =
        users::table.filter(users::email.eq(email)).filter(users::deleting_at.is_null()).select(UserRow::as_select());
    query.first(tx.conn).optional()?.map(TryInto::try_into).transpose()
}

/// The addresses that a user has confirmed beside the primary one.
pub fn confirmed_emails(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<Vec<String>> {
    let query = emails::table.filter(emails::user_id.eq(id.get())).filter(emails::confirmed_at.is_not_null());
    Ok(query.order(emails::id).select(emails::email).load(tx.conn)?)
}

/// The address that is to take the place of the primary one when it is confirmed.
pub fn unconfirmed_email(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<Option<String>> {
    let query = users::table.find(id.get()).select(users::unconfirmed_email);
    Ok(query.first::<Option<String>>(tx.conn).optional()?.flatten())
}

/// True if an account has this address as its primary one, or one other than `except` as a secondary one, confirmed or
/// not.
pub fn email_is_taken(tx: &mut ReadTx<'_>, email: &str, except: Option<UserId>) -> StoreResult<bool> {
    let primary = users::table.filter(users::email.eq(email));
    if diesel::select(diesel::dsl::exists(primary)).get_result(tx.conn)? {
        return Ok(true);
    }
    let except = except.map_or(0, UserId::get);
    let secondary = emails::table.filter(emails::email.eq(email)).filter(emails::user_id.ne(except));
    Ok(diesel::select(diesel::dsl::exists(secondary)).get_result(tx.conn)?)
}

/// True if there is any account at all.
pub fn any(tx: &mut ReadTx<'_>) -> StoreResult<bool> {
    Ok(diesel::select(diesel::dsl::exists(users::table.select(users::id))).get_result(tx.conn)?)
}

/// The account that owns what deleted users leave behind, once there is one.
pub fn ghost(tx: &mut ReadTx<'_>) -> StoreResult<Option<UserId>> {
    let query = users::table.filter(users::ghost.eq(true)).order(users::id).select(users::id);
    Ok(query.first(tx.conn).optional()?.map(UserId::new))
}

/// How many active administrators there are.
pub fn count_admins(tx: &mut ReadTx<'_>) -> StoreResult<i64> {
    let query = users::table
        .filter(users::admin.eq(true))
        .filter(users::state.eq("active"))
        .filter(users::deleting_at.is_null());
    Ok(query.count().get_result(tx.conn)?)
}

/// The administrators who may act, the oldest first; `limit` at most.
pub fn admins(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<UserId>> {
    let ids: Vec<i64> = users::table
        .filter(users::admin.eq(true))
        .filter(users::state.eq("active"))
        .filter(users::deleting_at.is_null())
        .order(users::id)
        .limit(limit)
        .select(users::id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(UserId::new).collect())
}

/// The accounts that wait for approval and were made at this moment or later, the oldest first; `limit` at most.
pub fn waiting_for_approval(tx: &mut ReadTx<'_>, since: Timestamp, limit: i64) -> StoreResult<Vec<User>> {
    let rows: Vec<UserRow> = users::table
        .filter(sql::<Bool>(PENDING))
        .filter(users::created_at.ge(naive(since)))
        .filter(users::deleting_at.is_null())
        .order(users::id)
        .limit(limit)
        .select(UserRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(User::try_from).collect()
}

/// The users of these ids, by id; missing ones are left out.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[UserId]) -> StoreResult<HashMap<UserId, User>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<UserRow> = on_each!(tx.conn, c => users::table
        .filter(in_ids(users::id, ids, UserId::get))
        .select(UserRow::as_select())
        .load(c))?;
    rows.into_iter().map(|row| User::try_from(row).map(|user| (user.id, user))).collect()
}

/// The parts that name these users; those whose accounts are gone are left out.
pub fn basics(tx: &mut ReadTx<'_>, ids: &[UserId]) -> StoreResult<HashMap<UserId, BasicUser>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<BasicUserRow> = on_each!(tx.conn, c => users::table
        .filter(in_ids(users::id, ids, UserId::get))
        .select(BasicUserRow::as_select())
        .load(c))?;
    rows.into_iter().map(|row| BasicUser::try_from(row).map(|user| (user.id, user))).collect()
}

/// The primary addresses of these users.
pub fn emails(tx: &mut ReadTx<'_>, ids: &[UserId]) -> StoreResult<HashMap<UserId, String>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(i64, String)> = on_each!(tx.conn, c => users::table
        .filter(in_ids(users::id, ids, UserId::get))
        .select((users::id, users::email))
        .load(c))?;
    Ok(rows.into_iter().map(|(id, email)| (UserId::new(id), email)).collect())
}

/// The digest of a user's password, if one is set.
pub fn password_digest(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<Option<String>> {
    let digest: Option<Option<String>> =
        users::table.find(id.get()).select(users::password_digest).first(tx.conn).optional()?;
    Ok(digest.flatten())
}

/// True if a user has to change the password at the next sign-in.
pub fn password_is_expired(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<bool> {
    let expired: Option<bool> =
        users::table.find(id.get()).select(users::password_expired).first(tx.conn).optional()?;
    Ok(expired.unwrap_or(false))
}

/// The user who has this account at a provider, which has this address.
pub fn holder_of_identity(tx: &mut ReadTx<'_>, identity: &Identity, issuer: &str) -> StoreResult<Option<UserId>> {
    let found: Option<(i64, String, Option<String>)> = identities::table
        .filter(identities::provider.eq(&identity.provider))
        .filter(identities::extern_uid_key.eq(path::key(&identity.extern_uid)))
        .select((identities::user_id, identities::extern_uid, identities::issuer))
        .first(tx.conn)
        .optional()?;
    // The key is the same for identifiers that differ in case, which are different users. A name may have stood for another
    // provider before.
    let is_same = |uid: &str, at: Option<&str>| uid == identity.extern_uid && at.is_none_or(|at| at == issuer);
    Ok(found.filter(|(_, uid, at)| is_same(uid, at.as_deref())).map(|(user, _, _)| UserId::new(user)))
}

/// The outside accounts of these users.
pub fn identities(tx: &mut ReadTx<'_>, ids: &[UserId]) -> StoreResult<HashMap<UserId, Vec<Identity>>> {
    let rows: Vec<(i64, String, String)> = identities::table
        .filter(in_ids(identities::user_id, ids, UserId::get))
        .order(identities::id)
        .select((identities::user_id, identities::provider, identities::extern_uid))
        .load(tx.conn)?;
    let mut by_user: HashMap<UserId, Vec<Identity>> = HashMap::new();
    for (user, provider, extern_uid) in rows {
        by_user.entry(UserId::new(user)).or_default().push(Identity { provider, extern_uid });
    }
    Ok(by_user)
}

/// The providers at which a user has an account, each with the issuer that it had then; `None` if no one has signed in with the
/// account yet.
pub fn issuers(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<HashMap<String, Option<String>>> {
    let rows = identities::table.filter(identities::user_id.eq(id.get()));
    let found: Vec<(String, Option<String>)> = rows.select((identities::provider, identities::issuer)).load(tx.conn)?;
    Ok(found.into_iter().collect())
}

/// The status of a user, if one is set.
pub fn status(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<Option<Status>> {
    let found: Option<(String, String)> = user_statuses::table
        .find(id.get())
        .select((user_statuses::emoji, user_statuses::message))
        .first(tx.conn)
        .optional()?;
    Ok(found.map(|(emoji, message)| Status { emoji, message }))
}

/// The picture of a user, also of one that is being removed.
pub fn avatar(tx: &mut ReadTx<'_>, id: UserId) -> StoreResult<Option<Avatar>> {
    let text: Option<Option<String>> = users::table.find(id.get()).select(users::avatar).first(tx.conn).optional()?;
    Ok(text.flatten().as_deref().and_then(Avatar::parse))
}

/// The active administrator with the lowest id.
pub fn first_admin(tx: &mut ReadTx<'_>) -> StoreResult<Option<UserId>> {
    let query = users::table
        .filter(users::admin.eq(true))
        .filter(users::state.eq("active"))
        .filter(users::deleting_at.is_null())
        .order(users::id)
        .select(users::id);
    Ok(query.first(tx.conn).optional()?.map(UserId::new))
}
