//! The rules of projects about approvals, and their settings.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;
use diesel::dsl::exists;
use diesel::prelude::*;
use tenon_domain::access::AccessLevel;
use tenon_domain::id::{ApprovalRuleId, NamespaceId, ProjectId, UserId};
use tenon_domain::merge_request::{ApprovalRule, ApprovalSettings, RuleKind};

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::row::parsed;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{
    approval_rule_groups, approval_rule_users, approval_rules, approval_settings, members, projects as project_rows,
    protected_refs,
};

/// The rules of each of these projects, by id. Three statements.
pub fn of_projects(tx: &mut ReadTx<'_>, projects: &[ProjectId]) -> StoreResult<HashMap<ProjectId, Vec<ApprovalRule>>> {
    let rows: Vec<(i64, i64, String, String, i64)> = approval_rules::table
        .filter(in_ids(approval_rules::project_id, projects, ProjectId::get))
        .order(approval_rules::id)
        .load(tx.conn)?;
    let ids: Vec<i64> = rows.iter().map(|row| row.0).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut users: HashMap<i64, Vec<UserId>> = HashMap::new();
    let named: Vec<(i64, i64)> = approval_rule_users::table
        .filter(in_ids(approval_rule_users::rule_id, &ids, std::convert::identity))
        .order((approval_rule_users::rule_id, approval_rule_users::user_id))
        .load(tx.conn)?;
    for (rule, user) in named {
        users.entry(rule).or_default().push(UserId::new(user));
    }
    let mut groups: HashMap<i64, Vec<NamespaceId>> = HashMap::new();
    let named: Vec<(i64, i64)> = approval_rule_groups::table
        .filter(in_ids(approval_rule_groups::rule_id, &ids, std::convert::identity))
        .order((approval_rule_groups::rule_id, approval_rule_groups::group_id))
        .load(tx.conn)?;
    for (rule, group) in named {
        groups.entry(rule).or_default().push(NamespaceId::new(group));
    }
    let mut found: HashMap<ProjectId, Vec<ApprovalRule>> = HashMap::new();
    for (id, project, name, kind, required) in rows {
        let rule = ApprovalRule {
            id: ApprovalRuleId::new(id),
            project: ProjectId::new(project),
            kind: parsed("approval_rules", "kind", id, &kind, RuleKind::parse)?,
            name,
            section: String::new(),
            required,
            users: users.remove(&id).unwrap_or_default(),
            groups: groups.remove(&id).unwrap_or_default(),
        };
        found.entry(rule.project).or_default().push(rule);
    }
    Ok(found)
}

/// Those of these projects that have a rule that requires an approval, or demand the approvals of code owners.
pub fn requiring(tx: &mut ReadTx<'_>, projects: &[ProjectId]) -> StoreResult<HashSet<ProjectId>> {
    let requires = approval_rules::table
        .filter(approval_rules::project_id.eq(project_rows::id))
        .filter(approval_rules::approvals_required.gt(0));
    let owned = protected_refs::table
        .filter(protected_refs::project_id.eq(project_rows::id))
        .filter(protected_refs::needs_code_owners);
    let found: Vec<i64> = project_rows::table
        .filter(in_ids(project_rows::id, projects, ProjectId::get))
        .filter(exists(requires).or(exists(owned)))
        .select(project_rows::id)
        .load(tx.conn)?;
    Ok(found.into_iter().map(ProjectId::new).collect())
}

/// The rules of a project, by id.
pub fn of_project(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<ApprovalRule>> {
    Ok(of_projects(tx, &[project])?.remove(&project).unwrap_or_default())
}

/// The direct members of these groups among these users.
pub fn members_of_groups(
    tx: &mut ReadTx<'_>,
    groups: &[NamespaceId],
    users: &[UserId],
    today: NaiveDate,
) -> StoreResult<HashSet<(NamespaceId, UserId)>> {
    if groups.is_empty() || users.is_empty() {
        return Ok(HashSet::new());
    }
    let rows: Vec<(Option<i64>, i64)> = members::table
        .filter(in_ids(members::namespace_id, groups, NamespaceId::get))
        .filter(in_ids(members::user_id, users, UserId::get))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((members::namespace_id, members::user_id))
        .load(tx.conn)?;
    Ok(rows.into_iter().filter_map(|(group, user)| Some((NamespaceId::new(group?), UserId::new(user)))).collect())
}

/// The direct members of these groups, at most so many.
pub fn direct_members(
    tx: &mut ReadTx<'_>,
    groups: &[NamespaceId],
    today: NaiveDate,
    limit: i64,
) -> StoreResult<Vec<(NamespaceId, UserId)>> {
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<(Option<i64>, i64)> = members::table
        .filter(in_ids(members::namespace_id, groups, NamespaceId::get))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .order((members::namespace_id, members::user_id))
        .select((members::namespace_id, members::user_id))
        .limit(limit)
        .load(tx.conn)?;
    Ok(rows.into_iter().filter_map(|(group, user)| Some((NamespaceId::new(group?), UserId::new(user)))).collect())
}

/// The direct members of these projects with their levels, at most so many.
pub fn direct_members_of_projects(
    tx: &mut ReadTx<'_>,
    projects: &[ProjectId],
    today: NaiveDate,
    limit: i64,
) -> StoreResult<Vec<(ProjectId, UserId, AccessLevel)>> {
    let rows: Vec<(Option<i64>, i64, i64)> = members::table
        .filter(in_ids(members::project_id, projects, ProjectId::get))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .order((members::access_level.desc(), members::project_id, members::user_id))
        .select((members::project_id, members::user_id, members::access_level))
        .limit(limit)
        .load(tx.conn)?;
    let member = |(project, user, level): (Option<i64>, i64, i64)| {
        Some((ProjectId::new(project?), UserId::new(user), AccessLevel::from_value(level)?))
    };
    Ok(rows.into_iter().filter_map(member).collect())
}

/// The levels of these users as direct members of these projects.
pub fn direct_levels(
    tx: &mut ReadTx<'_>,
    projects: &[ProjectId],
    users: &[UserId],
    today: NaiveDate,
) -> StoreResult<HashMap<(ProjectId, UserId), AccessLevel>> {
    if projects.is_empty() || users.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Option<i64>, i64, i64)> = members::table
        .filter(in_ids(members::project_id, projects, ProjectId::get))
        .filter(in_ids(members::user_id, users, UserId::get))
        .filter(members::expires_at.is_null().or(members::expires_at.gt(today)))
        .select((members::project_id, members::user_id, members::access_level))
        .load(tx.conn)?;
    let level = |(project, user, level): (Option<i64>, i64, i64)| {
        Some(((ProjectId::new(project?), UserId::new(user)), AccessLevel::from_value(level)?))
    };
    Ok(rows.into_iter().filter_map(level).collect())
}

