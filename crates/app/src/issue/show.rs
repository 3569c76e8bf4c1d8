//! One issue, and who has to do with it.

use tenon_domain::id::{Iid, UserId};
use tenon_domain::issue::IssueAction;
use tenon_domain::page::{Page, PageRequest};
use tenon_storage::issuable::{self, Sender};
use tenon_storage::user;

use super::view::{IssueView, one};
use crate::access::Reference;
use crate::context::Query;
use crate::error::{AppError, Missing};
use crate::issuable::people;
use crate::user::UserRef;

/// The issue of that number.
pub fn show(query: &mut Query<'_>, project: &Reference, iid: Iid) -> Result<IssueView, AppError> {
    let found = query.issue(project, iid, IssueAction::Read)?;
    one(query, found.issue)
}

/// Everybody who takes part in an issue and may read it (reference, section 3.10).
pub fn participants(
    query: &mut Query<'_>,
    project: &Reference,
    iid: Iid,
    page: PageRequest,
) -> Result<Page<UserRef>, AppError> {
    let found = query.issue(project, iid, IssueAction::Read)?;
    let ids = issuable::participants(&mut query.tx, &found.issue)?;
    let mut accounts = user::by_ids(&mut query.tx, &ids)?;
    let users = ids.iter().filter_map(|id| accounts.remove(id)).collect();
    let readers: Vec<UserId> = people::readers(query, &found, users)?.into_iter().map(|user| user.id).collect();
    let total = i64::try_from(readers.len()).unwrap_or(i64::MAX);
    let wanted = |limit: i64| usize::try_from(limit).unwrap_or(usize::MAX);
    let slice: Vec<UserId> = readers.into_iter().skip(wanted(page.offset())).take(wanted(page.per_page())).collect();
    let refs = people::refs(query, slice.clone())?;
    Ok(Page { items: slice.iter().filter_map(|id| refs.get(id).cloned()).collect(), total, request: page })
}

/// The merge requests that will close an issue: none, while there are no merge requests.
pub fn closed_by(
    query: &mut Query<'_>,
    project: &Reference,
    iid: Iid,
    page: PageRequest,
) -> Result<Page<std::convert::Infallible>, AppError> {
    query.issue(project, iid, IssueAction::Read)?;
    Ok(Page { items: Vec::new(), total: 0, request: page })
}

/// From where an issue was opened; administrators only (reference, section 3.12).
pub fn sender(query: &mut Query<'_>, project: &Reference, iid: Iid) -> Result<Sender, AppError> {
    if !query.is_admin() {
        return Err(AppError::Forbidden);
    }
    let found = query.issue(project, iid, IssueAction::Read)?;
    issuable::sender(&mut query.tx, found.issue.id)?.ok_or(AppError::NotFound(Missing::Named("UserAgentDetail")))
}
