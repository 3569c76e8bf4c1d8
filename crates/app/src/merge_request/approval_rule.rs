//! The rules of a project about approvals, and its settings.

use tenon_domain::group::GroupAction;
use tenon_domain::id::{ApprovalRuleId, NamespaceId, ProjectId, UserId};
use tenon_domain::merge_request::{ApprovalRule, ApprovalSettings, RuleKind};
use tenon_domain::namespace::Namespace;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::user::User;
use tenon_storage::{approval_rule as stored, group, namespace, user};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;
use crate::shared::approvals::{require_approvals, required_approvals, taken};
use crate::shared::views::namespace::NamespaceView;
use crate::shared::views::user_ref::UserRef;

/// A rule as answers show it.
#[derive(Debug, Clone)]
pub struct ApprovalRuleView {
    /// The rule.
    pub rule: ApprovalRule,
    /// The users that it names.
    pub users: Vec<UserRef>,
    /// The groups that it names, as far as the caller may see them.
    pub groups: Vec<NamespaceView>,
    /// True if it names a group that the caller may not see.
    pub has_hidden_groups: bool,
}

/// The views of these, in their order.
pub(super) fn views(query: &mut Query<'_>, rules: Vec<ApprovalRule>) -> Result<Vec<ApprovalRuleView>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let people = UserRef::of(query, rules.iter().flat_map(|rule| rule.users.iter().copied()).collect())?;
    let groups: Vec<NamespaceId> = rules.iter().flat_map(|rule| rule.groups.iter().copied()).collect();
    let (visible, found) = if groups.is_empty() {
        Default::default()
    } else {
        let found = namespace::by_ids(&mut query.tx, &groups)?;
        (group::visible_of(&mut query.tx, viewer, &groups, today)?, found)
    };
    let links = query.app.links().clone();
    let view = |rule: ApprovalRule| {
        let shown: Vec<Namespace> =
            rule.groups.iter().filter(|id| visible.contains(id)).filter_map(|id| found.get(id).cloned()).collect();
        ApprovalRuleView {
            users: rule.users.iter().filter_map(|user| people.get(user).cloned()).collect(),
            has_hidden_groups: shown.len() < rule.groups.len(),
            groups: shown.into_iter().map(|group| NamespaceView::new(&links, group)).collect(),
            rule,
        }
    };
    Ok(rules.into_iter().map(view).collect())
}

/// One page of the rules of a project, for those who may read its merge requests.
pub fn approval_rules(
    query: &mut Query<'_>,
    project: &Reference,
    page: PageRequest,
) -> Result<Page<ApprovalRuleView>, AppError> {
    let id = query.merge_request_home(project)?.project.id;
    let rules = stored::of_project(&mut query.tx, id)?;
    // A project has few rules, and its merge requests are checked against all of them.
    let Page { items, total, request } = Page::cut(rules, page);
    Ok(Page { items: views(query, items)?, total, request })
}

/// The rule of that id.
pub fn approval_rule(
    query: &mut Query<'_>,
    project: &Reference,
    rule: ApprovalRuleId,
) -> Result<ApprovalRuleView, AppError> {
    let project = query.merge_request_home(project)?.project.id;
    let found = find(query, project, rule)?;
    one(query, found)
}

