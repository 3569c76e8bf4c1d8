//! Why a hook is not saved or tried.

use crate::hook::Trigger;

/// Why a hook is not saved or tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookRefusal {
    /// The filter matches no possible branch.
    #[error("Invalid branch filter given")]
    BranchFilter,
    /// The address is not one that the server calls.
    #[error("Invalid url given")]
    Address,
    /// The project has nothing of which an event could be made.
    #[error("{}", no_sample(*.0))]
    NoSample(Trigger),
}

const fn no_sample(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Push | Trigger::TagPush => "Ensure the project has at least one commit.",
        Trigger::Issue | Trigger::ConfidentialIssue => "Ensure the project has issues.",
        Trigger::MergeRequest => "Ensure the project has merge requests.",
        Trigger::Note | Trigger::ConfidentialNote => "Ensure the project has notes.",
        Trigger::Job => "Ensure the project has CI jobs.",
        Trigger::Pipeline => "Ensure the project has CI pipelines.",
        Trigger::WikiPage => "Ensure the wiki is enabled and has pages.",
        Trigger::RepositoryUpdate | Trigger::System => "Testing not available for this hook",
    }
}
