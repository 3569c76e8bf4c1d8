//! What users hear of, and what follows from that for who they are.

use tenon_domain::event::EventKind;
use tenon_domain::id::{LabelId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::notification_setting::NotificationEvent;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    New,
    Closed,
    Reopened,
    Merged,
    Note,
    Updated,
}

/// The kinds of events that mail is about.
const MAILED: [(EventKind, Occasion); 10] = [
    (EventKind::IssueOpened, Occasion::New),
    (EventKind::IssueClosed, Occasion::Closed),
    (EventKind::IssueReopened, Occasion::Reopened),
    (EventKind::IssueUpdated, Occasion::Updated),
    (EventKind::MergeRequestOpened, Occasion::New),
    (EventKind::MergeRequestClosed, Occasion::Closed),
    (EventKind::MergeRequestReopened, Occasion::Reopened),
    (EventKind::MergeRequestMerged, Occasion::Merged),
    (EventKind::MergeRequestUpdated, Occasion::Updated),
    (EventKind::NoteCreated, Occasion::Note),
];

impl Occasion {
    /// What an event of this kind is; `None` where no mail is about it.
    pub(super) fn of(kind: EventKind) -> Option<Self> {
        MAILED.iter().find(|(known, _)| *known == kind).map(|(_, occasion)| *occasion)
    }

    /// Its stored name.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Merged => "merged",
            Self::Note => "note",
            Self::Updated => "updated",
        }
    }

    /// What that name stands for.
    pub(super) fn parse(text: &str) -> Option<Self> {
        MAILED.iter().map(|(_, occasion)| *occasion).find(|occasion| occasion.as_str() == text)
    }

    /// What users choose at the level `custom` to hear of it.
    pub(super) const fn event(self, kind: IssuableKind) -> NotificationEvent {
        use NotificationEvent as E;
        match (self, kind) {
            (Self::Note, IssuableKind::Issue | IssuableKind::MergeRequest) => E::NewNote,
            (Self::New, IssuableKind::Issue) => E::NewIssue,
            (Self::Closed | Self::Merged, IssuableKind::Issue) => E::CloseIssue,
            (Self::Reopened, IssuableKind::Issue) => E::ReopenIssue,
            (Self::Updated, IssuableKind::Issue) => E::ReassignIssue,
            (Self::New, IssuableKind::MergeRequest) => E::NewMergeRequest,
            (Self::Closed, IssuableKind::MergeRequest) => E::CloseMergeRequest,
            (Self::Merged, IssuableKind::MergeRequest) => E::MergeMergeRequest,
            (Self::Reopened, IssuableKind::MergeRequest) => E::ReopenMergeRequest,
            (Self::Updated, IssuableKind::MergeRequest) => E::ReassignMergeRequest,
        }
    }
}

/// What an edit changed, as far as mail is about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Whether other users are assigned now.
    pub(super) is_reassigned: bool,
    /// Users who were assigned and are no longer.
    pub(super) previous_assignees: Vec<UserId>,
    /// Labels that it did not have before.
    pub(super) added_labels: Vec<LabelId>,
}

impl Changes {
    /// What the detail of an event says. An event says nothing of it yet, so that no mail follows from edits.
    pub(super) fn of(_detail: Option<&str>) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_names_stay() {
        for (_, occasion) in MAILED {
            assert_eq!(Occasion::parse(occasion.as_str()), Some(occasion));
        }
        assert_eq!(Occasion::parse("other"), None);
        assert_eq!(Occasion::of(EventKind::UserCreated), None);
    }
}
