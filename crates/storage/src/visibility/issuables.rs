//! Which issues and merge requests a viewer may read: the SQL form of the abilities to read them
//! (`tenon_domain::tracker::decide`).

use std::collections::HashSet;

use chrono::NaiveDate;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::Bool;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;

use super::feature::{has_feature_among, is_for_members, lacks_feature};
use super::filter::{open_to, visible_projects};
use super::projects::{Membership, VisibleProjects};
use crate::cache::access_cache::{CacheKey, Weight};
use crate::db::connection::Backend;
use crate::db::expressions::{IdList, in_id_list, in_ids, in_subquery};
use crate::db::hierarchy::descendants;
use crate::db::predicate::Condition;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{issuable_assignees, issuable_counts, issuables, label_counts, projects};

// Issues and merge requests a second time, for a query that has them already.
diesel::alias!(
    const OPENED: Alias<Opened> = issuables as opened;
);

/// The issues and merge requests to which a user is assigned.
#[diesel::dsl::auto_type(no_type_alias)]
fn assigned(user: i64) -> _ {
    issuable_assignees::table.filter(issuable_assignees::user_id.eq(user)).select(issuable_assignees::issuable_id)
}

/// The issues from which a list is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IssuableSet {
    /// Everywhere.
    All,
    /// In this group or below it.
    Below(NamespaceId),
}

/// The issues, or the merge requests, that a viewer may read, as sets of projects. It is resolved once for a request, and
/// used for the total and the page of a list alike.
#[derive(Debug, Clone)]
pub struct VisibleIssuables {
    kind: IssuableKind,
    /// The projects in which the viewer may read some of them.
    projects: Projects,
    /// Of these, the ones in which the viewer may read all of them: also confidential issues; merge requests at all.
    full: Projects,
    /// The user who may read their own ones in `projects`.
    own: Option<UserId>,
}

#[derive(Debug, Clone)]
enum Projects {
    All,
    AllBut(IdList),
    Only(IdList),
    One(i64),
}

/// `$column` holds one of `$projects`; `None` if every row does.
macro_rules! within {
    ($projects:expr, $column:expr) => {{
        let condition: Option<Condition<_>> = match $projects {
            Projects::All => None,
            Projects::AllBut(ids) if ids.as_slice().is_empty() => None,
            Projects::AllBut(ids) => Some(Box::new(diesel::dsl::not(in_id_list($column, ids)))),
            Projects::Only(ids) => Some(Box::new(in_id_list($column, ids))),
            Projects::One(id) => Some(Box::new($column.eq(*id))),
        };
        condition
    }};
}

impl Projects {
    fn contains(&self, id: i64) -> bool {
        match self {
            Self::All => true,
            Self::AllBut(others) => !others.contains(id),
            Self::Only(ids) => ids.contains(id),
            Self::One(one) => *one == id,
        }
    }

    /// Those of these projects that are among them.
    fn among(&self, ids: &[ProjectId]) -> Vec<i64> {
        ids.iter().map(|id| id.get()).filter(|id| self.contains(*id)).collect()
    }

    fn weight(&self) -> usize {
        match self {
            Self::AllBut(ids) | Self::Only(ids) => ids.as_slice().len(),
            Self::All | Self::One(_) => 0,
        }
    }
}

