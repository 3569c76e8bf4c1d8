//! A pipeline in a line of a list.

use tenon_app::pipeline::PipelineView;
use tenon_domain::id::PipelineId;
use tenon_domain::pipeline::JobStatus;

use crate::context::frame::Frame;
use crate::kit::words::Moment;
use crate::parts::links::PersonLink;

pub(crate) struct PipelineLine {
    pub(crate) id: i64,
    pub(crate) status: &'static str,
    pub(crate) class: &'static str,
    /// The whole id of its commit, and the first digits.
    pub(crate) sha: String,
    pub(crate) short: String,
    pub(crate) branch: String,
    pub(crate) at: Moment,
    pub(crate) took: Option<String>,
    pub(crate) person: Option<PersonLink>,
}

impl PipelineLine {
    pub(crate) fn new(frame: &Frame, view: &PipelineView) -> Self {
        let pipeline = &view.pipeline;
        let (status, class) = words(pipeline.status);
        Self {
            id: pipeline.id.get(),
            status,
            class,
            short: pipeline.sha.get(..8).unwrap_or_default().to_owned(),
            sha: pipeline.sha.clone(),
            branch: pipeline.ref_name.clone(),
            at: pipeline.created_at.into(),
            took: view.duration.map(time),
            person: view.user.as_ref().map(|user| PersonLink::new(frame, user)),
        }
    }
}

impl PipelineLine {
    /// The icon of its state.
    pub(crate) fn icon(&self) -> &'static str {
        icon(self.class)
    }
}

/// The state of the newest pipeline of a commit.
pub(crate) struct PipelineMark {
    pub(crate) id: i64,
    pub(crate) status: &'static str,
    pub(crate) class: &'static str,
    pub(crate) icon: &'static str,
}

impl From<(PipelineId, JobStatus)> for PipelineMark {
    fn from((id, status): (PipelineId, JobStatus)) -> Self {
        let (status, class) = words(status);
        Self { id: id.get(), status, class, icon: icon(class) }
    }
}

/// A state in a word, and the class of its colour.
pub(crate) const fn words(status: JobStatus) -> (&'static str, &'static str) {
    match status {
        JobStatus::Pending => ("waiting", "draft"),
        JobStatus::Running => ("running", "draft"),
        JobStatus::Success => ("passed", "open"),
        JobStatus::Failed => ("failed", "closed"),
        JobStatus::Canceled => ("cancelled", "closed"),
        JobStatus::Skipped => ("skipped", "draft"),
    }
}

/// The icon of a state, by the class of its colour.
pub(crate) fn icon(class: &str) -> &'static str {
    match class {
        "open" => "circle-check",
        "closed" => "circle-x",
        _ => "clock",
    }
}

/// Seconds in words.
pub(crate) fn time(seconds: i64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_words() {
        for (seconds, want) in [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3_661, "1 h 1 min")] {
            assert_eq!(time(seconds), want);
        }
    }
}
