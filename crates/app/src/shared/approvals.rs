//! The rule of a project about the number of approvals of anybody.

use tenon_domain::field_errors::TAKEN;
use tenon_domain::id::{ApprovalRuleId, ProjectId};
use tenon_domain::merge_request::{ApprovalRule, EVERYONE, RuleKind};
use tenon_storage::{StoreError, UniqueKey, approval_rule};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::quota::check_number;

/// How many approvals of anybody a merge in the project requires.
pub(crate) fn required_approvals(query: &mut Query<'_>, project: ProjectId) -> Result<i64, AppError> {
    let rules = approval_rule::of_project(&mut query.tx, project)?;
    Ok(rules.iter().find(|rule| rule.kind == RuleKind::AnyApprover).map_or(0, |rule| rule.required))
}

/// Changes that number, if one is given. The rule is made if there is none.
pub(crate) fn require_approvals(
    command: &mut Command<'_>,
    project: ProjectId,
    required: Option<i64>,
) -> Result<(), AppError> {
    let Some(required) = required else { return Ok(()) };
    let rules = approval_rule::of_project(&mut command.tx, project)?;
    let count = i64::try_from(rules.len()).unwrap_or(i64::MAX);
    if let Some(rule) = rules.into_iter().find(|rule| rule.kind == RuleKind::AnyApprover) {
        let rule = ApprovalRule { required, ..rule };
        rule.check()?;
        return Ok(approval_rule::update(&mut command.tx, &rule)?);
    }
    if required == 0 {
        return Ok(());
    }
    check_number(count, command.app.limits().contents.approval_rules, "A project", "approval rules")?;
    let rule = ApprovalRule {
        id: ApprovalRuleId::new(0),
        project,
        name: EVERYONE.to_owned(),
        section: String::new(),
        kind: RuleKind::AnyApprover,
        required,
        users: Vec::new(),
        groups: Vec::new(),
    };
    rule.check()?;
    approval_rule::insert(&mut command.tx, &rule).map(drop).map_err(taken)
}

/// The refusal of a rule that there is already.
pub(crate) fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::ApprovalRuleName) => AppError::invalid("name", TAKEN),
        StoreError::Unique(UniqueKey::AnyApproverRule) => {
            AppError::invalid("rule_type", "any-approver for the project already exists")
        }
        other => other.into(),
    }
}
