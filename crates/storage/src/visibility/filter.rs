//! Which projects and groups a viewer may read.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::NaiveDate;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::project::FeatureLevel;

use super::projects::{Membership, RelatedGroups, VisibleProjects};
use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::predicate::Condition;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{namespaces, project_features, projects};

/// The projects or groups that a viewer may read: the SQL form of the abilities to read projects and groups.
pub(crate) enum VisibilityFilter<M> {
    /// Everything.
    All,
    /// Those that are open by their own visibility.
    Open(Viewer),
    /// That, and what memberships open.
    OpenOrMember(Viewer, Arc<M>),
}

/// The condition that `$column` holds a visibility that alone lets `$viewer` in.
macro_rules! open_to {
    ($column:expr, $viewer:expr) => {{
        let open: $crate::db::predicate::Condition<_> = if $viewer.sees(tenon_domain::visibility::Visibility::Internal)
        {
            Box::new($column.ne(tenon_domain::visibility::Visibility::Private.as_str()))
        } else {
            Box::new($column.eq(tenon_domain::visibility::Visibility::Public.as_str()))
        };
        open
    }};
}
pub(crate) use open_to;

impl<M> VisibilityFilter<M> {
    fn of(viewer: Viewer, member: impl FnOnce(UserId) -> StoreResult<Arc<M>>) -> StoreResult<Self> {
        Ok(match viewer {
            Viewer::Anonymous => Self::Open(viewer),
            Viewer::User { admin: true, .. } => Self::All,
            Viewer::User { id, .. } => Self::OpenOrMember(viewer, member(id)?),
        })
    }
}

/// Projects that `viewer` may see.
pub(crate) fn visible_projects(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    today: NaiveDate,
) -> StoreResult<VisibilityFilter<VisibleProjects>> {
    VisibilityFilter::of(viewer, |user| {
        VisibleProjects::resolve(tx, Membership { user, at_least: AccessLevel::Guest, today })
    })
}

/// Projects whose code `viewer` may read: the SQL form of the ability (`tenon_domain::project::decide`, `ReadCode`).
pub(crate) fn visible_code(tx: &mut ReadTx<'_>, viewer: Viewer, today: NaiveDate) -> StoreResult<VisibleCode> {
    let filter = VisibilityFilter::of(viewer, |user| {
        VisibleProjects::resolve(tx, Membership { user, at_least: AccessLevel::Reporter, today })
    });
    filter.map(VisibleCode)
}

/// The projects whose code a viewer may read.
pub(crate) struct VisibleCode(VisibilityFilter<VisibleProjects>);

impl VisibleCode {
    /// The condition for it.
    pub(crate) fn condition(&self) -> Condition<projects::table> {
        let is_there = not(exists(code_level(FeatureLevel::Disabled)));
        let is_open = not(exists(code_level(FeatureLevel::Private)));
        match &self.0 {
            VisibilityFilter::All => Box::new(is_there),
            VisibilityFilter::Open(viewer) => {
                Box::new(is_there.and(is_open).and(open_to!(projects::visibility, viewer)))
            }
            VisibilityFilter::OpenOrMember(viewer, visible) => {
                Box::new(is_there.and(is_open.and(open_to!(projects::visibility, viewer)).or(visible.projects())))
            }
        }
    }
}

/// The features of a project whose code has this level.
#[diesel::dsl::auto_type(no_type_alias)]
fn code_level(level: FeatureLevel) -> _ {
    let word: &'static str = level.as_str();
    project_features::table
        .filter(project_features::project_id.eq(projects::id))
        .filter(project_features::repository_access_level.eq(word))
}

impl VisibilityFilter<VisibleProjects> {
    /// The condition for it; `None` if there is none.
    pub(crate) fn condition(&self) -> Option<Condition<projects::table>> {
        match self {
            Self::All => None,
            Self::Open(viewer) => Some(open_to!(projects::visibility, viewer)),
            Self::OpenOrMember(viewer, visible) => {
                Some(Box::new(open_to!(projects::visibility, viewer).or(visible.projects())))
            }
        }
    }
}

/// Groups that `viewer` may see.
pub(crate) fn visible_groups(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    today: NaiveDate,
) -> StoreResult<VisibilityFilter<RelatedGroups>> {
    VisibilityFilter::of(viewer, |user| RelatedGroups::resolve(tx, user, today))
}

impl VisibilityFilter<RelatedGroups> {
    /// The condition for it; `None` if there is none.
    pub(crate) fn condition(&self) -> Option<Condition<namespaces::table>> {
        match self {
            Self::All => None,
            Self::Open(viewer) => Some(open_to!(namespaces::visibility, viewer)),
            Self::OpenOrMember(viewer, related) => {
                Some(Box::new(open_to!(namespaces::visibility, viewer).or(related.condition())))
            }
        }
    }
}

/// Those of these projects that `viewer` may see.
pub fn visible_projects_of(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    ids: &[ProjectId],
    today: NaiveDate,
) -> StoreResult<HashSet<ProjectId>> {
    let visible = visible_projects(tx, viewer, today)?.condition();
    among(tx, ids, visible)
}

/// Those of these projects whose code `viewer` may read.
pub fn readable_code(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    ids: &[ProjectId],
    today: NaiveDate,
) -> StoreResult<HashSet<ProjectId>> {
    let readable = visible_code(tx, viewer, today)?.condition();
    among(tx, ids, Some(readable))
}

/// Those of these projects in which `viewer` has at least `level`.
pub fn with_level(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    level: AccessLevel,
    ids: &[ProjectId],
    today: NaiveDate,
) -> StoreResult<HashSet<ProjectId>> {
    let mut query = projects::table
        .filter(in_ids(projects::id, ids, ProjectId::get))
        .filter(projects::deleting_at.is_null())
        .into_boxed::<Backend>();
    match viewer {
        Viewer::Anonymous => return Ok(HashSet::new()),
        Viewer::User { admin: true, .. } => {}
        Viewer::User { id: user, .. } => {
            let opened = VisibleProjects::resolve(tx, Membership { user, at_least: level, today })?;
            query = query.filter(opened.projects());
        }
    }
    let found: Vec<i64> = query.select(projects::id).load(tx.conn)?;
    Ok(found.into_iter().map(ProjectId::new).collect())
}

fn among(
    tx: &mut ReadTx<'_>,
    ids: &[ProjectId],
    visible: Option<Condition<projects::table>>,
) -> StoreResult<HashSet<ProjectId>> {
    let mut query = projects::table
        .filter(in_ids(projects::id, ids, ProjectId::get))
        .filter(projects::deleting_at.is_null())
        .into_boxed::<Backend>();
    if let Some(condition) = visible {
        query = query.filter(condition);
    }
    let found: Vec<i64> = query.select(projects::id).load(tx.conn)?;
    Ok(found.into_iter().map(ProjectId::new).collect())
}

/// Those of these groups that `viewer` may see.
pub fn visible_groups_of(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    ids: &[NamespaceId],
    today: NaiveDate,
) -> StoreResult<HashSet<NamespaceId>> {
    let visible = visible_groups(tx, viewer, today)?;
    let mut query = namespaces::table
        .filter(in_ids(namespaces::id, ids, NamespaceId::get))
        .filter(namespaces::deleting_at.is_null())
        .into_boxed::<Backend>();
    if let Some(condition) = visible.condition() {
        query = query.filter(condition);
    }
    let found: Vec<i64> = query.select(namespaces::id).load(tx.conn)?;
    Ok(found.into_iter().map(NamespaceId::new).collect())
}
