//! The conditions that narrow a list of issues.

use chrono::NaiveDate;
use tenon_domain::id::{MilestoneId, UserId};
use tenon_domain::issuable::IssueType;
use tenon_domain::keyset::{KeyKind, KeyedOrder};
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;

use crate::visibility::issuables::VisibleIssuables;

/// In which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateFilter {
    /// Opened.
    Opened,
    /// Closed.
    Closed,
    /// Merged.
    Merged,
    /// Locked.
    Locked,
}

impl StateFilter {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Closed => "closed",
            Self::Merged => "merged",
            Self::Locked => "locked",
        }
    }
}

/// With which labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LabelFilter {
    /// Whichever.
    #[default]
    Whatever,
    /// With none.
    None,
    /// With some.
    Any,
    /// With all of these, each named once.
    All(Vec<String>),
}

/// With which milestone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum MilestoneFilter {
    /// Whichever.
    #[default]
    Whatever,
    /// With none.
    None,
    /// With some.
    Any,
    /// With this one.
    Is(MilestoneId),
    /// With one of that title.
    Titled(String),
    /// With the next one that is due, of each project or group.
    Upcoming,
    /// With one that has begun.
    Started,
}

/// A condition on the users of a row: its assignees, those who have approved it, or those whom the rules of approval name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum UsersFilter {
    /// Any or none.
    #[default]
    Whatever,
    /// No user.
    None,
    /// At least one user.
    Any,
    /// All of these.
    All(Vec<UserId>),
}

/// When it is due.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DueFilter {
    /// Whenever.
    #[default]
    Whatever,
    /// On no day.
    None,
    /// On some day.
    Any,
    /// Before this day.
    Before(NaiveDate),
    /// From the first to the second of these days.
    Between(NaiveDate, NaiveDate),
}

/// Of which weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WeightFilter {
    /// Whichever.
    #[default]
    Whatever,
    /// Without one.
    None,
    /// With one.
    Any,
    /// Of this one.
    Is(i64),
}

/// Where the words of a search have to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchIn {
    /// In the title or in the description.
    #[default]
    Both,
    /// In the title.
    Title,
    /// In the description.
    Description,
}

/// How a user has reacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReactionFilter {
    /// Not at all.
    None,
    /// With some emoji.
    Any,
    /// With this one.
    Named(String),
}

/// The conditions that narrow only lists of merge requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BranchFilter {
    /// From this branch.
    pub source: Option<String>,
    /// Into this branch.
    pub target: Option<String>,
    /// Drafts only, or none of them.
    pub draft: Option<bool>,
    /// To be reviewed by this user.
    pub reviewer: Option<UserId>,
    /// Approved by these users.
    pub approved_by: UsersFilter,
    /// With rules of approval, of the target project, that name all of these users.
    pub approvers: UsersFilter,
    /// Merged after this moment.
    pub merged_after: Option<Timestamp>,
    /// Merged up to this moment.
    pub merged_before: Option<Timestamp>,
}

/// The conditions that members of a list must not fulfil. Each condition that is set leaves out the rows that fulfil
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exclusion {
    /// With any of these labels.
    pub labels: LabelFilter,
    /// With this milestone.
    pub milestone: MilestoneFilter,
    /// By any of these authors.
    pub authors: Vec<UserId>,
    /// Assigned to any of these.
    pub assignees: Vec<UsersFilter>,
    /// To which this user has reacted so.
    pub reaction: Option<(UserId, ReactionFilter)>,
    /// With any of these numbers.
    pub iids: Vec<i64>,
    /// Title or description.
    pub search: Option<Search>,
    /// From this branch.
    pub source: Option<String>,
    /// Into this branch.
    pub target: Option<String>,
    /// To be reviewed by any of these.
    pub reviewers: Vec<UserId>,
}

