//! Hooks: of projects, and of the whole server.

mod branch_filter;
mod delivery;
mod system;
mod trigger;

pub use branch_filter::{InvalidBranchFilter, parse_branch_filter};
pub use delivery::{DeliveryState, Outcome, fails_for_long, next_attempt, pause};
pub use system::SystemEvent;
pub use trigger::Trigger;

use crate::id::{HookId, ProjectId};
use crate::repository::matches_pattern;
use crate::time::Timestamp;

/// Which events a hook receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookEvents {
    /// Pushes to branches.
    pub push: bool,
    /// Issues that everyone may read.
    pub issues: bool,
    /// Confidential issues.
    pub confidential_issues: bool,
    /// Merge requests.
    pub merge_requests: bool,
    /// Pushes of tags.
    pub tag_push: bool,
    /// Comments.
    pub note: bool,
    /// Comments on confidential issues; `None` when never set.
    pub confidential_note: Option<bool>,
    /// Jobs.
    pub job: bool,
    /// Pipelines.
    pub pipeline: bool,
    /// Wiki pages.
    pub wiki_page: bool,
    /// What one push did to all refs; only hooks of the whole server receive it.
    pub repository_update: bool,
}

impl Default for HookEvents {
    fn default() -> Self {
        Self { push: true, repository_update: false, ..Self::SYSTEM }
    }
}

impl HookEvents {
    /// What a new hook of the whole server receives.
    pub const SYSTEM: Self = Self {
        push: false,
        issues: false,
        confidential_issues: false,
        merge_requests: false,
        tag_push: false,
        note: false,
        confidential_note: None,
        job: false,
        pipeline: false,
        wiki_page: false,
        repository_update: true,
    };
}

/// Where the server sends events. The secret token is stored apart and never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The hook's id.
    pub id: HookId,
    /// The project whose events it receives; `None` for those of the whole server.
    pub project: Option<ProjectId>,
    /// Where deliveries go.
    pub url: String,
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it receives.
    pub events: HookEvents,
    /// Branches that pushes are limited to, with `*` wildcards; `None` for all.
    pub push_events_branch_filter: Option<String>,
    /// Whether the receiver's certificate is checked.
    pub enable_ssl_verification: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Hook {
    /// Whether it receives an event that happened on `branch`, where that is one of a branch.
    #[must_use]
    pub fn receives(&self, trigger: Trigger, branch: Option<&str>) -> bool {
        let events = &self.events;
        match trigger {
            Trigger::Push => events.push && branch.is_none_or(|branch| self.is_for(branch)),
            Trigger::TagPush => events.tag_push,
            Trigger::Issue => events.issues,
            Trigger::ConfidentialIssue => events.confidential_issues,
            Trigger::MergeRequest => events.merge_requests,
            Trigger::Note => events.note,
            Trigger::ConfidentialNote => events.confidential_note == Some(true),
            Trigger::Job => events.job,
            Trigger::Pipeline => events.pipeline,
            Trigger::WikiPage => events.wiki_page,
            Trigger::RepositoryUpdate => self.project.is_none() && events.repository_update,
            Trigger::System => self.project.is_none(),
        }
    }

    fn is_for(&self, branch: &str) -> bool {
        match self.push_events_branch_filter.as_deref() {
            None | Some("") => true,
            Some(pattern) => matches_pattern(pattern, branch),
        }
    }
}

/// Whether a hook's secret token can stand in an HTTP header.
#[must_use]
pub fn is_header_safe(token: &str) -> bool {
    token.chars().all(|c| !c.is_control())
}
