//! Milestones of projects and groups.

use std::collections::HashMap;

use chrono::{NaiveDate, NaiveDateTime};
use diesel::dsl::exists;
use diesel::prelude::*;
use tenon_domain::container::Container;
use tenon_domain::id::{MilestoneId, NamespaceId, ProjectId};
use tenon_domain::milestone::Milestone;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::FeatureLevel;
use tenon_domain::search::Search;

use crate::db::expressions::{in_ids, in_ids_large, in_texts};
use crate::db::hierarchy::{ancestors_of_project, descendants, projects_within};
use crate::db::paging::page;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::rows::container::columns;
pub use crate::rows::milestone::MilestoneFilter;
use crate::rows::milestone::{MilestoneRow, Query as Filtered, filtered, in_state, load, searched};
use crate::schema::{
    issuables, milestones, namespace_closure, namespaces, project_features, projects, release_milestones,
    resource_events,
};

use crate::visibility::projects::{Membership, VisibleProjects};

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = milestones, treat_none_as_null = true)]
struct MilestoneColumns<'a> {
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    iid: i64,
    title: &'a str,
    description: &'a str,
    state: &'a str,
    start_date: Option<NaiveDate>,
    due_date: Option<NaiveDate>,
    closed_at: Option<NaiveDateTime>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a Milestone> for MilestoneColumns<'a> {
    fn from(milestone: &'a Milestone) -> Self {
        let (project_id, namespace_id) = columns(milestone.container);
        Self {
            project_id,
            namespace_id,
            iid: milestone.iid.get(),
            title: &milestone.title,
            description: &milestone.description,
            state: milestone.state.as_str(),
            start_date: milestone.start_date,
            due_date: milestone.due_date,
            closed_at: milestone.state.closed_at().map(naive),
            created_at: naive(milestone.created_at),
            updated_at: naive(milestone.updated_at),
        }
    }
}

/// The milestones with one of these titles that can be used in a project, by id.
pub fn usable_titled(tx: &mut ReadTx<'_>, project: ProjectId, titles: &[String]) -> StoreResult<Vec<Milestone>> {
    let usable = MilestoneFilter::usable_in(project);
    load(tx, filtered(&usable).filter(in_texts(milestones::title, titles)).order(milestones::id))
}

/// Those of these ids that can be used in a project, by id.
pub fn usable(tx: &mut ReadTx<'_>, project: ProjectId, ids: &[MilestoneId]) -> StoreResult<Vec<Milestone>> {
    let usable = MilestoneFilter::usable_in(project);
    load(tx, filtered(&usable).filter(in_ids(milestones::id, ids, MilestoneId::get)).order(milestones::id))
}

/// One page of those that match, newest first.
pub fn list(tx: &mut ReadTx<'_>, filter: &MilestoneFilter, request: PageRequest) -> StoreResult<Page<Milestone>> {
    newest_first(tx, || filtered(filter), request)
}

/// The features of a milestone's project, if it has issues or merge requests.
#[diesel::dsl::auto_type(no_type_alias)]
fn tracking() -> _ {
    let disabled: &'static str = FeatureLevel::Disabled.as_str();
    project_features::table.filter(project_features::project_id.nullable().eq(milestones::project_id)).filter(
        project_features::issues_access_level.ne(disabled).or(project_features::merge_requests_access_level
            .ne(disabled)
            .and(project_features::repository_access_level.ne(disabled))),
    )
}

/// The milestones of these groups and projects; those of projects without issues and merge requests are left out.
fn of_containers<'a>(groups: &[NamespaceId], projects: &[ProjectId]) -> Filtered<'a> {
    milestones::table
        .filter(
            milestones::namespace_id
                .is_not_null()
                .and(in_ids_large(milestones::namespace_id.assume_not_null(), groups, NamespaceId::get))
                .or(milestones::project_id
                    .is_not_null()
                    .and(in_ids_large(milestones::project_id.assume_not_null(), projects, ProjectId::get))
                    .and(exists(tracking()))),
        )
        .into_boxed()
}

