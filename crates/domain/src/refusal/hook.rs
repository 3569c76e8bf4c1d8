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
    /// The address names a variable that has no value.
    #[error("Invalid url given: it has no variable {0}")]
    VariableMissing(String),
    /// A header or variable cannot be called so, or cannot have such a value.
    #[error("Illegal key or value")]
    IllegalValue,
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
        Trigger::Emoji => "Ensure the project has reactions.",
        Trigger::Milestone => "Ensure the project has milestones.",
        Trigger::Release => "Ensure the project has releases.",
        Trigger::Deployment => "Ensure the project has deployments.",
        Trigger::FeatureFlag => "Ensure the project has feature flags.",
        Trigger::ResourceAccessToken | Trigger::RepositoryUpdate | Trigger::System => {
            "Testing not available for this hook"
        }
    }
}
