//! One group.

use tenon_domain::group::GroupAction;

use super::view::{Extras, GroupDetail, detail};
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// A request for one group.
#[derive(Debug, Clone, Copy)]
pub struct ShowGroup {
    /// With its projects.
    pub with_projects: bool,
    /// With custom attributes; administrators only.
    pub with_custom_attributes: bool,
    /// With sizes; administrators only.
    pub statistics: bool,
}

/// The group.
pub fn show(query: &mut Query<'_>, reference: &Reference, request: ShowGroup) -> Result<GroupDetail, AppError> {
    let found = query.group(reference, GroupAction::Read)?;
    let extras = Extras {
        statistics: request.statistics,
        custom_attributes: request.with_custom_attributes,
        for_owner: found.may(GroupAction::Administer),
    };
    detail(query, found.group, request.with_projects, extras)
}