impl Weight for VisibleIssuables {
    fn weight(&self) -> usize {
        self.projects.weight() + self.full.weight()
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct VisibleIssuablesOf(IssuableKind, Viewer, IssuableSet);

impl CacheKey for VisibleIssuablesOf {
    type Answer = VisibleIssuables;
}

/// Two conditions on the counters `T`: in one of the projects, and in one of which all can be read.
type InProjectsAndFull<T> = (Option<Condition<T>>, Option<Condition<T>>);

impl VisibleIssuables {
    /// Those of one project that the viewer can see; `full` if they may read its confidential issues, or its merge
    /// requests.
    #[must_use]
    pub fn of_project(kind: IssuableKind, project: ProjectId, full: bool, viewer: Viewer) -> Self {
        Self {
            kind,
            projects: Projects::One(project.get()),
            full: if full { Projects::All } else { Projects::Only(IdList::new(Vec::new())) },
            own: viewer.user(),
        }
    }

    /// None at all.
    #[must_use]
    pub fn none(kind: IssuableKind) -> Self {
        Self { kind, projects: Projects::Only(IdList::new(Vec::new())), full: Projects::All, own: None }
    }

    /// Those of `set` that `viewer` may read on this day.
    pub fn resolve(
        tx: &mut ReadTx<'_>,
        kind: IssuableKind,
        viewer: Viewer,
        set: IssuableSet,
        today: NaiveDate,
    ) -> StoreResult<Self> {
        let compute = |tx: &mut ReadTx<'_>| match set {
            IssuableSet::All if viewer.is_admin() => Self::of_administrator(tx, kind),
            IssuableSet::All => Self::compute(tx, kind, viewer, existing_projects(), today),
            IssuableSet::Below(group) => Self::compute(tx, kind, viewer, projects_below(group), today),
        };
        // A copy shares the lists.
        Ok(Self::clone(&*tx.cached(VisibleIssuablesOf(kind, viewer, set), Some(today), compute)?))
    }

    /// Those of these projects that `viewer` may read on this day. For few projects.
    pub(crate) fn resolve_in(
        tx: &mut ReadTx<'_>,
        kind: IssuableKind,
        viewer: Viewer,
        ids: &[i64],
        today: NaiveDate,
    ) -> StoreResult<Self> {
        let these = existing_projects().filter(in_ids(projects::id, ids, std::convert::identity));
        Self::compute(tx, kind, viewer, these, today)
    }

    fn of_administrator(tx: &mut ReadTx<'_>, kind: IssuableKind) -> StoreResult<Self> {
        let without: Vec<i64> = projects::table
            .filter(projects::deleting_at.is_not_null().or(lacks_feature(kind)))
            .select(projects::id)
            .load(tx.conn)?;
        Ok(Self { kind, projects: Projects::AllBut(IdList::new(without)), full: Projects::All, own: None })
    }

    fn compute(
        tx: &mut ReadTx<'_>,
        kind: IssuableKind,
        viewer: Viewer,
        among: projects::BoxedQuery<'_, Backend>,
        today: NaiveDate,
    ) -> StoreResult<Self> {
        let seen = visible_projects(tx, viewer, today)?;
        let mut visible = among.filter(has_feature_among(kind, &seen));
        if let Some(condition) = seen.condition() {
            visible = visible.filter(condition);
        }
        let for_everybody = || diesel::dsl::not(is_for_members(kind));
        // A viewer who sees a project by its visibility alone reads its code, and with it its merge requests.
        let open_code: Condition<projects::table> = match kind {
            IssuableKind::Issue => Box::new(false.into_sql::<Bool>()),
            IssuableKind::MergeRequest => Box::new(open_to!(projects::visibility, viewer).and(for_everybody())),
        };
        let full: Condition<projects::table> = match viewer {
            Viewer::Anonymous => open_code,
            Viewer::User { admin: true, .. } => Box::new(true.into_sql::<Bool>()),
            Viewer::User { id, .. } => {
                let membership = Membership { user: id, at_least: AccessLevel::Reporter, today };
                Box::new(open_code.or(VisibleProjects::resolve(tx, membership)?.projects()))
            }
        };
        let found: Vec<(i64, bool)> = visible.select((projects::id, full)).load(tx.conn)?;
        let full: Vec<i64> = found.iter().filter(|(_, full)| *full).map(|(id, _)| *id).collect();
        // A condition that every row fulfils is left out.
        let full = if full.len() == found.len() { Projects::All } else { Projects::Only(IdList::new(full)) };
        let projects = Projects::Only(IdList::new(found.into_iter().map(|(id, _)| id).collect()));
        Ok(Self { kind, projects, full, own: viewer.user() })
    }

    /// The project, if there is only one.
    pub(crate) const fn project(&self) -> Option<i64> {
        match self.projects {
            Projects::One(id) => Some(id),
            Projects::All | Projects::AllBut(_) | Projects::Only(_) => None,
        }
    }

    /// In one of the projects.
    pub(crate) fn in_projects(&self) -> Option<Condition<issuables::table>> {
        within!(&self.projects, issuables::project_id)
    }

    /// The same, evaluated for each row: under an "or" it is neither searched for in an index nor made into a join.
    pub(crate) fn in_projects_by_row(&self) -> Option<Condition<issuables::table>> {
        let in_projects = self.in_projects()?;
        Some(Box::new(in_projects.or(false.into_sql::<Bool>())))
    }

    /// True if all that there is in its one project can be read.
    pub(crate) const fn is_all_of_a_project(&self) -> bool {
        matches!((&self.projects, &self.full), (Projects::One(_), Projects::All))
    }

    /// Not confidential, or readable for the viewer all the same.
    pub(crate) fn readable(&self) -> Option<Condition<issuables::table>> {
        self.readable_or(self.own_by_id())
    }

    fn readable_or(&self, own: Option<Condition<issuables::table>>) -> Option<Condition<issuables::table>> {
        let full = match &self.full {
            Projects::All => return None,
            others => within!(others, issuables::project_id),
        };
        // An issue that is not confidential is open to all who see its project; a merge request is not.
        let open: Condition<issuables::table> = match self.kind {
            IssuableKind::Issue => Box::new(issuables::confidential.eq(false)),
            IssuableKind::MergeRequest => Box::new(false.into_sql::<Bool>()),
        };
        let open = match full {
            Some(full) => Box::new(open.or(full)),
            None => open,
        };
        Some(match own {
            Some(own) => Box::new(open.or(own)),
            None => open,
        })
    }

    /// The viewer's own ones that may be readable for that reason alone, which [`Self::reads_only_own_in`] decides for
    /// each project. `None` if everything is readable anyway.
    pub(crate) fn own_only(&self) -> Option<Condition<issuables::table>> {
        if matches!(self.full, Projects::All) {
            return None;
        }
        let own = self.own_to_start_from()?;
        let own: Condition<issuables::table> = match self.kind {
            IssuableKind::Issue => Box::new(own.and(issuables::confidential.eq(true))),
            IssuableKind::MergeRequest => own,
        };
        // For one project, those of others are not counted.
        Some(match &self.projects {
            Projects::One(id) => Box::new(own.and(issuables::project_id.eq(*id))),
            Projects::All | Projects::AllBut(_) | Projects::Only(_) => own,
        })
    }

    /// True if of the confidential issues, or the merge requests, of this project the viewer may read only their own.
    pub(crate) fn reads_only_own_in(&self, project: i64) -> bool {
        self.projects.contains(project) && !self.full.contains(project)
    }

    /// Those that the viewer opened or is assigned to, as a condition on each row of a list: on the id alone, which is in
    /// every index, so that no row is read for it.
    fn own_by_id(&self) -> Option<Condition<issuables::table>> {
        let user = self.own?.get();
        let opened = OPENED.filter(OPENED.field(issuables::author_id).eq(user)).select(OPENED.field(issuables::id));
        Some(Box::new(issuables::id.eq_any(opened).or(issuables::id.eq_any(assigned(user)))))
    }

    /// The same for rows that are read anyway.
    fn own_by_row(&self) -> Option<Condition<issuables::table>> {
        let user = self.own?.get();
        Some(Box::new(issuables::author_id.eq(user).or(issuables::id.eq_any(assigned(user)))))
    }

    /// The same for a statement that starts from them.
    fn own_to_start_from(&self) -> Option<Condition<issuables::table>> {
        let user = self.own?.get();
        Some(Box::new(issuables::author_id.eq(user).or(in_subquery(issuables::id, assigned(user)))))
    }

    /// True if one that is not confidential is open to all who see its project.
    pub(crate) const fn is_open_by_default(&self) -> bool {
        matches!(self.kind, IssuableKind::Issue)
    }

    /// Issues or merge requests.
    pub(crate) const fn kind(&self) -> IssuableKind {
        self.kind
    }

    /// Which counters make a total: those in these projects, and those of confidential issues, or of merge requests, in
    /// these. `None`: everywhere.
    pub(crate) fn for_counts(&self) -> InProjectsAndFull<issuable_counts::table> {
        let column = issuable_counts::project_id;
        (within!(&self.projects, column), within!(&self.full, column))
    }

    /// The same of the counters of labels.
    pub(crate) fn for_label_counts(&self) -> InProjectsAndFull<label_counts::table> {
        let column = label_counts::project_id;
        (within!(&self.projects, column), within!(&self.full, column))
    }

    /// Those of these projects in which the viewer may read some.
    #[must_use]
    pub fn projects_among(&self, ids: &[ProjectId]) -> Vec<i64> {
        self.projects.among(ids)
    }

    /// The same in none but these projects.
    fn restricted_to(&self, ids: &[ProjectId]) -> Self {
        Self {
            kind: self.kind,
            projects: Projects::Only(IdList::new(self.projects.among(ids))),
            full: match &self.full {
                Projects::All => Projects::All,
                others => Projects::Only(IdList::new(others.among(ids))),
            },
            own: self.own,
        }
    }

    /// True if nothing can be found.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.projects, Projects::Only(ids) if ids.as_slice().is_empty())
    }
}

