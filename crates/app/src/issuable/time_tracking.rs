//! Estimates and time spent.

use tenon_domain::issuable::Issuable;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::time_tracking::{human_in, parse_duration};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::issuable::IssuableReference;
use crate::shared::issuable::aggregate::save_changes;
use crate::shared::issuable_aggregate::IssuableAggregate;

/// How long something takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeStats {
    /// The estimate, in seconds.
    pub time_estimate: i64,
    /// The time spent, in seconds.
    pub total_time_spent: i64,
    /// As people read it; nothing for none.
    pub human_time_estimate: Option<String>,
    /// As people read it; nothing for none.
    pub human_total_time_spent: Option<String>,
}

impl TimeStats {
    fn of(query: &mut Query<'_>, issue: &Issuable) -> Result<Self, AppError> {
        let in_hours = query.settings()?.times_in_hours;
        Ok(Self {
            time_estimate: issue.time_estimate,
            total_time_spent: issue.total_time_spent,
            human_time_estimate: human_in(issue.time_estimate, in_hours),
            human_total_time_spent: human_in(issue.total_time_spent, in_hours),
        })
    }
}

const FORMAT: &str = "has an invalid format";

/// The estimate and the time spent.
pub fn time_stats(query: &mut Query<'_>, of: &IssuableReference) -> Result<TimeStats, AppError> {
    let found = query.issuable(of, IssuableAction::Read)?;
    TimeStats::of(query, &found.issuable)
}

/// Sets the estimate; a later one replaces it. Zero is none.
pub fn set_time_estimate(
    command: &mut Command<'_>,
    of: &IssuableReference,
    duration: &str,
) -> Result<TimeStats, AppError> {
    let seconds = if is_zero(duration) { Some(0) } else { parse_duration(duration).filter(|seconds| *seconds > 0) };
    change(command, of, |issue| {
        issue.time_estimate = seconds.ok_or_else(|| AppError::invalid("time_estimate", FORMAT))?;
        Ok(())
    })
}

/// Takes the estimate away.
pub fn reset_time_estimate(command: &mut Command<'_>, of: &IssuableReference) -> Result<TimeStats, AppError> {
    change(command, of, |issue| {
        issue.time_estimate = 0;
        Ok(())
    })
}

/// Adds time that was spent; a negative duration takes some back.
pub fn add_spent_time(
    command: &mut Command<'_>,
    of: &IssuableReference,
    duration: &str,
) -> Result<TimeStats, AppError> {
    let seconds = parse_duration(duration);
    change(command, of, |issue| {
        let seconds = seconds.ok_or_else(|| AppError::invalid("time_spent", FORMAT))?;
        issue.total_time_spent += seconds;
        if issue.total_time_spent < 0 {
            return Err(AppError::invalid("time_spent", "Time to subtract exceeds the total time spent"));
        }
        Ok(())
    })
}

/// Takes all time spent back.
pub fn reset_spent_time(command: &mut Command<'_>, of: &IssuableReference) -> Result<TimeStats, AppError> {
    change(command, of, |issue| {
        issue.total_time_spent = 0;
        Ok(())
    })
}

fn change(
    command: &mut Command<'_>,
    of: &IssuableReference,
    change: impl FnOnce(&mut Issuable) -> Result<(), AppError>,
) -> Result<TimeStats, AppError> {
    let found = command.query().issuable(of, IssuableAction::Edit)?;
    let before = IssuableAggregate::load(command, &found.issuable)?;
    let mut after = before.clone();
    change(&mut after.issuable)?;
    let stored = save_changes(command, &found, &before, after, None)?;
    TimeStats::of(&mut command.query(), &stored.issuable)
}

/// `0`, `0h` and the like.
fn is_zero(duration: &str) -> bool {
    let digits = duration.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim();
    !digits.is_empty() && digits.bytes().all(|byte| byte == b'0')
}
