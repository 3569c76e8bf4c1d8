//! Milestones, and which of them a project or group may use.

use std::collections::HashSet;

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::container::Container;
use tenon_domain::id::{Iid, MilestoneId, ProjectId};
use tenon_domain::milestone::{Milestone, MilestoneState};
use tenon_domain::search::Search;

use super::container::container;
use crate::db::connection::Backend;
use crate::db::expressions::{in_ids, in_subquery};
use crate::db::hierarchy::{ancestors, ancestors_of_project};
use crate::db::predicate::{Condition, matches, tested};
use crate::db::row::{Moment, parsed, utc};
use crate::db::tx::ReadTx;
use crate::error::{StoreError, StoreResult};
use crate::schema::{milestones, namespace_closure};

#[derive(Queryable, Selectable)]
#[diesel(table_name = milestones)]
pub(crate) struct MilestoneRow {
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
            container: container("milestones", row.id, row.project_id, row.namespace_id)?,
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

/// Which milestones a list has.
#[derive(Debug, Clone)]
pub struct MilestoneFilter {
    /// Of this project or group.
    pub container: Container,
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
    /// All of `container`'s.
    #[must_use]
    pub const fn of(container: Container) -> Self {
        Self { container, with_ancestors: false, active: None, iids: None, title: None, search: None }
    }

    /// The milestones that can be used in a project: its own, and those of all groups above it.
    #[must_use]
    pub fn usable_in(project: ProjectId) -> Self {
        Self { with_ancestors: true, ..Self::of(Container::Project(project)) }
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

pub(crate) type Query<'a> = milestones::BoxedQuery<'a, Backend>;

/// The milestones that match.
pub(crate) fn filtered(filter: &MilestoneFilter) -> Query<'_> {
    let query = milestones::table.into_boxed::<Backend>();
    let mut query = match (filter.container, filter.with_ancestors) {
        (Container::Project(id), false) => query.filter(milestones::project_id.eq(id.get())),
        (Container::Project(id), true) => {
            let above = ancestors_of_project(id.get());
            query.filter(milestones::project_id.eq(id.get()).or(in_subquery(milestones::namespace_id, above)))
        }
        (Container::Group(id), false) => query.filter(milestones::namespace_id.eq(id.get())),
        (Container::Group(id), true) => {
            let above = ancestors(id.get()).select(namespace_closure::ancestor_id.nullable());
            query.filter(in_subquery(milestones::namespace_id, above))
        }
    };
    query = in_state(query, filter.active);
    if let Some(iids) = &filter.iids {
        query = query.filter(in_ids(milestones::iid, iids, std::convert::identity));
    }
    if let Some(title) = &filter.title {
        query = query.filter(milestones::title.eq(title));
    }
    match filter.search.as_ref().and_then(searched) {
        Some(condition) => query.filter(condition),
        None => query,
    }
}

/// Active ones only, or closed ones only.
pub(crate) fn in_state(query: Query<'_>, active: Option<bool>) -> Query<'_> {
    match active {
        Some(active) => query.filter(milestones::state.eq(if active { "active" } else { "closed" })),
        None => query,
    }
}

/// The condition that title or description match.
pub(crate) fn searched(search: &Search) -> Option<Condition<milestones::table>> {
    matches(search, &[tested!(milestones::title), tested!(milestones::description)])
}

/// Loads the milestones of a query.
pub(crate) fn load(tx: &mut ReadTx<'_>, query: Query<'_>) -> StoreResult<Vec<Milestone>> {
    let rows: Vec<MilestoneRow> = query.select(MilestoneRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}
