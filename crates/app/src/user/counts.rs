//! How much belongs to a user, and how much waits for one.

use tenon_domain::id::UserId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::user::UserAction;
use tenon_storage::issuable::{self, BranchFilter, IssuableFilter, IssuableSet, UsersFilter, VisibleIssuables};
use tenon_storage::todo::{self, TodoFilter};
use tenon_storage::user;

use crate::core::app::Query;
use crate::core::error::AppError;

pub use tenon_storage::user::Associations;

/// How much belongs to a user: to the caller or, for administrators, any.
pub fn associations(query: &mut Query<'_>, id: UserId) -> Result<Associations, AppError> {
    let action = if query.user()?.id == id { UserAction::Read } else { UserAction::Administer };
    let found = query.account(id, action)?;
    let today = query.today();
    Ok(user::associations(&mut query.tx, found.id, today)?)
}

/// The numbers of things that wait for the caller, in projects that are not archived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Workload {
    /// Open issues that are assigned to them.
    pub assigned_issues: i64,
    /// Open merge requests that are assigned to them.
    pub assigned_merge_requests: i64,
    /// Open merge requests that they are to review.
    pub reviews: i64,
    /// Entries of their to-do list.
    pub todos: i64,
}

/// The numbers of things that wait for the caller.
pub fn workload(query: &mut Query<'_>) -> Result<Workload, AppError> {
    let (user, viewer, today) = (query.user()?.id, query.viewer(), query.today());
    let mut all = |kind| VisibleIssuables::resolve(&mut query.tx, kind, viewer, IssuableSet::All, today);
    let (issues, merge_requests) = (all(IssuableKind::Issue)?, all(IssuableKind::MergeRequest)?);
    let assigned = |visible: &VisibleIssuables| IssuableFilter {
        assignee: UsersFilter::All(vec![user]),
        ..IssuableFilter::new(visible.clone(), today)
    };
    let reviewed = IssuableFilter {
        branches: BranchFilter { reviewer: Some(user), ..BranchFilter::default() },
        ..IssuableFilter::new(merge_requests.clone(), today)
    };
    let todos = TodoFilter {
        user,
        visible_issuables: vec![issues.clone(), merge_requests.clone()],
        done: false,
        action: None,
        but: Vec::new(),
        author: None,
        projects: None,
        kind: None,
    };
    Ok(Workload {
        assigned_issues: issuable::count_waiting(&mut query.tx, &assigned(&issues))?,
        assigned_merge_requests: issuable::count_waiting(&mut query.tx, &assigned(&merge_requests))?,
        reviews: issuable::count_waiting(&mut query.tx, &reviewed)?,
        todos: todo::count(&mut query.tx, &todos)?,
    })
}
