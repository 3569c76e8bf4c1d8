//! Which issues and merge requests a viewer may see, for lists: the list's form of the abilities to read
//! (`tenon_domain::issuable::decide`).

use std::collections::HashSet;

use chrono::NaiveDate;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;

use crate::access::{Membership, Reach, open_to, visible_projects};
use crate::any_of::{IdList, any_found, any_listed, any_of};
use crate::connection::Backend;
use crate::error::StoreResult;
use crate::memory::Weighed;
use crate::predicate::Condition;
use crate::schema::{
    issuable_assignees, issuable_counts, issuables, label_counts, namespace_closure, project_features, projects,
};
use crate::unit_of_work::ReadTx;

// Issues and merge requests a second time, for a query that has them already.
diesel::alias!(
    const OPENED: Alias<Opened> = issuables as opened;
);

/// What a user is assigned to.
#[diesel::dsl::auto_type(no_type_alias)]
fn assigned(user: i64) -> _ {
    issuable_assignees::table.filter(issuable_assignees::user_id.eq(user)).select(issuable_assignees::issuable_id)
}

/// Where a list of issues starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IssuableSet {
    /// Everywhere.
    All,
    /// In this group or below it.
    Below(NamespaceId),
}

/// The projects whose issues or merge requests a list may have, and in which of them all of them. Resolved once for a
/// request, and then held against total and page alike.
#[derive(Debug, Clone)]
pub struct IssuableReach {
    kind: IssuableKind,
    projects: Projects,
    /// Where confidential issues are open to the viewer, and where merge requests are.
    trusted: Projects,
    /// Whose own ones are open anyway.
    own: Option<UserId>,
}

#[derive(Debug, Clone)]
enum Projects {
    All,
    AllBut(IdList),
    Only(IdList),
    One(i64),
}

/// `$column` holds one of `$projects`; `None` where that says nothing.
macro_rules! within {
    ($projects:expr, $column:expr) => {{
        let condition: Option<Condition<_>> = match $projects {
            Projects::All => None,
            Projects::AllBut(ids) if ids.as_slice().is_empty() => None,
            Projects::AllBut(ids) => Some(Box::new(diesel::dsl::not(any_listed($column, ids)))),
            Projects::Only(ids) => Some(Box::new(any_listed($column, ids))),
            Projects::One(id) => Some(Box::new($column.eq(*id))),
        };
        condition
    }};
}

impl Projects {
    fn covers(&self, id: i64) -> bool {
        match self {
            Self::All => true,
            Self::AllBut(closed) => !closed.contains(id),
            Self::Only(open) => open.contains(id),
            Self::One(one) => *one == id,
        }
    }

    /// Those of these projects that are among them.
    fn covered(&self, ids: &[ProjectId]) -> Vec<i64> {
        ids.iter().map(|id| id.get()).filter(|id| self.covers(*id)).collect()
    }

    fn weight(&self) -> usize {
        match self {
            Self::AllBut(ids) | Self::Only(ids) => ids.as_slice().len(),
            Self::All | Self::One(_) => 0,
        }
    }
}

impl Weighed for IssuableReach {
    fn weight(&self) -> usize {
        self.projects.weight() + self.trusted.weight()
    }
}

/// Two conditions on the counters `T`: within which projects, and where all are open.
type InAndTrusted<T> = (Option<Condition<T>>, Option<Condition<T>>);

impl IssuableReach {
    /// Those of one project that the viewer can see; `trusted` where they may see its confidential issues, or its merge
    /// requests.
    #[must_use]
    pub fn of_project(kind: IssuableKind, project: ProjectId, trusted: bool, viewer: Viewer) -> Self {
        Self {
            kind,
            projects: Projects::One(project.get()),
            trusted: if trusted { Projects::All } else { Projects::Only(IdList::new(Vec::new())) },
            own: viewer.user(),
        }
    }

    /// Those of `set` that `viewer` may see on this day.
    pub fn resolve(
        tx: &mut ReadTx<'_>,
        kind: IssuableKind,
        viewer: Viewer,
        set: IssuableSet,
        today: NaiveDate,
    ) -> StoreResult<Self> {
        let question = (kind, viewer, set);
        let work = |tx: &mut ReadTx<'_>| Self::work_out(tx, kind, viewer, set, today);
        // A copy shares the lists.
        Ok(Self::clone(&*tx.remembered(|memory| &memory.issuables, question, today, work)?))
    }

