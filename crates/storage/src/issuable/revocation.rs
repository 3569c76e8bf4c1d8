//! Removing what is kept for users about things that they can no longer see.

use std::collections::{BTreeSet, HashSet};

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::Viewer;
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;

use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{issuable_subscriptions, issuables, label_subscriptions, labels, projects, todos};
use crate::visibility::feature::lacks_feature;
use crate::visibility::filter::{visible_groups_of, visible_projects, visible_projects_of};
use crate::visibility::issuables::{IssuableSet, VisibleIssuables, visible_of};

/// Removes the entries of a user's to-do list and the subscriptions that are about what `viewer`, who is that user, may
/// not see on this day. Nothing for an anonymous viewer.
pub fn purge_inaccessible(tx: &mut WriteTx<'_>, viewer: Viewer, today: NaiveDate) -> StoreResult<()> {
    let Some(user) = viewer.user() else { return Ok(()) };
    let about = followed(tx, user)?;
    if !about.is_empty() {
        purge_issuables(tx, viewer, user, &about, today)?;
    }
    purge_labels(tx, viewer, user, today)
}

fn purge_issuables(
    tx: &mut WriteTx<'_>,
    viewer: Viewer,
    user: UserId,
    about: &[IssuableId],
    today: NaiveDate,
) -> StoreResult<()> {
    let mut kept = HashSet::new();
    for kind in IssuableKind::ALL {
        let visible = VisibleIssuables::resolve(tx, *kind, viewer, IssuableSet::All, today)?;
        kept.extend(visible_of(tx, &visible, about)?);
        kept.extend(switched_off(tx, *kind, viewer, about, today)?);
    }
    let inaccessible: Vec<IssuableId> = about.iter().copied().filter(|id| !kept.contains(id)).collect();
    let entries = todos::table.filter(todos::user_id.eq(user.get())).filter(in_ids(
        todos::issuable_id,
        &inaccessible,
        IssuableId::get,
    ));
    diesel::delete(entries).execute(tx.conn)?;
    let subscriptions = issuable_subscriptions::table
        .filter(issuable_subscriptions::user_id.eq(user.get()))
        .filter(in_ids(issuable_subscriptions::issuable_id, &inaccessible, IssuableId::get));
    diesel::delete(subscriptions).execute(tx.conn)?;
    Ok(())
}

/// Those of these that cannot be seen for now, because their project, which `viewer` sees, has switched them off. That does
/// not end access.
fn switched_off(
    tx: &mut ReadTx<'_>,
    kind: IssuableKind,
    viewer: Viewer,
    about: &[IssuableId],
    today: NaiveDate,
) -> StoreResult<Vec<IssuableId>> {
    let found: Vec<(i64, i64)> = issuables::table
        .filter(in_ids(issuables::id, about, IssuableId::get))
        .filter(issuables::kind.eq(kind.as_str()))
        .select((issuables::id, issuables::project_id))
        .load(tx.conn)?;
    let places: Vec<i64> = found.iter().map(|(_, project)| *project).collect();
    let mut off = projects::table
        .filter(in_ids(projects::id, &places, std::convert::identity))
        .filter(lacks_feature(kind))
        .select(projects::id)
        .into_boxed();
    if let Some(condition) = visible_projects(tx, viewer, today)?.condition() {
        off = off.filter(condition);
    }
    let off: HashSet<i64> = off.load(tx.conn)?.into_iter().collect();
    Ok(found.into_iter().filter(|(_, project)| off.contains(project)).map(|(id, _)| IssuableId::new(id)).collect())
}

