//! The reason that prevents a merge, in one sentence, and the actions that are possible.

use tenon_app::merge_request::MergeRequestPage;
use tenon_domain::issuable::State;
use tenon_domain::merge_request::SquashOption;
use tenon_domain::pipeline::JobStatus;

use crate::context::frame::Frame;
use crate::kit::address::in_query;
use crate::kit::words::{Moment, count};
use crate::parts::links::PersonLink;

/// The state in a few words, the sentence, and the buttons below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) title: &'static str,
    pub(super) icon: &'static str,
    pub(super) sentence: String,
    /// The class of its colour: `good`, `bad`, `wait` or empty.
    pub(super) class: &'static str,
    pub(super) may_rebase: bool,
    pub(super) may_mark_as_ready: bool,
    pub(super) may_cancel: bool,
    /// The number of open discussions in words. Empty if there are none that the caller may resolve.
    pub(super) discussions: String,
    /// True if they prevent the merge.
    pub(super) discussions_block: bool,
    /// True if the page shows commands that resolve conflicts.
    pub(super) shows_commands: bool,
    pub(super) form: Option<MergeForm>,
}

/// The form that merges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MergeForm {
    /// The head of the source branch that the caller has seen.
    pub(super) sha: String,
    /// The reason for which the caller does not choose if commits are squashed. Empty if they do.
    pub(super) squash_is_decided: &'static str,
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
        self.may_rebase || self.may_mark_as_ready || self.may_cancel
    }

    pub(super) fn new(found: &MergeRequestPage) -> Self {
        let (view, request) = (&found.view, &found.view.request);
        let plain = |class: &'static str, title: &'static str, sentence: &str| {
            let icon = match class {
                "good" => "circle-check",
                "bad" => "triangle-alert",
                "done" => "git-merge",
                _ => "clock",
            };
            Self { title, icon, sentence: sentence.to_owned(), class, ..Self::default() }
        };
        let name = |user: &Option<tenon_app::user::UserRef>| {
            user.as_ref().map_or_else(|| "A deleted user".to_owned(), |user| user.name.clone())
        };
        match view.of.issuable.state {
            // The page names the user and the commit.
            State::Merged => return plain("done", "Merged", ""),
            State::Closed { .. } => {
                let sentence = "Reopen this merge request to merge it.";
                return Self { icon: "circle-x", ..plain("", "Closed", sentence) };
            }
            State::Locked => return plain("wait", "Merging", "This merge request is being merged."),
            State::Opened => {}
        }
        if !request.has_commits() {
            return match request.source_project {
                None => plain("bad", "Cannot be merged", "The source project no longer exists."),
                Some(_) => plain(
                    "bad",
                    "Nothing to merge",
                    "The source branch has no commits that are not already in the target branch.",
                ),
            };
        }
        if request.auto_merge.is_some() {
            let sentence = format!("Auto-merge enabled by {}.", name(&view.auto_merge_by));
            return Self { may_cancel: found.may.cancel, ..plain("wait", "Merge when pipeline succeeds", &sentence) };
        }
        let status = view.single.as_ref().and_then(|single| single.pipeline.shown()).map(|view| view.pipeline.status);
        let is_running = matches!(status, Some(JobStatus::Pending | JobStatus::Running));
        let form = |now: bool| {
            found.may.merge.then(|| MergeForm {
                sha: request.head().unwrap_or_default().to_owned(),
                squash_is_decided: decided(view.squash_option, request.squash),
                squash: view.squash_option.on_merge(request.squash),
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
            "unchecked" => {
                plain("wait", "Checking", "Checking whether this can be merged. Reload this page in a moment.")
            }
            // A rebase would stop at the same conflicts.
            "conflict" => Self {
                shows_commands,
                ..plain("bad", "Conflicts", "Resolve the conflicts with the target branch before merging.")
            },
            "draft_status" => plain("wait", "Draft", "Draft merge requests can't be merged."),
            "need_rebase" => Self {
                may_rebase,
                shows_commands,
                ..plain("bad", "Rebase needed", "Rebase the source branch onto the target branch before merging.")
            },
            "discussions_not_resolved" => {
                let number = i64::try_from(found.open_discussions).unwrap_or(i64::MAX);
                let sentence = match number {
                    0 => "Resolve all discussions before merging.".to_owned(),
                    1 => "Resolve 1 open discussion before merging.".to_owned(),
                    number => format!("Resolve {} before merging.", count(number, "", "open discussions")),
                };
                Self { discussions_block: true, ..plain("bad", "Unresolved discussions", &sentence) }
            }
            "not_approved" => {
                let left = found.approvals.left;
                let sentence = match left {
                    0 => "A reviewer requested changes.".to_owned(),
                    left => {
                        format!("{} required before merging.", count(left, "more approval is", "more approvals are"))
                    }
                };
                plain("wait", if left == 0 { "Changes requested" } else { "Approval required" }, &sentence)
            }
            "ci_still_running" => Self {
                form: form(false),
                ..plain("wait", "Pipeline running", "The pipeline must succeed before merging.")
            },
            "ci_must_pass" => plain("bad", "Pipeline did not succeed", "The pipeline must succeed before merging."),
            _ if !found.may.merge => {
                plain("good", "Ready to merge", "Members with merge access to the target branch can merge this.")
            }
            _ => Self { form: form(true), ..plain("good", "Ready to merge", "This can be merged automatically.") },
        }
    }
}

/// The merge of a merge request.
pub(super) struct MergedLine {
    /// None if the account was deleted.
    pub(super) by: Option<PersonLink>,
    pub(super) at: Moment,
    /// The commit on the target branch, short and with its address. None if the source was pushed to the target.
    pub(super) commit: Option<(String, String)>,
    /// The addresses of the forms that revert and cherry-pick all of it, if the caller may push.
    pub(super) replayed: Option<(String, String)>,
    /// True if the source branch is there. None if that is not known.
    pub(super) has_source: Option<bool>,
    pub(super) may_change_source: bool,
}

impl MergedLine {
    /// None if it is not merged.
    pub(super) fn new(frame: &Frame, project: &str, found: &MergeRequestPage, may_push: bool) -> Option<Self> {
        let view = &found.view;
        let merged = view.request.merged.as_ref().filter(|_| view.of.issuable.state == State::Merged)?;
        let commit = merged.commit.as_ref().or(merged.squash_commit.as_ref());
        // Without a commit of the merge, the newest one has only a part of it.
        let head = view.request.head();
        let is_whole =
            merged.commit.as_deref() != head || view.request.diff.as_ref().is_some_and(|it| it.commits_count == 1);
        let source = found.source_branch.as_ref();
        Some(Self {
            replayed: commit
                .filter(|_| may_push && is_whole)
                .map(|sha| replays(project, sha, &view.request.target_branch)),
            has_source: source.map(|source| source.is_there),
            may_change_source: source.is_some_and(|source| source.may_change),
            by: view.merged_by.as_ref().map(|user| PersonLink::new(frame, user)),
            at: merged.at.into(),
            commit: commit.map(|sha| (sha.chars().take(8).collect(), format!("{project}/commit/{sha}"))),
        })
    }
}

/// The addresses of the forms that revert a commit on a branch, and cherry-pick it.
fn replays(project: &str, sha: &str, branch: &str) -> (String, String) {
    let form = |verb: &str| format!("{project}/commit/{sha}/{verb}?branch={}", in_query(branch));
    (form("revert"), form("cherry_pick"))
}

/// True if a shell reads the name of a branch as nothing but that name. Git allows `;`, `|` and `$()` in it.
fn is_plain(branch: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-');
    !branch.is_empty() && !branch.starts_with('-') && branch.chars().all(is_plain)
}

/// The reason for which the caller does not choose if commits are squashed. Empty if they do.
const fn decided(option: SquashOption, is_wanted: bool) -> &'static str {
    match option {
        SquashOption::Always => "Required by the project",
        SquashOption::Never => "Not allowed in this project",
        SquashOption::DefaultOn | SquashOption::DefaultOff if is_wanted => "Required by the author",
        SquashOption::DefaultOn | SquashOption::DefaultOff => "",
    }
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
