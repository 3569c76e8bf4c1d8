//! The decision whether a merge request may be merged now.

use super::MergeStatus;
use crate::issuable::State;
use crate::pipeline::JobStatus;

/// The facts that the decision needs.
#[derive(Debug, Clone, Copy)]
pub struct AcceptFacts<'a> {
    /// Only an open one can be merged.
    pub state: State,
    /// True if the caller may push or merge to the target branch.
    pub may_merge: bool,
    /// True if its title says that it is not ready.
    pub draft: bool,
    /// The answer of Git, asked just now.
    pub merge_status: MergeStatus,
    /// True if the target has commits that the source has not, in a project that forbids it.
    pub needs_rebase: bool,
    /// The pipeline of its head, if there is one.
    pub pipeline: Option<JobStatus>,
    /// True if a pipeline that is there must have succeeded.
    pub pipeline_must_succeed: bool,
    /// True if a discussion is open in a project that allows none.
    pub open_discussions: bool,
    /// True if approvals are missing that the rules of the project require.
    pub not_approved: bool,
    /// The head commit of the source branch.
    pub head: &'a str,
    /// The commit that the caller means.
    pub sha: Option<&'a str>,
    /// True if the caller would wait for the pipeline.
    pub when_pipeline_succeeds: bool,
}

/// The moment of an accepted merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// It is merged.
    Now,
    /// It is merged as soon as the pipeline succeeds.
    WhenPipelineSucceeds,
}

/// Why it is not merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AcceptRefusal {
    /// The caller may not merge.
    #[error("the caller may not merge")]
    Unauthorized,
    /// It is merged, closed, or being merged.
    #[error("it is not open")]
    NotOpen,
    /// Git cannot.
    #[error("Branch cannot be merged")]
    CannotBeMerged,
    /// A draft, an unsuccessful pipeline, an open discussion, a missing approval.
    #[error("it is not ready")]
    NotReady,
    /// The source branch is elsewhere.
    #[error("SHA does not match HEAD of source branch: {0}")]
    ShaMismatch(String),
    /// The project always squashes, and the caller asks for the contrary.
    #[error("This project requires squashing commits when merge requests are accepted.")]
    SquashRequired,
}

/// Decides whether it may be merged, and when.
///
/// # Errors
/// The first reason against it: the caller, the state, Git, the draft and its discussions, the head, the pipeline.
pub fn accept(facts: &AcceptFacts<'_>) -> Result<Accept, AcceptRefusal> {
    if !facts.may_merge {
        return Err(AcceptRefusal::Unauthorized);
    }
    if facts.state != State::Opened {
        return Err(AcceptRefusal::NotOpen);
    }
    if facts.merge_status != MergeStatus::CanBeMerged || facts.needs_rebase {
        return Err(AcceptRefusal::CannotBeMerged);
    }
    if facts.draft || facts.open_discussions || facts.not_approved {
        return Err(AcceptRefusal::NotReady);
    }
    if facts.sha.is_some_and(|sha| sha != facts.head) {
        return Err(AcceptRefusal::ShaMismatch(facts.head.to_owned()));
    }
    match facts.pipeline {
        None | Some(JobStatus::Success | JobStatus::Skipped) => Ok(Accept::Now),
        Some(JobStatus::Pending | JobStatus::Running) if facts.when_pipeline_succeeds => {
            Ok(Accept::WhenPipelineSucceeds)
        }
        Some(_) if facts.pipeline_must_succeed => Err(AcceptRefusal::NotReady),
        Some(_) => Ok(Accept::Now),
    }
}

/// The one word that says why it cannot be merged, or that it can: `detailed_merge_status`.
#[must_use]
pub fn readiness(facts: &AcceptFacts<'_>) -> &'static str {
    match (facts.state, facts.merge_status) {
        (State::Closed { .. } | State::Merged | State::Locked, _) => return "not_open",
        (State::Opened, MergeStatus::Unchecked) => return "unchecked",
        (State::Opened, MergeStatus::CannotBeMerged) => return "conflict",
        (State::Opened, MergeStatus::CanBeMerged) => {}
    }
    if facts.draft {
        return "draft_status";
    }
    if facts.needs_rebase {
        return "need_rebase";
    }
    if facts.open_discussions {
        return "discussions_not_resolved";
    }
    if facts.not_approved {
        return "not_approved";
    }
    match facts.pipeline.filter(|_| facts.pipeline_must_succeed) {
        None | Some(JobStatus::Success | JobStatus::Skipped) => "mergeable",
        Some(JobStatus::Pending | JobStatus::Running) => "ci_still_running",
        Some(JobStatus::Failed | JobStatus::Canceled) => "ci_must_pass",
    }
}

/// Why a waiting merge is not given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CancelRefusal {
    /// The caller may not merge, and is not the author.
    #[error("the caller may not merge, and is not the author")]
    Unauthorized,
    /// It is merged or closed.
    #[error("it is not open")]
    NotOpen,
    /// None waits.
    #[error("no merge waits")]
    NotWaiting,
}

