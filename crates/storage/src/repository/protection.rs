//! Protected branches and tags.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::ProjectId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::repository::{ProtectedRef, ProtectionKind};
use tenon_domain::time::Timestamp;

use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::protected_refs;

type Row = (i64, String, String, i64, i64, bool);

fn rule((id, kind, name, push_level, merge_level, needs_code_owners): Row) -> StoreResult<ProtectedRef> {
    let kind = parsed("protected_refs", "kind", id, &kind, ProtectionKind::parse)?;
    Ok(ProtectedRef { kind, name, push_level, merge_level, needs_code_owners })
}

macro_rules! columns {
    () => {
        (
            protected_refs::id,
            protected_refs::kind,
            protected_refs::name,
            protected_refs::push_level,
            protected_refs::merge_level,
            protected_refs::needs_code_owners,
        )
    };
}

/// All rules of a project.
pub fn rules(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<ProtectedRef>> {
    let rows: Vec<Row> = protected_refs::table
        .filter(protected_refs::project_id.eq(project.get()))
        .order(protected_refs::id)
        .select(columns!())
        .load(tx.conn)?;
    rows.into_iter().map(rule).collect()
}

/// The rules of these projects that demand the approvals of code owners.
pub fn rules_of_code_owners(
    tx: &mut ReadTx<'_>,
    projects: &[ProjectId],
) -> StoreResult<HashMap<ProjectId, Vec<ProtectedRef>>> {
    let rows: Vec<(i64, Row)> = protected_refs::table
        .filter(in_ids(protected_refs::project_id, projects, ProjectId::get))
        .filter(protected_refs::needs_code_owners)
        .order(protected_refs::id)
        .select((protected_refs::project_id, columns!()))
        .load(tx.conn)?;
    let mut found: HashMap<ProjectId, Vec<ProtectedRef>> = HashMap::new();
    for (project, row) in rows {
        found.entry(ProjectId::new(project)).or_default().push(rule(row)?);
    }
    Ok(found)
}

/// How many rules a project has for branches or for tags.
pub fn count_rules(tx: &mut ReadTx<'_>, project: ProjectId, kind: ProtectionKind) -> StoreResult<i64> {
    let rules = protected_refs::table
        .filter(protected_refs::project_id.eq(project.get()))
        .filter(protected_refs::kind.eq(kind.as_str()));
    Ok(rules.count().get_result(tx.conn)?)
}

/// One page of a project's rules for branches or for tags, in the order in which they were made.
pub fn list_rules(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    kind: ProtectionKind,
    request: PageRequest,
) -> StoreResult<Page<ProtectedRef>> {
    let matching = || {
        protected_refs::table
            .filter(protected_refs::project_id.eq(project.get()))
            .filter(protected_refs::kind.eq(kind.as_str()))
    };
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<Row> =
            matching().order(protected_refs::id).limit(limit).offset(offset).select(columns!()).load(tx.conn)?;
        rows.into_iter().map(rule).collect()
    })
}

/// The rule of that very name, stars and all.
pub fn find_rule(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    kind: ProtectionKind,
    name: &str,
) -> StoreResult<Option<ProtectedRef>> {
    let row: Option<Row> = protected_refs::table
        .filter(protected_refs::project_id.eq(project.get()))
        .filter(protected_refs::kind.eq(kind.as_str()))
        .filter(protected_refs::name.eq(name))
        .select(columns!())
        .first(tx.conn)
        .optional()?;
    row.map(rule).transpose()
}

/// Stores a new rule. Fails with [`crate::UniqueKey::ProtectedRef`] if there is one of that name.
pub fn insert_rule(tx: &mut WriteTx<'_>, project: ProjectId, rule: &ProtectedRef, at: Timestamp) -> StoreResult<()> {
    diesel::insert_into(protected_refs::table)
        .values((
            protected_refs::project_id.eq(project.get()),
            protected_refs::kind.eq(rule.kind.as_str()),
            protected_refs::name.eq(&rule.name),
            protected_refs::push_level.eq(rule.push_level),
            protected_refs::merge_level.eq(rule.merge_level),
            protected_refs::needs_code_owners.eq(rule.needs_code_owners),
            protected_refs::created_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// When the rule of that very name was made, or changed last.
pub fn rule_changed_at(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    kind: ProtectionKind,
    name: &str,
) -> StoreResult<Option<Timestamp>> {
    let times: Option<(NaiveDateTime, Option<NaiveDateTime>)> = protected_refs::table
        .filter(protected_refs::project_id.eq(project.get()))
        .filter(protected_refs::kind.eq(kind.as_str()))
        .filter(protected_refs::name.eq(name))
        .select((protected_refs::created_at, protected_refs::updated_at))
        .first(tx.conn)
        .optional()?;
    Ok(times.map(|(made, changed)| utc(changed.unwrap_or(made))))
}

/// Stores the levels of the rule of that name.
pub fn set_rule(tx: &mut WriteTx<'_>, project: ProjectId, rule: &ProtectedRef, at: Timestamp) -> StoreResult<()> {
    let known = protected_refs::table
        .filter(protected_refs::project_id.eq(project.get()))
        .filter(protected_refs::kind.eq(rule.kind.as_str()))
        .filter(protected_refs::name.eq(&rule.name));
    diesel::update(known)
        .set((
            protected_refs::push_level.eq(rule.push_level),
            protected_refs::merge_level.eq(rule.merge_level),
            protected_refs::needs_code_owners.eq(rule.needs_code_owners),
            protected_refs::updated_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes the rule of that name; yields whether there was one.
pub fn remove_rule(tx: &mut WriteTx<'_>, project: ProjectId, kind: ProtectionKind, name: &str) -> StoreResult<bool> {
    let known = protected_refs::table
        .filter(protected_refs::project_id.eq(project.get()))
        .filter(protected_refs::kind.eq(kind.as_str()))
        .filter(protected_refs::name.eq(name));
    Ok(diesel::delete(known).execute(tx.conn)? > 0)
}
