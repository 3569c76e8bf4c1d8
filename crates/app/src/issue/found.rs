//! From project and number to an issue, the caller's standing, and the verdict: in one step.

use tenon_domain::access::{AccessLevel, Decision};
use tenon_domain::id::Iid;
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::issue::{self, IssueAction, IssueFacts, TrackerFacts, decide_tracker};
use tenon_domain::project::{Project, ProjectAction};
use tenon_storage::issuable::{self, IssuableReach};

use crate::access::{FoundProject, Reference};
use crate::context::Query;
use crate::error::{AppError, Judge, Missing};

/// An issue that the caller may use in the asked way.
#[derive(Clone)]
pub(crate) struct FoundIssue {
    pub(crate) home: FoundProject,
    pub(crate) issue: Issuable,
    /// Whether the caller has written it or is assigned to it.
    pub(crate) own: bool,
}

impl FoundIssue {
    /// What else the caller may do.
    pub(crate) fn may(&self, action: IssueAction) -> bool {
        self.decide(action) == Decision::Allow
    }

    fn decide(&self, action: IssueAction) -> Decision {
        let facts = IssueFacts {
            confidential: self.issue.confidential,
            locked: self.issue.discussion_locked == Some(true),
            own: self.own,
        };
        issue::decide(&self.home.standing, tracker(&self.home.project), facts, action)
    }
}

/// What abilities ask of a project that has issues.
pub(crate) fn tracker(project: &Project) -> TrackerFacts {
    TrackerFacts {
        visibility: project.visibility,
        archived: project.archived,
        enabled: project.features.issues_enabled,
    }
}

/// The issues of a project that the caller may see.
pub(crate) fn reach_of(found: &FoundProject) -> IssuableReach {
    let trusted = found.standing.at_least(AccessLevel::Reporter);
    IssuableReach::of_project(found.project.id, trusted, found.standing.viewer)
}

impl Query<'_> {
    /// The issue of that number, if the caller may do `action` with it. What is hidden is missing.
    pub(crate) fn issue(&mut self, project: &Reference, iid: Iid, action: IssueAction) -> Result<FoundIssue, AppError> {
        self.issue_or(project, iid, action, Missing::Record)
    }

    /// As [`Query::issue`], where a missing issue is called otherwise.
    pub(crate) fn issue_or(
        &mut self,
        project: &Reference,
        iid: Iid,
        action: IssueAction,
        missing: Missing,
    ) -> Result<FoundIssue, AppError> {
        let home = self.project(project, ProjectAction::Read)?;
        let issue = issuable::find(&mut self.tx, IssuableKind::Issue, home.project.id, iid)?;
        let Some(issue) = issue else { return Err(AppError::NotFound(missing)) };
        let found = self.placed_issue(home, issue)?;
        found.decide(action).judge(missing)?;
        Ok(found)
    }

    /// An issue in its project, with what the caller has to do with it; whether they may see it is still to be asked.
    pub(crate) fn placed_issue(&mut self, home: FoundProject, issue: Issuable) -> Result<FoundIssue, AppError> {
        let viewer = self.viewer().user();
        // Reporters may do all that assignees may.
        let own = if Some(issue.author) == viewer || home.standing.at_least(AccessLevel::Reporter) {
            Some(issue.author) == viewer
        } else {
            let assigned = issuable::assignees(&mut self.tx, &[issue.id])?.remove(&issue.id).unwrap_or_default();
            assigned.into_iter().any(|user| Some(user) == viewer)
        };
        Ok(FoundIssue { home, issue, own })
    }

    /// The project, if the caller may open an issue in it.
    pub(crate) fn issue_tracker(&mut self, project: &Reference) -> Result<FoundProject, AppError> {
        let home = self.project(project, ProjectAction::Read)?;
        decide_tracker(&home.standing, tracker(&home.project)).judge(Missing::PROJECT)?;
        Ok(home)
    }
}
