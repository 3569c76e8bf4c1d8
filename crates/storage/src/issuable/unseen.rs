//! What is kept for somebody about things that they can no longer see.

use std::collections::{BTreeSet, HashSet};

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::Viewer;
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;

use super::reach::{IssuableReach, IssuableSet, has_feature, visible_of};
use crate::access::visible_projects;
use crate::any_of::any_of;
use crate::error::StoreResult;
use crate::schema::{issuable_subscriptions, issuables, label_subscriptions, labels, projects, todos};
use crate::unit_of_work::{ReadTx, WriteTx};
use crate::{group, project};

/// Removes the entries of a user's to-do list and the subscriptions that are about what `viewer`, who is that user, may
/// not see on this day. Nobody signed in: nothing.
pub fn forget_unseen(tx: &mut WriteTx<'_>, viewer: Viewer, today: NaiveDate) -> StoreResult<()> {
    let Some(user) = viewer.user() else { return Ok(()) };
    let about = followed(tx, user)?;
    if !about.is_empty() {
        forget_issuables(tx, viewer, user, &about, today)?;
    }
    forget_labels(tx, viewer, user, today)
}

fn forget_issuables(
    tx: &mut WriteTx<'_>,
    viewer: Viewer,
    user: UserId,
    about: &[IssuableId],
    today: NaiveDate,
) -> StoreResult<()> {
    let mut kept = HashSet::new();
    for kind in IssuableKind::ALL {
        let reach = IssuableReach::resolve(tx, *kind, viewer, IssuableSet::All, today)?;
        kept.extend(visible_of(tx, &reach, about)?);
        kept.extend(switched_off(tx, *kind, viewer, about, today)?);
    }
    let unseen: Vec<IssuableId> = about.iter().copied().filter(|id| !kept.contains(id)).collect();
    let entries =
        todos::table.filter(todos::user_id.eq(user.get())).filter(any_of(todos::issuable_id, &unseen, IssuableId::get));
    diesel::delete(entries).execute(tx.conn)?;
    let subscriptions = issuable_subscriptions::table
        .filter(issuable_subscriptions::user_id.eq(user.get()))
        .filter(any_of(issuable_subscriptions::issuable_id, &unseen, IssuableId::get));
    diesel::delete(subscriptions).execute(tx.conn)?;
    Ok(())
}

/// Those of these that nobody sees for now, because their project, which `viewer` sees, has switched them off: nobody's
/// access has ended.
fn switched_off(
    tx: &mut ReadTx<'_>,
    kind: IssuableKind,
    viewer: Viewer,
    about: &[IssuableId],
    today: NaiveDate,
) -> StoreResult<Vec<IssuableId>> {
    let found: Vec<(i64, i64)> = issuables::table
        .filter(any_of(issuables::id, about, IssuableId::get))
        .filter(issuables::kind.eq(kind.as_str()))
        .select((issuables::id, issuables::project_id))
        .load(tx.conn)?;
    let places: Vec<i64> = found.iter().map(|(_, project)| *project).collect();
    let mut off = projects::table
        .filter(any_of(projects::id, &places, std::convert::identity))
        .filter(has_feature(kind, false))
        .select(projects::id)
        .into_boxed();
    if let Some(condition) = visible_projects(tx, viewer, today)?.condition() {
        off = off.filter(condition);
    }
    let off: HashSet<i64> = off.load(tx.conn)?.into_iter().collect();
    Ok(found.into_iter().filter(|(_, project)| off.contains(project)).map(|(id, _)| IssuableId::new(id)).collect())
}

/// What the user's to-do list and subscriptions are about. One person's: few enough to hold.
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

fn forget_labels(tx: &mut WriteTx<'_>, viewer: Viewer, user: UserId, today: NaiveDate) -> StoreResult<()> {
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
    let projects = project::visible_of(tx, viewer, &of_projects, today)?;
    let groups = group::visible_of(tx, viewer, &of_groups, today)?;
    let unseen: Vec<i64> = followed
        .into_iter()
        .filter(|(_, project, group)| {
            !project.is_none_or(|id| projects.contains(&ProjectId::new(id)))
                || !group.is_none_or(|id| groups.contains(&NamespaceId::new(id)))
        })
        .map(|(label, _, _)| label)
        .collect();
    let subscriptions = label_subscriptions::table.filter(label_subscriptions::user_id.eq(user.get())).filter(any_of(
        label_subscriptions::label_id,
        &unseen,
        std::convert::identity,
    ));
    diesel::delete(subscriptions).execute(tx.conn)?;
    Ok(())
}

/// Where it is asked who follows something.
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
        issuables::id.eq(of.issuable.map_or(0, IssuableId::get)).or(any_of(
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
        .filter(any_of(labels::project_id, &of.projects, ProjectId::get).or(any_of(
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
