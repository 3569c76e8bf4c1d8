//! Numbers within a project or group, from a counter that never goes back: no number is given out twice, also after a
//! deletion.

use diesel::prelude::*;
use tenon_domain::id::Iid;
use tenon_domain::label::Owner;

use crate::db::connection::Backend;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::schema::iid_counters;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Issues of a project.
    Issue,
    /// Merge requests into a project.
    MergeRequest,
    /// Milestones of a project or group.
    Milestone,
}

impl Counted {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::MergeRequest => "merge_request",
            Self::Milestone => "milestone",
        }
    }
}

macro_rules! of {
    ($owner:expr, $counted:expr) => {{
        let rows = iid_counters::table.filter(iid_counters::kind.eq($counted.as_str())).into_boxed::<Backend>();
        match $owner {
            Owner::Project(id) => rows.filter(iid_counters::project_id.eq(id.get())),
            Owner::Group(id) => rows.filter(iid_counters::namespace_id.eq(id.get())),
        }
    }};
}

/// Sets the counter, where there is one, and yields its new value.
macro_rules! raised {
    ($tx:expr, $owner:expr, $counted:expr, $value:expr) => {{
        let rows = iid_counters::table.filter(iid_counters::kind.eq($counted.as_str()));
        let value = iid_counters::last_iid.eq($value);
        let raised: Option<i64> = match $owner {
            Owner::Project(id) => diesel::update(rows.filter(iid_counters::project_id.eq(id.get())))
                .set(value)
                .returning(iid_counters::last_iid)
                .get_result($tx.conn)
                .optional()?,
            Owner::Group(id) => diesel::update(rows.filter(iid_counters::namespace_id.eq(id.get())))
                .set(value)
                .returning(iid_counters::last_iid)
                .get_result($tx.conn)
                .optional()?,
        };
        raised
    }};
}

/// The next number.
pub fn next(tx: &mut WriteTx<'_>, owner: Owner, counted: Counted) -> StoreResult<Iid> {
    let next = iid_counters::last_iid + 1;
    match raised!(tx, owner, counted, next) {
        Some(iid) => Ok(Iid::new(iid)),
        None => start(tx, owner, counted, Iid::new(1)),
    }
}

/// A number that a caller asked for: the counter jumps to it where it is behind.
pub fn claim(tx: &mut WriteTx<'_>, owner: Owner, counted: Counted, iid: Iid) -> StoreResult<Iid> {
    let last = of!(owner, counted).select(iid_counters::last_iid).first(tx.conn).optional()?;
    match last {
        None => start(tx, owner, counted, iid),
        Some(last) => {
            raised!(tx, owner, counted, iid.get().max(last));
            Ok(iid)
        }
    }
}

fn start(tx: &mut WriteTx<'_>, owner: Owner, counted: Counted, iid: Iid) -> StoreResult<Iid> {
    let (project, namespace) = match owner {
        Owner::Project(id) => (Some(id.get()), None),
        Owner::Group(id) => (None, Some(id.get())),
    };
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
