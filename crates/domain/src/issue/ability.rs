//! Who may do what with issues (reference: issues-merge-requests-projects, sections 2.1 and 2.4).

use crate::access::{AccessLevel, Decision, Standing};
use crate::visibility::Visibility;

/// What can be done with one issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IssueAction {
    /// See it, its notes and participants; subscribe to it; put it on one's list.
    Read,
    /// Title, description, confidentiality, state and time.
    Edit,
    /// Labels, milestone, assignees, due date and the lock.
    Triage,
    /// Continue it in another project.
    Move,
    /// Delete it, and set its times by hand.
    Administer,
    /// Comment on it.
    Comment,
    /// React to it with an emoji.
    Award,
    /// Change and delete what others have said in it.
    Moderate,
}

impl IssueAction {
    /// All actions, in the order of the reviewed grid.
    pub const ALL: [Self; 8] = [
        Self::Read,
        Self::Edit,
        Self::Triage,
        Self::Move,
        Self::Administer,
        Self::Comment,
        Self::Award,
        Self::Moderate,
    ];
}

/// What abilities need to know of the project that an issue is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackerFacts {
    /// How open the project is.
    pub visibility: Visibility,
    /// Read-only for everybody, owners and administrators too.
    pub archived: bool,
    /// Whether it has issues at all.
    pub enabled: bool,
}

/// What abilities need to know of an issue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueFacts {
    /// Hidden from all but its author, its assignees and reporters.
    pub confidential: bool,
    /// Whether only members may comment.
    pub locked: bool,
    /// Whether the caller has written it or is assigned to it.
    pub own: bool,
}

/// Whether the caller may do `action` with an issue. What is switched off or confidential is hidden, not refused.
#[must_use]
pub fn decide(standing: &Standing, project: TrackerFacts, issue: IssueFacts, action: IssueAction) -> Decision {
    let reporter = standing.at_least(AccessLevel::Reporter);
    let visible = standing.sees(project.visibility) && standing.viewer.user().is_some() && project.enabled;
    if !visible || (issue.confidential && !issue.own && !reporter) {
        return Decision::Hide;
    }
    if action == IssueAction::Read {
        return Decision::Allow;
    }
    if project.archived {
        return Decision::Deny;
    }
    match action {
        IssueAction::Read | IssueAction::Award => Decision::Allow,
        IssueAction::Edit => Decision::allow_if(issue.own || reporter),
        IssueAction::Triage | IssueAction::Move => Decision::allow_if(reporter),
        IssueAction::Administer => Decision::allow_if(standing.at_least(AccessLevel::Owner)),
        IssueAction::Comment => Decision::allow_if(!issue.locked || standing.at_least(AccessLevel::Guest)),
        IssueAction::Moderate => Decision::allow_if(standing.at_least(AccessLevel::Maintainer)),
    }
}

/// Whether the caller may open an issue in a project that they can see.
#[must_use]
pub fn decide_tracker(standing: &Standing, project: TrackerFacts) -> Decision {
    if !standing.sees(project.visibility) {
        return Decision::Hide;
    }
    Decision::allow_if(standing.viewer.user().is_some() && project.enabled && !project.archived)
}
