//! Milestones with what answers show of them.

use tenon_domain::access::AccessLevel;
use tenon_domain::group::GroupAction;
use tenon_domain::id::MilestoneId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::search::Search;
use tenon_storage::access::Membership;
use tenon_storage::milestone::{self, MilestoneFilter};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::shared::issuable::milestones::{MilestoneView, find, one, views};

/// A request for milestones.
#[derive(Debug, Clone, Default)]
pub struct ListMilestones {
    /// Active ones only, or closed ones only.
    pub active: Option<bool>,
    /// With one of these numbers.
    pub iids: Option<Vec<i64>>,
    /// Exactly this title.
    pub title: Option<String>,
    /// Title or description.
    pub search: Option<String>,
    /// Those of the groups above as well.
    pub include_ancestors: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The milestones of a project or group, newest first.
pub fn list(
    query: &mut Query<'_>,
    of: &ContainerReference,
    request: ListMilestones,
) -> Result<Page<MilestoneView>, AppError> {
    let home = AuthorizedContainer::find(query, of, ProjectAction::ReadPlanning, GroupAction::Read)?;
    let filter = MilestoneFilter {
        with_ancestors: request.include_ancestors,
        active: request.active,
        iids: request.iids,
        title: request.title,
        search: request.search.as_deref().and_then(Search::parse),
        ..MilestoneFilter::of(home.container())
    };
    let found = milestone::list(&mut query.tx, &filter, request.page)?;
    Ok(Page { items: views(query, found.items)?, total: found.total, request: found.request })
}

/// The milestones of the groups and projects whose member the caller is, those of archived projects aside, newest first:
/// active ones only, or closed ones only.
pub fn list_of_caller(
    query: &mut Query<'_>,
    active: Option<bool>,
    page: PageRequest,
) -> Result<Page<MilestoneView>, AppError> {
    let membership = Membership { user: query.user()?.id, at_least: AccessLevel::Guest, today: query.today() };
    let found = milestone::of_member(&mut query.tx, membership, active, page)?;
    Ok(Page { items: views(query, found.items)?, total: found.total, request: found.request })
}

/// One milestone.
pub fn show(query: &mut Query<'_>, of: &ContainerReference, id: MilestoneId) -> Result<MilestoneView, AppError> {
    let found = find(query, of, id)?;
    one(query, found)
}
