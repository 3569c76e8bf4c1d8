//! Protected branches and tags; maintainers only.

use tenon_domain::id::{ProjectId, ProtectedRefId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::RepositoryRefusal;
use tenon_domain::repository::{ProtectedAction, ProtectedRef, ProtectionKind};
use tenon_domain::time::Timestamp;
use tenon_storage::{StoreError, UniqueKey, repository};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::authorization::AuthorizedProject;
use crate::policy::precondition::check_unmodified;
use crate::policy::protection::may_unprotect;
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;
use crate::repository::refs::access_entries::{AccessChange, ProtectionView, apply, views};

/// A request for a new rule.
#[derive(Debug, Clone, Default)]
pub struct NewProtection {
    /// The name, in which `*` stands for any run of characters.
    pub name: String,
    /// The entries and the switch.
    pub permits: EditProtection,
}

/// The part of a request about whom a rule permits what. The rest of a rule stays. A new rule is for maintainers.
#[derive(Debug, Clone, Default)]
pub struct EditProtection {
    /// True if those who may push may rewrite history. For branches.
    pub allow_force_push: Option<bool>,
    /// True if a merge needs the approvals of code owners. For branches.
    pub needs_code_owners: Option<bool>,
    /// Who may push, or create tags.
    pub push: AccessChange,
    /// Who may merge. For branches.
    pub merge: AccessChange,
    /// Which maintainers may change and remove the rule. For branches.
    pub unprotect: AccessChange,
}

/// The longest name of a rule, in characters.
const MAX_NAME: usize = 255;

/// The rules of a project, in the order in which they were made.
pub fn list_protections(
    query: &mut Query<'_>,
    project: &Reference,
    kind: ProtectionKind,
    page: PageRequest,
) -> Result<Page<ProtectionView>, AppError> {
    let found = query.project(project, ProjectAction::Edit)?;
    let Page { items, total, request } = repository::list_rules(&mut query.tx, found.project.id, kind, page)?;
    Ok(Page { items: views(query, &found, items)?, total, request })
}

/// The rule of that very name.
pub fn protection(
    query: &mut Query<'_>,
    project: &Reference,
    kind: ProtectionKind,
    name: &str,
) -> Result<ProtectionView, AppError> {
    let found = query.project(project, ProjectAction::Edit)?;
    let rule = repository::find_rule(&mut query.tx, found.project.id, kind, name)?;
    views(query, &found, rule.into_iter().collect())?.pop().ok_or(AppError::NotFound(Missing::Record))
}

/// Makes a rule. One of that name already: 409 for branches, 422 for tags.
pub fn protect(
    command: &mut Command<'_>,
    project: &Reference,
    kind: ProtectionKind,
    request: &NewProtection,
) -> Result<ProtectionView, AppError> {
    let found = command.query().project(project, ProjectAction::Edit)?;
    let id = found.project.id;
    let name = request.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(AppError::invalid("name", "is invalid"));
    }
    let mut rule = ProtectedRef {
        id: ProtectedRefId::new(0),
        kind,
        name,
        allow_force_push: false,
        needs_code_owners: false,
        restricts_deploy_keys: false,
        entries: Vec::new(),
    };
    change(command, &found, &mut rule, &request.permits, true)?;
    if repository::find_rule(&mut command.tx, id, kind, &rule.name)?.is_some() {
        return Err(taken(&rule));
    }
    check_rules(command, id, kind)?;
    store(command, id, &rule)?;
    protection(&mut command.query(), project, kind, &rule.name)
}

/// Changes what a rule permits, unless it has changed since the moment that the caller names.
pub fn edit_protection(
    command: &mut Command<'_>,
    project: &Reference,
    (kind, name): (ProtectionKind, &str),
    request: &EditProtection,
    unmodified_since: Option<Timestamp>,
) -> Result<ProtectionView, AppError> {
    let found = command.query().project(project, ProjectAction::Edit)?;
    let mut rule = changeable(command, &found, kind, name, unmodified_since)?;
    change(command, &found, &mut rule, request, false)?;
    let now = command.now;
    repository::set_rule(&mut command.tx, &rule, now)?;
    protection(&mut command.query(), project, kind, name)
}

fn change(
    command: &mut Command<'_>,
    found: &AuthorizedProject,
    rule: &mut ProtectedRef,
    request: &EditProtection,
    is_new: bool,
) -> Result<(), AppError> {
    apply(command, &found.project, rule, ProtectedAction::Push, &request.push, is_new)?;
    rule.restrict_deploy_keys();
    if rule.kind == ProtectionKind::Branch {
        apply(command, &found.project, rule, ProtectedAction::Merge, &request.merge, is_new)?;
        apply(command, &found.project, rule, ProtectedAction::Unprotect, &request.unprotect, is_new)?;
        rule.allow_force_push = request.allow_force_push.unwrap_or(rule.allow_force_push);
        rule.needs_code_owners = request.needs_code_owners.unwrap_or(rule.needs_code_owners);
    }
    Ok(())
}

/// The rule of that very name, if the caller may change it.
fn changeable(
    command: &mut Command<'_>,
    found: &AuthorizedProject,
    kind: ProtectionKind,
    name: &str,
    unmodified_since: Option<Timestamp>,
) -> Result<ProtectedRef, AppError> {
    let (id, today) = (found.project.id, command.today());
    let missing = || AppError::NotFound(Missing::Record);
    let rule = repository::find_rule(&mut command.tx, id, kind, name)?.ok_or_else(missing)?;
    let rules = std::slice::from_ref(&rule);
    if may_unprotect(&mut command.tx, &found.standing, &found.project, rules, today)? != [true] {
        return Err(AppError::Forbidden);
    }
    let changed_at = repository::rule_changed_at(&mut command.tx, id, kind, name)?;
    check_unmodified(changed_at.ok_or_else(missing)?, unmodified_since)?;
    Ok(rule)
}

/// Refuses one more rule if a project has as many as it may have.
fn check_rules(command: &mut Command<'_>, project: ProjectId, kind: ProtectionKind) -> Result<(), AppError> {
    let what = match kind {
        ProtectionKind::Branch => "protected branches",
        ProtectionKind::Tag => "protected tags",
    };
    let count = repository::count_rules(&mut command.tx, project, kind)?;
    check_number(count, command.app.limits().contents.protected_refs, "A project", what)
}

fn store(command: &mut Command<'_>, project: ProjectId, rule: &ProtectedRef) -> Result<(), AppError> {
    let now = command.now;
    let stored = repository::insert_rule(&mut command.tx, project, rule, now);
    stored.map(drop).map_err(|error| match error {
        StoreError::Unique(UniqueKey::ProtectedRef) => taken(rule),
        other => other.into(),
    })
}

/// Removes the rule of that very name, unless it has changed since the moment that the caller names.
pub fn unprotect(
    command: &mut Command<'_>,
    project: &Reference,
    kind: ProtectionKind,
    name: &str,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let found = command.query().project(project, ProjectAction::Edit)?;
    changeable(command, &found, kind, name, unmodified_since)?;
    repository::remove_rule(&mut command.tx, found.project.id, kind, name)?;
    Ok(())
}

fn taken(rule: &ProtectedRef) -> AppError {
    match rule.kind {
        ProtectionKind::Branch => AppError::from(RepositoryRefusal::ProtectedBranchExists(rule.name.clone())),
        ProtectionKind::Tag => AppError::from(RepositoryRefusal::ProtectedTagExists),
    }
}
