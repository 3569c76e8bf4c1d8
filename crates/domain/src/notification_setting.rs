//! About what users want mail: in general, and for each group and project.

use crate::id::{NamespaceId, ProjectId};
use crate::words::words;

words! {
    /// How much mail a user wants.
    pub enum NotificationLevel {
        /// None, but about what they have subscribed to.
        Disabled = "disabled",
        /// About what they take part in.
        Participating = "participating",
        /// About everything.
        Watch = "watch",
        /// As the nearest group says that says something, or else the user's own setting.
        Global = "global",
        /// Only if they are mentioned.
        Mention = "mention",
        /// About the chosen events, and what they take part in.
        Custom = "custom",
    }
}

words! {
    /// The events that a user at the level `custom` may choose.
    pub enum NotificationEvent {
        /// A comment.
        NewNote = "new_note",
        /// A new issue.
        NewIssue = "new_issue",
        /// An issue that was opened again.
        ReopenIssue = "reopen_issue",
        /// An issue that was closed.
        CloseIssue = "close_issue",
        /// An issue that was assigned to others.
        ReassignIssue = "reassign_issue",
        /// An issue that is due.
        IssueDue = "issue_due",
        /// A new merge request.
        NewMergeRequest = "new_merge_request",
        /// Commits that came into a merge request.
        PushToMergeRequest = "push_to_merge_request",
        /// A merge request that was opened again.
        ReopenMergeRequest = "reopen_merge_request",
        /// A merge request that was closed.
        CloseMergeRequest = "close_merge_request",
        /// A merge request that was assigned to others.
        ReassignMergeRequest = "reassign_merge_request",
        /// A merge request whose reviewers have changed.
        ChangeReviewerMergeRequest = "change_reviewer_merge_request",
        /// A merge request that was merged.
        MergeMergeRequest = "merge_merge_request",
        /// A merge request that is to be merged when its pipeline has succeeded.
        MergeWhenPipelineSucceeds = "merge_when_pipeline_succeeds",
        /// A pipeline that has failed.
        FailedPipeline = "failed_pipeline",
        /// A pipeline that succeeds again.
        FixedPipeline = "fixed_pipeline",
        /// A pipeline that has succeeded.
        SuccessPipeline = "success_pipeline",
        /// A project that has moved.
        MovedProject = "moved_project",
        /// A new release.
        NewRelease = "new_release",
    }
}

impl NotificationEvent {
    /// True if mail follows from it here. The others are stored for clients that know them.
    #[must_use]
    pub const fn is_mailed(self) -> bool {
        match self {
            Self::NewNote
            | Self::NewIssue
            | Self::ReopenIssue
            | Self::CloseIssue
            | Self::ReassignIssue
            | Self::IssueDue
            | Self::NewMergeRequest
            | Self::PushToMergeRequest
            | Self::ReopenMergeRequest
            | Self::CloseMergeRequest
            | Self::ReassignMergeRequest
            | Self::ChangeReviewerMergeRequest
            | Self::MergeMergeRequest
            | Self::FailedPipeline
            | Self::SuccessPipeline => true,
            Self::MergeWhenPipelineSucceeds | Self::FixedPipeline | Self::MovedProject | Self::NewRelease => false,
        }
    }

    /// Its bit in what is stored: it stays.
    const fn bit(self) -> i64 {
        match self {
            Self::NewNote => 1,
            Self::NewIssue => 1 << 1,
            Self::ReopenIssue => 1 << 2,
            Self::CloseIssue => 1 << 3,
            Self::ReassignIssue => 1 << 4,
            Self::IssueDue => 1 << 5,
            Self::NewMergeRequest => 1 << 6,
            Self::PushToMergeRequest => 1 << 7,
            Self::ReopenMergeRequest => 1 << 8,
            Self::CloseMergeRequest => 1 << 9,
            Self::ReassignMergeRequest => 1 << 10,
            Self::MergeMergeRequest => 1 << 11,
            Self::FailedPipeline => 1 << 12,
            Self::SuccessPipeline => 1 << 13,
            Self::ChangeReviewerMergeRequest => 1 << 14,
            Self::MergeWhenPipelineSucceeds => 1 << 15,
            Self::FixedPipeline => 1 << 16,
            Self::MovedProject => 1 << 17,
            Self::NewRelease => 1 << 18,
        }
    }
}

