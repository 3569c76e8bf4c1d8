//! Protected branches and tags.

use std::collections::HashMap;

use chrono::{NaiveDate, NaiveDateTime};
use diesel::prelude::*;
use tenon_domain::id::{AccessEntryId, DeployKeyId, NamespaceId, ProjectId, ProtectedRefId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::repository::{AccessEntry, Grantee, ProtectedAction, ProtectedRef, ProtectionKind};
use tenon_domain::time::Timestamp;

use crate::db::connection::on_each;
use crate::db::expressions::{in_ids, in_subquery};
use crate::db::hierarchy::above;
use crate::db::paging::page;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{namespace_closure, protected_ref_entries, protected_refs, shares};

#[derive(Queryable, Selectable)]
#[diesel(table_name = protected_refs)]
struct RuleRow {
    id: i64,
    kind: String,
    name: String,
    allow_force_push: bool,
    needs_code_owners: bool,
    restricts_deploy_keys: bool,
}

impl RuleRow {
    fn rule(self) -> StoreResult<ProtectedRef> {
        Ok(ProtectedRef {
            id: ProtectedRefId::new(self.id),
            kind: parsed("protected_refs", "kind", self.id, &self.kind, ProtectionKind::parse)?,
            name: self.name,
            allow_force_push: self.allow_force_push,
            needs_code_owners: self.needs_code_owners,
            restricts_deploy_keys: self.restricts_deploy_keys,
            entries: Vec::new(),
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = protected_ref_entries)]
struct EntryRow {
    id: i64,
    protected_ref_id: i64,
    action: String,
    access_level: Option<i64>,
    user_id: Option<i64>,
    group_id: Option<i64>,
    deploy_key_id: Option<i64>,
}

impl EntryRow {
    fn entry(self) -> StoreResult<AccessEntry> {
        let grantee = match (self.access_level, self.user_id, self.group_id, self.deploy_key_id) {
            (Some(level), None, None, None) => Grantee::Level(level),
            (None, Some(user), None, None) => Grantee::User(UserId::new(user)),
            (None, None, Some(group), None) => Grantee::Group(NamespaceId::new(group)),
            (None, None, None, Some(key)) => Grantee::DeployKey(DeployKeyId::new(key)),
            (level, ..) => {
                return Err(StoreError::Inconsistent {
                    table: "protected_ref_entries",
                    column: "access_level",
                    id: self.id,
                    value: format!("{level:?}"),
                });
            }
        };
        let action = parsed("protected_ref_entries", "action", self.id, &self.action, ProtectedAction::parse)?;
        Ok(AccessEntry { id: AccessEntryId::new(self.id), action, grantee })
    }
}

/// All rules of a project, in the order in which they were made. One statement: every request for a repository asks.
pub fn rules(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<ProtectedRef>> {
    let rows: Vec<(RuleRow, Option<EntryRow>)> = protected_refs::table
        .left_join(protected_ref_entries::table)
        .filter(protected_refs::project_id.eq(project.get()))
        .order((protected_refs::id, protected_ref_entries::id))
        .select((RuleRow::as_select(), Option::<EntryRow>::as_select()))
        .load(tx.conn)?;
    let mut rules: Vec<ProtectedRef> = Vec::new();
    for (row, entry) in rows {
        if rules.last().is_none_or(|last| last.id.get() != row.id) {
            rules.push(row.rule()?);
        }
        if let (Some(rule), Some(entry)) = (rules.last_mut(), entry) {
            rule.entries.push(entry.entry()?);
        }
    }
    Ok(rules)
}

/// The rules of these rows with their entries. One statement.
fn with_entries(tx: &mut ReadTx<'_>, rows: Vec<RuleRow>) -> StoreResult<Vec<ProtectedRef>> {
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let entries: Vec<EntryRow> = protected_ref_entries::table
        .filter(in_ids(protected_ref_entries::protected_ref_id, &ids, std::convert::identity))
        .order(protected_ref_entries::id)
        .select(EntryRow::as_select())
        .load(tx.conn)?;
    let mut of_rules: HashMap<i64, Vec<AccessEntry>> = HashMap::new();
    for row in entries {
        of_rules.entry(row.protected_ref_id).or_default().push(row.entry()?);
    }
    let complete = |row: RuleRow| {
        let entries = of_rules.remove(&row.id).unwrap_or_default();
        Ok(ProtectedRef { entries, ..row.rule()? })
    };
    rows.into_iter().map(complete).collect()
}

/// The rules of these projects that demand the approvals of code owners, without their entries.
pub fn rules_of_code_owners(
    tx: &mut ReadTx<'_>,
    projects: &[ProjectId],
) -> StoreResult<HashMap<ProjectId, Vec<ProtectedRef>>> {
    let rows: Vec<(i64, RuleRow)> = protected_refs::table
        .filter(in_ids(protected_refs::project_id, projects, ProjectId::get))
        .filter(protected_refs::needs_code_owners)
        .order(protected_refs::id)
        .select((protected_refs::project_id, RuleRow::as_select()))
        .load(tx.conn)?;
    let mut found: HashMap<ProjectId, Vec<ProtectedRef>> = HashMap::new();
    for (project, row) in rows {
        found.entry(ProjectId::new(project)).or_default().push(row.rule()?);
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
        let rows: Vec<RuleRow> = matching()
            .order(protected_refs::id)
            .limit(limit)
            .offset(offset)
            .select(RuleRow::as_select())
            .load(tx.conn)?;
        with_entries(tx, rows)
    })
}

/// The rule of that very name, stars and all.
pub fn find_rule(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    kind: ProtectionKind,
    name: &str,
) -> StoreResult<Option<ProtectedRef>> {
    let row: Option<RuleRow> = protected_refs::table
        .filter(protected_refs::project_id.eq(project.get()))
        .filter(protected_refs::kind.eq(kind.as_str()))
        .filter(protected_refs::name.eq(name))
        .select(RuleRow::as_select())
        .first(tx.conn)
        .optional()?;
    Ok(with_entries(tx, row.into_iter().collect())?.pop())
}

/// Those of these groups to which a project that lives in `home` is open: it, or a group above it, is shared with them, or
/// they are above it. Two statements.
pub fn groups_of_project(
    tx: &mut ReadTx<'_>,
    (project, home): (ProjectId, NamespaceId),
    groups: &[NamespaceId],
    today: NaiveDate,
) -> StoreResult<Vec<NamespaceId>> {
    let mut open: Vec<i64> = namespace_closure::table
        .filter(namespace_closure::descendant_id.eq(home.get()))
        .filter(in_ids(namespace_closure::ancestor_id, groups, NamespaceId::get))
        .select(namespace_closure::ancestor_id)
        .load(tx.conn)?;
    let shared: Vec<i64> = on_each!(tx.conn, c => shares::table
        .filter(in_ids(shares::group_id, groups, NamespaceId::get))
        .filter(shares::project_id.eq(project.get()).or(in_subquery(shares::namespace_id, above!(home.get()))))
        .filter(shares::expires_at.is_null().or(shares::expires_at.gt(today)))
        .select(shares::group_id)
        .load(c))?;
    open.extend(shared);
    open.sort_unstable();
    open.dedup();
    Ok(open.into_iter().map(NamespaceId::new).collect())
}

/// Stores a new rule; its ids and those of its entries are ignored. Fails with [`crate::UniqueKey::ProtectedRef`] if there
/// is one of that name.
pub fn insert_rule(
    tx: &mut WriteTx<'_>,
    project: ProjectId,
    rule: &ProtectedRef,
    at: Timestamp,
) -> StoreResult<ProtectedRefId> {
    let id: i64 = diesel::insert_into(protected_refs::table)
        .values((
            protected_refs::project_id.eq(project.get()),
            protected_refs::kind.eq(rule.kind.as_str()),
            protected_refs::name.eq(&rule.name),
            protected_refs::allow_force_push.eq(rule.allow_force_push),
            protected_refs::needs_code_owners.eq(rule.needs_code_owners),
            protected_refs::restricts_deploy_keys.eq(rule.restricts_deploy_keys),
            protected_refs::created_at.eq(naive(at)),
        ))
        .returning(protected_refs::id)
        .get_result(tx.conn)?;
    let id = ProtectedRefId::new(id);
    insert_entries(tx, id, rule.entries.iter())?;
    Ok(id)
}

/// The level, user, group and deploy key of a row: one of them.
const fn columns(grantee: Grantee) -> (Option<i64>, Option<i64>, Option<i64>, Option<i64>) {
    match grantee {
        Grantee::Level(level) => (Some(level), None, None, None),
        Grantee::User(user) => (None, Some(user.get()), None, None),
        Grantee::Group(group) => (None, None, Some(group.get()), None),
        Grantee::DeployKey(key) => (None, None, None, Some(key.get())),
    }
}

fn insert_entries<'a>(
    tx: &mut WriteTx<'_>,
    rule: ProtectedRefId,
    entries: impl Iterator<Item = &'a AccessEntry>,
) -> StoreResult<()> {
    let row = |entry: &AccessEntry| {
        let (level, user, group, key) = columns(entry.grantee);
        (
            protected_ref_entries::protected_ref_id.eq(rule.get()),
            protected_ref_entries::action.eq(entry.action.as_str()),
            protected_ref_entries::access_level.eq(level),
            protected_ref_entries::user_id.eq(user),
            protected_ref_entries::group_id.eq(group),
            protected_ref_entries::deploy_key_id.eq(key),
        )
    };
    let rows: Vec<_> = entries.map(row).collect();
    if !rows.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(protected_ref_entries::table).values(&rows).execute(c))?;
    }
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

/// Stores what a rule permits, and to whom: entries that are not in it are removed, and those with the id 0 are new.
pub fn set_rule(tx: &mut WriteTx<'_>, rule: &ProtectedRef, at: Timestamp) -> StoreResult<()> {
    diesel::update(protected_refs::table.find(rule.id.get()))
        .set((
            protected_refs::allow_force_push.eq(rule.allow_force_push),
            protected_refs::needs_code_owners.eq(rule.needs_code_owners),
            protected_refs::restricts_deploy_keys.eq(rule.restricts_deploy_keys),
            protected_refs::updated_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    let rows: Vec<EntryRow> = protected_ref_entries::table
        .filter(protected_ref_entries::protected_ref_id.eq(rule.id.get()))
        .select(EntryRow::as_select())
        .load(tx.conn)?;
    let stored: Vec<AccessEntry> = rows.into_iter().map(EntryRow::entry).collect::<StoreResult<_>>()?;
    let is_kept = |entry: &&AccessEntry| rule.entries.iter().any(|kept| kept.id == entry.id);
    let removed: Vec<AccessEntryId> = stored.iter().filter(|entry| !is_kept(entry)).map(|entry| entry.id).collect();
    diesel::delete(protected_ref_entries::table.filter(in_ids(
        protected_ref_entries::id,
        &removed,
        AccessEntryId::get,
    )))
    .execute(tx.conn)?;
    for entry in rule.entries.iter().filter(|entry| entry.id.get() != 0 && !stored.contains(entry)) {
        update_entry(tx, entry)?;
    }
    insert_entries(tx, rule.id, rule.entries.iter().filter(|entry| entry.id.get() == 0))
}

/// Stores whom an entry names.
fn update_entry(tx: &mut WriteTx<'_>, entry: &AccessEntry) -> StoreResult<()> {
    let (level, user, group, key) = columns(entry.grantee);
    diesel::update(protected_ref_entries::table.find(entry.id.get()))
        .set((
            protected_ref_entries::access_level.eq(level),
            protected_ref_entries::user_id.eq(user),
            protected_ref_entries::group_id.eq(group),
            protected_ref_entries::deploy_key_id.eq(key),
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
