//! The notes of the server, which say what was done to an issue or merge request. Their texts are stored and answered by the API,
//! and begin with words by which their kind is known.

/// The subject of a note of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemNoteKind {
    /// Closed.
    Closed,
    /// Opened again.
    Reopened,
    /// Merged.
    Merged,
    /// Other assignees.
    Assignees,
    /// Another milestone.
    Milestone,
    /// Another due date.
    DueDate,
    /// Time spent, or its estimate.
    Time,
    /// Commits that came, or one that names it.
    Commits,
    /// Named in another issue or merge request.
    Mention,
    /// A task that was ticked.
    Task,
    /// A draft, or ready.
    Draft,
    /// Locked.
    Locked,
    /// Unlocked.
    Unlocked,
    /// Confidential, or no more.
    Confidentiality,
    /// Another branch.
    Branch,
    /// A merge that waits for a pipeline.
    AutomaticMerge,
    /// All threads are resolved.
    Resolved,
    /// Moved to another project.
    Moved,
    /// Approved.
    Approved,
    /// Changes were requested.
    ChangesRequested,
    /// Its text, or something else.
    Edited,
}

/// The beginnings of the notes. A note is of the kind of the first one that fits; true if the name of a commit follows.
const BEGINNINGS: [(&str, SystemNoteKind, bool); 34] = [
    ("closed via commit ", SystemNoteKind::Closed, true),
    ("closed", SystemNoteKind::Closed, false),
    ("reopened", SystemNoteKind::Reopened, false),
    ("merged", SystemNoteKind::Merged, false),
    ("assigned to", SystemNoteKind::Assignees, false),
    ("unassigned", SystemNoteKind::Assignees, false),
    ("removed assignee", SystemNoteKind::Assignees, false),
    ("changed milestone", SystemNoteKind::Milestone, false),
    ("removed milestone", SystemNoteKind::Milestone, false),
    ("changed due date", SystemNoteKind::DueDate, false),
    ("removed due date", SystemNoteKind::DueDate, false),
    ("changed time", SystemNoteKind::Time, false),
    ("removed time", SystemNoteKind::Time, false),
    ("subtracted", SystemNoteKind::Time, false),
    ("mentioned in commit ", SystemNoteKind::Commits, true),
    ("mentioned in", SystemNoteKind::Mention, false),
    ("marked the task", SystemNoteKind::Task, false),
    ("marked as", SystemNoteKind::Draft, false),
    ("unmarked as", SystemNoteKind::Draft, false),
    ("locked", SystemNoteKind::Locked, false),
    ("unlocked", SystemNoteKind::Unlocked, false),
    ("made the issue", SystemNoteKind::Confidentiality, false),
    ("changed target branch", SystemNoteKind::Branch, false),
    ("deleted source branch", SystemNoteKind::Branch, false),
    ("restored source branch", SystemNoteKind::Branch, false),
    ("enabled an automatic merge when the pipeline for ", SystemNoteKind::AutomaticMerge, true),
    ("enabled an automatic merge", SystemNoteKind::AutomaticMerge, false),
    ("canceled the automatic merge", SystemNoteKind::AutomaticMerge, false),
    ("resolved all", SystemNoteKind::Resolved, false),
    ("moved", SystemNoteKind::Moved, false),
    ("approved", SystemNoteKind::Approved, false),
    ("requested changes", SystemNoteKind::ChangesRequested, false),
    ("added ", SystemNoteKind::Commits, false),
    ("changed", SystemNoteKind::Edited, false),
];

impl SystemNoteKind {
    /// The kind of a note with this text.
    #[must_use]
    pub fn of(body: &str) -> Self {
        match BEGINNINGS.iter().find(|(beginning, ..)| body.starts_with(beginning)) {
            Some((_, Self::Commits, false)) if body.lines().next().is_some_and(|line| line.contains(" time spent")) => {
                Self::Time
            }
            Some((_, kind, _)) => *kind,
            None => Self::Edited,
        }
    }

    /// The words before the name of a commit, and the text from that name on. `None` if the note names none there.
    #[must_use]
    pub fn commit_in(body: &str) -> Option<(&'static str, &str)> {
        let named = BEGINNINGS.iter().filter(|(.., names_commit)| *names_commit);
        named.map(|(beginning, ..)| *beginning).find_map(|words| Some((words, body.strip_prefix(words)?)))
    }

    /// True if the note lists commits, one in a line.
    #[must_use]
    pub fn lists_commits(body: &str) -> bool {
        body.starts_with("added ") && body.contains("\n* ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_known_by_its_beginning() {
        for (body, want) in [
            ("closed", SystemNoteKind::Closed),
            ("closed via commit a/b@1234567", SystemNoteKind::Closed),
            ("mentioned in commit 1234567", SystemNoteKind::Commits),
            ("mentioned in issue #4", SystemNoteKind::Mention),
            ("added 2 commits\n\n* 1234567 - time spent", SystemNoteKind::Commits),
            ("added 2 commits\n\n* 1234567 - x", SystemNoteKind::Commits),
            ("added 2h of time spent", SystemNoteKind::Time),
            ("changed time estimate to 1h", SystemNoteKind::Time),
            ("changed the description", SystemNoteKind::Edited),
            ("approved this merge request", SystemNoteKind::Approved),
            ("something else", SystemNoteKind::Edited),
        ] {
            assert_eq!(SystemNoteKind::of(body), want, "{body}");
        }
        assert_eq!(SystemNoteKind::commit_in("closed via commit x y"), Some(("closed via commit ", "x y")));
        assert_eq!(SystemNoteKind::commit_in("closed"), None);
        assert!(SystemNoteKind::lists_commits("added 1 commit\n\n* x - y"));
        assert!(!SystemNoteKind::lists_commits("added 2h of time spent"));
    }

    /// A beginning that another one before it contains would never fit.
    #[test]
    fn every_beginning_can_be_found() {
        for (at, (beginning, ..)) in BEGINNINGS.iter().enumerate() {
            let first = BEGINNINGS.iter().position(|(other, ..)| beginning.starts_with(other));
            assert_eq!(first, Some(at), "{beginning}");
        }
    }
}