/// One page of the milestones of these groups and projects that match a search, newest first; those of projects without
/// issues and merge requests are left out.
pub fn search(
    tx: &mut ReadTx<'_>,
    groups: &[NamespaceId],
    projects: &[ProjectId],
    search: &Search,
    request: PageRequest,
) -> StoreResult<Page<Milestone>> {
    let matching = || match searched(search) {
        Some(condition) => of_containers(groups, projects).filter(condition),
        None => of_containers(groups, projects),
    };
    newest_first(tx, matching, request)
}

/// One page of the milestones of the groups and projects that a membership opens, newest first: active ones only, or closed
/// ones only. Those of archived projects, and of projects without issues and merge requests, are left out.
pub fn of_member(
    tx: &mut ReadTx<'_>,
    membership: Membership,
    active: Option<bool>,
    request: PageRequest,
) -> StoreResult<Page<Milestone>> {
    let opened = VisibleProjects::resolve(tx, membership)?;
    let groups: Vec<i64> = namespaces::table
        .filter(opened.namespaces())
        .filter(namespaces::deleting_at.is_null())
        .select(namespaces::id)
        .load(tx.conn)?;
    let projects: Vec<i64> = projects::table
        .filter(opened.projects())
        .filter(projects::deleting_at.is_null())
        .filter(projects::archived.eq(false))
        .select(projects::id)
        .load(tx.conn)?;
    let groups: Vec<NamespaceId> = groups.into_iter().map(NamespaceId::new).collect();
    let projects: Vec<ProjectId> = projects.into_iter().map(ProjectId::new).collect();
    newest_first(tx, || in_state(of_containers(&groups, &projects), active), request)
}

fn newest_first<'a>(
    tx: &mut ReadTx<'_>,
    matching: impl Fn() -> Filtered<'a>,
    request: PageRequest,
) -> StoreResult<Page<Milestone>> {
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| load(tx, matching().order(milestones::id.desc()).limit(limit).offset(offset)))
}

/// The one of that id, if it matches.
pub fn find(tx: &mut ReadTx<'_>, filter: &MilestoneFilter, id: MilestoneId) -> StoreResult<Option<Milestone>> {
    Ok(load(tx, filtered(filter).filter(milestones::id.eq(id.get())))?.pop())
}

/// All that match, newest first; for the few of one title.
pub fn all(tx: &mut ReadTx<'_>, filter: &MilestoneFilter) -> StoreResult<Vec<Milestone>> {
    load(tx, filtered(filter).order(milestones::id.desc()))
}

/// Those of these ids.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[MilestoneId]) -> StoreResult<HashMap<MilestoneId, Milestone>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<MilestoneRow> = milestones::table
        .filter(in_ids(milestones::id, ids, MilestoneId::get))
        .select(MilestoneRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(|row| Milestone::try_from(row).map(|milestone| (milestone.id, milestone))).collect()
}

/// True if a title exists in a project, in its groups, or in the projects below a group; `except` may have it.
pub fn title_is_taken(
    tx: &mut ReadTx<'_>,
    container: Container,
    title: &str,
    except: Option<MilestoneId>,
) -> StoreResult<bool> {
    let filter =
        MilestoneFilter { with_ancestors: true, title: Some(title.to_owned()), ..MilestoneFilter::of(container) };
    let mut holders: Vec<MilestoneId> = all(tx, &filter)?.into_iter().map(|milestone| milestone.id).collect();
    if let Container::Group(group) = container {
        holders.extend(namesakes_below(tx, group, title)?);
    }
    Ok(holders.into_iter().any(|id| Some(id) != except))
}

/// The milestones of that title of projects and groups below a group.
pub fn namesakes_below(tx: &mut ReadTx<'_>, group: NamespaceId, title: &str) -> StoreResult<Vec<MilestoneId>> {
    let groups = descendants(group.get()).select(namespace_closure::descendant_id.nullable());
    let below = projects_within(group.get());
    let found: Vec<i64> = milestones::table
        .filter(milestones::title.eq(title))
        .filter(milestones::project_id.eq_any(below).or(milestones::namespace_id.eq_any(groups)))
        .select(milestones::id)
        .load(tx.conn)?;
    Ok(found.into_iter().map(MilestoneId::new).collect())
}

