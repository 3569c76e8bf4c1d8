//! The facts that the abilities of issues and merge requests need. Each kind decides for itself, and [`crate::tracker`]
//! for either.

use crate::visibility::Visibility;

/// The actions that are possible with one issue or merge request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IssuableAction {
    /// See it, its notes and participants; subscribe to it; put it on one's list.
    Read,
    /// Title, description, confidentiality, state and time; the branches and the merge of a merge request.
    Edit,
    /// Labels, milestone, assignees, due date and the lock.
    Triage,
    /// Continue an issue in another project.
    Move,
    /// Delete it, and set its times by hand.
    Administer,
    /// Comment on it.
    Comment,
    /// React to it with an emoji.
    Award,
    /// Change and delete what others have said in it.
    Moderate,
    /// Resolve discussions of a merge request.
    Resolve,
    /// Approve a merge request, or ask for changes.
    Approve,
}

impl IssuableAction {
    /// All actions, in the order of the reviewed grid.
    pub const ALL: [Self; 10] = [
        Self::Read,
        Self::Edit,
        Self::Triage,
        Self::Move,
        Self::Administer,
        Self::Comment,
        Self::Award,
        Self::Moderate,
        Self::Resolve,
        Self::Approve,
    ];
}

/// The facts about the project that abilities need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackerFacts {
    /// How open the project is.
    pub visibility: Visibility,
    /// Read-only for everybody, owners and administrators too.
    pub archived: bool,
    /// True if it has issues, or merge requests, at all.
    pub enabled: bool,
}

/// The facts about one issue or merge request that abilities need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssuableFacts {
    /// Hidden from all but its author, its assignees and reporters.
    pub confidential: bool,
    /// True if only members may comment.
    pub locked: bool,
    /// True if the caller has written it or is assigned to it.
    pub own: bool,
}
