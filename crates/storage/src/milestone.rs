//! Milestones of projects and groups.

use std::collections::{HashMap, HashSet};

use chrono::{NaiveDate, NaiveDateTime};
use diesel::dsl::exists;
use diesel::prelude::*;
use tenon_domain::id::{Iid, MilestoneId, NamespaceId, ProjectId};
use tenon_domain::label::Owner;
use tenon_domain::milestone::{Milestone, MilestoneState};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::Search;

use crate::any_of::{any_found, any_of, any_of_many, any_text_of};
use crate::connection::{Backend, on_each};
use crate::error::{StoreError, StoreResult};
use crate::label::owner;
use crate::paging::page;
use crate::predicate::{Condition, matches, tested};
use crate::row::{Moment, naive, parsed, utc};
use crate::schema::{issuables, milestones, namespace_closure, project_features, projects, resource_events};
use crate::unit_of_work::{ReadTx, WriteTx};

#[derive(Queryable, Selectable)]
#[diesel(table_name = milestones)]
struct MilestoneRow {
    id: i64,
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    iid: i64,
    title: String,
    description: String,
    state: String,
    start_date: Option<NaiveDate>,
    due_date: Option<NaiveDate>,
    closed_at: Option<Moment>,
    created_at: Moment,
    updated_at: Moment,
}

impl TryFrom<MilestoneRow> for Milestone {
    type Error = StoreError;

