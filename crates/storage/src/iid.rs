//! Numbers within a project or group, from a counter that never goes back (specification 2; reference:
//! issues-merge-requests-projects, section 1.8).

use diesel::prelude::*;
use tenon_domain::id::Iid;
use tenon_domain::label::Owner;

use crate::connection::Backend;
use crate::error::StoreResult;
use crate::schema::iid_counters;
use crate::unit_of_work::WriteTx;

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

/// The next number.
pub fn next(tx: &mut WriteTx<'_>, owner: Owner, counted: Counted) -> StoreResult<Iid> {
    let last = last(tx, owner, counted)?;
    set(tx, owner, counted, last, last.unwrap_or(0) + 1)
}

/// A number that somebody asked for: the counter jumps to it where it is behind.
pub fn claim(tx: &mut WriteTx<'_>, owner: Owner, counted: Counted, iid: Iid) -> StoreResult<Iid> {
    let last = last(tx, owner, counted)?;
    set(tx, owner, counted, last, last.unwrap_or(0).max(iid.get()))?;
    Ok(iid)
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

fn last(tx: &mut WriteTx<'_>, owner: Owner, counted: Counted) -> StoreResult<Option<i64>> {
    Ok(of!(owner, counted).select(iid_counters::last_iid).first(tx.conn).optional()?)
}

fn set(tx: &mut WriteTx<'_>, owner: Owner, counted: Counted, last: Option<i64>, iid: i64) -> StoreResult<Iid> {
    let (project, namespace) = match owner {
        Owner::Project(id) => (Some(id.get()), None),
        Owner::Group(id) => (None, Some(id.get())),
    };
    if last.is_some() {
        let rows = iid_counters::table.filter(iid_counters::kind.eq(counted.as_str()));
        match owner {
            Owner::Project(id) => diesel::update(rows.filter(iid_counters::project_id.eq(id.get())))
                .set(iid_counters::last_iid.eq(iid))
                .execute(tx.conn)?,
            Owner::Group(id) => diesel::update(rows.filter(iid_counters::namespace_id.eq(id.get())))
                .set(iid_counters::last_iid.eq(iid))
                .execute(tx.conn)?,
        };
    } else {
        diesel::insert_into(iid_counters::table)
            .values((
                iid_counters::project_id.eq(project),
                iid_counters::namespace_id.eq(namespace),
                iid_counters::kind.eq(counted.as_str()),
                iid_counters::last_iid.eq(iid),
            ))
            .execute(tx.conn)?;
    }
    Ok(Iid::new(iid))
}
