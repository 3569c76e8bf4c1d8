//! Which issues and merge requests a viewer may see, for lists: the list's form of the abilities to read
//! (`tenon_domain::issuable::decide`).

use std::collections::HashSet;

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;

use crate::access::{Membership, Reach, open_to, visible_projects};
use crate::any_of::any_of;
use crate::connection::Backend;
use crate::error::StoreResult;
use crate::predicate::Condition;
use crate::schema::{issuable_assignees, issuables, namespace_closure, project_features, projects};
use crate::unit_of_work::ReadTx;

/// Where a list of issues starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    AllBut(Vec<i64>),
    Only(Vec<i64>),
    One(i64),
}

impl Projects {
    fn listed(&self) -> Option<&[i64]> {
        match self {
            Self::All | Self::AllBut(_) => None,
            Self::Only(ids) => Some(ids),
            Self::One(id) => Some(std::slice::from_ref(id)),
        }
    }

    /// Those of these projects that are among them.
    fn covered(&self, ids: &[i64]) -> Vec<i64> {
        let set = |ids: &[i64]| ids.iter().copied().collect::<HashSet<i64>>();
        let kept = |keep: &dyn Fn(i64) -> bool| ids.iter().copied().filter(|id| keep(*id)).collect();
        match self {
            Self::All => ids.to_vec(),
            Self::AllBut(closed) => {
                let closed = set(closed);
                kept(&|id| !closed.contains(&id))
            }
            Self::Only(open) => {
                let open = set(open);
                kept(&|id| open.contains(&id))
            }
            Self::One(one) => kept(&|id| id == *one),
        }
    }

    fn condition(&self) -> Option<Condition<issuables::table>> {
        let list = |ids: &[i64]| any_of(issuables::project_id, ids, std::convert::identity);
        match self {
            Self::All => None,
            Self::AllBut(ids) if ids.is_empty() => None,
            Self::AllBut(ids) => Some(Box::new(diesel::dsl::not(list(ids)))),
            Self::Only(ids) => Some(Box::new(list(ids))),
            Self::One(id) => Some(Box::new(issuables::project_id.eq(*id))),
        }
    }
}

impl IssuableReach {
    /// Those of one project that the viewer can see; `trusted` where they may see its confidential issues, or its merge
    /// requests.
    #[must_use]
    pub fn of_project(kind: IssuableKind, project: ProjectId, trusted: bool, viewer: Viewer) -> Self {
        Self {
            kind,
            projects: Projects::One(project.get()),
            trusted: if trusted { Projects::All } else { Projects::Only(Vec::new()) },
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
        if viewer.is_admin() && set == IssuableSet::All {
            let closed: Vec<i64> = projects::table
                .filter(projects::deleting_at.is_not_null().or(has_feature(kind, false)))
                .select(projects::id)
                .load(tx.conn)?;
            return Ok(Self { kind, projects: Projects::AllBut(closed), trusted: Projects::All, own: None });
        }
        let visible = visible_projects(tx, viewer, today)?;
        let mut open = within(set).filter(has_feature(kind, true));
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
        let trusted = if trusted.len() == found.len() { Projects::All } else { Projects::Only(trusted) };
        let projects = Projects::Only(found.into_iter().map(|(id, _)| id).collect());
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
        self.projects.condition()
    }

    /// Not confidential, or open to the viewer all the same.
    pub(super) fn permitted(&self) -> Option<Condition<issuables::table>> {
        let trusted = match &self.trusted {
            Projects::All => return None,
            others => others.condition(),
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

    /// Of the viewer's own, and where others would not see them.
    pub(super) fn only_for_own(&self) -> Option<Condition<issuables::table>> {
        let own = self.own_ones()?;
        let confidential: Condition<issuables::table> = match self.kind {
            IssuableKind::Issue => Box::new(own.and(issuables::confidential.eq(true))),
            IssuableKind::MergeRequest => own,
        };
        match &self.trusted {
            Projects::All => None,
            others => Some(match others.condition() {
                Some(trusted) => Box::new(confidential.and(diesel::dsl::not(trusted))),
                None => confidential,
            }),
        }
    }

    fn own_ones(&self) -> Option<Condition<issuables::table>> {
        let user = self.own?.get();
        let assigned = issuable_assignees::table
            .filter(issuable_assignees::user_id.eq(user))
            .select(issuable_assignees::issuable_id);
        Some(Box::new(issuables::author_id.eq(user).or(issuables::id.eq_any(assigned))))
    }

    /// Whether an issue that is not confidential is open to all who see its project.
    pub(super) const fn is_open_by_default(&self) -> bool {
        matches!(self.kind, IssuableKind::Issue)
    }

    /// Issues or merge requests.
    pub(crate) const fn kind(&self) -> IssuableKind {
        self.kind
    }

    /// The lists of projects, for the counters: where, and where confidential ones count as well (`None`: everywhere).
    pub(super) fn for_counts(&self) -> (CountedIn<'_>, CountedIn<'_>) {
        (CountedIn::of(&self.projects), CountedIn::of(&self.trusted))
    }

    /// The projects, those whose confidential ones are open, and whose own are open anyway (0: nobody's). For what is
    /// asked of one project or group only: "everywhere" has no list.
    pub(super) fn lists(&self) -> (&[i64], &[i64], i64) {
        let projects = self.projects.listed().unwrap_or_default();
        (projects, self.trusted.listed().unwrap_or(projects), self.own.map_or(0, UserId::get))
    }

    /// Of these projects those that it covers, those where confidential issues or merge requests are open to the viewer, and
    /// whose own are open anyway (0: nobody's).
    pub(crate) fn among(&self, ids: &[ProjectId]) -> (Vec<i64>, Vec<i64>, i64) {
        let all: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        (self.projects.covered(&all), self.trusted.covered(&all), self.own.map_or(0, UserId::get))
    }

    /// Whether nothing can be found.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.projects, Projects::Only(ids) if ids.is_empty())
    }
}

/// Which projects a sum of counters covers.
#[derive(Debug, Clone, Copy)]
pub(super) enum CountedIn<'a> {
    All,
    AllBut(&'a [i64]),
    Only(&'a [i64]),
}

impl<'a> CountedIn<'a> {
    fn of(projects: &'a Projects) -> Self {
        match projects {
            Projects::All => Self::All,
            Projects::AllBut(ids) => Self::AllBut(ids),
            Projects::Only(ids) => Self::Only(ids),
            Projects::One(id) => Self::Only(std::slice::from_ref(id)),
        }
    }
}

fn within<'a>(set: IssuableSet) -> projects::BoxedQuery<'a, Backend> {
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
pub(super) fn has_feature(kind: IssuableKind, enabled: bool) -> Condition<projects::table> {
    let with = project_features::table.select(project_features::project_id);
    match kind {
        IssuableKind::Issue => Box::new(projects::id.eq_any(with.filter(project_features::issues_enabled.eq(enabled)))),
        IssuableKind::MergeRequest => {
            Box::new(projects::id.eq_any(with.filter(project_features::merge_requests_enabled.eq(enabled))))
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
