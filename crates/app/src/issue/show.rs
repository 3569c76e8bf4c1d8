//! One issue, and who has to do with it.

use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableAction;
use tenon_storage::issuable::{self, Sender};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;
use crate::shared::issuable::view::{Detail, IssuableView, one, views};

/// The issue of that number.
pub fn show(query: &mut Query<'_>, project: &Reference, iid: Iid) -> Result<IssuableView, AppError> {
    let found = query.issue(project, iid, IssuableAction::Read)?;
    one(query, found.issuable)
}

/// The same with this detail.
pub fn show_with(
    query: &mut Query<'_>,
    project: &Reference,
    iid: Iid,
    detail: Detail,
) -> Result<IssuableView, AppError> {
    let found = query.issue(project, iid, IssuableAction::Read)?;
    views(query, vec![found.issuable], detail)?.pop().ok_or(AppError::NotFound(Missing::Record))
}

/// The address from which an issue was opened; administrators only.
pub fn sender(query: &mut Query<'_>, project: &Reference, iid: Iid) -> Result<Sender, AppError> {
    query.administrators_only()?;
    let found = query.issue(project, iid, IssuableAction::Read)?;
    issuable::sender(&mut query.tx, found.issuable.id)?.ok_or(AppError::NotFound(Missing::Sender))
}