/// The events that a user has chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotificationEvents(i64);

impl Default for NotificationEvents {
    /// Of those that a user has not decided about, only a failed pipeline is one to hear of.
    fn default() -> Self {
        Self(NotificationEvent::FailedPipeline.bit())
    }
}

impl NotificationEvents {
    /// Those whose bits are set.
    #[must_use]
    pub const fn of_bits(bits: i64) -> Self {
        Self(bits)
    }

    /// One bit for each, as they are stored.
    #[must_use]
    pub const fn bits(self) -> i64 {
        self.0
    }

    /// True if this one is chosen.
    #[must_use]
    pub const fn contains(self, event: NotificationEvent) -> bool {
        self.0 & event.bit() != 0
    }

    /// Chooses one, or chooses it no longer.
    pub const fn set(&mut self, event: NotificationEvent, chosen: bool) {
        if chosen {
            self.0 |= event.bit();
        } else {
            self.0 &= !event.bit();
        }
    }
}

/// The reach of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotificationScope {
    /// Everything about which no group or project says something.
    Global,
    /// Events in a group and below it.
    Group(NamespaceId),
    /// Events in a project.
    Project(ProjectId),
}

/// The wishes of a user for mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationSetting {
    /// How much.
    pub level: NotificationLevel,
    /// The events of the level `custom`; they are kept at others.
    pub events: NotificationEvents,
    /// The address for the mail, if not the primary one. Only the setting for everything has one.
    pub email: Option<String>,
}

impl NotificationSetting {
    /// That of a user who has said nothing.
    #[must_use]
    pub fn initial(scope: NotificationScope) -> Self {
        let level = match scope {
            NotificationScope::Global => NotificationLevel::Participating,
            NotificationScope::Group(_) | NotificationScope::Project(_) => NotificationLevel::Global,
        };
        Self { level, events: NotificationEvents::default(), email: None }
    }
}

/// The level that counts: the project's, else that of the nearest group, else the user's own. `levels` begins with the
/// project's and ends with the user's own; `global` means to look further, and at the end to take part.
#[must_use]
pub fn level_in_force<'a>(
    levels: impl IntoIterator<Item = &'a NotificationSetting>,
) -> (NotificationLevel, NotificationEvents) {
    let decided = levels.into_iter().find(|setting| setting.level != NotificationLevel::Global);
    decided.map_or_else(
        || (NotificationLevel::Participating, NotificationEvents::default()),
        |setting| (setting.level, setting.events),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_has_a_bit_of_its_own() {
        let mut chosen = NotificationEvents::of_bits(0);
        for (count, event) in NotificationEvent::ALL.iter().enumerate() {
            assert!(!chosen.contains(*event), "{event:?}");
            chosen.set(*event, true);
            assert_eq!(usize::try_from(chosen.bits().count_ones()), Ok(count + 1));
        }
        chosen.set(NotificationEvent::NewNote, false);
        assert!(!chosen.contains(NotificationEvent::NewNote));
    }

    #[test]
    fn only_a_failed_pipeline_is_chosen_at_first() {
        let chosen = NotificationEvents::default();
        let events: Vec<_> = NotificationEvent::ALL.iter().filter(|event| chosen.contains(**event)).collect();
        assert_eq!(events, [&NotificationEvent::FailedPipeline]);
    }

    #[test]
    fn the_nearest_level_counts_that_says_something() {
        use NotificationLevel::{Disabled, Global, Participating, Watch};
        let setting = |level| NotificationSetting { level, ..NotificationSetting::initial(NotificationScope::Global) };
        for (levels, want) in [
            (vec![], Participating),
            (vec![Global, Global, Global], Participating),
            (vec![Global, Watch, Disabled], Watch),
            (vec![Disabled, Watch], Disabled),
        ] {
            let settings: Vec<_> = levels.iter().copied().map(setting).collect();
            assert_eq!(level_in_force(&settings).0, want, "{levels:?}");
        }
    }
}