fn existing_projects<'a>() -> projects::BoxedQuery<'a, Backend> {
    projects::table.filter(projects::deleting_at.is_null()).into_boxed::<Backend>()
}

fn projects_below<'a>(group: NamespaceId) -> projects::BoxedQuery<'a, Backend> {
    existing_projects().filter(projects::namespace_id.eq_any(descendants(group.get())))
}

/// Those of these that `visible` has.
pub fn visible_of(
    tx: &mut ReadTx<'_>,
    visible: &VisibleIssuables,
    ids: &[IssuableId],
) -> StoreResult<HashSet<IssuableId>> {
    if ids.is_empty() || visible.is_empty() {
        return Ok(HashSet::new());
    }
    let mut query = issuables::table
        .filter(in_ids(issuables::id, ids, IssuableId::get))
        .filter(issuables::kind.eq(visible.kind.as_str()))
        .filter(issuables::deleted_at.is_null())
        .into_boxed::<Backend>();
    // The rows are few and known: what the viewer wrote is compared in each of them, not gathered.
    for condition in [visible.in_projects(), visible.readable_or(visible.own_by_row())].into_iter().flatten() {
        query = query.filter(condition);
    }
    let found: Vec<i64> = query.select(issuables::id).load(tx.conn)?;
    Ok(found.into_iter().map(IssuableId::new).collect())
}