    fn work_out(
        tx: &mut ReadTx<'_>,
        kind: IssuableKind,
        viewer: Viewer,
        set: IssuableSet,
        today: NaiveDate,
    ) -> StoreResult<Self> {
        if viewer.is_admin() && set == IssuableSet::All {
            let closed: Vec<i64> = projects::table
                .filter(projects::deleting_at.is_not_null().or(has_feature(kind, false)))
                .select(projects::id)
                .load(tx.conn)?;
            return Ok(Self {
                kind,
                projects: Projects::AllBut(IdList::new(closed)),
                trusted: Projects::All,
                own: None,
            });
        }
        let visible = visible_projects(tx, viewer, today)?;
        let mut open = projects_of(set).filter(has_feature(kind, true));
        if let Some(condition) = visible.condition() {
            open = open.filter(condition);
        }
        // Who sees a project without being its member reads its code, and with it its merge requests.
        let open_code: Condition<projects::table> = match kind {
            IssuableKind::Issue => Box::new(false.into_sql::<Bool>()),
            IssuableKind::MergeRequest => open_to!(projects::visibility, viewer),
        };
        let trusted: Condition<projects::table> = match viewer {
            Viewer::Anonymous => open_code,
            Viewer::User { admin: true, .. } => Box::new(true.into_sql::<Bool>()),
            Viewer::User { id, .. } => {
                let reach = Reach::resolve(tx, Membership { user: id, at_least: AccessLevel::Reporter, today })?;
                Box::new(open_code.or(reach.projects()))
            }
        };
        let found: Vec<(i64, bool)> = open.select((projects::id, trusted)).load(tx.conn)?;
        let trusted: Vec<i64> = found.iter().filter(|(_, trusted)| *trusted).map(|(id, _)| *id).collect();
        // What says nothing is not held against every row.
        let trusted = if trusted.len() == found.len() { Projects::All } else { Projects::Only(IdList::new(trusted)) };
        let projects = Projects::Only(IdList::new(found.into_iter().map(|(id, _)| id).collect()));
        Ok(Self { kind, projects, trusted, own: viewer.user() })
    }

    /// The project, where there is only one.
    pub(super) const fn project(&self) -> Option<i64> {
        match self.projects {
            Projects::One(id) => Some(id),
            Projects::All | Projects::AllBut(_) | Projects::Only(_) => None,
        }
    }

    /// In one of the projects.
    pub(super) fn placed(&self) -> Option<Condition<issuables::table>> {
        within!(&self.projects, issuables::project_id)
    }

    /// The same, asked of each row: what is followed by "or" is neither looked up in an index nor made into a join.
    pub(super) fn placed_by_row(&self) -> Option<Condition<issuables::table>> {
        let placed = self.placed()?;
        Some(Box::new(placed.or(false.into_sql::<Bool>())))
    }

    /// Whether all that there is in its one project can be seen.
    pub(super) const fn is_all_of_a_project(&self) -> bool {
        matches!((&self.projects, &self.trusted), (Projects::One(_), Projects::All))
    }

    /// Not confidential, or open to the viewer all the same.
    pub(super) fn permitted(&self) -> Option<Condition<issuables::table>> {
        let trusted = match &self.trusted {
            Projects::All => return None,
            others => within!(others, issuables::project_id),
        };
        // Nothing about a merge request makes it open to all who see the project; an issue is, unless it is confidential.
        let open: Condition<issuables::table> = match self.kind {
            IssuableKind::Issue => Box::new(issuables::confidential.eq(false)),
            IssuableKind::MergeRequest => Box::new(false.into_sql::<Bool>()),
        };
        let open = match trusted {
            Some(trusted) => Box::new(open.or(trusted)),
            None => open,
        };
        Some(match self.own_ones() {
            Some(own) => Box::new(open.or(own)),
            None => open,
        })
    }

    /// Of the viewer's own those that might be seen for that alone: where, [`Self::sees_only_own_in`] tells. `None` where
    /// everything is open anyway.
    pub(super) fn own_apart(&self) -> Option<Condition<issuables::table>> {
        if matches!(self.trusted, Projects::All) {
            return None;
        }
        let own = self.all_own_ones()?;
        let own: Condition<issuables::table> = match self.kind {
            IssuableKind::Issue => Box::new(own.and(issuables::confidential.eq(true))),
            IssuableKind::MergeRequest => own,
        };
        // What is asked of one project is not counted everywhere.
        Some(match &self.projects {
            Projects::One(id) => Box::new(own.and(issuables::project_id.eq(*id))),
            Projects::All | Projects::AllBut(_) | Projects::Only(_) => own,
        })
    }

