//! The occasions of mail, and their meaning for each user.

use tenon_domain::event::EventKind;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::notification_setting::NotificationEvent;

use crate::shared::issuable::edit_detail::EditDetail;

/// The occasion of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    New,
    Closed,
    Reopened,
    Merged,
    Approved,
    Unapproved,
    /// A reviewer asks for changes.
    ChangesRequested,
    Note,
    Updated,
    /// A comment was changed.
    NoteUpdated,
    /// An issue is due tomorrow.
    Due,
}

/// All of them.
const ALL: [Occasion; 11] = [
    Occasion::New,
    Occasion::Closed,
    Occasion::Reopened,
    Occasion::Merged,
    Occasion::Approved,
    Occasion::Unapproved,
    Occasion::ChangesRequested,
    Occasion::Note,
    Occasion::Updated,
    Occasion::NoteUpdated,
    Occasion::Due,
];

/// The kinds of events that mail is about.
const MAILED: [(EventKind, Occasion); 14] = [
    (EventKind::IssueOpened, Occasion::New),
    (EventKind::IssueClosed, Occasion::Closed),
    (EventKind::IssueReopened, Occasion::Reopened),
    (EventKind::IssueUpdated, Occasion::Updated),
    (EventKind::MergeRequestOpened, Occasion::New),
    (EventKind::MergeRequestClosed, Occasion::Closed),
    (EventKind::MergeRequestReopened, Occasion::Reopened),
    (EventKind::MergeRequestMerged, Occasion::Merged),
    (EventKind::MergeRequestUpdated, Occasion::Updated),
    (EventKind::MergeRequestApproved, Occasion::Approved),
    (EventKind::MergeRequestUnapproved, Occasion::Unapproved),
    (EventKind::MergeRequestChangesRequested, Occasion::ChangesRequested),
    (EventKind::NoteCreated, Occasion::Note),
    (EventKind::NoteUpdated, Occasion::NoteUpdated),
];

/// Who hears of something beside those whom it names itself, by a mention or by a label that they follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// No other user.
    Named,
    /// Those who take part, subscribe, or have chosen to hear of it.
    Participants,
    /// They, and those who watch.
    Everyone,
}

impl Occasion {
    /// The occasion of an event of this kind; `None` if no mail is about it.
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
            Self::Approved => "approved",
            Self::Unapproved => "unapproved",
            Self::ChangesRequested => "changes_requested",
            Self::Note => "note",
            Self::Updated => "updated",
            Self::NoteUpdated => "note_updated",
            Self::Due => "due",
        }
    }

    /// The occasion of that name.
    pub(super) fn parse(text: &str) -> Option<Self> {
        ALL.into_iter().find(|occasion| occasion.as_str() == text)
    }

    /// True if there is anything to write about. Most edits change nothing that mail is about.
    pub(super) fn is_mailed(self, edit: &EditDetail) -> bool {
        !matches!(self, Self::Updated | Self::NoteUpdated) || *edit != EditDetail::default()
    }

    /// Who hears of it.
    pub(super) fn audience(self, edit: &EditDetail) -> Audience {
        match self {
            Self::New | Self::Closed | Self::Reopened | Self::Merged | Self::Note => Audience::Everyone,
            Self::Updated if edit.milestone || !edit.assignees.is_empty() || !edit.reviewers.is_empty() => {
                Audience::Everyone
            }
            Self::Updated if edit.pushed => Audience::Participants,
            Self::Updated | Self::NoteUpdated => Audience::Named,
            Self::Approved | Self::Unapproved | Self::ChangesRequested | Self::Due => Audience::Participants,
        }
    }

    /// The events that users choose at the level `custom` to hear of it, one or the other.
    pub(super) fn events(self, kind: IssuableKind, edit: &EditDetail) -> Vec<NotificationEvent> {
        use NotificationEvent as E;
        let of_kind = |issue, request| match kind {
            IssuableKind::Issue => vec![issue],
            IssuableKind::MergeRequest => vec![request],
        };
        match self {
            Self::Note => vec![E::NewNote],
            Self::New => of_kind(E::NewIssue, E::NewMergeRequest),
            Self::Closed => of_kind(E::CloseIssue, E::CloseMergeRequest),
            Self::Merged => of_kind(E::CloseIssue, E::MergeMergeRequest),
            Self::Reopened => of_kind(E::ReopenIssue, E::ReopenMergeRequest),
            Self::Due => vec![E::IssueDue],
            Self::Approved | Self::Unapproved | Self::ChangesRequested | Self::NoteUpdated => Vec::new(),
            Self::Updated => {
                let mut events = Vec::new();
                if !edit.assignees.is_empty() {
                    events.extend(of_kind(E::ReassignIssue, E::ReassignMergeRequest));
                }
                if !edit.reviewers.is_empty() {
                    events.push(E::ChangeReviewerMergeRequest);
                }
                if edit.pushed {
                    events.push(E::PushToMergeRequest);
                }
                events
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::issuable::edit_detail::Swapped;

    #[test]
    fn the_stored_names_stay() {
        let names: Vec<&str> = ALL.into_iter().map(Occasion::as_str).collect();
        let reviews = ["approved", "unapproved", "changes_requested"];
        let known =
            [&["new", "closed", "reopened", "merged"], &reviews[..], &["note", "updated", "note_updated", "due"]];
        assert_eq!(names, known.concat());
        for (_, occasion) in MAILED {
            assert_eq!(Occasion::parse(occasion.as_str()), Some(occasion));
        }
        assert_eq!(Occasion::parse("other"), None);
        assert_eq!(Occasion::of(EventKind::UserCreated), None);
    }

    #[test]
    fn what_an_edit_changed_says_who_hears_of_it() {
        use NotificationEvent as E;
        let none = EditDetail::default;
        let swapped = || Swapped { added: vec![1], removed: vec![] };
        let request = IssuableKind::MergeRequest;
        for (edit, audience, events) in [
            (EditDetail { labels: vec![1], ..none() }, Audience::Named, vec![]),
            (EditDetail { mentioned: vec![1], ..none() }, Audience::Named, vec![]),
            (EditDetail { milestone: true, ..none() }, Audience::Everyone, vec![]),
            (EditDetail { assignees: swapped(), ..none() }, Audience::Everyone, vec![E::ReassignMergeRequest]),
            (EditDetail { reviewers: swapped(), ..none() }, Audience::Everyone, vec![E::ChangeReviewerMergeRequest]),
            (EditDetail { pushed: true, ..none() }, Audience::Participants, vec![E::PushToMergeRequest]),
        ] {
            assert!(Occasion::Updated.is_mailed(&edit));
            assert_eq!(Occasion::Updated.audience(&edit), audience, "{edit:?}");
            assert_eq!(Occasion::Updated.events(request, &edit), events, "{edit:?}");
        }
        assert!(!Occasion::Updated.is_mailed(&none()));
        assert_eq!(Occasion::Due.audience(&none()), Audience::Participants);
    }
}
