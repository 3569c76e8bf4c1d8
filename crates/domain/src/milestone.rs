//! Milestones.

use crate::container::Container;
use crate::field_errors::FieldErrors;
use crate::id::{Iid, MilestoneId};
use crate::time::{Date, Timestamp};
use crate::transition::Transition;
use crate::words::words;

/// The longest title, in characters.
pub const MAX_TITLE: usize = 255;

words! {
    /// The changes of the state that an edit can ask for.
    pub enum MilestoneEvent {
        /// Close it.
        Close = "close",
        /// Make it active again.
        Activate = "activate",
    }
}

/// Active as long as work towards it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MilestoneState {
    /// Open.
    Active,
    /// It was reached, or given up.
    Closed {
        /// When it was closed.
        at: Timestamp,
    },
}

impl MilestoneState {
    /// The word in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Closed { .. } => "closed",
        }
    }

    /// When it was closed.
    #[must_use]
    pub const fn closed_at(self) -> Option<Timestamp> {
        match self {
            Self::Active => None,
            Self::Closed { at } => Some(at),
        }
    }

    /// The state after `event`; asking for the current state again changes nothing.
    #[must_use]
    pub const fn apply(self, event: MilestoneEvent, at: Timestamp) -> Transition<Self> {
        match (self, event) {
            (Self::Active, MilestoneEvent::Close) => Transition::Moved(Self::Closed { at }),
            (Self::Closed { .. }, MilestoneEvent::Activate) => Transition::Moved(Self::Active),
            (Self::Closed { .. }, MilestoneEvent::Close) | (Self::Active, MilestoneEvent::Activate) => {
                Transition::Stayed(self)
            }
        }
    }
}

/// A goal with a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Milestone {
    /// Its id, unique over the server.
    pub id: MilestoneId,
    /// Its number in its project or group.
    pub iid: Iid,
    /// The project or group that it belongs to.
    pub container: Container,
    /// Unique in a project and its groups.
    pub title: String,
    /// Markdown.
    pub description: String,
    /// Active as long as work towards it goes on.
    pub state: MilestoneState,
    /// First day.
    pub start_date: Option<Date>,
    /// Last day.
    pub due_date: Option<Date>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Notes what is wrong with a milestone, taken titles aside.
pub fn check(errors: &mut FieldErrors, milestone: &Milestone) {
    errors.present("title", &milestone.title);
    errors.at_most(MAX_TITLE, "title", &milestone.title);
    if milestone.description.len() > crate::issuable::MAX_TEXT {
        errors.at_most(crate::issuable::MAX_TEXT, "description", &milestone.description);
    }
    if let (Some(start), Some(due)) = (milestone.start_date, milestone.due_date) {
        errors.require(start <= due, "due_date", "must be greater than start date");
    }
}

/// From when to when something was open; without an end it is open still.
pub type Lifetime = (Timestamp, Option<Timestamp>);

/// The most days of a burn-down.
pub const MAX_BURN_DOWN: usize = 366;

/// How many of the things with these lifetimes were open at the end of each day from `first` to `last`, in UTC. At most
/// the last [`MAX_BURN_DOWN`] days; none if `last` is before `first`.
#[must_use]
pub fn burn_down(lifetimes: &[Lifetime], first: Date, last: Date) -> Vec<(Date, usize)> {
    let mut opened: Vec<Date> = lifetimes.iter().map(|(opened, _)| opened.date_naive()).collect();
    let mut closed: Vec<Date> = lifetimes.iter().filter_map(|(_, closed)| Some((*closed)?.date_naive())).collect();
    opened.sort_unstable();
    closed.sort_unstable();
    let until = |days: &[Date], day: Date| days.partition_point(|one| *one <= day);
    let mut days: Vec<Date> = last.iter_days().rev().take(MAX_BURN_DOWN).take_while(|day| *day >= first).collect();
    days.reverse();
    days.into_iter().map(|day| (day, until(&opened, day).saturating_sub(until(&closed, day)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burn_down_counts_what_is_open_at_the_end_of_each_day() {
        let day = |number| Date::from_ymd_opt(2026, 11, number).unwrap();
        let noon = |number| day(number).and_hms_opt(12, 0, 0).unwrap().and_utc();
        let lifetimes = [(noon(1), Some(noon(3))), (noon(2), None), (noon(3), Some(noon(3))), (noon(4), Some(noon(9)))];
        let open = burn_down(&lifetimes, day(1), day(5));
        assert_eq!(open, [(day(1), 1), (day(2), 2), (day(3), 1), (day(4), 2), (day(5), 2)]);
        assert_eq!(burn_down(&lifetimes, day(5), day(4)), []);
        assert_eq!(burn_down(&lifetimes, day(5), day(5)), [(day(5), 2)]);
        let long = burn_down(&lifetimes, Date::MIN, day(5));
        assert_eq!((long.len(), long.last()), (MAX_BURN_DOWN, Some(&(day(5), 2))));
    }

    #[test]
    fn every_move() {
        let at = Timestamp::from_timestamp(5, 0).unwrap();
        let closed = MilestoneState::Closed { at: Timestamp::from_timestamp(1, 0).unwrap() };
        for (state, event, want) in [
            (MilestoneState::Active, MilestoneEvent::Close, Transition::Moved(MilestoneState::Closed { at })),
            (MilestoneState::Active, MilestoneEvent::Activate, Transition::Stayed(MilestoneState::Active)),
            (closed, MilestoneEvent::Close, Transition::Stayed(closed)),
            (closed, MilestoneEvent::Activate, Transition::Moved(MilestoneState::Active)),
        ] {
            assert_eq!(state.apply(event, at), want);
        }
    }
}
