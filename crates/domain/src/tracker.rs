//! Who may do what with an issue or a merge request, for callers that treat both alike.

use crate::access::{Decision, Standing};
use crate::issuable::{IssuableAction, IssuableFacts, IssuableKind, TrackerFacts};
use crate::{issue, merge_request};

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