    fn try_from(row: MilestoneRow) -> StoreResult<Self> {
        let state = parsed("milestones", "state", row.id, &row.state, |state| match state {
            "active" => Some(MilestoneState::Active),
            "closed" => Some(MilestoneState::Closed { at: utc(row.closed_at.unwrap_or(row.updated_at)) }),
            _ => None,
        })?;
        Ok(Self {
            id: MilestoneId::new(row.id),
            iid: Iid::new(row.iid),
            owner: owner("milestones", row.id, row.project_id, row.namespace_id)?,
            title: row.title,
            description: row.description,
            state,
            start_date: row.start_date,
            due_date: row.due_date,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

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
        let (project_id, namespace_id) = match milestone.owner {
            Owner::Project(id) => (Some(id.get()), None),
            Owner::Group(id) => (None, Some(id.get())),
        };
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

/// Which milestones a list has.
#[derive(Debug, Clone)]
pub struct MilestoneFilter {
    /// Of this project or group.
    pub owner: Owner,
    /// Those of the groups above as well.
    pub with_ancestors: bool,
    /// Active ones only, or closed ones only.
    pub active: Option<bool>,
    /// With one of these numbers.
    pub iids: Option<Vec<i64>>,
    /// Exactly this title.
    pub title: Option<String>,
    /// Title or description.
    pub search: Option<Search>,
}

impl MilestoneFilter {
    /// All of `owner`'s.
    #[must_use]
    pub const fn of(owner: Owner) -> Self {
        Self { owner, with_ancestors: false, active: None, iids: None, title: None, search: None }
    }

    /// What can be used in a project: its own, and those of all groups above it.
    #[must_use]
    pub fn usable_in(project: ProjectId) -> Self {
        Self { with_ancestors: true, ..Self::of(Owner::Project(project)) }
    }
}

/// The ids of the active milestones that can be used in a project and have begun.
pub(crate) fn begun_in(tx: &mut ReadTx<'_>, project: ProjectId, today: NaiveDate) -> StoreResult<Vec<i64>> {
    let filter = MilestoneFilter { active: Some(true), ..MilestoneFilter::usable_in(project) };
    Ok(filtered(&filter).filter(milestones::start_date.le(today)).select(milestones::id).load(tx.conn)?)
}

/// The ids of the milestones of that title that can be used in a project.
pub(crate) fn titled_in(tx: &mut ReadTx<'_>, project: ProjectId, title: &str) -> StoreResult<Vec<i64>> {
    let filter = MilestoneFilter { title: Some(title.to_owned()), ..MilestoneFilter::usable_in(project) };
    Ok(filtered(&filter).select(milestones::id).load(tx.conn)?)
}

/// The milestones with one of these titles that can be used in a project, by id.
pub fn usable_titled(tx: &mut ReadTx<'_>, project: ProjectId, titles: &[String]) -> StoreResult<Vec<Milestone>> {
    let usable = MilestoneFilter::usable_in(project);
    load(tx, filtered(&usable).filter(any_text_of(milestones::title, titles)).order(milestones::id))
}

/// Those of these ids that can be used in a project, by id.
pub fn usable(tx: &mut ReadTx<'_>, project: ProjectId, ids: &[MilestoneId]) -> StoreResult<Vec<Milestone>> {
    let usable = MilestoneFilter::usable_in(project);
    load(tx, filtered(&usable).filter(any_of(milestones::id, ids, MilestoneId::get)).order(milestones::id))
}

/// Of a project and of each group above it, the active milestone that is due next.
pub(crate) fn due_next_in(tx: &mut ReadTx<'_>, project: ProjectId, today: NaiveDate) -> StoreResult<Vec<i64>> {
    let filter = MilestoneFilter { active: Some(true), ..MilestoneFilter::usable_in(project) };
    let due: Vec<(i64, Option<i64>)> = filtered(&filter)
        .filter(milestones::due_date.gt(today))
        .order((milestones::due_date, milestones::id))
        .select((milestones::id, milestones::namespace_id))
        .load(tx.conn)?;
    let mut seen = HashSet::new();
    Ok(due.into_iter().filter(|(_, group)| seen.insert(*group)).map(|(id, _)| id).collect())
}

type Query<'a> = milestones::BoxedQuery<'a, Backend>;

fn filtered(filter: &MilestoneFilter) -> Query<'_> {
    let query = milestones::table.into_boxed::<Backend>();
    let mut query = match (filter.owner, filter.with_ancestors) {
        (Owner::Project(id), false) => query.filter(milestones::project_id.eq(id.get())),
        (Owner::Project(id), true) => {
            let above = namespace_closure::table
                .inner_join(projects::table.on(projects::namespace_id.eq(namespace_closure::descendant_id)))
                .filter(projects::id.eq(id.get()))
                .select(namespace_closure::ancestor_id.nullable());
            query.filter(milestones::project_id.eq(id.get()).or(any_found(milestones::namespace_id, above)))
        }
        (Owner::Group(id), false) => query.filter(milestones::namespace_id.eq(id.get())),
        (Owner::Group(id), true) => {
            let above = namespace_closure::table
                .filter(namespace_closure::descendant_id.eq(id.get()))
                .select(namespace_closure::ancestor_id.nullable());
            query.filter(any_found(milestones::namespace_id, above))
        }
    };
    if let Some(active) = filter.active {
        query = query.filter(milestones::state.eq(if active { "active" } else { "closed" }));
    }
    if let Some(iids) = &filter.iids {
        query = query.filter(any_of(milestones::iid, iids, std::convert::identity));
    }
    if let Some(title) = &filter.title {
        query = query.filter(milestones::title.eq(title));
    }
    match filter.search.as_ref().and_then(searched) {
        Some(condition) => query.filter(condition),
        None => query,
    }
}

fn searched(search: &Search) -> Option<Condition<milestones::table>> {
    matches(search, &[tested!(milestones::title), tested!(milestones::description)])
}

fn load(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Vec<Milestone>> {
    let rows: Vec<MilestoneRow> = query.select(MilestoneRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// One page of those that match, newest first.
pub fn list(tx: &mut ReadTx<'_>, filter: &MilestoneFilter, request: PageRequest) -> StoreResult<Page<Milestone>> {
    let total = filtered(filter).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        load(tx, filtered(filter).order(milestones::id.desc()).limit(limit).offset(offset))
    })
}

/// The features of a milestone's project, if it has issues or merge requests.
#[diesel::dsl::auto_type(no_type_alias)]
fn tracking() -> _ {
    project_features::table
        .filter(project_features::project_id.nullable().eq(milestones::project_id))
        .filter(project_features::issues_enabled.eq(true).or(project_features::merge_requests_enabled.eq(true)))
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
    let matching = || {
        let query = milestones::table
            .filter(
                milestones::namespace_id
                    .is_not_null()
                    .and(any_of_many(milestones::namespace_id.assume_not_null(), groups, NamespaceId::get))
                    .or(milestones::project_id
                        .is_not_null()
                        .and(any_of_many(milestones::project_id.assume_not_null(), projects, ProjectId::get))
                        .and(exists(tracking()))),
            )
            .into_boxed::<Backend>();
        match searched(search) {
            Some(condition) => query.filter(condition),
            None => query,
        }
    };
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
    let rows: Vec<MilestoneRow> = on_each!(tx.conn, c => milestones::table
        .filter(any_of(milestones::id, ids, MilestoneId::get))
        .select(MilestoneRow::as_select())
        .load(c))?;
    rows.into_iter().map(|row| Milestone::try_from(row).map(|milestone| (milestone.id, milestone))).collect()
}

/// Whether a title is taken in a project, in its groups, or in the projects below a group; `except` may have it.
pub fn title_is_taken(
    tx: &mut ReadTx<'_>,
    owner: Owner,
    title: &str,
    except: Option<MilestoneId>,
) -> StoreResult<bool> {
    let filter = MilestoneFilter { with_ancestors: true, title: Some(title.to_owned()), ..MilestoneFilter::of(owner) };
    let mut holders: Vec<MilestoneId> = all(tx, &filter)?.into_iter().map(|milestone| milestone.id).collect();
    if let Owner::Group(group) = owner {
        holders.extend(namesakes_below(tx, group, title)?);
    }
    Ok(holders.into_iter().any(|id| Some(id) != except))
}

/// The milestones of that title of projects and groups below a group.
pub fn namesakes_below(tx: &mut ReadTx<'_>, group: NamespaceId, title: &str) -> StoreResult<Vec<MilestoneId>> {
    let groups = namespace_closure::table
        .filter(namespace_closure::ancestor_id.eq(group.get()))
        .select(namespace_closure::descendant_id.nullable());
    let below = namespace_closure::table
        .inner_join(projects::table.on(projects::namespace_id.eq(namespace_closure::descendant_id)))
        .filter(namespace_closure::ancestor_id.eq(group.get()))
        .select(projects::id.nullable());
    let found: Vec<i64> = milestones::table
        .filter(milestones::title.eq(title))
        .filter(milestones::project_id.eq_any(below).or(milestones::namespace_id.eq_any(groups)))
        .select(milestones::id)
        .load(tx.conn)?;
    Ok(found.into_iter().map(MilestoneId::new).collect())
}

/// Stores a new one; the id in `milestone` is not looked at. Fails with [`crate::UniqueKey::MilestoneTitle`].
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
    crate::release::merge_milestones(tx, from, into)?;
    delete(tx, from)
}

/// The milestones of groups that a project's issues have although those groups no longer stand above it.
pub fn left_behind(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<Milestone>> {
    let above = namespace_closure::table
        .inner_join(projects::table.on(projects::namespace_id.eq(namespace_closure::descendant_id)))
        .filter(projects::id.eq(project.get()))
        .select(namespace_closure::ancestor_id);
    let had = issuables::table
        .filter(issuables::project_id.eq(project.get()))
        .filter(issuables::milestone_id.is_not_null())
        .select(issuables::milestone_id.assume_not_null());
    let rows: Vec<MilestoneRow> = milestones::table
        .filter(milestones::namespace_id.is_not_null())
        .filter(milestones::namespace_id.assume_not_null().ne_all(above))
        .filter(milestones::id.eq_any(had))
        .order(milestones::id)
        .select(MilestoneRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Puts `into` where `from` stood on a project's issues.
pub fn replace_in(tx: &mut WriteTx<'_>, project: ProjectId, from: MilestoneId, into: MilestoneId) -> StoreResult<()> {
    let having =
        issuables::table.filter(issuables::project_id.eq(project.get())).filter(issuables::milestone_id.eq(from.get()));
    diesel::update(having).set(issuables::milestone_id.eq(into.get())).execute(tx.conn)?;
    Ok(())
}
