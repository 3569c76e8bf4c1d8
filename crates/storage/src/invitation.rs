//! Invitations by mail to projects and groups.

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::{InvitationId, UserId};
use tenon_domain::member::Invitation;
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::container::{columns, container};
use crate::schema::invitations;

#[derive(Queryable, Selectable)]
#[diesel(table_name = invitations)]
struct InvitationRow {
    id: i64,
    namespace_id: Option<i64>,
    project_id: Option<i64>,
    email: String,
    access_level: i64,
    expires_at: Option<NaiveDate>,
    inviter_id: i64,
    created_at: Moment,
    updated_at: Moment,
    ends_at: Moment,
}

impl TryFrom<InvitationRow> for Invitation {
    type Error = StoreError;

    fn try_from(row: InvitationRow) -> StoreResult<Self> {
        Ok(Self {
            id: InvitationId::new(row.id),
            container: container("invitations", row.id, row.project_id, row.namespace_id)?,
            address: row.email,
            level: AccessLevel::from_value(row.access_level).ok_or_else(|| StoreError::Inconsistent {
                table: "invitations",
                column: "access_level",
                id: row.id,
                value: row.access_level.to_string(),
            })?,
            expires_at: row.expires_at,
            inviter: UserId::new(row.inviter_id),
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
            ends_at: utc(row.ends_at),
        })
    }
}

type Query<'a> = invitations::BoxedQuery<'a, Backend>;

fn of<'a>(container: Container) -> Query<'a> {
    let query = invitations::table.into_boxed::<Backend>();
    match container {
        Container::Group(id) => query.filter(invitations::namespace_id.eq(id.get())),
        Container::Project(id) => query.filter(invitations::project_id.eq(id.get())),
    }
}

fn one(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Option<Invitation>> {
    let found: Option<InvitationRow> = query.select(InvitationRow::as_select()).first(tx.conn).optional()?;
    found.map(TryInto::try_into).transpose()
}

/// The invitations to a project or group that have not ended, oldest first.
pub fn open(tx: &mut ReadTx<'_>, container: Container, now: Timestamp) -> StoreResult<Vec<Invitation>> {
    let mut rows: Vec<InvitationRow> =
        of(container).filter(invitations::ends_at.gt(naive(now))).select(InvitationRow::as_select()).load(tx.conn)?;
    rows.sort_unstable_by_key(|row| row.id);
    rows.into_iter().map(TryInto::try_into).collect()
}

/// The invitation of an address to a project or group, ended or not.
pub fn of_address(tx: &mut ReadTx<'_>, container: Container, address: &str) -> StoreResult<Option<Invitation>> {
    one(tx, of(container).filter(invitations::email.eq(address)))
}

/// The invitation of this id.
pub fn find(tx: &mut ReadTx<'_>, id: InvitationId) -> StoreResult<Option<Invitation>> {
    one(tx, invitations::table.into_boxed::<Backend>().filter(invitations::id.eq(id.get())))
}

/// The invitation for a token of this digest, if it has not ended.
pub fn by_digest(tx: &mut ReadTx<'_>, digest: &str, now: Timestamp) -> StoreResult<Option<Invitation>> {
    let query = invitations::table.into_boxed::<Backend>().filter(invitations::digest.eq(digest));
    one(tx, query.filter(invitations::ends_at.gt(naive(now))))
}

/// How many invitations to a project or group have not ended.
pub fn count(tx: &mut ReadTx<'_>, container: Container, now: Timestamp) -> StoreResult<i64> {
    let open = invitations::table.filter(invitations::ends_at.gt(naive(now)));
    Ok(match container {
        Container::Project(id) => open.filter(invitations::project_id.eq(id.get())).count().get_result(tx.conn)?,
        Container::Group(id) => open.filter(invitations::namespace_id.eq(id.get())).count().get_result(tx.conn)?,
    })
}

/// Stores a new invitation, whose id is ignored and which has no token yet, and yields its id. Fails with
/// [`crate::UniqueKey::Invitation`] if the address has one.
pub fn insert(tx: &mut WriteTx<'_>, new: &Invitation) -> StoreResult<InvitationId> {
    let (project, namespace) = columns(new.container);
    let id = diesel::insert_into(invitations::table)
        .values((
            invitations::namespace_id.eq(namespace),
            invitations::project_id.eq(project),
            invitations::email.eq(&new.address),
            invitations::access_level.eq(new.level.value()),
            invitations::expires_at.eq(new.expires_at),
            invitations::inviter_id.eq(new.inviter.get()),
            invitations::created_at.eq(naive(new.created_at)),
            invitations::updated_at.eq(naive(new.updated_at)),
            invitations::ends_at.eq(naive(new.ends_at)),
        ))
        .returning(invitations::id)
        .get_result(tx.conn)?;
    Ok(InvitationId::new(id))
}

/// Stores what has changed of an invitation: level, inviter and ends.
pub fn update(tx: &mut WriteTx<'_>, changed: &Invitation) -> StoreResult<()> {
    diesel::update(invitations::table.find(changed.id.get()))
        .set((
            invitations::access_level.eq(changed.level.value()),
            invitations::expires_at.eq(changed.expires_at),
            invitations::inviter_id.eq(changed.inviter.get()),
            invitations::updated_at.eq(naive(changed.updated_at)),
            invitations::ends_at.eq(naive(changed.ends_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Gives an invitation another token, of which this is the digest.
pub fn set_digest(tx: &mut WriteTx<'_>, id: InvitationId, digest: &str) -> StoreResult<()> {
    diesel::update(invitations::table.find(id.get())).set(invitations::digest.eq(digest)).execute(tx.conn)?;
    Ok(())
}

/// Removes an invitation.
pub fn delete(tx: &mut WriteTx<'_>, id: InvitationId) -> StoreResult<()> {
    diesel::delete(invitations::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// Removes the invitations that have ended.
pub fn purge(tx: &mut WriteTx<'_>, now: Timestamp) -> StoreResult<usize> {
    Ok(diesel::delete(invitations::table.filter(invitations::ends_at.le(naive(now)))).execute(tx.conn)?)
}
