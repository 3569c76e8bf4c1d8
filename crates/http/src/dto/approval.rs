//! Approvals, and the rules of projects about them, as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::merge_request::{ApprovalRuleView, ApprovalsView, GivenView, MergeRequestView, RuleStateView};
use tenon_domain::merge_request::{ApprovalSettings, RuleKind};
use utoipa::ToSchema;

use super::namespace::NamespaceDto;
use super::user::UserRefDto;

/// The approvals of a merge request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalsDto {
    id: i64,
    iid: i64,
    project_id: i64,
    title: String,
    description: Option<String>,
    state: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    merge_status: &'static str,
    /// How many approvals the rules of the project require.
    approvals_required: i64,
    /// How many of them are missing.
    approvals_left: i64,
    /// True if no rule lacks an approval, and no request for changes is in the way.
    approved: bool,
    approved_by: Vec<ApprovedByDto>,
    /// The reviewers who ask for changes.
    changes_requested_by: Vec<ApprovedByDto>,
    user_has_approved: bool,
    user_can_approve: bool,
    has_approval_rules: bool,
    /// The rules that lack an approval.
    approval_rules_left: Vec<RuleNameDto>,
    require_password_to_approve: bool,
}

/// A verdict.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovedByDto {
    user: UserRefDto,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    approved_at: DateTime<Utc>,
}

/// A rule, in short.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RuleNameDto {
    id: i64,
    name: String,
    rule_type: &'static str,
}

/// The rules of approval, and their state.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalStateDto {
    approval_rules_overwritten: bool,
    rules: Vec<RuleStateDto>,
}

/// A rule, and its state in one merge request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RuleStateDto {
    #[serde(flatten)]
    rule: ApprovalRuleDto,
    /// True if CODEOWNERS demands it.
    code_owner: bool,
    approved_by: Vec<UserRefDto>,
    approved: bool,
}

/// A rule about approvals.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalRuleDto {
    id: i64,
    name: String,
    /// `any_approver`, `regular`, or `code_owner` for what CODEOWNERS demands of one merge request.
    rule_type: &'static str,
    /// The section of CODEOWNERS.
    section: Option<String>,
    approvals_required: i64,
    /// The users that the rule names.
    users: Vec<UserRefDto>,
    /// The same as `users`.
    eligible_approvers: Vec<UserRefDto>,
    /// The groups that the rule names, as far as the caller may see them.
    groups: Vec<NamespaceDto>,
    contains_hidden_groups: bool,
    /// Empty: rules are about all branches.
    protected_branches: Vec<UserRefDto>,
    applies_to_all_protected_branches: bool,
}

/// The settings of a project about approvals.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalSettingsDto {
    /// How many approvals the rule of type `any_approver` requires.
    approvals_before_merge: i64,
    /// True if a push with other changes takes the approvals away.
    reset_approvals_on_push: bool,
    /// True if the approval of the author counts.
    merge_requests_author_approval: bool,
    merge_requests_disable_committers_approval: bool,
    disable_overriding_approvers_per_merge_request: bool,
    require_password_to_approve: bool,
}

impl From<(MergeRequestView, ApprovalsView)> for ApprovalsDto {
    fn from((of, view): (MergeRequestView, ApprovalsView)) -> Self {
        let left = view.rules.iter().filter(|state| !state.approved).map(|state| {
            let rule = &state.rule.rule;
            RuleNameDto { id: rule.id.get(), name: rule.name.clone(), rule_type: rule.kind.as_str() }
        });
        let (of, request) = (of.of.issuable, of.request);
        Self {
            approval_rules_left: left.collect(),
            has_approval_rules: !view.rules.is_empty(),
            id: of.id.get(),
            iid: of.iid.get(),
            project_id: of.project.get(),
            title: of.title,
            description: of.description,
            state: of.state.as_str(),
            created_at: of.created_at,
            updated_at: of.updated_at,
            merge_status: request.merge_status.as_str(),
            approvals_required: view.required,
            approvals_left: view.left,
            approved: view.approved,
            approved_by: view.approved_by.into_iter().map(Into::into).collect(),
            changes_requested_by: view.changes_requested_by.into_iter().map(Into::into).collect(),
            user_has_approved: view.has_approved,
            user_can_approve: view.can_approve,
            require_password_to_approve: false,
        }
    }
}

impl From<GivenView> for ApprovedByDto {
    fn from(given: GivenView) -> Self {
        Self { user: given.by.into(), approved_at: given.at }
    }
}

impl From<ApprovalsView> for ApprovalStateDto {
    fn from(view: ApprovalsView) -> Self {
        Self { approval_rules_overwritten: false, rules: view.rules.into_iter().map(Into::into).collect() }
    }
}

impl From<RuleStateView> for RuleStateDto {
    fn from(state: RuleStateView) -> Self {
        let approved_by = state.approved_by.into_iter().map(Into::into).collect();
        let code_owner = state.rule.rule.kind == RuleKind::CodeOwner;
        Self { rule: state.rule.into(), code_owner, approved_by, approved: state.approved }
    }
}

impl From<ApprovalRuleView> for ApprovalRuleDto {
    fn from(view: ApprovalRuleView) -> Self {
        let users: Vec<UserRefDto> = view.users.into_iter().map(Into::into).collect();
        Self {
            id: view.rule.id.get(),
            name: view.rule.name,
            rule_type: view.rule.kind.as_str(),
            section: Some(view.rule.section).filter(|section| !section.is_empty()),
            approvals_required: view.rule.required,
            eligible_approvers: users.clone(),
            users,
            groups: view.groups.into_iter().map(Into::into).collect(),
            contains_hidden_groups: view.has_hidden_groups,
            protected_branches: Vec::new(),
            applies_to_all_protected_branches: false,
        }
    }
}

impl From<(ApprovalSettings, i64)> for ApprovalSettingsDto {
    fn from((settings, required): (ApprovalSettings, i64)) -> Self {
        Self {
            approvals_before_merge: required,
            reset_approvals_on_push: settings.reset_on_push,
            merge_requests_author_approval: settings.author_may_approve,
            merge_requests_disable_committers_approval: false,
            disable_overriding_approvers_per_merge_request: false,
            require_password_to_approve: false,
        }
    }
}
