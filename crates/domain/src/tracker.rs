//! Who may do what with an issue or a merge request, for callers that treat both alike.

use crate::access::{Decision, Standing};
use crate::issuable::{IssuableAction, IssuableFacts, IssuableKind, TrackerFacts};
use crate::project::Project;
use crate::project::setting::{ISSUES, MERGE_REQUESTS, REPOSITORY};
use crate::settings::Setting;
use crate::{issue, merge_request};

impl TrackerFacts {
    /// The facts about a project that has issues and merge requests.
    #[must_use]
    pub fn of(kind: IssuableKind, project: &Project) -> Self {
        let parts: &[&Setting] = match kind {
            IssuableKind::Issue => &[&ISSUES],
            // They are about code.
            IssuableKind::MergeRequest => &[&MERGE_REQUESTS, &REPOSITORY],
        };
        Self {
            visibility: parts.iter().map(|part| project.visibility_of(part)).min().unwrap_or(project.visibility),
            archived: project.archived,
            enabled: parts.iter().all(|part| project.has(part)),
        }
    }
}

/// Decides whether the caller may do `action` with one of this kind.
#[must_use]
pub fn decide(
    kind: IssuableKind,
    standing: &Standing,
    project: TrackerFacts,
    facts: IssuableFacts,
    action: IssuableAction,
) -> Decision {
    match kind {
        IssuableKind::Issue => issue::decide(standing, project, facts, action),
        IssuableKind::MergeRequest => merge_request::decide(standing, project, facts, action),
    }
}
