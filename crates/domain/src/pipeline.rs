//! Commit statuses that external CI posts, and the pipelines that they make up.

use crate::words::words;

words! {
    /// The state of a job.
    pub enum JobStatus {
        /// Waiting.
        Pending = "pending",
        /// Under way.
        Running = "running",
        /// Done, and well.
        Success = "success",
        /// Done, and not well.
        Failed = "failed",
        /// Given up.
        Canceled = "canceled",
        /// Left out.
        Skipped = "skipped",
    }
}

/// A move that a job cannot make. Clients know the text and take it as harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Cannot transition status via :{event} from :{from} (Reason(s): Status cannot transition via \"{event}\")")]
pub struct InvalidMove {
    event: &'static str,
    from: &'static str,
}

impl JobStatus {
    /// True if it will not change any more.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Success | Self::Failed | Self::Canceled | Self::Skipped => true,
            Self::Pending | Self::Running => false,
        }
    }

    /// Checks that a job in this state may come into the state `to`.
    ///
    /// # Errors
    /// Fails if the job has ended, or would go back or stay.
    pub const fn check_move(self, to: Self) -> Result<(), InvalidMove> {
        let permitted = match (self, to) {
            (Self::Pending, to) => !matches!(to, Self::Pending),
            (Self::Running, to) => to.is_final(),
            (Self::Success | Self::Failed | Self::Canceled | Self::Skipped, _) => false,
        };
        if permitted { Ok(()) } else { Err(InvalidMove { event: to.event(), from: self.as_str() }) }
    }

    const fn event(self) -> &'static str {
        match self {
            Self::Pending => "enqueue",
            Self::Running => "run",
            Self::Success => "success",
            Self::Failed => "drop",
            Self::Canceled => "cancel",
            Self::Skipped => "skip",
        }
    }
}

/// The status of a pipeline of jobs in these states, each job's latest; nothing without jobs.
#[must_use]
pub fn pipeline_status(jobs: &[JobStatus]) -> Option<JobStatus> {
    let all = |wanted: &[JobStatus]| jobs.iter().all(|job| wanted.contains(job));
    Some(match jobs {
        [] => return None,
        _ if all(&[JobStatus::Skipped]) => JobStatus::Skipped,
        _ if all(&[JobStatus::Success, JobStatus::Skipped]) => JobStatus::Success,
        _ if all(&[JobStatus::Pending]) => JobStatus::Pending,
        _ if jobs.iter().any(|job| !job.is_final()) => JobStatus::Running,
        _ if all(&[JobStatus::Success, JobStatus::Skipped, JobStatus::Canceled]) => JobStatus::Canceled,
        _ => JobStatus::Failed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_go_forward() {
        use JobStatus::{Canceled, Failed, Pending, Running, Success};
        for (from, to, want) in [
            (Pending, Running, true),
            (Pending, Success, true),
            (Pending, Pending, false),
            (Running, Success, true),
            (Running, Failed, true),
            (Running, Canceled, true),
            (Running, Running, false),
            (Running, Pending, false),
            (Success, Failed, false),
        ] {
            assert_eq!(from.check_move(to).is_ok(), want, "{from:?} {to:?}");
        }
        let text = Pending.check_move(Pending).unwrap_err().to_string();
        assert_eq!(
            text,
            "Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via \"enqueue\")"
        );
    }

    #[test]
    fn a_pipeline_is_what_its_jobs_are() {
        use JobStatus::{Canceled, Failed, Pending, Running, Skipped, Success};
        for (jobs, want) in [
            (vec![], None),
            (vec![Success, Skipped], Some(Success)),
            (vec![Skipped, Skipped], Some(Skipped)),
            (vec![Pending, Pending], Some(Pending)),
            (vec![Success, Pending], Some(Running)),
            (vec![Failed, Running], Some(Running)),
            (vec![Success, Canceled], Some(Canceled)),
            (vec![Success, Failed, Canceled], Some(Failed)),
        ] {
            assert_eq!(pipeline_status(&jobs), want, "{jobs:?}");
        }
    }
}
