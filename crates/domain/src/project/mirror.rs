//! Mirrors: projects whose branches and tags follow those of a repository on another server.

use crate::field_errors::FieldErrors;
use crate::id::{ProjectId, UserId};
use crate::patch::Patch;
use crate::regular_expression::{Case, compile};
use crate::time::{TimeDelta, Timestamp};
use crate::words::words;
use regex::Regex;

/// The pause between two updates of a mirror.
pub const INTERVAL: TimeDelta = TimeDelta::minutes(30);
/// The longest pause after updates that have failed.
pub const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(8);
/// The failures in a row after which a mirror is updated no more, until someone asks for it.
pub const MAX_FAILURES: i64 = 14;
/// The longest regular expression, in characters.
const MAX_REGEX: usize = 255;
/// The most bytes of a compiled regular expression, and of what is kept while it searches.
const MAX_COMPILED: usize = 1 << 18;

words! {
    /// The state of the last update.
    pub enum MirrorStatus {
        /// There was none.
        None = "none",
        /// It waits for its turn.
        Scheduled = "scheduled",
        /// It is under way.
        Started = "started",
        /// It has succeeded.
        Finished = "finished",
        /// It has failed.
        Failed = "failed",
    }
}

/// The repository that a project follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    /// The project.
    pub project: ProjectId,
    /// True if it is updated.
    pub enabled: bool,
    /// The encrypted address of the other repository, with its credentials.
    pub sealed_url: Option<String>,
    /// In whose name branches and tags move. None if the account is gone.
    pub user: Option<UserId>,
    /// True if only protected branches follow.
    pub only_protected_branches: bool,
    /// True if branches are overwritten that have commits of their own.
    pub overwrites_diverged_branches: bool,
    /// Only branches follow in whose names it is found.
    pub branch_regex: Option<String>,
    /// True if updates are to start pipelines. It is only stored: other programs run pipelines.
    pub trigger_builds: bool,
    /// The state of the last update.
    pub status: MirrorStatus,
    /// Why the last update has failed, or which branches and tags it has left out.
    pub last_error: Option<String>,
    /// When the last update has begun.
    pub started_at: Option<Timestamp>,
    /// When the last update has ended.
    pub ended_at: Option<Timestamp>,
    /// When the last update that has succeeded has ended.
    pub succeeded_at: Option<Timestamp>,
    /// How many updates in a row have failed.
    pub failures: i64,
}

/// The changes of a mirror that a request asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MirrorChanges {
    /// True to update it.
    pub enabled: Option<bool>,
    /// In whose name branches and tags are to move.
    pub user: Option<UserId>,
    /// True if only protected branches are to follow.
    pub only_protected_branches: Option<bool>,
    /// True if branches are to be overwritten that have commits of their own.
    pub overwrites_diverged_branches: Option<bool>,
    /// Only branches are to follow in whose names it is found; all if it is empty.
    pub branch_regex: Patch<String>,
    /// True if updates are to start pipelines.
    pub trigger_builds: Option<bool>,
}

impl Mirror {
    /// The mirror of a project that follows nothing.
    #[must_use]
    pub const fn none(project: ProjectId) -> Self {
        Self {
            project,
            enabled: false,
            sealed_url: None,
            user: None,
            only_protected_branches: false,
            overwrites_diverged_branches: false,
            branch_regex: None,
            trigger_builds: false,
            status: MirrorStatus::None,
            last_error: None,
            started_at: None,
            ended_at: None,
            succeeded_at: None,
            failures: 0,
        }
    }

    /// Puts the options into it that were given; address and user are the caller's business.
    pub fn apply(&mut self, changes: &MirrorChanges) {
        self.enabled = changes.enabled.unwrap_or(self.enabled);
        self.only_protected_branches = changes.only_protected_branches.unwrap_or(self.only_protected_branches);
        self.overwrites_diverged_branches =
            changes.overwrites_diverged_branches.unwrap_or(self.overwrites_diverged_branches);
        self.trigger_builds = changes.trigger_builds.unwrap_or(self.trigger_builds);
        self.branch_regex =
            changes.branch_regex.clone().apply(self.branch_regex.take()).filter(|text| !text.is_empty());
    }

    /// Notes what is wrong with its options.
    pub fn check(&self, errors: &mut FieldErrors) {
        let Some(text) = &self.branch_regex else { return };
        errors.at_most(MAX_REGEX, "mirror_branch_regex", text);
        errors.require(pattern(text).is_some(), "mirror_branch_regex", "is not a valid regular expression");
        errors.require(
            !self.only_protected_branches,
            "mirror_branch_regex",
            "is not possible together with only_mirror_protected_branches",
        );
    }

    /// True if it is updated no more, until someone asks for it.
    #[must_use]
    pub const fn has_stopped(&self) -> bool {
        self.failures >= MAX_FAILURES
    }

    /// The expression that is found in the names of the branches that follow. None if all names do, or if it cannot be read.
    #[must_use]
    pub fn branch_pattern(&self) -> Option<Regex> {
        self.branch_regex.as_deref().and_then(pattern)
    }
}

fn pattern(text: &str) -> Option<Regex> {
    let is_short = text.chars().count() <= MAX_REGEX;
    is_short.then(|| compile(text, MAX_COMPILED, Case::Sensitive)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(mirror: &Mirror) -> Vec<String> {
        let mut errors = FieldErrors::default();
        mirror.check(&mut errors);
        errors.iter().map(|(field, _)| field.to_string()).collect()
    }

    #[test]
    fn branches_are_chosen_by_one_rule_at_most() {
        let mut mirror = Mirror::none(ProjectId::new(1));
        let regex =
            |text: &str| MirrorChanges { branch_regex: Patch::Set(text.to_owned()), ..MirrorChanges::default() };
        mirror.apply(&regex("^(main|release/.*)$"));
        assert!(problems(&mirror).is_empty());
        let pattern = mirror.branch_pattern().unwrap();
        assert!(pattern.is_match("release/1") && !pattern.is_match("Main") && !pattern.is_match("x"));
        mirror.apply(&MirrorChanges { only_protected_branches: Some(true), ..MirrorChanges::default() });
        assert_eq!(problems(&mirror), ["mirror_branch_regex"]);
        mirror.apply(&regex(""));
        assert!(problems(&mirror).is_empty() && mirror.branch_regex.is_none());
        mirror.apply(&MirrorChanges { only_protected_branches: Some(false), ..regex("(") });
        assert_eq!(problems(&mirror), ["mirror_branch_regex"]);
        for wrong in ["x{1000}{1000}", &"x".repeat(256)] {
            mirror.apply(&regex(wrong));
            assert_eq!(problems(&mirror), ["mirror_branch_regex"]);
            assert!(mirror.branch_pattern().is_none());
        }
    }

    #[test]
    fn a_mirror_stops_after_fourteen_failures() {
        let after = |failures| Mirror { failures, ..Mirror::none(ProjectId::new(1)) }.has_stopped();
        assert!(!after(13) && after(14));
    }
}