fn one(query: &mut Query<'_>, rule: ApprovalRule) -> Result<ApprovalRuleView, AppError> {
    views(query, vec![rule])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

fn find(query: &mut Query<'_>, project: ProjectId, rule: ApprovalRuleId) -> Result<ApprovalRule, AppError> {
    let rules = stored::of_project(&mut query.tx, project)?;
    rules.into_iter().find(|known| known.id == rule).ok_or(AppError::NotFound(Missing::Record))
}

/// A request for a new rule.
#[derive(Debug, Clone)]
pub struct NewApprovalRule {
    /// Its name.
    pub name: String,
    /// Whose approvals it counts.
    pub kind: RuleKind,
    /// How many are required.
    pub required: i64,
    /// The users that it names, by id and by name.
    pub users: Vec<Reference>,
    /// The groups that it names, by id and by path.
    pub groups: Vec<Reference>,
}

/// Makes a rule.
pub fn create_rule(
    command: &mut Command<'_>,
    project: &Reference,
    request: NewApprovalRule,
) -> Result<ApprovalRuleView, AppError> {
    let project = command.query().project(project, ProjectAction::Edit)?.project.id;
    let count = i64::try_from(stored::of_project(&mut command.tx, project)?.len()).unwrap_or(i64::MAX);
    check_number(count, command.app.limits().contents.approval_rules, "A project", "approval rules")?;
    let mut rule = ApprovalRule {
        id: ApprovalRuleId::new(0),
        project,
        name: request.name.trim().to_owned(),
        section: String::new(),
        kind: request.kind,
        required: request.required,
        users: named_users(command, &request.users)?,
        groups: named_groups(command, &request.groups, &[])?,
    };
    rule.check()?;
    rule.id = stored::insert(&mut command.tx, &rule).map_err(taken)?;
    one(&mut command.query(), rule)
}

/// A request to change a rule. What is absent stays.
#[derive(Debug, Clone, Default)]
pub struct EditApprovalRule {
    /// Its name.
    pub name: Option<String>,
    /// How many approvals are required.
    pub required: Option<i64>,
    /// The users that it names.
    pub users: Option<Vec<Reference>>,
    /// The groups that it names. Those that the caller may not see stay.
    pub groups: Option<Vec<Reference>>,
}

/// Changes a rule.
pub fn edit_rule(
    command: &mut Command<'_>,
    project: &Reference,
    rule: ApprovalRuleId,
    request: EditApprovalRule,
) -> Result<ApprovalRuleView, AppError> {
    let project = command.query().project(project, ProjectAction::Edit)?.project.id;
    let mut rule = find(&mut command.query(), project, rule)?;
    if let Some(name) = request.name {
        name.trim().clone_into(&mut rule.name);
    }
    rule.required = request.required.unwrap_or(rule.required);
    if let Some(users) = &request.users {
        rule.users = named_users(command, users)?;
    }
    if let Some(groups) = &request.groups {
        rule.groups = named_groups(command, groups, &rule.groups)?;
    }
    rule.check()?;
    stored::update(&mut command.tx, &rule).map_err(taken)?;
    one(&mut command.query(), rule)
}

/// Removes a rule.
pub fn delete_rule(command: &mut Command<'_>, project: &Reference, rule: ApprovalRuleId) -> Result<(), AppError> {
    let project = command.query().project(project, ProjectAction::Edit)?.project.id;
    let rule = find(&mut command.query(), project, rule)?;
    Ok(stored::delete(&mut command.tx, rule.id)?)
}

/// The users of these ids and names, each once, sorted.
fn named_users(command: &mut Command<'_>, named: &[Reference]) -> Result<Vec<UserId>, AppError> {
    check_people(command, "users", named.len())?;
    let mut users = Vec::with_capacity(named.len());
    for reference in named {
        let found = match reference {
            Reference::Id(id) => user::find(&mut command.tx, UserId::new(*id))?,
            Reference::Path(name) => user::find_by_username(&mut command.tx, name)?,
        };
        let found = found.filter(User::may_act);
        users.push(found.ok_or_else(|| AppError::invalid("users", "are not found"))?.id);
    }
    users.sort_unstable();
    users.dedup();
    Ok(users)
}

/// The groups of these ids and paths, each once, sorted, with those of `before` that the caller may not see.
fn named_groups(
    command: &mut Command<'_>,
    named: &[Reference],
    before: &[NamespaceId],
) -> Result<Vec<NamespaceId>, AppError> {
    check_people(command, "groups", named.len())?;
    let mut query = command.query();
    let (viewer, today) = (query.viewer(), query.today());
    let mut groups = Vec::with_capacity(named.len());
    for reference in named {
        let found = query.group(reference, GroupAction::Read);
        let found = found.map_err(|error| match (error, reference) {
            (AppError::NotFound(_), Reference::Path(path)) => {
                AppError::invalid("groups", format!("include {path}, which does not exist"))
            }
            (AppError::NotFound(_), Reference::Id(_)) => AppError::invalid("groups", "are not found"),
            (other, _) => other,
        })?;
        groups.push(found.group.id());
    }
    if !before.is_empty() {
        let visible = group::visible_of(&mut query.tx, viewer, before, today)?;
        groups.extend(before.iter().filter(|id| !visible.contains(id)));
    }
    groups.sort_unstable();
    groups.dedup();
    Ok(groups)
}

fn check_people(command: &Command<'_>, field: &str, named: usize) -> Result<(), AppError> {
    let most = command.app.limits().people.assigned;
    if named > most {
        return Err(AppError::invalid(field, format!("are too many (maximum is {most})")));
    }
    Ok(())
}

/// The settings of a project about approvals, and how many everyone's rule requires.
pub fn approval_settings(query: &mut Query<'_>, project: &Reference) -> Result<(ApprovalSettings, i64), AppError> {
    let id = query.project(project, ProjectAction::Edit)?.project.id;
    let settings = stored::settings(&mut query.tx, &[id])?.remove(&id).unwrap_or_default();
    Ok((settings, required_approvals(query, id)?))
}

/// Changes the settings of a project about approvals. `required` is the number that everyone's rule requires; that rule
/// is made if there is none.
pub fn set_approval_settings(
    command: &mut Command<'_>,
    project: &Reference,
    (reset_on_push, author_may_approve): (Option<bool>, Option<bool>),
    required: Option<i64>,
) -> Result<(ApprovalSettings, i64), AppError> {
    let id = command.query().project(project, ProjectAction::Edit)?.project.id;
    let (before, _) = approval_settings(&mut command.query(), project)?;
    let settings = ApprovalSettings {
        reset_on_push: reset_on_push.unwrap_or(before.reset_on_push),
        author_may_approve: author_may_approve.unwrap_or(before.author_may_approve),
    };
    if settings != before {
        stored::set_settings(&mut command.tx, id, settings)?;
    }
    require_approvals(command, id, required)?;
    approval_settings(&mut command.query(), project)
}
