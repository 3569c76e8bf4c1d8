//! Lists of merge requests.

use std::collections::HashMap;

use tenon_domain::deployment::DeploymentStatus;
use tenon_domain::id::{DeploymentId, IssuableId, MilestoneId};
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::keyset::{KeysetPage, KeysetRequest, Listing};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_storage::issuable::{self, BranchFilter, IssuableFilter, IssuableOrder, StateFilter};
use tenon_storage::{deployment, merge_request};

use super::view::{MergeRequestView, views};
use crate::core::app::{App, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::container::ContainerReference;
use crate::policy::issuable::visible_issuables;
use crate::policy::reference::Reference;
use crate::shared::issuable::list::{ListIssuables, filter};
use crate::shared::issuable::milestones;
use crate::shared::issuable::place::{IssuablePlace, reach};
use crate::shared::issuable::view::Detail;

/// Merge requests of a place that the caller may see: the page that `request` names, or the part that `keyset` asks for. An
/// order that no index has, and a token of another list, are refused.
pub fn find(
    query: &mut Query<'_>,
    place: &IssuablePlace,
    request: &ListIssuables,
    keyset: Option<&KeysetRequest>,
) -> Result<Listing<MergeRequestView>, AppError> {
    let Some(keyset) = keyset else { return page_of(query, place, request).map(Listing::Page) };
    let keyset = keyset.of(request.order_by.keyed(), request.descending, IssuableOrder::KEYED)?;
    let Some(filter) = filter_of(query, place, request)? else {
        return Ok(Listing::KeysetPage(KeysetPage::empty()));
    };
    let found = issuable::walk(&mut query.tx, &filter, request.order_by, &keyset)?;
    let items = views(query, found.items, detail(request))?;
    Ok(Listing::KeysetPage(KeysetPage { items, next: found.next }))
}

/// Merge requests everywhere that the caller may see.
pub fn list(query: &mut Query<'_>, request: &ListIssuables) -> Result<Page<MergeRequestView>, AppError> {
    page_of(query, &IssuablePlace::Everywhere, request)
}

/// Two lists, as [`list`] makes each. What their rows need is loaded for both at once.
pub fn both(
    query: &mut Query<'_>,
    one: &ListIssuables,
    other: &ListIssuables,
) -> Result<(Page<MergeRequestView>, Page<MergeRequestView>), AppError> {
    let everywhere = &IssuablePlace::Everywhere;
    let (one, other) = (rows(query, everywhere, one)?, rows(query, everywhere, other)?);
    let mut all: Vec<Issuable> = one.items.iter().chain(&other.items).cloned().collect();
    all.sort_unstable_by_key(|found| found.id);
    all.dedup_by_key(|found| found.id);
    let views = views(query, all, Detail::default())?;
    let views: HashMap<IssuableId, MergeRequestView> =
        views.into_iter().map(|view| (view.of.issuable.id, view)).collect();
    let shown = |page: Page<Issuable>| Page {
        items: page.items.iter().filter_map(|found| views.get(&found.id).cloned()).collect(),
        total: page.total,
        request: page.request,
    };
    Ok((shown(one), shown(other)))
}

/// Merge requests of a group and of what is below it.
pub fn of_group(
    query: &mut Query<'_>,
    group: &Reference,
    request: &ListIssuables,
) -> Result<Page<MergeRequestView>, AppError> {
    page_of(query, &IssuablePlace::OfGroup(group.clone()), request)
}

/// Merge requests into a project; forbidden if they are switched off or the code may not be read.
pub fn of_project(
    query: &mut Query<'_>,
    project: &Reference,
    request: &ListIssuables,
) -> Result<Page<MergeRequestView>, AppError> {
    page_of(query, &IssuablePlace::OfProject(project.clone()), request)
}

/// The newest merge request out of each of these branches of a project into the project itself, of those that have one.
/// Forbidden if merge requests are switched off or the code may not be read.
pub fn of_branches(
    query: &mut Query<'_>,
    project: &Reference,
    branches: &[String],
) -> Result<HashMap<String, Issuable>, AppError> {
    let home = query.merge_request_home(project)?;
    Ok(merge_request::newest_of_branches(&mut query.tx, home.project.id, branches)?)
}

/// Merge requests with a milestone, those with the most important labels first.
pub fn of_milestone(
    query: &mut Query<'_>,
    of: &ContainerReference,
    id: MilestoneId,
    page: PageRequest,
    detail: Detail,
) -> Result<Page<MergeRequestView>, AppError> {
    let milestone = milestones::find(query, of, id)?;
    let filter = milestones::belonging(query, &milestone, IssuableKind::MergeRequest)?;
    let found = issuable::list(&mut query.tx, &filter, IssuableOrder::LabelPriority, false, page)?;
    viewed(query, found, detail)
}

/// Merge requests of a project that bring a commit, or whose merge has made it, newest first.
pub async fn of_commit(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    page: PageRequest,
) -> Result<Page<MergeRequestView>, AppError> {
    let reference = project.clone();
    let code = app
        .read(identity, move |query| {
            query.merge_request_home(&reference)?;
            query.code(&reference, ProjectAction::ReadCode)
        })
        .await?;
    // Takes as long as there are merge requests and commits.
    let (commit, offering) = app
        .on_git_long(move || {
            let commit = code.commit_or(Some(&revision), Missing::Commit)?;
            Ok((commit, code.repository.merge_requests_containing(commit)?))
        })
        .await?;
    app.read(identity, move |query| {
        let home = query.merge_request_home(&project)?;
        let id = home.project.id;
        let mut iids: Vec<i64> = merge_request::compared_with(&mut query.tx, id, &offering.iids)?
            .into_iter()
            .filter(|(_, with)| {
                !with.as_deref().is_some_and(|oid| oid.parse().is_ok_and(|oid| offering.kept.contains(&oid)))
            })
            .map(|(iid, _)| iid.get())
            .collect();
        let made = merge_request::merged_by(&mut query.tx, id, &commit.to_string())?;
        iids.extend(made.into_iter().map(|(iid, _)| iid.get()));
        let (reach, today) = (visible_issuables(IssuableKind::MergeRequest, &home), query.today());
        let filter = IssuableFilter { iids: Some(iids), ..IssuableFilter::new(reach, today) };
        let found = issuable::list(&mut query.tx, &filter, IssuableOrder::CreatedAt, true, page)?;
        viewed(query, found, Detail::default())
    })
    .await
}

/// The merge requests of a project that a successful deployment was the first to bring to its environment: those merged into
/// its branch between the beginning of the successful deployment before it and its own. None of a deployment of a tag, or one
/// without success.
pub fn of_deployment(
    query: &mut Query<'_>,
    project: &Reference,
    id: DeploymentId,
    page: PageRequest,
) -> Result<Page<MergeRequestView>, AppError> {
    let found = query.project(project, ProjectAction::ReadEnvironments)?.project.id;
    let of = deployment::find(&mut query.tx, found, id)?.ok_or(AppError::NotFound(Missing::Record))?;
    let home = query.merge_request_home(project)?;
    if of.status != DeploymentStatus::Success || of.tag {
        return Ok(Page::empty(page));
    }
    let before = deployment::last_success(&mut query.tx, found, of.environment, Some(of.id))?;
    let (reach, today) = (visible_issuables(IssuableKind::MergeRequest, &home), query.today());
    let filter = IssuableFilter {
        state: Some(StateFilter::Merged),
        branches: BranchFilter {
            target: Some(of.ref_name),
            merged_after: before.map(|before| before.created_at),
            merged_before: Some(of.created_at),
            ..BranchFilter::default()
        },
        ..IssuableFilter::new(reach, today)
    };
    let found = issuable::list(&mut query.tx, &filter, IssuableOrder::CreatedAt, true, page)?;
    viewed(query, found, Detail::default())
}

/// The merge requests of a place that the caller may see and asks for; `None` if there can be none.
fn filter_of(
    query: &mut Query<'_>,
    place: &IssuablePlace,
    request: &ListIssuables,
) -> Result<Option<IssuableFilter>, AppError> {
    let home = |query: &mut Query<'_>, project: &Reference| query.merge_request_home(project).map(Some);
    let Some(reach) = reach(query, IssuableKind::MergeRequest, place, home)? else { return Ok(None) };
    match place {
        IssuablePlace::OfProject(_) => filter(query, reach, request),
        // Numbers are those of one project.
        IssuablePlace::Everywhere | IssuablePlace::OfGroup(_) => {
            filter(query, reach, &ListIssuables { iids: None, ..request.clone() })
        }
    }
}

fn rows(query: &mut Query<'_>, place: &IssuablePlace, request: &ListIssuables) -> Result<Page<Issuable>, AppError> {
    let Some(filter) = filter_of(query, place, request)? else { return Ok(Page::empty(request.page)) };
    Ok(issuable::list(&mut query.tx, &filter, request.order_by, request.descending, request.page)?)
}

fn page_of(
    query: &mut Query<'_>,
    place: &IssuablePlace,
    request: &ListIssuables,
) -> Result<Page<MergeRequestView>, AppError> {
    let found = rows(query, place, request)?;
    viewed(query, found, detail(request))
}

fn detail(request: &ListIssuables) -> Detail {
    Detail { labels: request.with_labels_details, ..Detail::default() }
}

pub(super) fn viewed(
    query: &mut Query<'_>,
    found: Page<Issuable>,
    detail: Detail,
) -> Result<Page<MergeRequestView>, AppError> {
    Ok(Page { items: views(query, found.items, detail)?, total: found.total, request: found.request })
}
