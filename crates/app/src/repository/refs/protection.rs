//! Protected branches and tags; maintainers only.

use tenon_domain::id::ProjectId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::RepositoryRefusal;
use tenon_domain::repository::{PROTECTION_LEVELS, ProtectedRef, ProtectionKind};
use tenon_domain::time::Timestamp;
use tenon_storage::{StoreError, UniqueKey, repository};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;

/// A request for a new rule. Levels are 0, 30 or 40; maintainers if absent.
#[derive(Debug, Clone, Default)]
pub struct NewProtection {
    /// The name, in which `*` stands for any run of characters.
    pub name: String,
    /// From which level on one may push, or create.
    pub push_level: AskedLevel,
    /// From which level on one may merge.
    pub merge_level: AskedLevel,
    /// True if a merge needs the approvals of code owners.
    pub needs_code_owners: bool,
}

/// A level that the caller may have named, with the parameter that carries it, which a refusal names.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskedLevel {
    /// The name of the parameter.
    pub parameter: &'static str,
    /// The level of the request; the default if absent.
    pub level: Option<i64>,
}

/// The level of a rule that says nothing else.
const DEFAULT_LEVEL: i64 = 40;
/// The longest name of a rule, in characters.
const MAX_NAME: usize = 255;

/// The rules of a project, in the order in which they were made.
pub fn list_protections(
    query: &mut Query<'_>,
    project: &Reference,
    kind: ProtectionKind,
    page: PageRequest,
) -> Result<Page<ProtectedRef>, AppError> {
    let id = query.project(project, ProjectAction::Edit)?.project.id;
    Ok(repository::list_rules(&mut query.tx, id, kind, page)?)
}

/// The rule of that very name.
pub fn protection(
    query: &mut Query<'_>,
    project: &Reference,
    kind: ProtectionKind,
    name: &str,
) -> Result<ProtectedRef, AppError> {
    let id = query.project(project, ProjectAction::Edit)?.project.id;
    repository::find_rule(&mut query.tx, id, kind, name)?.ok_or(AppError::NotFound(Missing::Record))
}

/// Makes a rule. One of that name already: 409 for branches, 422 for tags.
pub fn protect(
    command: &mut Command<'_>,
    project: &Reference,
    kind: ProtectionKind,
    request: NewProtection,
) -> Result<ProtectedRef, AppError> {
    let id = command.query().project(project, ProjectAction::Edit)?.project.id;
    let name = request.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(AppError::invalid("name", "is invalid"));
    }
    let rule = ProtectedRef {
        kind,
        name,
        push_level: level(request.push_level)?,
        merge_level: level(request.merge_level)?,
        needs_code_owners: request.needs_code_owners,
    };
    if repository::find_rule(&mut command.tx, id, kind, &rule.name)?.is_some() {
        return Err(taken(&rule));
    }
    check_rules(command, id, kind)?;
    store(command, id, &rule)?;
    Ok(rule)
}

/// Refuses one more rule if a project has as many as it may have.
pub(crate) fn check_rules(command: &mut Command<'_>, project: ProjectId, kind: ProtectionKind) -> Result<(), AppError> {
    let what = match kind {
        ProtectionKind::Branch => "protected branches",
        ProtectionKind::Tag => "protected tags",
    };
    let count = repository::count_rules(&mut command.tx, project, kind)?;
    check_number(count, command.app.limits().contents.protected_refs, "A project", what)
}

fn store(command: &mut Command<'_>, project: ProjectId, rule: &ProtectedRef) -> Result<(), AppError> {
    let now = command.now;
    repository::insert_rule(&mut command.tx, project, rule, now).map_err(|error| match error {
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
    let id = command.query().project(project, ProjectAction::Edit)?.project.id;
    let changed_at = repository::rule_changed_at(&mut command.tx, id, kind, name)?;
    check_unmodified(changed_at.ok_or(AppError::NotFound(Missing::Record))?, unmodified_since)?;
    repository::remove_rule(&mut command.tx, id, kind, name)?;
    Ok(())
}

fn level(asked: AskedLevel) -> Result<i64, AppError> {
    let level = asked.level.unwrap_or(DEFAULT_LEVEL);
    if PROTECTION_LEVELS.contains(&level) {
        Ok(level)
    } else {
        Err(RepositoryRefusal::InvalidLevel(asked.parameter).into())
    }
}

fn taken(rule: &ProtectedRef) -> AppError {
    match rule.kind {
        ProtectionKind::Branch => AppError::from(RepositoryRefusal::ProtectedBranchExists(rule.name.clone())),
        ProtectionKind::Tag => AppError::from(RepositoryRefusal::ProtectedTagExists),
    }
}
