//! Writing accounts.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::path;
use tenon_domain::time::Timestamp;
use tenon_domain::user::{User, UserState};

use super::{Identity, Status, password_reset};
use crate::db::connection::on_each;
use crate::db::row::naive;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::schema::{identities, members, projects, stars, user_statuses, users};

/// An account that is about to exist. The id in `user` is ignored.
pub struct NewUser<'a> {
    /// The account to be stored.
    pub user: &'a User,
    /// An address that waits for confirmation.
    pub unconfirmed_email: Option<&'a str>,
    /// The digest of its password.
    pub password_digest: Option<&'a str>,
    /// True if the password is to be changed at the first sign-in.
    pub password_expired: bool,
}

#[derive(AsChangeset, Insertable)]
#[diesel(table_name = users, treat_none_as_null = true)]
struct UserColumns<'a> {
    username: &'a str,
    username_key: String,
    name: &'a str,
    email: &'a str,
    state: &'a str,
    ghost: bool,
    bot: bool,
    admin: bool,
    external: bool,
    private_profile: bool,
    can_create_group: bool,
    projects_limit: i64,
    bio: Option<&'a str>,
    location: Option<&'a str>,
    organization: Option<&'a str>,
    public_email: &'a str,
    messenger: &'a str,
    professional_network: &'a str,
    microblog: &'a str,
    website_url: &'a str,
    avatar: Option<String>,
    confirmed_at: Option<chrono::NaiveDateTime>,
    last_sign_in_at: Option<chrono::NaiveDateTime>,
    current_sign_in_at: Option<chrono::NaiveDateTime>,
    last_activity_on: Option<NaiveDate>,
    created_at: chrono::NaiveDateTime,
    updated_at: chrono::NaiveDateTime,
}

impl<'a> From<&'a User> for UserColumns<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            username: &user.username,
            username_key: path::key(&user.username),
            name: &user.name,
            email: &user.email,
            state: user.state.as_str(),
            ghost: user.ghost,
            bot: user.bot,
            admin: user.admin,
            external: user.external,
            private_profile: user.private_profile,
            can_create_group: user.can_create_group,
            projects_limit: user.projects_limit,
            bio: user.profile.bio.as_deref(),
            location: user.profile.location.as_deref(),
            organization: user.profile.organization.as_deref(),
            public_email: &user.profile.public_email,
            messenger: &user.profile.messenger,
            professional_network: &user.profile.professional_network,
            microblog: &user.profile.microblog,
            website_url: &user.profile.website_url,
            avatar: user.avatar.as_ref().map(ToString::to_string),
            confirmed_at: user.confirmed_at.map(naive),
            last_sign_in_at: user.last_sign_in_at.map(naive),
            current_sign_in_at: user.current_sign_in_at.map(naive),
            last_activity_on: user.last_activity_on,
            created_at: naive(user.created_at),
            updated_at: naive(user.updated_at),
        }
    }
}

/// Stores a new account and yields its id. The personal namespace is another write.
pub fn insert(tx: &mut WriteTx<'_>, new: &NewUser<'_>) -> StoreResult<UserId> {
    let values = (
        UserColumns::from(new.user),
        users::unconfirmed_email.eq(new.unconfirmed_email),
        users::password_digest.eq(new.password_digest),
        users::password_expired.eq(new.password_expired),
    );
    let id = diesel::insert_into(users::table).values(values).returning(users::id).get_result(tx.conn)?;
    Ok(UserId::new(id))
}

/// Stores `user` as it now is; `unconfirmed_email`, if given, waits for confirmation. A link that resets the password
/// ends if the primary address is another one.
pub fn update(tx: &mut WriteTx<'_>, user: &User, unconfirmed_email: Option<&str>) -> StoreResult<()> {
    end_reset_of_other_address(tx, user.id, &user.email)?;
    diesel::update(users::table.find(user.id.get())).set(UserColumns::from(user)).execute(tx.conn)?;
    if let Some(email) = unconfirmed_email {
        diesel::update(users::table.find(user.id.get())).set(users::unconfirmed_email.eq(email)).execute(tx.conn)?;
    }
    Ok(())
}

/// A link that resets the password was sent to the primary address, which is no longer proof of anything when there is another.
fn end_reset_of_other_address(tx: &mut WriteTx<'_>, id: UserId, email: &str) -> StoreResult<()> {
    let present: Option<String> = users::table.find(id.get()).select(users::email).first(tx.conn).optional()?;
    if present.is_some_and(|present| present != email) {
        password_reset::end(tx, id)?;
    }
    Ok(())
}

