//! How much belongs to a user.

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::issuable::IssuableKind;

use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{issuables, members, namespaces, projects};

/// How much belongs to a user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Associations {
    /// Groups that the user is a direct member of.
    pub groups: i64,
    /// Projects of the user's own, and those that the user is a direct member of.
    pub projects: i64,
    /// Issues that the user has opened.
    pub issues: i64,
    /// Merge requests that the user has opened.
    pub merge_requests: i64,
}

/// Counts what belongs to a user.
pub fn associations(tx: &mut ReadTx<'_>, user: UserId, today: NaiveDate) -> StoreResult<Associations> {
    let current = || {
        members::table
            .filter(members::user_id.eq(user.get()))
            .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
    };
    let groups = namespaces::table
        .filter(namespaces::id.eq_any(
            current().filter(members::namespace_id.is_not_null()).select(members::namespace_id.assume_not_null()),
        ))
        .filter(namespaces::deleting_at.is_null())
        .count()
        .get_result(tx.conn)?;
    let home = namespaces::table.filter(namespaces::owner_id.eq(user.get())).select(namespaces::id);
    let joined = current().filter(members::project_id.is_not_null()).select(members::project_id.assume_not_null());
    let projects = projects::table
        .filter(projects::namespace_id.eq_any(home).or(projects::id.eq_any(joined)))
        .filter(projects::deleting_at.is_null())
        .count()
        .get_result(tx.conn)?;
    let mut opened = |kind: IssuableKind| {
        issuables::table
            .filter(issuables::author_id.eq(user.get()))
            .filter(issuables::kind.eq(kind.as_str()))
            .filter(issuables::deleted_at.is_null())
            .count()
            .get_result(tx.conn)
    };
    let (issues, merge_requests) = (opened(IssuableKind::Issue)?, opened(IssuableKind::MergeRequest)?);
    Ok(Associations { groups, projects, issues, merge_requests })
}
