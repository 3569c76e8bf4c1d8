//! From what texts call issues and merge requests to them: many at once.

use std::collections::HashSet;

use diesel::prelude::*;
use tenon_domain::id::{IssuableId, ProjectId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::path;

use crate::db::expressions::{in_ids, in_texts};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{full_paths, issuables};

/// Those that are called so, each by the full path of its project and its number there, with the project. Two statements
/// for however many names.
pub fn named(
    tx: &mut ReadTx<'_>,
    kind: IssuableKind,
    names: &[(String, i64)],
) -> StoreResult<Vec<(IssuableId, ProjectId)>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let wanted: HashSet<(String, i64)> = names.iter().map(|(full_path, iid)| (path::key(full_path), *iid)).collect();
    let keys: Vec<String> = wanted.iter().map(|(key, _)| key.clone()).collect();
    let iids: Vec<i64> = wanted.iter().map(|(_, iid)| *iid).collect();
    let projects: Vec<(String, Option<i64>)> = full_paths::table
        .filter(in_texts(full_paths::path_key, &keys))
        .filter(full_paths::project_id.is_not_null())
        .select((full_paths::path_key, full_paths::project_id))
        .load(tx.conn)?;
    let meant: HashSet<(i64, i64)> = projects
        .iter()
        .filter_map(|(key, project)| Some((key, (*project)?)))
        .flat_map(|(key, project)| {
            wanted.iter().filter(move |(other, _)| other == key).map(move |(_, iid)| (project, *iid))
        })
        .collect();
    let projects: Vec<i64> = projects.into_iter().filter_map(|(_, project)| project).collect();
    let rows: Vec<(i64, i64, i64)> = issuables::table
        .filter(in_ids(issuables::project_id, &projects, std::convert::identity))
        .filter(issuables::kind.eq(kind.as_str()))
        .filter(in_ids(issuables::iid, &iids, std::convert::identity))
        .filter(issuables::deleted_at.is_null())
        .select((issuables::id, issuables::project_id, issuables::iid))
        .order(issuables::id)
        .load(tx.conn)?;
    let found = rows.into_iter().filter(|(_, project, iid)| meant.contains(&(*project, *iid)));
    Ok(found.map(|(id, project, _)| (IssuableId::new(id), ProjectId::new(project))).collect())
}
