//! Approvals: the verdicts of reviewers, and the rules of a project about them.

use std::collections::HashSet;

use crate::field_errors::FieldErrors;
use crate::id::{ApprovalRuleId, NamespaceId, ProjectId, UserId};
use crate::time::Timestamp;
use crate::words::words;

/// The longest name of a rule, in characters.
pub const MAX_RULE_NAME: usize = 255;
/// The most approvals that a rule requires.
pub const MAX_REQUIRED: i64 = 100;

/// The name of everyone's rule if no one has named it.
pub const EVERYONE: &str = "All Members";

words! {
    /// The verdict of a reviewer.
    pub enum Verdict {
        /// It may be merged.
        Approved = "approved",
        /// It has to be changed before.
        ChangesRequested = "changes_requested",
    }
}

words! {
    /// Whose approvals a rule counts.
    pub enum RuleKind {
        /// Those of everyone who may approve. A project has one such rule at most.
        AnyApprover = "any_approver",
        /// Those of the users and groups that it names.
        Regular = "regular",
        /// Those of the owners that the file of code owners names for a path that is changed. No one makes such a rule.
        CodeOwner = "code_owner",
    }
}

/// A rule of a project: so many of these people have to approve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRule {
    /// Its id.
    pub id: ApprovalRuleId,
    /// The project whose merge requests it is about.
    pub project: ProjectId,
    /// Its name, unique in the project; of code owners the pattern of the paths.
    pub name: String,
    /// The section of code owners. Empty if there is none.
    pub section: String,
    /// Whose approvals it counts.
    pub kind: RuleKind,
    /// How many are required, 0 to [`MAX_REQUIRED`].
    pub required: i64,
    /// The users that it names, sorted.
    pub users: Vec<UserId>,
    /// The groups whose direct members it names, sorted.
    pub groups: Vec<NamespaceId>,
}

impl ApprovalRule {
    /// Checks the fields.
    ///
    /// # Errors
    /// The fields and what is wrong with them.
    pub fn check(&self) -> Result<(), FieldErrors> {
        let mut errors = FieldErrors::default();
        errors.present("name", &self.name);
        errors.at_most(MAX_RULE_NAME, "name", &self.name);
        if !(0..=MAX_REQUIRED).contains(&self.required) {
            errors.add("approvals_required", format!("must be between 0 and {MAX_REQUIRED}"));
        }
        if self.kind == RuleKind::AnyApprover && !(self.users.is_empty() && self.groups.is_empty()) {
            errors.add("rule_type", "any_approver names no users and no groups");
        }
        if self.kind == RuleKind::CodeOwner {
            errors.add("rule_type", "code_owner comes from the file CODEOWNERS");
        }
        errors.into_result()
    }

    /// Has everyone's rule among the rules of `project` require at least `required` approvals. The rule is made if there is none.
    pub fn raise(rules: &mut Vec<Self>, project: ProjectId, required: i64) {
        if let Some(rule) = rules.iter_mut().find(|rule| rule.kind == RuleKind::AnyApprover) {
            rule.required = rule.required.max(required);
        } else if required > 0 {
            rules.push(Self {
                id: ApprovalRuleId::new(0),
                project,
                kind: RuleKind::AnyApprover,
                name: EVERYONE.to_owned(),
                section: String::new(),
                required,
                users: Vec::new(),
                groups: Vec::new(),
            });
        }
    }
}

/// The settings of a project about approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalSettings {
    /// True if a push with other changes takes the approvals away.
    pub reset_on_push: bool,
    /// True if the approval of the author counts.
    pub author_may_approve: bool,
}

/// Those of a new project.
impl Default for ApprovalSettings {
    fn default() -> Self {
        Self { reset_on_push: true, author_may_approve: false }
    }
}

/// The verdict of one reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenVerdict {
    /// Whose.
    pub by: UserId,
    /// The verdict.
    pub verdict: Verdict,
    /// When it was given.
    pub at: Timestamp,
}

/// The state of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleState {
    /// The rule.
    pub rule: ApprovalRule,
    /// How many approvals it counts.
    pub given: i64,
    /// Whose approvals these are, in the order in which they were given. Those of code owners whom the caller may not know as
    /// such are left out.
    pub approved_by: Vec<UserId>,
}

impl RuleState {
    /// How many approvals are missing.
    #[must_use]
    pub fn left(&self) -> i64 {
        (self.rule.required - self.given).max(0)
    }
}

/// The approvals of a merge request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approvals {
    /// The rules of its project with their state, by id.
    pub rules: Vec<RuleState>,
    /// The approvals, in the order in which they were given.
    pub approved: Vec<GivenVerdict>,
    /// The reviewers who ask for changes, in the order in which they have asked.
    pub changes_requested: Vec<GivenVerdict>,
}

impl Approvals {
    /// The approvals of a merge request. `given` are the verdicts of those who may still give one; `is_in_groups` says if
    /// a user is a member of one of these groups.
    #[must_use]
    pub fn new(
        rules: Vec<ApprovalRule>,
        given: Vec<GivenVerdict>,
        is_in_groups: impl Fn(UserId, &[NamespaceId]) -> bool,
    ) -> Self {
        let (approved, changes_requested): (Vec<_>, Vec<_>) =
            given.into_iter().partition(|given| given.verdict == Verdict::Approved);
        let counts = |rule: &ApprovalRule, user: UserId| match rule.kind {
            RuleKind::AnyApprover => true,
            RuleKind::Regular | RuleKind::CodeOwner => rule.users.contains(&user) || is_in_groups(user, &rule.groups),
        };
        let state = |rule: ApprovalRule| {
            let approved_by: Vec<UserId> =
                approved.iter().map(|given| given.by).filter(|user| counts(&rule, *user)).collect();
            RuleState { rule, given: i64::try_from(approved_by.len()).unwrap_or(i64::MAX), approved_by }
        };
        Self { rules: rules.into_iter().map(state).collect(), approved, changes_requested }
    }

