//! Lists of issues.

use tenon_domain::id::MilestoneId;
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::keyset::{KeysetPage, KeysetRequest, Listing};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::ISSUES;
use tenon_storage::issuable::{self, IssuableFilter, IssuableOrder, StateCounts};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::container::ContainerReference;
use crate::policy::reference::Reference;
use crate::shared::issuable::list::{ListIssuables, filter};
use crate::shared::issuable::milestones;
use crate::shared::issuable::place::{IssuablePlace, reach};
use crate::shared::issuable::view::{Detail, IssuableView, views};

/// Issues of a place that the caller may see: the page that `request` names, or the part that `keyset` asks for. An order that
/// no index has, and a token of another list, are refused.
pub fn find(
    query: &mut Query<'_>,
    place: &IssuablePlace,
    request: &ListIssuables,
    keyset: Option<&KeysetRequest>,
) -> Result<Listing<IssuableView>, AppError> {
    let Some(keyset) = keyset else { return page_of(query, place, request).map(Listing::Page) };
    let keyset = keyset.of(request.order_by.keyed(), request.descending, IssuableOrder::KEYED)?;
    let Some(filter) = filter_of(query, place, request)? else {
        return Ok(Listing::KeysetPage(KeysetPage::empty()));
    };
    let found = issuable::walk(&mut query.tx, &filter, request.order_by, &keyset)?;
    let items = views(query, found.items, detail(request))?;
    Ok(Listing::KeysetPage(KeysetPage { items, next: found.next }))
}

/// Issues everywhere that the caller may see.
pub fn list(query: &mut Query<'_>, request: &ListIssuables) -> Result<Page<IssuableView>, AppError> {
    page_of(query, &IssuablePlace::Everywhere, request)
}

/// Issues of a group and of what is below it.
pub fn of_group(
    query: &mut Query<'_>,
    group: &Reference,
    request: &ListIssuables,
) -> Result<Page<IssuableView>, AppError> {
    page_of(query, &IssuablePlace::OfGroup(group.clone()), request)
}

/// Issues of a project; none if they are switched off.
pub fn of_project(
    query: &mut Query<'_>,
    project: &Reference,
    request: &ListIssuables,
) -> Result<Page<IssuableView>, AppError> {
    page_of(query, &IssuablePlace::OfProject(project.clone()), request)
}

/// Issues with a milestone, those with the most important labels first.
pub fn of_milestone(
    query: &mut Query<'_>,
    of: &ContainerReference,
    id: MilestoneId,
    page: PageRequest,
    detail: Detail,
) -> Result<Page<IssuableView>, AppError> {
    let milestone = milestones::find(query, of, id)?;
    let filter = milestones::belonging(query, &milestone, IssuableKind::Issue)?;
    let found = issuable::list(&mut query.tx, &filter, IssuableOrder::LabelPriority, false, page)?;
    viewed(query, found, detail)
}

/// How many issues everywhere that the caller may see are open and closed.
pub fn statistics(query: &mut Query<'_>, request: &ListIssuables) -> Result<StateCounts, AppError> {
    counts_of(query, &IssuablePlace::Everywhere, request)
}

/// How many issues of a group and of what is below it are open and closed.
pub fn statistics_of_group(
    query: &mut Query<'_>,
    group: &Reference,
    request: &ListIssuables,
) -> Result<StateCounts, AppError> {
    counts_of(query, &IssuablePlace::OfGroup(group.clone()), request)
}

/// How many issues of a project are open and closed; none if they are switched off.
pub fn statistics_of_project(
    query: &mut Query<'_>,
    project: &Reference,
    request: &ListIssuables,
) -> Result<StateCounts, AppError> {
    counts_of(query, &IssuablePlace::OfProject(project.clone()), request)
}

/// The issues of a place that the caller may see and asks for; `None` if there can be none.
fn filter_of(
    query: &mut Query<'_>,
    place: &IssuablePlace,
    request: &ListIssuables,
) -> Result<Option<IssuableFilter>, AppError> {
    let home = |query: &mut Query<'_>, project: &Reference| {
        let home = query.project(project, ProjectAction::Read)?;
        Ok(home.has(&ISSUES).then_some(home))
    };
    let Some(reach) = reach(query, IssuableKind::Issue, place, home)? else { return Ok(None) };
    filter(query, reach, request)
}

fn counts_of(query: &mut Query<'_>, place: &IssuablePlace, request: &ListIssuables) -> Result<StateCounts, AppError> {
    let Some(filter) = filter_of(query, place, request)? else { return Ok(StateCounts::default()) };
    Ok(issuable::count_by_state(&mut query.tx, &filter)?)
}

fn page_of(
    query: &mut Query<'_>,
    place: &IssuablePlace,
    request: &ListIssuables,
) -> Result<Page<IssuableView>, AppError> {
    let Some(filter) = filter_of(query, place, request)? else { return Ok(Page::empty(request.page)) };
    let found = issuable::list(&mut query.tx, &filter, request.order_by, request.descending, request.page)?;
    viewed(query, found, detail(request))
}

fn detail(request: &ListIssuables) -> Detail {
    Detail { labels: request.with_labels_details, ..Detail::default() }
}

fn viewed(query: &mut Query<'_>, found: Page<Issuable>, detail: Detail) -> Result<Page<IssuableView>, AppError> {
    Ok(Page { items: views(query, found.items, detail)?, total: found.total, request: found.request })
}
