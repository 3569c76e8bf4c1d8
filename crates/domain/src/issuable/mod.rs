//! The common part of issues and merge requests: they are opened, discussed, labelled, assigned, timed and closed.

mod ability;
mod issue_type;
pub mod position;
mod state;

pub use ability::{IssuableAction, IssuableFacts, TrackerFacts};
pub use issue_type::{IssueType, MAX_WEIGHT};
pub use state::{MergeStep, State, StateEvent};

use crate::field_errors::FieldErrors;
use crate::id::{Iid, IssuableId, MilestoneId, ProjectId, UserId};
use crate::time::{Date, Timestamp};
use crate::words::words;

words! {
    /// Which of the two it is.
    #[derive(PartialOrd, Ord)]
    pub enum IssuableKind {
        /// An issue.
        Issue = "issue",
        /// A merge request.
        MergeRequest = "merge_request",
    }
}

impl IssuableKind {
    /// The name by which other resources say what they belong to: `Issue`, `MergeRequest`.
    #[must_use]
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Issue => "Issue",
            Self::MergeRequest => "MergeRequest",
        }
    }

    /// The sign before an iid in texts.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::Issue => '#',
            Self::MergeRequest => '!',
        }
    }

    /// Its name in sentences.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::MergeRequest => "merge request",
        }
    }
}

/// An issue, or what a merge request shares with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuable {
    /// Its id, unique over the server.
    pub id: IssuableId,
    /// Which of the two it is.
    pub kind: IssuableKind,
    /// The project that counts it.
    pub project: ProjectId,
    /// Its number there.
    pub iid: Iid,
    /// Who opened it.
    pub author: UserId,
    /// One line.
    pub title: String,
    /// Markdown.
    pub description: Option<String>,
    /// Open, closed, or another state of its kind.
    pub state: State,
    /// When it is to be done, roughly.
    pub milestone: Option<MilestoneId>,
    /// Hidden from all but its author, its assignees and reporters.
    pub confidential: bool,
    /// True if only members may comment; none until it was set.
    pub discussion_locked: Option<bool>,
    /// When it is due.
    pub due_date: Option<Date>,
    /// How much work it is, of issues.
    pub weight: Option<i64>,
    /// The type; always the usual one of merge requests.
    pub issue_type: IssueType,
    /// Seconds.
    pub time_estimate: i64,
    /// Seconds.
    pub total_time_spent: i64,
    /// Comments, system notes left out.
    pub user_notes_count: i64,
    /// Awards of `thumbsup`.
    pub upvotes: i64,
    /// Awards of `thumbsdown`.
    pub downvotes: i64,
    /// The issue that continues it.
    pub moved_to: Option<IssuableId>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Issuable {
    /// An open one that is not stored or numbered yet, and that has nothing but this.
    #[must_use]
    pub const fn new(kind: IssuableKind, project: ProjectId, author: UserId, title: String, at: Timestamp) -> Self {
        Self {
            id: IssuableId::new(0),
            kind,
            project,
            iid: Iid::new(0),
            author,
            title,
            description: None,
            state: State::Opened,
            milestone: None,
            confidential: false,
            discussion_locked: None,
            due_date: None,
            weight: None,
            issue_type: IssueType::Issue,
            time_estimate: 0,
            total_time_spent: 0,
            user_notes_count: 0,
            upvotes: 0,
            downvotes: 0,
            moved_to: None,
            created_at: at,
            updated_at: at,
        }
    }

    /// How its own project speaks of it: `#12`.
    #[must_use]
    pub fn short_reference(&self) -> String {
        format!("{}{}", self.kind.sign(), self.iid)
    }

    /// How others speak of it: `group/project#12`.
    #[must_use]
    pub fn full_reference(&self, project_path: &str) -> String {
        format!("{project_path}{}{}", self.kind.sign(), self.iid)
    }
}

/// How a text in a project at `from` names `short` of a project at `to`: as short as it stays unambiguous.
#[must_use]
pub fn relative_reference(from: &str, to: &str, short: &str) -> String {
    let home = |path: &str| path.rsplit_once('/').map(|(home, _)| home.to_owned());
    match to.rsplit_once('/') {
        _ if from == to => short.to_owned(),
        Some((_, name)) if home(from) == home(to) => format!("{name}{short}"),
        _ => format!("{to}{short}"),
    }
}

/// The longest title, in characters.
pub const MAX_TITLE: usize = 255;
/// The longest description or comment, in characters.
pub const MAX_TEXT: usize = 1_000_000;

/// Notes what is wrong with a title.
pub fn check_title(errors: &mut FieldErrors, title: &str) {
    errors.present("title", title);
    errors.at_most(MAX_TITLE, "title", title);
}

/// Notes what is wrong with a description.
pub fn check_description(errors: &mut FieldErrors, description: &str) {
    // Counting characters of a long text is worth it only if the number of bytes does not decide.
    if description.len() > MAX_TEXT {
        errors.at_most(MAX_TEXT, "description", description);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_as_short_as_it_stays_unambiguous() {
        assert_eq!(relative_reference("a/p", "a/p", "#7"), "#7");
        assert_eq!(relative_reference("a/p", "a/other", "#7"), "other#7");
        assert_eq!(relative_reference("a/p", "b/other", "#7"), "b/other#7");
        assert_eq!(relative_reference("a/b/p", "a/other", "!7"), "a/other!7");
    }
}
