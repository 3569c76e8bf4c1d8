//! The approvals of a merge request, as its page shows them.

use tenon_app::merge_request::{GivenView, MergeRequestPage, RuleStateView};
use tenon_domain::issuable::State;
use tenon_domain::merge_request::RuleKind;

use crate::context::frame::Frame;
use crate::kit::words::count;
use crate::parts::links::PersonLink;

/// The most rules that are named, and the most people of one.
const SHOWN: usize = 20;
const NAMED: usize = 5;

/// A rule that is not met.
pub(super) struct Unmet {
    pub(super) name: String,
    pub(super) has: String,
    /// The code owners whom it asks for. Empty for other rules.
    pub(super) people: String,
}

/// The line about approvals, and the buttons behind it.
pub(super) struct ApprovalsLine {
    pub(super) icon: &'static str,
    /// The class of its colour.
    pub(super) class: &'static str,
    pub(super) words: String,
    pub(super) approved_by: Vec<PersonLink>,
    pub(super) changes_requested_by: Vec<PersonLink>,
    /// The first rules that are not met, if there are others than everyone's, and how many more there are.
    pub(super) unmet: Vec<Unmet>,
    pub(super) more_unmet: usize,
    /// True if a rule requires an approval.
    pub(super) is_required: bool,
    pub(super) may_approve: bool,
    pub(super) may_request_changes: bool,
    pub(super) may_withdraw: bool,
    /// The head of the source branch that the page shows.
    pub(super) sha: String,
}

impl ApprovalsLine {
    pub(super) fn new(frame: &Frame, found: &MergeRequestPage) -> Self {
        let approvals = &found.approvals;
        let people = |given: &[GivenView]| given.iter().map(|given| PersonLink::new(frame, &given.by)).collect();
        let given = i64::try_from(approvals.approved_by.len()).unwrap_or(i64::MAX);
        let words = match (approvals.required, given) {
            (0, 0) => "No approvals yet".to_owned(),
            (0, _) => "Approved by".to_owned(),
            (required, 0) => format!("{} required", count(required, "approval", "approvals")),
            (required, _) => format!("{} of {required} approvals", (required - approvals.left).max(0)),
        };
        let mut unmet = unmet(&approvals.rules);
        let more_unmet = unmet.len().saturating_sub(SHOWN);
        unmet.truncate(SHOWN);
        let is_given = approvals.approved && given > 0;
        let is_open = found.view.of.issuable.state == State::Opened;
        Self {
            icon: if is_given { "circle-check" } else { "circle-dot" },
            class: if is_given { "good" } else { "wait" },
            words,
            approved_by: people(&approvals.approved_by),
            changes_requested_by: people(&approvals.changes_requested_by),
            unmet,
            more_unmet,
            is_required: approvals.required > 0,
            may_approve: approvals.can_approve,
            may_request_changes: approvals.can_request_changes,
            may_withdraw: is_open && (approvals.has_approved || approvals.has_requested_changes),
            sha: found.view.request.head().unwrap_or_default().to_owned(),
        }
    }

    /// True if there is nothing to say and nothing to press.
    pub(super) fn is_empty(&self) -> bool {
        let says_nothing = self.approved_by.is_empty() && self.changes_requested_by.is_empty();
        says_nothing && !self.has_buttons() && !self.is_required
    }

    /// True if there is something to press.
    pub(super) const fn has_buttons(&self) -> bool {
        self.may_approve || self.may_request_changes || self.may_withdraw
    }
}

/// The names of the rules that are not met. None if everyone's rule is the only one: the line says what it has.
fn unmet(rules: &[RuleStateView]) -> Vec<Unmet> {
    if rules.iter().all(|state| state.rule.rule.kind == RuleKind::AnyApprover) {
        return Vec::new();
    }
    let unmet = rules.iter().filter(|state| !state.approved);
    let has = |state: &RuleStateView| format!("{} of {}", state.given, state.rule.rule.required);
    unmet.map(|state| Unmet { name: name(state), has: has(state), people: people(state) }).collect()
}

/// The name of a rule; of code owners the section and the pattern.
fn name(state: &RuleStateView) -> String {
    let rule = &state.rule.rule;
    match (rule.kind, rule.section.as_str()) {
        (RuleKind::CodeOwner, "") => format!("code owners of {}", rule.name),
        (RuleKind::CodeOwner, section) => format!("code owners of {} in {section}", rule.name),
        (RuleKind::AnyApprover | RuleKind::Regular, _) => rule.name.clone(),
    }
}

/// The code owners of whom one has to approve.
fn people(state: &RuleStateView) -> String {
    let rule = &state.rule;
    if rule.rule.kind != RuleKind::CodeOwner {
        return String::new();
    }
    let groups = rule.groups.iter().map(|group| format!("@{}", group.namespace.full_path));
    let names: Vec<String> = rule.users.iter().map(|user| format!("@{}", user.username)).chain(groups).collect();
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
