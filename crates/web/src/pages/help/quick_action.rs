//! The quick actions: lines of a text that are commands.

use askama::Template;
use serde_json::{Value, json};
use tenon_domain::quick_action::{QuickAction, extract};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// A line that gives each command, and the other names of the command.
const LINES: [(&str, &[&str]); 25] = [
    ("/close", &[]),
    ("/reopen", &["open"]),
    ("/title New title", &[]),
    ("/assign @ada @bob", &[]),
    ("/reassign me", &[]),
    ("/unassign @ada", &["remove_assignee"]),
    ("/label ~bug ~\"two words\"", &["labels"]),
    ("/unlabel ~bug", &["remove_label", "remove_labels"]),
    ("/relabel ~bug", &[]),
    ("/milestone %1.0", &[]),
    ("/remove_milestone", &[]),
    ("/due 2027-01-31", &["due_date"]),
    ("/remove_due_date", &[]),
    ("/estimate 1w 3d 2h", &["estimate_time"]),
    ("/remove_estimate", &["remove_time_estimate"]),
    ("/spend 1h30m", &["spent", "spend_time"]),
    ("/remove_time_spent", &[]),
    ("/subscribe", &[]),
    ("/unsubscribe", &[]),
    ("/todo", &[]),
    ("/done", &[]),
    ("/confidential", &[]),
    ("/lock", &[]),
    ("/unlock", &[]),
    ("/award :tada:", &["react"]),
];

/// The same for the command that runs after all other commands of a text.
const LAST: (&str, &[&str]) = ("/move group/engine", &[]);

fn lines() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    LINES.into_iter().chain([LAST])
}

/// The effect of a command. If the domain gets a new command, this does not compile without its words. Its line has to
/// be added above.
const fn words(action: &QuickAction) -> &'static str {
    match action {
        QuickAction::Close => "Close.",
        QuickAction::Reopen => "Reopen.",
        QuickAction::Title(_) => "Change the title.",
        QuickAction::Assign(_) => "Add assignees.",
        QuickAction::Reassign(_) => "Replace all assignees.",
        QuickAction::Unassign(_) => "Remove these assignees, or all if none are given.",
        QuickAction::Label(_) => "Add labels.",
        QuickAction::Unlabel(_) => "Remove these labels, or all if none are given.",
        QuickAction::Relabel(_) => "Replace all labels.",
        QuickAction::Milestone(_) => "Set the milestone.",
        QuickAction::RemoveMilestone => "Remove the milestone.",
        QuickAction::Due(_) => "Set the due date, such as a date, today or tomorrow.",
        QuickAction::RemoveDueDate => "Remove the due date.",
        QuickAction::Estimate(_) => "Set the time estimate. 1d is 8 hours, 1w is 5 days.",
        QuickAction::RemoveEstimate => "Remove the time estimate.",
        QuickAction::Spend(_) => "Add spent time, or subtract it with a minus sign. A date is optional.",
        QuickAction::RemoveTimeSpent => "Remove all spent time.",
        QuickAction::Subscribe => "Subscribe to notifications.",
        QuickAction::Unsubscribe => "Unsubscribe from notifications.",
        QuickAction::Todo => "Add to your to-do list.",
        QuickAction::Done => "Mark as done in your to-do list.",
        QuickAction::Confidential => "Mark the issue as confidential.",
        QuickAction::Lock => "Lock the conversation.",
        QuickAction::Unlock => "Unlock the conversation.",
        QuickAction::Award(_) => "Toggle an emoji reaction.",
        QuickAction::Move(_) => "Move the issue to another project.",
    }
}

struct Row {
    line: &'static str,
    others: &'static [&'static str],
    words: &'static str,
}

/// All commands, as the domain understands their lines.
fn rows() -> Vec<Row> {
    let understood = |line: &str| extract(line).actions.into_iter().next();
    lines().filter_map(|(line, others)| Some(Row { line, others, words: words(&understood(line)?) })).collect()
}

/// The same as a list for programs: the name of each command, its other names, its arguments, and its effect.
pub(crate) fn list() -> Value {
    let entry = |Row { line, others, words }: Row| {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let params: Vec<&str> = Some(rest).filter(|rest| !rest.is_empty()).into_iter().collect();
        json!({"name": name.trim_start_matches('/'), "aliases": others, "description": words, "params": params})
    };
    rows().into_iter().map(entry).collect()
}

#[derive(Template)]
#[template(path = "help/quick_actions.html")]
struct QuickActionsPage {
    frame: Frame,
    rows: Vec<Row>,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    Answer::page(&QuickActionsPage { frame: context.frame().await?, rows: rows() })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_command_that_the_domain_knows_is_shown() {
        let source = include_str!("../../../../domain/src/quick_action.rs");
        let arms = source.split_once("Some(match command").unwrap().1.split_once("_ => return None").unwrap().0;
        let arms = arms.lines().filter_map(|line| line.trim().split_once(" => ")).map(|(names, _)| names);
        let known: HashSet<&str> =
            arms.flat_map(|names| names.split(" | ")).map(|name| name.trim_matches('"')).collect();
        let shown = |(line, others): (&'static str, &'static [&'static str])| {
            let name = line.split(' ').next().unwrap_or_default().trim_start_matches('/');
            std::iter::once(name).chain(others.iter().copied())
        };
        let shown: HashSet<&str> = lines().flat_map(shown).collect();
        assert!(known.contains("close") && known == shown, "{known:?} {shown:?}");
        assert_eq!(rows().len(), LINES.len() + 1, "each line is understood");
    }

    #[test]
    fn other_names_mean_the_same() {
        let understood = |line: &str| extract(line).actions.into_iter().next();
        for (line, others) in lines() {
            let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
            for other in others {
                assert_eq!(understood(&format!("/{other} {rest}")), understood(line), "{name} {other}");
            }
        }
    }
}
