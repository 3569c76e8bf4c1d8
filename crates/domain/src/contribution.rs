//! Contribution events: the part of what happens that says what people do.

use crate::event::EventKind;
use crate::words::words;

words! {
    /// The actions to which a list of contributions can be narrowed.
    pub enum ContributionAction {
        /// Something was made.
        Created = "created",
        /// Something changed.
        Updated = "updated",
        /// Something was closed.
        Closed = "closed",
        /// Something was opened again.
        Reopened = "reopened",
        /// Commits were pushed.
        Pushed = "pushed",
        /// A comment was written.
        Commented = "commented",
        /// A merge request was merged.
        Merged = "merged",
        /// A merge request was approved.
        Approved = "approved",
        /// A user became a member.
        Joined = "joined",
        /// A member left.
        Left = "left",
        /// Something was deleted.
        Destroyed = "destroyed",
        /// A membership came to its end.
        Expired = "expired",
    }
}

words! {
    /// The kind of thing that a contribution is about.
    pub enum ContributionTarget {
        /// An issue.
        Issue = "issue",
        /// A milestone.
        Milestone = "milestone",
        /// A merge request.
        MergeRequest = "merge_request",
        /// A comment.
        Note = "note",
        /// A project.
        Project = "project",
        /// A snippet.
        Snippet = "snippet",
        /// A user.
        User = "user",
    }
}

/// A kind of event that is a contribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contribution {
    /// The kind of its event.
    pub kind: EventKind,
    /// Under which action it is found.
    pub action: ContributionAction,
    /// The verb that the API shows.
    pub action_name: &'static str,
    /// The kind of thing it is about; nothing for pushes.
    pub target: Option<ContributionTarget>,
    /// True if it is the contribution of the account concerned, not of who made it happen: members join.
    pub by_subject: bool,
}

const fn contribution(
    kind: EventKind,
    action: ContributionAction,
    action_name: &'static str,
    target: ContributionTarget,
) -> Contribution {
    let by_subject = matches!(kind, EventKind::MemberAdded | EventKind::MemberRemoved);
    Contribution { kind, action, action_name, target: Some(target), by_subject }
}

/// A push. Its verb depends on what became of the ref.
const PUSH: Contribution = Contribution {
    kind: EventKind::RefPushed,
    action: ContributionAction::Pushed,
    action_name: "pushed to",
    target: None,
    by_subject: false,
};

/// All kinds of contribution.
pub const CONTRIBUTIONS: &[Contribution] = &{
    use ContributionAction as Action;
    use ContributionTarget as Target;
    [
        contribution(EventKind::ProjectCreated, Action::Created, "created", Target::Project),
        PUSH,
        contribution(EventKind::IssueOpened, Action::Created, "opened", Target::Issue),
        contribution(EventKind::IssueClosed, Action::Closed, "closed", Target::Issue),
        contribution(EventKind::IssueReopened, Action::Reopened, "opened", Target::Issue),
        contribution(EventKind::MergeRequestOpened, Action::Created, "opened", Target::MergeRequest),
        contribution(EventKind::MergeRequestClosed, Action::Closed, "closed", Target::MergeRequest),
        contribution(EventKind::MergeRequestReopened, Action::Reopened, "opened", Target::MergeRequest),
        contribution(EventKind::MergeRequestMerged, Action::Merged, "accepted", Target::MergeRequest),
        contribution(EventKind::MergeRequestApproved, Action::Approved, "approved", Target::MergeRequest),
        contribution(EventKind::NoteCreated, Action::Commented, "commented on", Target::Note),
        contribution(EventKind::MilestoneCreated, Action::Created, "opened", Target::Milestone),
        contribution(EventKind::MilestoneClosed, Action::Closed, "closed", Target::Milestone),
        contribution(EventKind::MilestoneActivated, Action::Reopened, "opened", Target::Milestone),
        contribution(EventKind::MilestoneDeleted, Action::Destroyed, "destroyed", Target::Milestone),
        contribution(EventKind::MemberAdded, Action::Joined, "joined", Target::Project),
        contribution(EventKind::MemberRemoved, Action::Left, "left", Target::Project),
    ]
};

/// The contributions of that action and about that target; everything if nothing is asked.
#[must_use]
pub fn matching(action: Option<ContributionAction>, target: Option<ContributionTarget>) -> Vec<Contribution> {
    CONTRIBUTIONS
        .iter()
        .filter(|found| action.is_none_or(|action| found.action == action))
        .filter(|found| target.is_none_or(|target| found.target == Some(target)))
        .copied()
        .collect()
}

/// The kind of contribution that an event of that kind is, if it is one.
#[must_use]
pub fn of_kind(kind: EventKind) -> Option<Contribution> {
    CONTRIBUTIONS.iter().find(|found| found.kind == kind).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_narrow() {
        let kinds = |action, target| matching(action, target).into_iter().map(|found| found.kind).collect::<Vec<_>>();
        assert_eq!(
            kinds(Some(ContributionAction::Closed), None),
            [EventKind::IssueClosed, EventKind::MergeRequestClosed, EventKind::MilestoneClosed]
        );
        assert_eq!(kinds(Some(ContributionAction::Merged), None), [EventKind::MergeRequestMerged]);
        assert_eq!(
            kinds(Some(ContributionAction::Closed), Some(ContributionTarget::Milestone)),
            [EventKind::MilestoneClosed]
        );
        assert_eq!(kinds(Some(ContributionAction::Pushed), None), [EventKind::RefPushed]);
        assert_eq!(kinds(Some(ContributionAction::Pushed), Some(ContributionTarget::Project)), []);
        assert_eq!(kinds(None, None).len(), CONTRIBUTIONS.len());
    }
}