/// Makes an address that was confirmed the primary one. No address waits any longer, and a link that resets the
/// password ends if it was sent to another one.
pub fn set_confirmed_email(tx: &mut WriteTx<'_>, id: UserId, email: &str, at: Timestamp) -> StoreResult<()> {
    end_reset_of_other_address(tx, id, email)?;
    diesel::update(users::table.find(id.get()))
        .set((
            users::email.eq(email),
            users::unconfirmed_email.eq(None::<String>),
            users::confirmed_at.eq(naive(at)),
            users::updated_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Sets the password; `expired` asks the user to change it at the next sign-in. A link that resets the password ends.
pub fn set_password(tx: &mut WriteTx<'_>, id: UserId, digest: &str, expired: bool) -> StoreResult<()> {
    diesel::update(users::table.find(id.get()))
        .set((users::password_digest.eq(digest), users::password_expired.eq(expired)))
        .execute(tx.conn)?;
    password_reset::end(tx, id)
}

/// Stores another state. A link that resets the password ends if the account may not be used in it.
pub fn set_state(tx: &mut WriteTx<'_>, id: UserId, state: UserState, at: Timestamp) -> StoreResult<()> {
    diesel::update(users::table.find(id.get()))
        .set((users::state.eq(state.as_str()), users::updated_at.eq(naive(at))))
        .execute(tx.conn)?;
    if state == UserState::Active { Ok(()) } else { password_reset::end(tx, id) }
}

/// Notes that these accounts were active on a day.
pub fn mark_active(tx: &mut WriteTx<'_>, ids: &[UserId], day: NaiveDate) -> StoreResult<()> {
    let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
    diesel::update(users::table.filter(users::id.eq_any(ids))).set(users::last_activity_on.eq(day)).execute(tx.conn)?;
    Ok(())
}

/// Notes that a user has signed in on a page.
pub fn mark_signed_in(tx: &mut WriteTx<'_>, id: UserId, at: Timestamp) -> StoreResult<()> {
    let day = at.date_naive();
    diesel::update(users::table.filter(users::id.eq(id.get())))
        .set((
            users::last_sign_in_at.eq(users::current_sign_in_at),
            users::current_sign_in_at.eq(naive(at)),
            users::last_activity_on.eq(day),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Adds the user's account at a provider, or replaces its id there.
pub fn add_identity(tx: &mut WriteTx<'_>, user: UserId, identity: &Identity) -> StoreResult<()> {
    let (key, uid) = (path::key(&identity.extern_uid), &identity.extern_uid);
    let values = (
        identities::user_id.eq(user.get()),
        identities::provider.eq(&identity.provider),
        identities::extern_uid.eq(uid),
        identities::extern_uid_key.eq(&key),
    );
    on_each!(tx.conn, c => diesel::insert_into(identities::table)
        .values(values)
        .on_conflict((identities::user_id, identities::provider))
        .do_update()
        .set((identities::extern_uid.eq(uid), identities::extern_uid_key.eq(&key), identities::issuer.eq(None::<String>)))
        .execute(c))?;
    Ok(())
}

/// Notes the address of the provider at which a user has signed in.
pub fn set_issuer(tx: &mut WriteTx<'_>, user: UserId, provider: &str, issuer: &str) -> StoreResult<()> {
    let own = identities::table.filter(identities::user_id.eq(user.get())).filter(identities::provider.eq(provider));
    let unset = own.filter(identities::issuer.is_null());
    diesel::update(unset).set(identities::issuer.eq(issuer)).execute(tx.conn)?;
    Ok(())
}

/// Forgets the user's account at a provider; `false` if there is none.
pub fn remove_identity(tx: &mut WriteTx<'_>, user: UserId, provider: &str) -> StoreResult<bool> {
    let own = identities::table.filter(identities::user_id.eq(user.get())).filter(identities::provider.eq(provider));
    Ok(diesel::delete(own).execute(tx.conn)? > 0)
}

/// Sets the status.
pub fn set_status(tx: &mut WriteTx<'_>, user: UserId, status: &Status) -> StoreResult<()> {
    let set = (user_statuses::emoji.eq(&status.emoji), user_statuses::message.eq(&status.message));
    on_each!(tx.conn, c => diesel::insert_into(user_statuses::table)
        .values((user_statuses::user_id.eq(user.get()), set))
        .on_conflict(user_statuses::user_id)
        .do_update()
        .set(set)
        .execute(c))?;
    Ok(())
}

/// Removes the status.
pub fn clear_status(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    diesel::delete(user_statuses::table.find(user.get())).execute(tx.conn)?;
    Ok(())
}

/// Hides the account while a job removes it: from now on it is not found, its tokens identify no user, and it is neither a
/// member nor a star of anything.
pub fn mark_deleting(tx: &mut WriteTx<'_>, id: UserId, at: Timestamp) -> StoreResult<()> {
    let starred = stars::table.filter(stars::user_id.eq(id.get()));
    diesel::update(projects::table.filter(projects::id.eq_any(starred.select(stars::project_id))))
        .set(projects::star_count.eq(projects::star_count - 1))
        .execute(tx.conn)?;
    diesel::delete(starred).execute(tx.conn)?;
    diesel::delete(members::table.filter(members::user_id.eq(id.get()))).execute(tx.conn)?;
    diesel::update(users::table.find(id.get())).set(users::deleting_at.eq(naive(at))).execute(tx.conn)?;
    password_reset::end(tx, id)
}

/// Removes the account and what hangs on it alone. Its namespace must be gone before.
pub fn delete(tx: &mut WriteTx<'_>, id: UserId) -> StoreResult<()> {
    diesel::delete(users::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
