//! Who may do what with merge requests.

use crate::access::{AccessLevel, Decision, Standing};
use crate::issuable::{IssuableAction, IssuableFacts, TrackerFacts};
use crate::repository::Protections;

/// Decides whether the caller may do `action` with a merge request of a project. Members of a private project who may
/// not read its code get 403; only what they have written or are assigned to is open to them. Anonymous callers read,
/// and do nothing else.
#[must_use]
pub fn decide(standing: &Standing, project: TrackerFacts, facts: IssuableFacts, action: IssuableAction) -> Decision {
    if !standing.sees(project.visibility) {
        return Decision::Hide;
    }
    let reads = reads_code(standing, project) || facts.own;
    if !project.enabled || !reads {
        return Decision::Deny;
    }
    if action == IssuableAction::Read {
        return Decision::Allow;
    }
    if project.archived || standing.viewer.user().is_none() {
        return Decision::Deny;
    }
    let developer = standing.at_least(AccessLevel::Developer);
    let may_speak = !facts.locked || standing.at_least(AccessLevel::Guest);
    match action {
        IssuableAction::Read | IssuableAction::Award => Decision::Allow,
        IssuableAction::Edit => Decision::allow_if(facts.own || developer),
        IssuableAction::Resolve => Decision::allow_if((facts.own || developer) && may_speak),
        IssuableAction::Triage | IssuableAction::Approve => Decision::allow_if(developer),
        // A merge request lies between two branches, and stays with them.
        IssuableAction::Move => Decision::Deny,
        IssuableAction::Administer => Decision::allow_if(standing.at_least(AccessLevel::Owner)),
        IssuableAction::Comment => Decision::allow_if(may_speak),
        IssuableAction::Moderate => Decision::allow_if(standing.at_least(AccessLevel::Maintainer)),
    }
}

/// Decides whether the caller may list the merge requests of a project: everyone who may read its code.
#[must_use]
pub fn decide_home(standing: &Standing, project: TrackerFacts) -> Decision {
    if !standing.sees(project.visibility) {
        return Decision::Hide;
    }
    Decision::allow_if(project.enabled && reads_code(standing, project))
}

/// True if the caller may merge into a branch: who may push to it may, and whom its rules let merge.
#[must_use]
pub fn may_merge_into(standing: &Standing, archived: bool, rules: &Protections<'_>) -> bool {
    !archived && standing.at_least(AccessLevel::Developer) && rules.admit_merge(standing)
}

fn reads_code(standing: &Standing, project: TrackerFacts) -> bool {
    standing.viewer.sees(project.visibility) || standing.at_least(AccessLevel::Reporter)
}