/// The condition that one of `visible` has the row in one of these projects, on `issuables` in a query that has joined
/// them.
pub(crate) fn joined_and_visible(visible: &[VisibleIssuables], among: &[ProjectId]) -> Joined {
    let nothing: Condition<issuables::table> = Box::new(false.into_sql::<Bool>());
    let any = visible.iter().map(|all| all.restricted_to(among)).fold(nothing, |any, visible| {
        let of_kind = issuables::kind.eq(visible.kind.as_str());
        let mut one: Condition<issuables::table> = Box::new(of_kind.and(issuables::deleted_at.is_null()));
        for condition in [visible.in_projects(), visible.readable_or(visible.own_by_row())].into_iter().flatten() {
            one = Box::new(one.and(condition));
        }
        Box::new(any.or(one))
    });
    Joined(any)
}

/// See [`joined_and_visible`].
pub(crate) struct Joined(Condition<issuables::table>);

impl QueryId for Joined {
    type QueryId = ();
    // The type does not say what the condition is.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Expression for Joined {
    type SqlType = Bool;
}

impl<GroupBy> ValidGrouping<GroupBy> for Joined {
    type IsAggregate = is_aggregate::No;
}

impl<QS> SelectableExpression<QS> for Joined {}

impl<QS> AppearsOnTable<QS> for Joined {}

impl QueryFragment<Backend> for Joined {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}