/// Stores a new rule; its id is ignored. Fails with [`crate::UniqueKey::ApprovalRuleName`] and
/// [`crate::UniqueKey::AnyApproverRule`].
pub fn insert(tx: &mut WriteTx<'_>, rule: &ApprovalRule) -> StoreResult<ApprovalRuleId> {
    let id = diesel::insert_into(approval_rules::table)
        .values((
            approval_rules::project_id.eq(rule.project.get()),
            approval_rules::name.eq(&rule.name),
            approval_rules::kind.eq(rule.kind.as_str()),
            approval_rules::approvals_required.eq(rule.required),
        ))
        .returning(approval_rules::id)
        .get_result(tx.conn)?;
    let id = ApprovalRuleId::new(id);
    set_people(tx, id, rule)?;
    Ok(id)
}

/// Stores a rule as it now is. Its kind stays. Fails with [`crate::UniqueKey::ApprovalRuleName`].
pub fn update(tx: &mut WriteTx<'_>, rule: &ApprovalRule) -> StoreResult<()> {
    diesel::update(approval_rules::table.find(rule.id.get()))
        .set((approval_rules::name.eq(&rule.name), approval_rules::approvals_required.eq(rule.required)))
        .execute(tx.conn)?;
    set_people(tx, rule.id, rule)
}

fn set_people(tx: &mut WriteTx<'_>, id: ApprovalRuleId, rule: &ApprovalRule) -> StoreResult<()> {
    diesel::delete(approval_rule_users::table.filter(approval_rule_users::rule_id.eq(id.get()))).execute(tx.conn)?;
    diesel::delete(approval_rule_groups::table.filter(approval_rule_groups::rule_id.eq(id.get()))).execute(tx.conn)?;
    let user = |user: &UserId| (approval_rule_users::rule_id.eq(id.get()), approval_rule_users::user_id.eq(user.get()));
    let users: Vec<_> = rule.users.iter().map(user).collect();
    if !users.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(approval_rule_users::table).values(&users).execute(c))?;
    }
    let group = |group: &NamespaceId| {
        (approval_rule_groups::rule_id.eq(id.get()), approval_rule_groups::group_id.eq(group.get()))
    };
    let groups: Vec<_> = rule.groups.iter().map(group).collect();
    if !groups.is_empty() {
        on_each!(tx.conn, c => diesel::insert_into(approval_rule_groups::table).values(&groups).execute(c))?;
    }
    Ok(())
}

/// Removes a rule.
pub fn delete(tx: &mut WriteTx<'_>, id: ApprovalRuleId) -> StoreResult<()> {
    diesel::delete(approval_rules::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// The settings of each of these projects; those without any of their own are left out.
pub fn settings(tx: &mut ReadTx<'_>, projects: &[ProjectId]) -> StoreResult<HashMap<ProjectId, ApprovalSettings>> {
    let rows: Vec<(i64, bool, bool)> = approval_settings::table
        .filter(in_ids(approval_settings::project_id, projects, ProjectId::get))
        .load(tx.conn)?;
    let settings = |reset_on_push, author_may_approve| ApprovalSettings { reset_on_push, author_may_approve };
    Ok(rows.into_iter().map(|(project, reset, author)| (ProjectId::new(project), settings(reset, author))).collect())
}

/// Stores the settings of a project.
pub fn set_settings(tx: &mut WriteTx<'_>, project: ProjectId, settings: ApprovalSettings) -> StoreResult<()> {
    diesel::delete(approval_settings::table.find(project.get())).execute(tx.conn)?;
    diesel::insert_into(approval_settings::table)
        .values((
            approval_settings::project_id.eq(project.get()),
            approval_settings::reset_on_push.eq(settings.reset_on_push),
            approval_settings::author_may_approve.eq(settings.author_may_approve),
        ))
        .execute(tx.conn)?;
    Ok(())
}
