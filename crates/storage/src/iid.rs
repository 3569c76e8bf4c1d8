//! Numbers within a project or group, from a counter that never goes back: no number is given out twice, also after a
//! deletion.

use diesel::prelude::*;
use tenon_domain::container::Container;
use tenon_domain::id::Iid;

use crate::db::connection::Backend;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::rows::container::columns;
use crate::schema::iid_counters;

/// The things that have numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Issues of a project.
    Issue,
    /// Merge requests into a project.
    MergeRequest,
    /// Milestones of a project or group.
    Milestone,
    /// Deployments of a project.
    Deployment,
    /// Lists of users of a project, for its feature flags.
    UserList,
}

impl Counted {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::MergeRequest => "merge_request",
            Self::Milestone => "milestone",
            Self::Deployment => "deployment",
            Self::UserList => "user_list",
        }
    }
}

macro_rules! of {
    ($container:expr, $counted:expr) => {{
        let rows = iid_counters::table.filter(iid_counters::kind.eq($counted.as_str())).into_boxed::<Backend>();
        match $container {
            Container::Project(id) => rows.filter(iid_counters::project_id.eq(id.get())),
            Container::Group(id) => rows.filter(iid_counters::namespace_id.eq(id.get())),
        }
    }};
}

/// Sets the counter, if there is one, and yields its new value.
macro_rules! raised {
    ($tx:expr, $container:expr, $counted:expr, $value:expr) => {{
        let rows = iid_counters::table.filter(iid_counters::kind.eq($counted.as_str()));
        let value = iid_counters::last_iid.eq($value);
        let raised: Option<i64> = match $container {
            Container::Project(id) => diesel::update(rows.filter(iid_counters::project_id.eq(id.get())))
                .set(value)
                .returning(iid_counters::last_iid)
                .get_result($tx.conn)
                .optional()?,
            Container::Group(id) => diesel::update(rows.filter(iid_counters::namespace_id.eq(id.get())))
                .set(value)
                .returning(iid_counters::last_iid)
                .get_result($tx.conn)
                .optional()?,
        };
        raised
    }};
}

/// The next number.
pub fn next(tx: &mut WriteTx<'_>, container: Container, counted: Counted) -> StoreResult<Iid> {
    let next = iid_counters::last_iid + 1;
    match raised!(tx, container, counted, next) {
        Some(iid) => Ok(Iid::new(iid)),
        None => start(tx, container, counted, Iid::new(1)),
    }
}

/// A number that a caller asked for: the counter jumps to it if it is behind.
pub fn claim(tx: &mut WriteTx<'_>, container: Container, counted: Counted, iid: Iid) -> StoreResult<Iid> {
    let last = of!(container, counted).select(iid_counters::last_iid).first(tx.conn).optional()?;
    match last {
        None => start(tx, container, counted, iid),
        Some(last) => {
            raised!(tx, container, counted, iid.get().max(last));
            Ok(iid)
        }
    }
}

fn start(tx: &mut WriteTx<'_>, container: Container, counted: Counted, iid: Iid) -> StoreResult<Iid> {
    let (project, namespace) = columns(container);
    diesel::insert_into(iid_counters::table)
        .values((
            iid_counters::project_id.eq(project),
            iid_counters::namespace_id.eq(namespace),
            iid_counters::kind.eq(counted.as_str()),
            iid_counters::last_iid.eq(iid.get()),
        ))
        .execute(tx.conn)?;
    Ok(iid)
}
