//! Work of the server on itself that administrators see: backups, their verification, and the doctor.

use std::path::PathBuf;

use crate::id::ServerTaskId;
use crate::time::{TimeDelta, Timestamp};
use crate::words::words;

words! {
    /// A kind of task.
    pub enum TaskKind {
        /// A backup is made, and old ones are removed.
        Backup = "backup",
        /// The newest backup is restored into a scratch folder and checked.
        Verification = "verification",
        /// The doctor looks at the server.
        Doctor = "doctor",
    }
}

words! {
    /// How a task has ended.
    pub enum TaskOutcome {
        /// Well.
        Done = "done",
        /// It is done, and something is damaged.
        Findings = "findings",
        /// It was not done.
        Failed = "failed",
    }
}

/// The most findings that are kept of a task.
pub const MOST_FINDINGS: usize = 100;
/// The most characters of a finding, or of a summary.
const LONGEST_TEXT: usize = 1_000;

/// A task that waits, runs, or has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTask {
    /// Its id.
    pub id: ServerTaskId,
    /// Its kind.
    pub kind: TaskKind,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// When it began; `None` while it waits.
    pub started_at: Option<Timestamp>,
    /// Its end.
    pub end: Option<TaskEnd>,
}

/// The end of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEnd {
    /// When.
    pub at: Timestamp,
    /// How.
    pub outcome: TaskOutcome,
    /// Its result, or why it failed, in a sentence.
    pub summary: String,
    /// The things that are damaged, [`MOST_FINDINGS`] at most.
    pub findings: Vec<String>,
    /// The bytes of the backup that it made, with those that it shares with earlier ones.
    pub size: Option<i64>,
}

impl TaskEnd {
    /// An end, with as many findings and as long texts as are kept.
    #[must_use]
    pub fn new(at: Timestamp, outcome: TaskOutcome, summary: &str, findings: Vec<String>, size: Option<i64>) -> Self {
        let findings = first_findings(findings).iter().map(|finding| shortened(finding)).collect();
        Self { at, outcome, summary: shortened(summary), findings, size }
    }
}

/// The first findings, [`MOST_FINDINGS`] at most: the last of these then says how many are left out.
#[must_use]
pub fn first_findings(mut findings: Vec<String>) -> Vec<String> {
    let rest = findings.len().saturating_sub(MOST_FINDINGS);
    if rest > 0 {
        findings.truncate(MOST_FINDINGS - 1);
        findings.push(format!("and {} more", rest + 1));
    }
    findings
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').take(LONGEST_TEXT).collect()
}

/// The backups that the server makes by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupPlan {
    /// The folder of backups.
    pub folder: PathBuf,
    /// How often.
    pub schedule: BackupSchedule,
}

/// How often the server makes backups by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupSchedule {
    /// The time between two backups.
    pub every: TimeDelta,
    /// The time between two verifications; `None` if there are none by themselves.
    pub verify_every: Option<TimeDelta>,
}

impl BackupSchedule {
    /// The time between two tasks of a kind; `None` if there are none by themselves.
    #[must_use]
    pub fn period(&self, kind: TaskKind) -> Option<TimeDelta> {
        match kind {
            TaskKind::Backup => Some(self.every),
            TaskKind::Verification => self.verify_every,
            TaskKind::Doctor => None,
        }
    }

    /// True if a task of this kind is due, after the last one was asked for at `last`.
    #[must_use]
    pub fn is_due(&self, kind: TaskKind, last: Option<Timestamp>, now: Timestamp) -> bool {
        let Some(period) = self.period(kind) else { return false };
        // A clock that was set back must not keep backups away for long.
        last.is_none_or(|last| now >= last + period || now + period < last)
    }

    /// True if the last good backup, made at `last`, is too old: the next one is late by more than the time between two.
    #[must_use]
    pub fn is_overdue(&self, last: Option<Timestamp>, now: Timestamp) -> bool {
        last.is_none_or(|last| now > last + self.every + self.every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_timestamp(1_800_000_000 + hours * 3600, 0).unwrap()
    }

    const DAILY: BackupSchedule =
        BackupSchedule { every: TimeDelta::hours(24), verify_every: Some(TimeDelta::hours(168)) };

    #[test]
    fn a_task_is_due_when_its_period_has_passed() {
        let due = |last: Option<i64>, now| DAILY.is_due(TaskKind::Backup, last.map(at), at(now));
        assert_eq!([due(None, 0), due(Some(0), 23), due(Some(0), 24), due(Some(0), 100)], [true, false, true, true]);
        // The clock was set back by an hour, and by a month.
        assert_eq!([due(Some(0), -1), due(Some(0), -700)], [false, true]);
        assert!(!DAILY.is_due(TaskKind::Verification, Some(at(0)), at(100)));
        assert!(!DAILY.is_due(TaskKind::Doctor, None, at(0)));
        assert_eq!([None, Some(0), Some(-1)].map(|last| DAILY.is_overdue(last.map(at), at(48))), [true, false, true]);
    }

    #[test]
    fn long_lists_of_findings_say_how_many_are_left_out() {
        let end = TaskEnd::new(at(0), TaskOutcome::Findings, "x", vec!["y".repeat(5_000); 150], None);
        assert_eq!((end.findings.len(), end.findings[0].len()), (MOST_FINDINGS, LONGEST_TEXT));
        assert_eq!(end.findings[MOST_FINDINGS - 1], "and 51 more");
    }
}