    /// Whether of the confidential issues, or the merge requests, of this project only the viewer's own are open to them.
    pub(super) fn sees_only_own_in(&self, project: i64) -> bool {
        self.projects.covers(project) && !self.trusted.covers(project)
    }

    /// Those that the viewer opened or is assigned to, asked of each row of a list: by the id alone, which is in every
    /// index, so that no row needs to be read.
    fn own_ones(&self) -> Option<Condition<issuables::table>> {
        let user = self.own?.get();
        let opened = OPENED.filter(OPENED.field(issuables::author_id).eq(user)).select(OPENED.field(issuables::id));
        Some(Box::new(issuables::id.eq_any(opened).or(issuables::id.eq_any(assigned(user)))))
    }

    /// The same, to start from.
    fn all_own_ones(&self) -> Option<Condition<issuables::table>> {
        let user = self.own?.get();
        Some(Box::new(issuables::author_id.eq(user).or(any_found(issuables::id, assigned(user)))))
    }

    /// Whether an issue that is not confidential is open to all who see its project.
    pub(super) const fn is_open_by_default(&self) -> bool {
        matches!(self.kind, IssuableKind::Issue)
    }

    /// Issues or merge requests.
    pub(crate) const fn kind(&self) -> IssuableKind {
        self.kind
    }

    /// Which counters make a total: those in these projects, and those of confidential issues, or of merge requests, in
    /// these. `None`: everywhere.
    pub(super) fn for_counts(&self) -> InAndTrusted<issuable_counts::table> {
        let column = issuable_counts::project_id;
        (within!(&self.projects, column), within!(&self.trusted, column))
    }

    /// The same of the counters of labels.
    pub(super) fn for_label_counts(&self) -> InAndTrusted<label_counts::table> {
        let column = label_counts::project_id;
        (within!(&self.projects, column), within!(&self.trusted, column))
    }

    /// Of these projects those that it covers, those where confidential issues or merge requests are open to the viewer, and
    /// whose own are open anyway (0: nobody's).
    pub(crate) fn among(&self, ids: &[ProjectId]) -> (Vec<i64>, Vec<i64>, i64) {
        (self.projects.covered(ids), self.trusted.covered(ids), self.own.map_or(0, UserId::get))
    }

    /// Whether nothing can be found.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.projects, Projects::Only(ids) if ids.as_slice().is_empty())
    }
}

fn projects_of<'a>(set: IssuableSet) -> projects::BoxedQuery<'a, Backend> {
    let query = projects::table.filter(projects::deleting_at.is_null()).into_boxed::<Backend>();
    match set {
        IssuableSet::All => query,
        IssuableSet::Below(group) => query.filter(
            projects::namespace_id.eq_any(
                namespace_closure::table
                    .filter(namespace_closure::ancestor_id.eq(group.get()))
                    .select(namespace_closure::descendant_id),
            ),
        ),
    }
}

/// Whether a project has issues, or merge requests, or has not.
pub(crate) fn has_feature(kind: IssuableKind, enabled: bool) -> Condition<projects::table> {
    let of_it = project_features::table.filter(project_features::project_id.eq(projects::id));
    match kind {
        IssuableKind::Issue => Box::new(exists(of_it.filter(project_features::issues_enabled.eq(enabled)))),
        IssuableKind::MergeRequest => {
            Box::new(exists(of_it.filter(project_features::merge_requests_enabled.eq(enabled))))
        }
    }
}

/// Those of these that the reach covers.
pub fn visible_of(tx: &mut ReadTx<'_>, reach: &IssuableReach, ids: &[IssuableId]) -> StoreResult<HashSet<IssuableId>> {
    if ids.is_empty() || reach.is_empty() {
        return Ok(HashSet::new());
    }
    let mut query = issuables::table
        .filter(any_of(issuables::id, ids, IssuableId::get))
        .filter(issuables::kind.eq(reach.kind.as_str()))
        .filter(issuables::deleted_at.is_null())
        .into_boxed::<Backend>();
    if let Some(condition) = reach.placed() {
        query = query.filter(condition);
    }
    if let Some(condition) = reach.permitted() {
        query = query.filter(condition);
    }
    let found: Vec<i64> = query.select(issuables::id).load(tx.conn)?;
    Ok(found.into_iter().map(IssuableId::new).collect())
}