/// Which issues or merge requests a list has. All of them are among `visible`.
#[derive(Debug, Clone)]
pub struct IssuableFilter {
    /// The issues or merge requests that the viewer may see.
    pub visible: VisibleIssuables,
    /// The day with which milestones are compared.
    pub today: NaiveDate,
    /// In this state.
    pub state: Option<StateFilter>,
    /// With these labels.
    pub labels: LabelFilter,
    /// With this milestone.
    pub milestone: MilestoneFilter,
    /// By these authors: each must be the author, so that two make an empty list.
    pub authors: Vec<UserId>,
    /// Assigned to these.
    pub assignee: UsersFilter,
    /// To which this user has reacted so.
    pub reaction: Option<(UserId, ReactionFilter)>,
    /// With one of these numbers.
    pub iids: Option<Vec<i64>>,
    /// Title or description.
    pub search: Option<Search>,
    /// In which of the two.
    pub search_in: SearchIn,
    /// When it is due.
    pub due: DueFilter,
    /// Of this type; issues only.
    pub issue_type: Option<IssueType>,
    /// Of this weight; issues only.
    pub weight: WeightFilter,
    /// Confidential ones only, or none of them.
    pub confidential: Option<bool>,
    /// The conditions for merge requests only.
    pub branches: BranchFilter,
    /// From this moment on.
    pub created_after: Option<Timestamp>,
    /// Up to this moment.
    pub created_before: Option<Timestamp>,
    /// From this moment on.
    pub updated_after: Option<Timestamp>,
    /// Up to this moment.
    pub updated_before: Option<Timestamp>,
    /// None of archived projects.
    pub without_archived: bool,
    /// The rows that are left out.
    pub not: Exclusion,
}

impl IssuableFilter {
    /// Everything in `visible`.
    #[must_use]
    pub fn new(visible: VisibleIssuables, today: NaiveDate) -> Self {
        Self {
            visible,
            today,
            state: None,
            labels: LabelFilter::default(),
            milestone: MilestoneFilter::default(),
            authors: Vec::new(),
            assignee: UsersFilter::default(),
            reaction: None,
            iids: None,
            search: None,
            search_in: SearchIn::default(),
            due: DueFilter::default(),
            issue_type: None,
            weight: WeightFilter::default(),
            confidential: None,
            branches: BranchFilter::default(),
            created_after: None,
            created_before: None,
            updated_after: None,
            updated_before: None,
            without_archived: false,
            not: Exclusion::default(),
        }
    }

    /// True if nothing but kind, state, project, confidentiality, labels and a search narrows it.
    pub(super) fn asks_little_of_rows(&self) -> bool {
        self.milestone == MilestoneFilter::Whatever
            && self.authors.is_empty()
            && self.assignee == UsersFilter::Whatever
            && self.reaction.is_none()
            && self.iids.is_none()
            && self.branches == BranchFilter::default()
            && self.search_in == SearchIn::Both
            && self.due == DueFilter::Whatever
            && self.issue_type.is_none()
            && self.weight == WeightFilter::Whatever
            && !self.without_archived
            && self.not == Exclusion::default()
            && [self.created_after, self.created_before, self.updated_after, self.updated_before] == [None; 4]
    }
}

/// The order of a list of issues. Ties go by id in the same direction, and the newest first if labels are compared. Rows without
/// what is compared come last in both directions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IssuableOrder {
    /// Date of creation.
    #[default]
    CreatedAt,
    /// Date of the last change.
    UpdatedAt,
    /// Id.
    Id,
    /// Title, whatever the case.
    Title,
    /// The day on which it is due.
    DueDate,
    /// The day on which its milestone is due.
    MilestoneDue,
    /// The most important label first, by the priorities of the issue's project.
    LabelPriority,
    /// The day on which its milestone is due, then the most important label.
    Priority,
    /// Thumbs up.
    Popularity,
    /// Weight.
    Weight,
    /// When it was merged.
    MergedAt,
    /// The order in which users have put issues, whatever the direction.
    RelativePosition,
}

impl IssuableOrder {
    /// The orders that [`IssuableOrder::keyed`] has.
    pub const KEYED: &'static str = "id, created_at, updated_at";

    /// The order for [`super::walk`]; `None` if no index has it.
    #[must_use]
    pub const fn keyed(self) -> Option<KeyedOrder> {
        match self {
            Self::Id => Some(KeyedOrder { name: "id", kind: KeyKind::Id }),
            Self::CreatedAt => Some(KeyedOrder { name: "created_at", kind: KeyKind::Moment }),
            Self::UpdatedAt => Some(KeyedOrder { name: "updated_at", kind: KeyKind::Moment }),
            Self::Title
            | Self::DueDate
            | Self::MilestoneDue
            | Self::LabelPriority
            | Self::Priority
            | Self::Popularity
            | Self::Weight
            | Self::MergedAt
            | Self::RelativePosition => None,
        }
    }
}
