//! Who may do what with issues.

use crate::access::{AccessLevel, Decision, Standing};
use crate::issuable::{IssuableAction, IssuableFacts, TrackerFacts};

/// Decides whether the caller may do `action` with an issue. Issues that are switched off or confidential are hidden,
/// not refused. Anonymous callers read, and do nothing else.
#[must_use]
pub fn decide(standing: &Standing, project: TrackerFacts, issue: IssuableFacts, action: IssuableAction) -> Decision {
    let reporter = standing.at_least(AccessLevel::Reporter);
    let visible = standing.sees(project.visibility) && project.enabled;
    let own = issue.own && standing.viewer.user().is_some();
    if !visible || (issue.confidential && !own && !reporter) {
        return Decision::Hide;
    }
    if action == IssuableAction::Read {
        return Decision::Allow;
    }
    if project.archived || standing.viewer.user().is_none() {
        return Decision::Deny;
    }
    match action {
        IssuableAction::Read | IssuableAction::Award => Decision::Allow,
        IssuableAction::Edit => Decision::allow_if(own || reporter),
        IssuableAction::Triage | IssuableAction::Move => Decision::allow_if(reporter),
        IssuableAction::Administer => Decision::allow_if(standing.at_least(AccessLevel::Owner)),
        IssuableAction::Comment => Decision::allow_if(!issue.locked || standing.at_least(AccessLevel::Guest)),
        IssuableAction::Moderate => Decision::allow_if(standing.at_least(AccessLevel::Maintainer)),
        // Discussions of issues cannot be resolved, and issues not approved.
        IssuableAction::Resolve | IssuableAction::Approve => Decision::Deny,
    }
}

/// Decides whether the caller may open an issue in a project that they can see.
#[must_use]
pub fn decide_tracker(standing: &Standing, project: TrackerFacts) -> Decision {
    if !standing.sees(project.visibility) {
        return Decision::Hide;
    }
    Decision::allow_if(standing.viewer.user().is_some() && project.enabled && !project.archived)
}