/// How many milestones a project or group has of its own.
pub fn count(tx: &mut ReadTx<'_>, container: Container) -> StoreResult<i64> {
    Ok(match container {
        Container::Project(id) => {
            milestones::table.filter(milestones::project_id.eq(id.get())).count().get_result(tx.conn)?
        }
        Container::Group(id) => {
            milestones::table.filter(milestones::namespace_id.eq(id.get())).count().get_result(tx.conn)?
        }
    })
}

/// Stores a new one; the id in `milestone` is ignored. Fails with [`crate::UniqueKey::MilestoneTitle`].
pub fn insert(tx: &mut WriteTx<'_>, milestone: &Milestone) -> StoreResult<MilestoneId> {
    let id = diesel::insert_into(milestones::table)
        .values(MilestoneColumns::from(milestone))
        .returning(milestones::id)
        .get_result(tx.conn)?;
    Ok(MilestoneId::new(id))
}

/// Stores it as it now is. Fails with [`crate::UniqueKey::MilestoneTitle`].
pub fn update(tx: &mut WriteTx<'_>, milestone: &Milestone) -> StoreResult<()> {
    diesel::update(milestones::table.find(milestone.id.get()))
        .set(MilestoneColumns::from(milestone))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes it; what had it has none.
pub fn delete(tx: &mut WriteTx<'_>, id: MilestoneId) -> StoreResult<()> {
    diesel::delete(milestones::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// Puts `into` wherever `from` stood, and removes `from`.
pub fn merge(tx: &mut WriteTx<'_>, from: MilestoneId, into: MilestoneId) -> StoreResult<()> {
    diesel::update(issuables::table.filter(issuables::milestone_id.eq(from.get())))
        .set(issuables::milestone_id.eq(into.get()))
        .execute(tx.conn)?;
    diesel::update(resource_events::table.filter(resource_events::milestone_id.eq(from.get())))
        .set(resource_events::milestone_id.eq(into.get()))
        .execute(tx.conn)?;
    merge_in_releases(tx, from, into)?;
    delete(tx, from)
}

/// As [`merge`], in releases. A release that has both keeps both until `from` is removed.
fn merge_in_releases(tx: &mut WriteTx<'_>, from: MilestoneId, into: MilestoneId) -> StoreResult<()> {
    let having =
        |milestone: MilestoneId| release_milestones::table.filter(release_milestones::milestone_id.eq(milestone.get()));
    let columns = (release_milestones::project_id, release_milestones::tag_name);
    let replaced: Vec<(i64, String)> = having(from).select(columns).load(tx.conn)?;
    let present: Vec<(i64, String)> = having(into).select(columns).load(tx.conn)?;
    for (project, tag) in replaced.into_iter().filter(|release| !present.contains(release)) {
        diesel::update(release_milestones::table.find((project, tag, from.get())))
            .set(release_milestones::milestone_id.eq(into.get()))
            .execute(tx.conn)?;
    }
    Ok(())
}

/// The milestones of groups that a project's issues have although those groups no longer stand above it.
pub fn left_behind(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<Milestone>> {
    let had = issuables::table
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::milestone_id.is_not_null())
        .select(issuables::milestone_id.assume_not_null());
    let rows: Vec<MilestoneRow> = milestones::table
        .filter(milestones::namespace_id.is_not_null())
        .filter(milestones::namespace_id.ne_all(ancestors_of_project(project.get())))
        .filter(milestones::id.eq_any(had))
        .order(milestones::id)
        .select(MilestoneRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Puts `into` in the place of `from` on a project's issues.
pub fn replace_in(tx: &mut WriteTx<'_>, project: ProjectId, from: MilestoneId, into: MilestoneId) -> StoreResult<()> {
    let having =
        issuables::table.filter(issuables::project_id.eq(project.get())).filter(issuables::milestone_id.eq(from.get()));
    diesel::update(having).set(issuables::milestone_id.eq(into.get())).execute(tx.conn)?;
    Ok(())
}
