//! Which issues a merge request closes when it is merged.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId, UserId};
use tenon_domain::path;
use tenon_domain::visibility::Visibility;

use crate::any_of::any_of;
use crate::connection::on_each;
use crate::error::StoreResult;
use crate::predicate::ABOVE;
use crate::schema::{
    issuable_assignees, issuables, members, merge_request_closes, merge_request_closing_names, namespace_closure,
    namespaces, project_features, projects, shares,
};
use crate::unit_of_work::{ReadTx, WriteTx};

/// An issue as a merge request names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClosingName {
    /// Its project: the same as that of the merge request where absent, one beside it where it is a path without a slash.
    pub project: Option<String>,
    /// Its number there.
    pub iid: i64,
}

impl ClosingName {
    /// The form in which it is stored.
    fn address(&self, home: ProjectId, beside: NamespaceId) -> String {
        match &self.project {
            None => format!("project:{home}"),
            Some(path) if path.contains('/') => path::key(path),
            Some(name) => format!("namespace:{beside}/{}", path::key(name)),
        }
    }

    fn stored(address: &str, iid: i64) -> Self {
        let project = match address.split_once(':') {
            Some(("namespace", rest)) => rest.split_once('/').map(|(_, name)| name.to_owned()),
            Some(_) => None,
            None => Some(address.to_owned()),
        };
        Self { project, iid }
    }
}

/// Replaces the names of the issues that a merge request in a project of `beside` closes: those that its commits say, or
/// those of title and description.
pub fn set_closes(
    tx: &mut WriteTx<'_>,
    of: IssuableId,
    (home, beside): (ProjectId, NamespaceId),
    by_commit: bool,
    names: &[ClosingName],
) -> StoreResult<()> {
    let known = merge_request_closing_names::table
        .filter(merge_request_closing_names::issuable_id.eq(of.get()))
        .filter(merge_request_closing_names::by_commit.eq(by_commit));
    diesel::delete(known).execute(tx.conn)?;
    let addresses: BTreeSet<(String, i64)> = names.iter().map(|name| (name.address(home, beside), name.iid)).collect();
    let rows: Vec<_> = addresses
        .into_iter()
        .map(|(address, iid)| {
            (
                merge_request_closing_names::issuable_id.eq(of.get()),
                merge_request_closing_names::project_id.eq(home.get()),
                merge_request_closing_names::address.eq(address),
                merge_request_closing_names::iid.eq(iid),
                merge_request_closing_names::by_commit.eq(by_commit),
            )
        })
        .collect();
    if !rows.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(merge_request_closing_names::table).values(&rows).execute(c))?;
    }
    Ok(())
}

/// The names of the issues that a merge request closes.
pub fn closing_names(tx: &mut ReadTx<'_>, of: IssuableId) -> StoreResult<Vec<ClosingName>> {
    let rows: Vec<(String, i64)> = merge_request_closing_names::table
        .filter(merge_request_closing_names::issuable_id.eq(of.get()))
        .order((merge_request_closing_names::address, merge_request_closing_names::iid))
        .select((merge_request_closing_names::address, merge_request_closing_names::iid))
        .distinct()
        .load(tx.conn)?;
    Ok(rows.iter().map(|(address, iid)| ClosingName::stored(address, *iid)).collect())
}

/// The merge requests that close an issue when they are merged, or have, by id.
pub fn closed_by(tx: &mut ReadTx<'_>, issue: IssuableId) -> StoreResult<Vec<IssuableId>> {
    let ids: Vec<i64> = merge_request_closes::table
        .inner_join(issuables::table.on(issuables::id.eq(merge_request_closes::issuable_id)))
        .filter(merge_request_closes::issue_id.eq(issue.get()))
        .filter(issuables::deleted_at.is_null())
        .order(merge_request_closes::issuable_id)
        .select(merge_request_closes::issuable_id)
        .distinct()
        .load(tx.conn)?;
    Ok(ids.into_iter().map(IssuableId::new).collect())
}

/// How many of the merge requests that close each of these issues when they are merged, or have, `viewer` may see on this
/// day (`tenon_domain::merge_request::decide`). One statement, whatever there is: nobody's access is worked out for pages
/// on which nothing is closed by a merge request.
pub fn count_closing(
    tx: &mut ReadTx<'_>,
    issues: &[IssuableId],
    viewer: Viewer,
    today: NaiveDate,
) -> StoreResult<HashMap<IssuableId, i64>> {
    let (user, admin) = (viewer.user().map_or(0, UserId::get), viewer.is_admin());
    let sees_internal = viewer.sees(Visibility::Internal).into_sql::<Bool>();
    let internal = projects::visibility.ne(Visibility::Private.as_str()).and(sees_internal);
    let open = projects::visibility.eq(Visibility::Public.as_str()).or(internal);
    let assigned =
        issuable_assignees::table.filter(issuable_assignees::user_id.eq(user)).select(issuable_assignees::issuable_id);
    // Reporters read code, and with it merge requests; their own ones are open to guests, too.
    let own = || issuables::author_id.eq(user).or(issuables::id.eq_any(assigned));
    let reporter = AccessLevel::Reporter.value();
    let above = || {
        namespace_closure::table
            .filter(namespace_closure::descendant_id.eq(projects::namespace_id))
            .select(namespace_closure::ancestor_id.nullable())
    };
    let member = members::table
        .filter(members::user_id.eq(user))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .filter(members::project_id.eq(projects::id.nullable()).or(members::namespace_id.eq_any(above())))
        .filter(members::access_level.ge(reporter).or(own()));
    let joined = members::table
        .inner_join(ABOVE.on(ABOVE.field(namespace_closure::ancestor_id).nullable().eq(members::namespace_id)))
        .filter(members::user_id.eq(user))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .filter(members::access_level.ge(reporter).or(own()))
        .select(ABOVE.field(namespace_closure::descendant_id));
    let shared = shares::table
        .filter(shares::project_id.eq(projects::id.nullable()).or(shares::namespace_id.eq_any(above())))
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .filter(shares::access_level.ge(reporter).or(own()))
        .filter(shares::group_id.eq_any(joined));
    let home = namespaces::table.filter(namespaces::owner_id.eq(user)).select(namespaces::id);
    let closing = merge_request_closes::table
        .inner_join(issuables::table.on(issuables::id.eq(merge_request_closes::issuable_id)))
        .inner_join(projects::table.on(projects::id.eq(issuables::project_id)))
        .inner_join(project_features::table.on(project_features::project_id.eq(projects::id)))
        .filter(any_of(merge_request_closes::issue_id, issues, IssuableId::get))
        .filter(issuables::deleted_at.is_null())
        .filter(projects::deleting_at.is_null())
        .filter(project_features::merge_requests_enabled)
        .filter(
            open.or(admin.into_sql::<Bool>())
                .or(projects::namespace_id.eq_any(home))
                .or(exists(member))
                .or(exists(shared)),
        )
        .select((merge_request_closes::issue_id, merge_request_closes::issuable_id))
        .distinct();
    let pairs: Vec<(i64, i64)> = on_each!(tx.conn, c => closing.load(c))?;
    let mut counts = HashMap::new();
    for (issue, _) in pairs {
        *counts.entry(IssuableId::new(issue)).or_default() += 1;
    }
    Ok(counts)
}
