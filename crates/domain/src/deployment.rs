//! Deployments: a commit of a project that was brought to an environment.

use crate::id::{DeploymentId, EnvironmentId, Iid, ProjectId, UserId};
use crate::time::Timestamp;
use crate::words::words;

words! {
    /// The state of a deployment.
    pub enum DeploymentStatus {
        /// Under way.
        Running = "running",
        /// Done, and well.
        Success = "success",
        /// Done, and not well.
        Failed = "failed",
        /// Given up.
        Canceled = "canceled",
    }
}

/// A state that a deployment cannot come into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot transition via \"{event}\" from {from}")]
pub struct InvalidStatus {
    event: &'static str,
    from: &'static str,
}

impl DeploymentStatus {
    /// True if it has ended.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Success | Self::Failed | Self::Canceled => true,
            Self::Running => false,
        }
    }

    /// Checks that a deployment in this state may come into the state `to`.
    ///
    /// # Errors
    /// Fails if it would begin again, or stay.
    pub fn check_move(self, to: Self) -> Result<(), InvalidStatus> {
        let event = match to {
            Self::Running => "run",
            Self::Success => "succeed",
            Self::Failed => "drop",
            Self::Canceled => "cancel",
        };
        if self != to && to.is_final() { Ok(()) } else { Err(InvalidStatus { event, from: self.as_str() }) }
    }
}

/// A deployment, as another program reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// The deployment's id.
    pub id: DeploymentId,
    /// The project that it belongs to.
    pub project: ProjectId,
    /// Its number within the project.
    pub iid: Iid,
    /// The environment.
    pub environment: EnvironmentId,
    /// The branch or tag.
    pub ref_name: String,
    /// True if that is a tag.
    pub tag: bool,
    /// The commit: 40 hexadecimal digits.
    pub sha: String,
    /// Who has reported it; `None` once that account is gone.
    pub user: Option<UserId>,
    /// Its state.
    pub status: DeploymentStatus,
    /// When it was reported first.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it came into its last state, if it has ended.
    pub finished_at: Option<Timestamp>,
}

impl Deployment {
    /// Brings it into a state at this moment, without a question.
    pub fn come_into(&mut self, status: DeploymentStatus, at: Timestamp) {
        self.status = status;
        self.updated_at = at;
        self.finished_at = status.is_final().then_some(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_does_not_begin_again() {
        use DeploymentStatus::{Canceled, Failed, Running, Success};
        for (from, to, want) in [
            (Running, Success, true),
            (Running, Failed, true),
            (Running, Canceled, true),
            (Running, Running, false),
            (Success, Failed, true),
            (Failed, Success, true),
            (Success, Success, false),
            (Canceled, Running, false),
        ] {
            assert_eq!(from.check_move(to).is_ok(), want, "{from:?} {to:?}");
        }
        let text = Success.check_move(Running).unwrap_err().to_string();
        assert_eq!(text, "cannot transition via \"run\" from success");
    }
}