/// True if the caller may cancel a merge that waits for its pipeline: those who may merge, and the author.
///
/// # Errors
/// The first reason against it, in the order of the variants of [`CancelRefusal`].
pub fn cancel(permitted: bool, state: State, waits: bool) -> Result<(), CancelRefusal> {
    if !permitted {
        return Err(CancelRefusal::Unauthorized);
    }
    if state != State::Opened {
        return Err(CancelRefusal::NotOpen);
    }
    if waits { Ok(()) } else { Err(CancelRefusal::NotWaiting) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> AcceptFacts<'static> {
        AcceptFacts {
            state: State::Opened,
            may_merge: true,
            draft: false,
            merge_status: MergeStatus::CanBeMerged,
            needs_rebase: false,
            pipeline: None,
            pipeline_must_succeed: false,
            open_discussions: false,
            not_approved: false,
            head: "a",
            sha: None,
            when_pipeline_succeeds: false,
        }
    }

    #[test]
    fn each_rule_refuses_in_its_own_way_and_the_first_one_speaks() {
        let closed = State::Closed { at: None, by: None };
        let mismatch = AcceptRefusal::ShaMismatch("a".to_owned());
        let good = facts();
        for (facts, want) in [
            (good, Ok(Accept::Now)),
            (AcceptFacts { may_merge: false, state: closed, ..good }, Err(AcceptRefusal::Unauthorized)),
            (AcceptFacts { state: closed, draft: true, ..good }, Err(AcceptRefusal::NotOpen)),
            (AcceptFacts { state: State::Merged, ..good }, Err(AcceptRefusal::NotOpen)),
            (AcceptFacts { state: State::Locked, ..good }, Err(AcceptRefusal::NotOpen)),
            (
                AcceptFacts { merge_status: MergeStatus::CannotBeMerged, draft: true, ..good },
                Err(AcceptRefusal::CannotBeMerged),
            ),
            (AcceptFacts { merge_status: MergeStatus::Unchecked, ..good }, Err(AcceptRefusal::CannotBeMerged)),
            (AcceptFacts { needs_rebase: true, ..good }, Err(AcceptRefusal::CannotBeMerged)),
            (AcceptFacts { draft: true, sha: Some("b"), ..good }, Err(AcceptRefusal::NotReady)),
            (AcceptFacts { open_discussions: true, ..good }, Err(AcceptRefusal::NotReady)),
            (AcceptFacts { not_approved: true, ..good }, Err(AcceptRefusal::NotReady)),
            (AcceptFacts { sha: Some("b"), ..good }, Err(mismatch)),
            (AcceptFacts { sha: Some("a"), ..good }, Ok(Accept::Now)),
        ] {
            assert_eq!(accept(&facts), want, "{facts:?}");
        }
    }

    #[test]
    fn the_pipeline_decides_only_where_there_is_one() {
        use JobStatus::{Canceled, Failed, Pending, Running, Skipped, Success};
        for (pipeline, required, waits, want) in [
            (None, true, false, Ok(Accept::Now)),
            (None, true, true, Ok(Accept::Now)),
            (Some(Success), true, true, Ok(Accept::Now)),
            (Some(Skipped), true, false, Ok(Accept::Now)),
            (Some(Running), true, false, Err(AcceptRefusal::NotReady)),
            (Some(Running), false, false, Ok(Accept::Now)),
            (Some(Running), true, true, Ok(Accept::WhenPipelineSucceeds)),
            (Some(Pending), false, true, Ok(Accept::WhenPipelineSucceeds)),
            (Some(Failed), true, true, Err(AcceptRefusal::NotReady)),
            (Some(Canceled), false, true, Ok(Accept::Now)),
        ] {
            let facts =
                AcceptFacts { pipeline, pipeline_must_succeed: required, when_pipeline_succeeds: waits, ..facts() };
            assert_eq!(accept(&facts), want, "{facts:?}");
        }
    }

    #[test]
    fn one_word_says_what_is_in_the_way() {
        let good = facts();
        for (facts, want) in [
            (good, "mergeable"),
            (AcceptFacts { state: State::Merged, ..good }, "not_open"),
            (AcceptFacts { merge_status: MergeStatus::Unchecked, ..good }, "unchecked"),
            (AcceptFacts { merge_status: MergeStatus::CannotBeMerged, ..good }, "conflict"),
            (AcceptFacts { draft: true, ..good }, "draft_status"),
            (AcceptFacts { needs_rebase: true, ..good }, "need_rebase"),
            (AcceptFacts { open_discussions: true, ..good }, "discussions_not_resolved"),
            (AcceptFacts { not_approved: true, ..good }, "not_approved"),
            (AcceptFacts { pipeline: Some(JobStatus::Failed), ..good }, "mergeable"),
            (AcceptFacts { pipeline: Some(JobStatus::Failed), pipeline_must_succeed: true, ..good }, "ci_must_pass"),
            (
                AcceptFacts { pipeline: Some(JobStatus::Running), pipeline_must_succeed: true, ..good },
                "ci_still_running",
            ),
        ] {
            assert_eq!(readiness(&facts), want, "{facts:?}");
        }
    }

    #[test]
    fn only_a_waiting_merge_can_be_given_up() {
        assert_eq!(cancel(true, State::Opened, true), Ok(()));
        assert_eq!(cancel(false, State::Merged, true), Err(CancelRefusal::Unauthorized));
        assert_eq!(cancel(true, State::Merged, true), Err(CancelRefusal::NotOpen));
        assert_eq!(cancel(true, State::Opened, false), Err(CancelRefusal::NotWaiting));
    }
}