/// The targets of the user's to-do list and subscriptions: few enough to hold in memory.
fn followed(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Vec<IssuableId>> {
    let mut about: Vec<i64> =
        todos::table.filter(todos::user_id.eq(user.get())).select(todos::issuable_id).distinct().load(tx.conn)?;
    let subscribed: Vec<i64> = issuable_subscriptions::table
        .filter(issuable_subscriptions::user_id.eq(user.get()))
        .select(issuable_subscriptions::issuable_id)
        .load(tx.conn)?;
    about.extend(subscribed);
    Ok(about.into_iter().map(IssuableId::new).collect())
}

fn purge_labels(tx: &mut WriteTx<'_>, viewer: Viewer, user: UserId, today: NaiveDate) -> StoreResult<()> {
    let followed: Vec<(i64, Option<i64>, Option<i64>)> = label_subscriptions::table
        .inner_join(labels::table.on(labels::id.eq(label_subscriptions::label_id)))
        .filter(label_subscriptions::user_id.eq(user.get()))
        .select((labels::id, labels::project_id, labels::namespace_id))
        .load(tx.conn)?;
    if followed.is_empty() {
        return Ok(());
    }
    let of_projects: Vec<ProjectId> = followed.iter().filter_map(|(_, id, _)| id.map(ProjectId::new)).collect();
    let of_groups: Vec<NamespaceId> = followed.iter().filter_map(|(_, _, id)| id.map(NamespaceId::new)).collect();
    let projects = visible_projects_of(tx, viewer, &of_projects, today)?;
    let groups = visible_groups_of(tx, viewer, &of_groups, today)?;
    let inaccessible: Vec<i64> = followed
        .into_iter()
        .filter(|(_, project, group)| {
            !project.is_none_or(|id| projects.contains(&ProjectId::new(id)))
                || !group.is_none_or(|id| groups.contains(&NamespaceId::new(id)))
        })
        .map(|(label, _, _)| label)
        .collect();
    let subscriptions = label_subscriptions::table.filter(label_subscriptions::user_id.eq(user.get())).filter(in_ids(
        label_subscriptions::label_id,
        &inaccessible,
        std::convert::identity,
    ));
    diesel::delete(subscriptions).execute(tx.conn)?;
    Ok(())
}

/// The place in which followers are searched.
#[derive(Debug, Clone, Default)]
pub struct Followed {
    /// Anything of these projects.
    pub projects: Vec<ProjectId>,
    /// Labels of these groups.
    pub groups: Vec<NamespaceId>,
    /// This issue or merge request.
    pub issuable: Option<IssuableId>,
}

/// The next users, at most `limit`, with ids above `after`, who have something on their to-do lists or subscribed to
/// something there.
pub fn followers(tx: &mut ReadTx<'_>, of: &Followed, after: UserId, limit: i64) -> StoreResult<Vec<UserId>> {
    let there = || {
        issuables::id.eq(of.issuable.map_or(0, IssuableId::get)).or(in_ids(
            issuables::project_id,
            &of.projects,
            ProjectId::get,
        ))
    };
    let mut found: Vec<i64> = todos::table
        .inner_join(issuables::table)
        .filter(there())
        .filter(todos::user_id.gt(after.get()))
        .select(todos::user_id)
        .distinct()
        .order(todos::user_id)
        .limit(limit)
        .load(tx.conn)?;
    let subscribed: Vec<i64> = issuable_subscriptions::table
        .inner_join(issuables::table.on(issuables::id.eq(issuable_subscriptions::issuable_id)))
        .filter(there())
        .filter(issuable_subscriptions::user_id.gt(after.get()))
        .select(issuable_subscriptions::user_id)
        .distinct()
        .order(issuable_subscriptions::user_id)
        .limit(limit)
        .load(tx.conn)?;
    let by_label: Vec<i64> = label_subscriptions::table
        .inner_join(labels::table.on(labels::id.eq(label_subscriptions::label_id)))
        .filter(in_ids(labels::project_id, &of.projects, ProjectId::get).or(in_ids(
            labels::namespace_id,
            &of.groups,
            NamespaceId::get,
        )))
        .filter(label_subscriptions::user_id.gt(after.get()))
        .select(label_subscriptions::user_id)
        .distinct()
        .order(label_subscriptions::user_id)
        .limit(limit)
        .load(tx.conn)?;
    found.extend(subscribed);
    found.extend(by_label);
    let next: BTreeSet<i64> = found.into_iter().collect();
    Ok(next.into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX)).map(UserId::new).collect())
}
