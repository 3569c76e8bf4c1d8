//! The life of an issue or merge request.

use crate::id::UserId;
use crate::time::Timestamp;
use crate::transition::Transition;
use crate::words::words;

words! {
    /// The changes of the state that an edit can ask for.
    pub enum StateEvent {
        /// Close it.
        Close = "close",
        /// Open it again.
        Reopen = "reopen",
    }
}

/// A step of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeStep {
    /// The merge begins.
    Begin,
    /// It came to nothing.
    GiveUp,
    /// The target branch has the commits.
    Finish,
    /// The commits were pushed to the target branch by hand.
    Pushed,
}

/// The state. Closing data exists only while closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Being worked on.
    Opened,
    /// Done, or given up.
    Closed {
        /// When it was closed; none if that is not known.
        at: Option<Timestamp>,
        /// By whom; none once that account is deleted.
        by: Option<UserId>,
    },
    /// A merge request whose merge is under way.
    Locked,
    /// A merge request whose changes are in.
    Merged,
}

impl State {
    /// The word in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Closed { .. } => "closed",
            Self::Locked => "locked",
            Self::Merged => "merged",
        }
    }

    /// The state after `event`. Asking for the current state again changes nothing, and what is merged or being merged
    /// stays so.
    #[must_use]
    pub const fn apply(self, event: StateEvent, by: UserId, at: Timestamp) -> Transition<Self> {
        match (self, event) {
            (Self::Opened, StateEvent::Close) => Transition::Moved(Self::Closed { at: Some(at), by: Some(by) }),
            (Self::Closed { .. }, StateEvent::Reopen) => Transition::Moved(Self::Opened),
            (Self::Closed { .. } | Self::Locked | Self::Merged, StateEvent::Close)
            | (Self::Opened | Self::Locked | Self::Merged, StateEvent::Reopen) => Transition::Stayed(self),
        }
    }

    /// The state after a step of a merge; a step that does not belong there changes nothing.
    #[must_use]
    pub const fn step(self, step: MergeStep) -> Transition<Self> {
        match (self, step) {
            (Self::Opened, MergeStep::Begin) => Transition::Moved(Self::Locked),
            (Self::Locked, MergeStep::GiveUp) => Transition::Moved(Self::Opened),
            (Self::Locked, MergeStep::Finish) | (Self::Opened, MergeStep::Pushed) => Transition::Moved(Self::Merged),
            (Self::Closed { .. } | Self::Merged, _)
            | (Self::Opened, MergeStep::GiveUp | MergeStep::Finish)
            | (Self::Locked, MergeStep::Begin | MergeStep::Pushed) => Transition::Stayed(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_timestamp(second, 0).unwrap()
    }

    #[test]
    fn every_move() {
        let me = UserId::new(1);
        let closed = State::Closed { at: Some(at(1)), by: Some(UserId::new(9)) };
        let closed_by_me = State::Closed { at: Some(at(5)), by: Some(me) };
        for (state, event, want) in [
            (State::Opened, StateEvent::Close, Transition::Moved(closed_by_me)),
            (State::Opened, StateEvent::Reopen, Transition::Stayed(State::Opened)),
            (closed, StateEvent::Close, Transition::Stayed(closed)),
            (closed, StateEvent::Reopen, Transition::Moved(State::Opened)),
            (State::Locked, StateEvent::Close, Transition::Stayed(State::Locked)),
            (State::Locked, StateEvent::Reopen, Transition::Stayed(State::Locked)),
            (State::Merged, StateEvent::Close, Transition::Stayed(State::Merged)),
            (State::Merged, StateEvent::Reopen, Transition::Stayed(State::Merged)),
        ] {
            assert_eq!(state.apply(event, me, at(5)), want, "{state:?} {event:?}");
        }
    }

    #[test]
    fn a_merge_goes_from_open_over_locked_to_merged_or_back() {
        let closed = State::Closed { at: None, by: None };
        for (state, step, want) in [
            (State::Opened, MergeStep::Begin, State::Locked),
            (State::Locked, MergeStep::GiveUp, State::Opened),
            (State::Locked, MergeStep::Finish, State::Merged),
            (State::Opened, MergeStep::Pushed, State::Merged),
        ] {
            assert_eq!(state.step(step), Transition::Moved(want), "{state:?} {step:?}");
        }
        for (state, step) in [
            (State::Opened, MergeStep::Finish),
            (State::Opened, MergeStep::GiveUp),
            (State::Locked, MergeStep::Begin),
            (State::Locked, MergeStep::Pushed),
            (State::Merged, MergeStep::Begin),
            (State::Merged, MergeStep::GiveUp),
            (closed, MergeStep::Begin),
            (closed, MergeStep::Pushed),
        ] {
            assert_eq!(state.step(step), Transition::Stayed(state), "{state:?} {step:?}");
        }
    }
}
