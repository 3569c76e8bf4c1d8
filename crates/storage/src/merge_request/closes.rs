//! Which issues a merge request closes when it is merged.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::Viewer;
use tenon_domain::id::{IssuableId, NamespaceId, ProjectId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::path;

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{issuables, merge_request_closes, merge_request_closing_names};
use crate::visibility::issuables::{VisibleIssuables, visible_of};

/// An issue as a merge request names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ClosingName {
    /// One of this server.
    Own {
        /// Its project: the same as that of the merge request if absent, one beside it if it is a path without a slash.
        project: Option<String>,
        /// Its number there.
        iid: i64,
    },
    /// One of another program: `ABC-12`.
    External(String),
}

impl ClosingName {
    /// The form in which it is stored: an address, and the number below it.
    fn address(&self, home: ProjectId, beside: NamespaceId) -> (String, i64) {
        match self {
            Self::Own { project: None, iid } => (format!("project:{home}"), *iid),
            Self::Own { project: Some(path), iid } if path.contains('/') => (path::key(path), *iid),
            Self::Own { project: Some(name), iid } => (format!("namespace:{beside}/{}", path::key(name)), *iid),
            Self::External(name) => (format!("external:{name}"), 0),
        }
    }

    fn stored(address: &str, iid: i64) -> Self {
        let project = match address.split_once(':') {
            Some(("external", name)) => return Self::External(name.to_owned()),
            Some(("namespace", rest)) => rest.split_once('/').map(|(_, name)| name.to_owned()),
            Some(_) => None,
            None => Some(address.to_owned()),
        };
        Self::Own { project, iid }
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
    let addresses: BTreeSet<(String, i64)> = names.iter().map(|name| name.address(home, beside)).collect();
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

/// How many of the merge requests that close each of these issues when they are merged, or have, `viewer` may see on
/// this day. One statement if no merge request closes any of them: access is resolved only for the rows that were
/// found.
pub fn count_closing(
    tx: &mut ReadTx<'_>,
    issues: &[IssuableId],
    viewer: Viewer,
    today: NaiveDate,
) -> StoreResult<HashMap<IssuableId, i64>> {
    let closing: Vec<(i64, i64, i64)> = on_each!(tx.conn, c => merge_request_closes::table
        .inner_join(issuables::table.on(issuables::id.eq(merge_request_closes::issuable_id)))
        .filter(in_ids(merge_request_closes::issue_id, issues, IssuableId::get))
        .filter(issuables::deleted_at.is_null())
        .select((merge_request_closes::issue_id, merge_request_closes::issuable_id, issuables::project_id))
        .distinct()
        .load(c))?;
    let mut counts = HashMap::new();
    if closing.is_empty() {
        return Ok(counts);
    }
    let projects: BTreeSet<i64> = closing.iter().map(|(_, _, project)| *project).collect();
    let projects: Vec<i64> = projects.into_iter().collect();
    let visible = VisibleIssuables::resolve_in(tx, IssuableKind::MergeRequest, viewer, &projects, today)?;
    let requests: Vec<IssuableId> = closing.iter().map(|(_, request, _)| IssuableId::new(*request)).collect();
    let seen = visible_of(tx, &visible, &requests)?;
    for (issue, request, _) in closing {
        if seen.contains(&IssuableId::new(request)) {
            *counts.entry(IssuableId::new(issue)).or_default() += 1;
        }
    }
    Ok(counts)
}
