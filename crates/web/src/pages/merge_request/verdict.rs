//! The reason that prevents a merge, in one sentence, and the actions that are possible.

use tenon_app::merge_request::MergeRequestPage;
use tenon_domain::issuable::State;
use tenon_domain::pipeline::JobStatus;

use crate::kit::words::count;

/// The sentence, and the buttons beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) sentence: String,
    /// The class of its colour: `good`, `bad`, `wait` or empty.
    pub(super) class: &'static str,
    pub(super) may_rebase: bool,
    pub(super) may_mark_as_ready: bool,
    pub(super) may_cancel: bool,
    pub(super) shows_discussions: bool,
    /// True if the page shows commands that resolve conflicts.
    pub(super) shows_commands: bool,
    pub(super) form: Option<MergeForm>,
}

/// The form that merges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MergeForm {
    /// The head of the source branch that the caller has seen.
    pub(super) sha: String,
    /// True if its author wants the commits squashed. They are squashed then.
    pub(super) is_squashed: bool,
    pub(super) squash: bool,
    /// The message of the merge commit. If it is empty, the usual one is used.
    pub(super) message: String,
    pub(super) remove_source_branch: bool,
    /// True if it may be merged at once.
    pub(super) now: bool,
    /// True if there is a pipeline that the merge can wait for.
    pub(super) waits: bool,
}

impl Verdict {
    /// True if a button stands below the sentence.
    pub(super) fn has_buttons(&self) -> bool {
        self.may_rebase || self.may_mark_as_ready || self.shows_discussions || self.may_cancel
    }

    pub(super) fn new(found: &MergeRequestPage) -> Self {
        let (view, request) = (&found.view, &found.view.request);
        let plain =
            |class: &'static str, sentence: &str| Self { sentence: sentence.to_owned(), class, ..Self::default() };
        let name = |user: &Option<tenon_app::user::UserRef>| {
            user.as_ref().map_or_else(|| "An account that was deleted".to_owned(), |user| user.name.clone())
        };
        match view.of.issuable.state {
            State::Merged => return plain("good", &format!("{} has merged this.", name(&view.merged_by))),
            State::Closed { .. } => {
                return plain("", "This is closed: it has to be opened again before it can be merged.");
            }
            State::Locked => return plain("wait", "It is being merged now."),
            State::Opened => {}
        }
        if !request.has_commits() {
            return match request.source_project {
                None => plain("bad", "The project of the source branch is gone."),
                Some(_) => plain(
                    "bad",
                    "There is nothing to merge: the source branch has no commit that the target branch has not.",
                ),
            };
        }
        if request.auto_merge.is_some() {
            let sentence = format!("{} merges this as soon as the pipeline succeeds.", name(&view.auto_merge_by));
            return Self { may_cancel: found.may.cancel, ..plain("wait", &sentence) };
        }
        let status = view.single.as_ref().and_then(|single| single.pipeline.shown()).map(|view| view.pipeline.status);
        let is_running = matches!(status, Some(JobStatus::Pending | JobStatus::Running));
        let form = |now: bool| {
            found.may.merge.then(|| MergeForm {
                sha: request.head().unwrap_or_default().to_owned(),
                is_squashed: request.squash,
                squash: request.squash,
                message: String::new(),
                remove_source_branch: request.force_remove_source_branch,
                now,
                waits: is_running,
            })
        };
        let may_rebase = found.may.rebase;
        // The branch of a fork is not in the project that the commands clone.
        let shows_commands = !request.is_from_fork(view.of.issuable.project)
            && is_plain(&request.source_branch)
            && is_plain(&request.target_branch);
        match view.readiness {
            "unchecked" => plain("wait", "Whether it can be merged is being found out: load this page again."),
            // A rebase would stop at the same conflicts.
            "conflict" => Self {
                shows_commands,
                ..plain("bad", "The branches are in conflict: the conflicts have to be resolved first.")
            },
            "draft_status" => Self { ..plain("wait", "This is a draft: its author has not marked it as ready yet.") },
            "need_rebase" => Self {
                may_rebase,
                shows_commands,
                ..plain("bad", "The target branch has gone on: it has to be rebased first.")
            },
            "discussions_not_resolved" => {
                let number = i64::try_from(found.open_discussions).unwrap_or(i64::MAX);
                let sentence = match number {
                    0 => "Some discussions are open: all have to be resolved first.".to_owned(),
                    1 => "1 discussion is open: it has to be resolved first.".to_owned(),
                    number => format!("{} are open: all have to be resolved first.", count(number, "", "discussions")),
                };
                Self { shows_discussions: true, ..plain("bad", &sentence) }
            }
            "ci_still_running" => {
                Self { form: form(false), ..plain("wait", "The pipeline is running: it has to succeed first.") }
            }
            "ci_must_pass" => plain("bad", "The pipeline has not succeeded: it has to, before this can be merged."),
            _ if !found.may.merge => plain("good", "It can be merged by those who may merge into the target branch."),
            _ => Self { form: form(true), ..plain("good", "It can be merged.") },
        }
    }
}

/// True if a shell reads the name of a branch as nothing but that name. Git allows `;`, `|` and `$()` in it.
fn is_plain(branch: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-');
    !branch.is_empty() && !branch.starts_with('-') && branch.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_made_of_plain_names_alone() {
        for (branch, want) in [
            ("main", true),
            ("feature/fix_the-crank.2", true),
            ("a;reboot", false),
            ("a|sh", false),
            ("$(reboot)", false),
            ("`reboot`", false),
            ("a&b", false),
            ("a'b", false),
            ("a\"b", false),
            ("a>b", false),
            ("a!b", false),
            ("#a", false),
            ("\u{e4}", false),
            ("-f", false),
            ("", false),
        ] {
            assert_eq!(is_plain(branch), want, "{branch}");
        }
    }
}
