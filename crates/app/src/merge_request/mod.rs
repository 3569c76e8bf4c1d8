//! Merge requests. The part that they share with issues is in `shared`.

mod accept;
mod approval_rule;
mod approvals;
mod approve;
mod auto_merge;
mod branch_update;
mod close_issues;
mod code_owners;
mod comparison;
mod conflicts;
mod create;
mod delete;
mod edit;
mod excerpts;
mod found;
mod list;
mod mergeability;
mod message;
mod obstacles;
mod outdated;
mod owner_rules;
mod page;
mod progress;
mod rebase;
mod recover;
mod requirements;
mod resolve_conflicts;
mod show;
mod source_branch;
mod subscribe;
mod suggestion;
mod sync_source;
mod totals;
mod touched_owners;
mod traced;
mod view;

pub use accept::{AcceptRequest, accept};
pub use approval_rule::{
    ApprovalRuleView, EditApprovalRule, NewApprovalRule, approval_rule, approval_rules, approval_settings, create_rule,
    delete_rule, edit_rule, set_approval_settings,
};
pub use approve::{ApprovalsView, GivenView, RuleStateView, approvals, approve, request_changes, withdraw};
pub use auto_merge::cancel;
pub use close_issues::{ClosedIssue, closed_by, closes_issues, related};
pub use comparison::{Changes, CommitsView, VersionDetail, changes, commits, files, patch, version, versions};
pub use conflicts::conflicts;
pub use create::{CreateMergeRequest, create};
pub use delete::delete;
pub(crate) use delete::{DeleteMergeRequestRefs, enqueue_ref_deletion};
pub use edit::{EditMergeRequest, edit};
pub use excerpts::{Excerpt, excerpts};
pub use list::{both, find, list, of_branches, of_commit, of_deployment, of_group, of_milestone, of_project};
pub use page::{
    AskedDifference, DifferencePage, DifferingFiles, MergeRequestPage, MergeRights, applicable, difference_page,
    not_to_offer, page, statistics, statistics_of_group, statistics_of_project,
};
pub use progress::{ReviewProgress, mark_seen, progress, set_viewed};
pub use rebase::{merge_ref, rebase};
pub use resolve_conflicts::{
    ConflictResolution, ConflictText, Conflicts, ResolveConflicts, conflicting_texts, resolve_conflicts,
};
pub use show::{ShowMergeRequest, pipelines, show};
pub use source_branch::{SourceBranch, delete_source_branch};
pub use subscribe::{subscribe, unsubscribe};
pub use suggestion::{ApplySuggestions, apply_suggestions};
pub use totals::changed_lines;
pub(crate) use view::views;
pub use view::{MergeRequestView, Single};
