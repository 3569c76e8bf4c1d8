//! Requests of users for access to projects and groups.

use diesel::prelude::*;
use tenon_domain::container::Container;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::member::AccessRequest;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::rows::container::columns;
use crate::schema::{access_requests, namespace_closure, projects};

type Query<'a> = access_requests::BoxedQuery<'a, Backend>;

fn of<'a>(container: Container) -> Query<'a> {
    let query = access_requests::table.into_boxed::<Backend>();
    match container {
        Container::Group(id) => query.filter(access_requests::namespace_id.eq(id.get())),
        Container::Project(id) => query.filter(access_requests::project_id.eq(id.get())),
    }
}

/// One page of the requests for access to a project or group, oldest first.
pub fn list(tx: &mut ReadTx<'_>, container: Container, request: PageRequest) -> StoreResult<Page<AccessRequest>> {
    let total = count(tx, container)?;
    page(request, total, |limit, offset| {
        let rows: Vec<(i64, Moment)> = of(container)
            .order(access_requests::id)
            .limit(limit)
            .offset(offset)
            .select((access_requests::user_id, access_requests::requested_at))
            .load(tx.conn)?;
        let request = |(user, at)| AccessRequest { container, user: UserId::new(user), requested_at: utc(at) };
        Ok(rows.into_iter().map(request).collect())
    })
}

/// How many requests for access to a project or group there are.
pub fn count(tx: &mut ReadTx<'_>, container: Container) -> StoreResult<i64> {
    Ok(of(container).count().get_result(tx.conn)?)
}

/// When this user has asked for access; `None` if no request waits.
pub fn requested_at(tx: &mut ReadTx<'_>, container: Container, user: UserId) -> StoreResult<Option<Timestamp>> {
    let query = of(container).filter(access_requests::user_id.eq(user.get()));
    let at: Option<Moment> = query.select(access_requests::requested_at).first(tx.conn).optional()?;
    Ok(at.map(utc))
}

/// Stores a request. Fails with [`crate::UniqueKey::AccessRequest`] if the user has one there.
pub fn insert(tx: &mut WriteTx<'_>, new: &AccessRequest) -> StoreResult<()> {
    let (project, namespace) = columns(new.container);
    diesel::insert_into(access_requests::table)
        .values((
            access_requests::namespace_id.eq(namespace),
            access_requests::project_id.eq(project),
            access_requests::user_id.eq(new.user.get()),
            access_requests::requested_at.eq(naive(new.requested_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes the requests of a user for access to a group and to all that is below it.
pub fn delete_below(tx: &mut WriteTx<'_>, group: NamespaceId, user: UserId) -> StoreResult<()> {
    let below = || {
        namespace_closure::table
            .filter(namespace_closure::ancestor_id.eq(group.get()))
            .select(namespace_closure::descendant_id)
    };
    let projects = projects::table.filter(projects::namespace_id.eq_any(below())).select(projects::id.nullable());
    let groups = below().select(namespace_closure::descendant_id.nullable());
    let ids: Vec<i64> = access_requests::table
        .filter(access_requests::user_id.eq(user.get()))
        .filter(access_requests::project_id.eq_any(projects).or(access_requests::namespace_id.eq_any(groups)))
        .select(access_requests::id)
        .load(tx.conn)?;
    diesel::delete(access_requests::table.filter(in_ids(access_requests::id, &ids, std::convert::identity)))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes the request of a user, if there is one.
pub fn delete(tx: &mut WriteTx<'_>, container: Container, user: UserId) -> StoreResult<()> {
    let own = access_requests::table.filter(access_requests::user_id.eq(user.get()));
    match container {
        Container::Group(id) => {
            diesel::delete(own.filter(access_requests::namespace_id.eq(id.get()))).execute(tx.conn)?
        }
        Container::Project(id) => {
            diesel::delete(own.filter(access_requests::project_id.eq(id.get()))).execute(tx.conn)?
        }
    };
    Ok(())
}