    /// How many approvals the rules require.
    #[must_use]
    pub fn required(&self) -> i64 {
        self.rules.iter().map(|state| state.rule.required).sum()
    }

    /// How many of them are missing.
    #[must_use]
    pub fn left(&self) -> i64 {
        self.rules.iter().map(RuleState::left).sum()
    }

    /// True if every rule is met. Where a rule requires an approval, a request for changes that is still open is in the
    /// way as well.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.left() == 0 && (self.changes_requested.is_empty() || self.required() == 0)
    }

    /// The verdict of a user.
    #[must_use]
    pub fn verdict_of(&self, user: UserId) -> Option<Verdict> {
        self.approved.iter().chain(&self.changes_requested).find(|given| given.by == user).map(|given| given.verdict)
    }

    /// The users whose verdicts are open.
    #[must_use]
    pub fn reviewers(&self) -> HashSet<UserId> {
        self.approved.iter().chain(&self.changes_requested).map(|given| given.by).collect()
    }
}

/// Why no verdict is given or taken back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalRefusal {
    /// The caller may not give one, or the merge request is not open.
    #[error("the caller may not approve")]
    Unauthorized,
    /// The caller has given none.
    #[error("the caller has not approved")]
    NotGiven,
    /// The source branch is elsewhere.
    #[error("SHA does not match HEAD of source branch: {0}")]
    ShaMismatch(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(kind: RuleKind, required: i64, users: &[i64], groups: &[i64]) -> ApprovalRule {
        ApprovalRule {
            id: ApprovalRuleId::new(1),
            project: ProjectId::new(1),
            name: "Rule".to_owned(),
            section: String::new(),
            kind,
            required,
            users: users.iter().copied().map(UserId::new).collect(),
            groups: groups.iter().copied().map(NamespaceId::new).collect(),
        }
    }

    fn given(by: i64, verdict: Verdict) -> GivenVerdict {
        GivenVerdict { by: UserId::new(by), verdict, at: Timestamp::default() }
    }

    /// User 3 is in group 7.
    fn approvals(rules: Vec<ApprovalRule>, given: Vec<GivenVerdict>) -> Approvals {
        let is_in = |user: UserId, groups: &[NamespaceId]| user.get() == 3 && groups.contains(&NamespaceId::new(7));
        Approvals::new(rules, given, is_in)
    }

    #[test]
    fn rules_count_those_whom_they_name() {
        use RuleKind::{AnyApprover, Regular};
        let approved = |users: &[i64]| users.iter().map(|user| given(*user, Verdict::Approved)).collect::<Vec<_>>();
        for (rules, given, left) in [
            (vec![], approved(&[]), 0),
            (vec![rule(AnyApprover, 2, &[], &[])], approved(&[]), 2),
            (vec![rule(AnyApprover, 2, &[], &[])], approved(&[1]), 1),
            (vec![rule(AnyApprover, 2, &[], &[])], approved(&[1, 2, 3]), 0),
            (vec![rule(Regular, 1, &[1], &[])], approved(&[2]), 1),
            (vec![rule(Regular, 1, &[1], &[])], approved(&[1]), 0),
            (vec![rule(Regular, 1, &[], &[7])], approved(&[3]), 0),
            (vec![rule(Regular, 1, &[], &[8])], approved(&[3]), 1),
            (vec![rule(AnyApprover, 1, &[], &[]), rule(Regular, 1, &[1], &[])], approved(&[2]), 1),
            (vec![rule(AnyApprover, 1, &[], &[]), rule(Regular, 1, &[1], &[])], approved(&[1]), 0),
        ] {
            let found = approvals(rules, given);
            assert_eq!((found.left(), found.is_approved()), (left, left == 0), "{found:?}");
        }
    }

    #[test]
    fn a_request_for_changes_is_in_the_way_where_approval_is_required() {
        let rules = |required| vec![rule(RuleKind::AnyApprover, required, &[], &[])];
        let asked = vec![given(1, Verdict::Approved), given(2, Verdict::ChangesRequested)];
        assert!(approvals(vec![], asked.clone()).is_approved());
        assert!(approvals(rules(0), asked.clone()).is_approved());
        let found = approvals(rules(1), asked);
        assert_eq!((found.left(), found.is_approved()), (0, false));
        assert_eq!(found.verdict_of(UserId::new(2)), Some(Verdict::ChangesRequested));
        assert_eq!(found.verdict_of(UserId::new(3)), None);
    }

    #[test]
    fn a_rule_has_a_name_and_a_number_in_bounds() {
        assert_eq!(rule(RuleKind::Regular, 100, &[1], &[2]).check(), Ok(()));
        assert_eq!(rule(RuleKind::AnyApprover, 0, &[], &[]).check(), Ok(()));
        for (wrong, field) in [
            (ApprovalRule { name: " ".to_owned(), ..rule(RuleKind::Regular, 1, &[], &[]) }, "name"),
            (ApprovalRule { name: "a".repeat(256), ..rule(RuleKind::Regular, 1, &[], &[]) }, "name"),
            (rule(RuleKind::Regular, 101, &[], &[]), "approvals_required"),
            (rule(RuleKind::Regular, -1, &[], &[]), "approvals_required"),
            (rule(RuleKind::AnyApprover, 1, &[1], &[]), "rule_type"),
            (rule(RuleKind::CodeOwner, 1, &[1], &[]), "rule_type"),
        ] {
            let errors = wrong.check().unwrap_err();
            assert!(format!("{errors:?}").contains(field), "{errors:?}");
        }
    }
}
