//! Quick actions: lines of a comment or description that do something instead of saying it.

use chrono::Datelike as _;

use crate::time::Date;
use crate::time_tracking::parse_duration;

/// More commands than this no text gives; the rest of them is text.
const MAX_ACTIONS: usize = 100;

/// More names than this no command takes; the rest of them is passed over.
const MAX_NAMES: usize = 100;
/// How often a command names something, the same or another. Each name after that is passed over.
const MAX_NAMED: usize = 10 * MAX_NAMES;

/// The request of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuickAction {
    /// Close it.
    Close,
    /// Open it again.
    Reopen,
    /// Another title.
    Title(String),
    /// Assign these people as well.
    Assign(Vec<String>),
    /// Assign exactly these people.
    Reassign(Vec<String>),
    /// Take these people off, or all if none is named.
    Unassign(Vec<String>),
    /// Add these labels.
    Label(Vec<String>),
    /// Take these labels away, or all if none is named.
    Unlabel(Vec<String>),
    /// These labels and no others.
    Relabel(Vec<String>),
    /// This milestone, by title.
    Milestone(String),
    /// No milestone.
    RemoveMilestone,
    /// Due on this day.
    Due(Day),
    /// Due on no day.
    RemoveDueDate,
    /// An estimate, in seconds.
    Estimate(i64),
    /// No estimate.
    RemoveEstimate,
    /// Time spent, in seconds; negative to take back.
    Spend(i64),
    /// No time spent.
    RemoveTimeSpent,
    /// Subscribe the author of the text.
    Subscribe,
    /// Unsubscribe the author of the text.
    Unsubscribe,
    /// Put it on one's list.
    Todo,
    /// Take it off one's list.
    Done,
    /// Hide it from the public.
    Confidential,
    /// Let only members comment.
    Lock,
    /// Let everybody comment.
    Unlock,
    /// React with this emoji.
    Award(String),
    /// Continue it in this project.
    Move(String),
}

/// A day as a command names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    /// The day on which the command is carried out.
    Today,
    /// The day after that.
    Tomorrow,
    /// This one.
    On(Date),
}

impl Day {
    /// The day that is meant `today`. `None` after the last day that there is.
    #[must_use]
    pub fn seen_from(self, today: Date) -> Option<Date> {
        match self {
            Self::Today => Some(today),
            Self::Tomorrow => today.succ_opt(),
            Self::On(date) => Some(date),
        }
    }
}

/// A text and the quick actions that stood in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// The text without its commands.
    pub text: String,
    /// The commands, in order.
    pub actions: Vec<QuickAction>,
}

impl Extracted {
    /// True if there is neither text nor a command.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.actions.is_empty() && self.text.trim().is_empty()
    }
}

/// Takes the commands out of `text`. A line that begins with a known command whose argument makes sense is one; lines in
/// code blocks, unknown commands and commands without a needed argument are text, as are those beyond the first hundred.
/// The longer the text, the longer this takes: it is done before the transaction that stores the text.
#[must_use]
pub fn extract(text: &str) -> Extracted {
    if !text.contains('/') {
        return Extracted { text: text.to_owned(), actions: Vec::new() };
    }
    let mut actions = Vec::new();
    let mut kept: Vec<&str> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.split('\n') {
        let trimmed = line.trim();
        let marker = ["```", "~~~"].into_iter().find(|marker| trimmed.starts_with(marker));
        fence = match (fence, marker) {
            (None, Some(marker)) => Some(marker),
            (Some(open), Some(marker)) if open == marker => None,
            (open, _) => open,
        };
        let may_be_one = fence.is_none() && line.starts_with('/') && actions.len() < MAX_ACTIONS;
        let action = if may_be_one { parse(trimmed) } else { None };
        match action {
            Some(action) => actions.push(action),
            None => kept.push(line),
        }
    }
    if actions.is_empty() {
        return Extracted { text: text.to_owned(), actions };
    }
    Extracted { text: kept.join("\n").trim().to_owned(), actions }
}

fn parse(line: &str) -> Option<QuickAction> {
    let line = line.strip_prefix('/')?;
    let (command, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    let text = || (!argument.is_empty()).then(|| argument.to_owned());
    let some = |names: Vec<String>| (!names.is_empty()).then_some(names);
    Some(match command.to_ascii_lowercase().as_str() {
        "close" => QuickAction::Close,
        "reopen" | "open" => QuickAction::Reopen,
        "title" => QuickAction::Title(text()?),
        "assign" => QuickAction::Assign(some(people(argument))?),
        "reassign" => QuickAction::Reassign(some(people(argument))?),
        "unassign" | "remove_assignee" => QuickAction::Unassign(people(argument)),
        "label" | "labels" => QuickAction::Label(some(signed(argument, '~'))?),
        "unlabel" | "remove_label" | "remove_labels" => QuickAction::Unlabel(signed(argument, '~')),
        "relabel" => QuickAction::Relabel(some(signed(argument, '~'))?),
        "milestone" => QuickAction::Milestone(one(signed(argument, '%')).or_else(text)?),
        "remove_milestone" => QuickAction::RemoveMilestone,
        "due" | "due_date" => QuickAction::Due(day(argument)?),
        "remove_due_date" => QuickAction::RemoveDueDate,
        "estimate" | "estimate_time" => QuickAction::Estimate(parse_duration(argument).filter(|seconds| *seconds > 0)?),
        "remove_estimate" | "remove_time_estimate" => QuickAction::RemoveEstimate,
        "spend" | "spent" | "spend_time" => QuickAction::Spend(spent(argument)?),
        "remove_time_spent" => QuickAction::RemoveTimeSpent,
        "subscribe" => QuickAction::Subscribe,
        "unsubscribe" => QuickAction::Unsubscribe,
        "todo" => QuickAction::Todo,
        "done" => QuickAction::Done,
        "confidential" => QuickAction::Confidential,
        "lock" => QuickAction::Lock,
        "unlock" => QuickAction::Unlock,
        "award" | "react" => QuickAction::Award(argument.strip_prefix(':')?.strip_suffix(':')?.to_owned()),
        "move" => QuickAction::Move(text()?),
        _ => return None,
    })
}

fn one(names: Vec<String>) -> Option<String> {
    names.into_iter().next()
}

/// `@a, @b` and the like.
fn people(argument: &str) -> Vec<String> {
    let words = argument.split(|c: char| c.is_whitespace() || c == ',');
    let mut names = Vec::new();
    // The caller needs no sign before: `/assign me`.
    for name in words.filter_map(|word| word.strip_prefix('@').or_else(|| (word == "me").then_some(word))) {
        remember(&mut names, name);
    }
    names
}

/// Takes a name, unless it is known or there are too many.
fn remember(names: &mut Vec<String>, name: &str) {
    if !name.is_empty() && names.len() < MAX_NAMES && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Names behind `sign`, in quotes if they have blanks.
fn signed(argument: &str, sign: char) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = argument;
    for _ in 0..MAX_NAMED {
        let Some((_, after)) = rest.split_once(sign) else { break };
        let (name, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(after.len())),
        };
        remember(&mut names, name);
        rest = after;
    }
    names
}

fn day(argument: &str) -> Option<Day> {
    match argument.to_ascii_lowercase().as_str() {
        "today" => Some(Day::Today),
        "tomorrow" => Some(Day::Tomorrow),
        other => date(other).map(Day::On),
    }
}

/// Exactly four, two and two digits, as dates in parameters are: the library alone would take signs, spaces and years
/// of any length.
fn date(text: &str) -> Option<Date> {
    let is_digits =
        |(part, length): (&str, usize)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = text.split('-').collect();
    let is_exact = parts.len() == 3 && parts.into_iter().zip([4, 2, 2]).all(is_digits);
    Date::parse_from_str(text, "%Y-%m-%d").ok().filter(|date| is_exact && date.year() > 0)
}

/// A duration, after which a date may stand that says when.
fn spent(argument: &str) -> Option<i64> {
    parse_duration(argument).or_else(|| {
        let (duration, date) = argument.rsplit_once(char::is_whitespace)?;
        self::date(date)?;
        parse_duration(duration)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(line: &str) -> Option<QuickAction> {
        one_action(extract(line))
    }

    fn one_action(extracted: Extracted) -> Option<QuickAction> {
        extracted.actions.into_iter().next()
    }

    #[test]
    fn every_command() {
        let names = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (line, want) in [
            ("/close", QuickAction::Close),
            ("/reopen", QuickAction::Reopen),
            ("/title New one", QuickAction::Title("New one".into())),
            ("/assign @ada, @bob", QuickAction::Assign(names(&["ada", "bob"]))),
            ("/assign me", QuickAction::Assign(names(&["me"]))),
            ("/reassign @ada", QuickAction::Reassign(names(&["ada"]))),
            ("/unassign", QuickAction::Unassign(vec![])),
            ("/label ~bug ~\"two words\"", QuickAction::Label(names(&["bug", "two words"]))),
            ("/unlabel", QuickAction::Unlabel(vec![])),
            ("/unlabel ~bug", QuickAction::Unlabel(names(&["bug"]))),
            ("/relabel ~bug", QuickAction::Relabel(names(&["bug"]))),
            ("/milestone %\"Next one\"", QuickAction::Milestone("Next one".into())),
            ("/milestone %1.0", QuickAction::Milestone("1.0".into())),
            ("/remove_milestone", QuickAction::RemoveMilestone),
            ("/due 2026-12-01", QuickAction::Due(Day::On("2026-12-01".parse().unwrap()))),
            ("/due today", QuickAction::Due(Day::Today)),
            ("/due tomorrow", QuickAction::Due(Day::Tomorrow)),
            ("/remove_due_date", QuickAction::RemoveDueDate),
            ("/estimate 3h", QuickAction::Estimate(10_800)),
            ("/remove_estimate", QuickAction::RemoveEstimate),
            ("/spend 1h", QuickAction::Spend(3_600)),
            ("/spend -1h 2026-11-20", QuickAction::Spend(-3_600)),
            ("/remove_time_spent", QuickAction::RemoveTimeSpent),
            ("/subscribe", QuickAction::Subscribe),
            ("/unsubscribe", QuickAction::Unsubscribe),
            ("/todo", QuickAction::Todo),
            ("/done", QuickAction::Done),
            ("/confidential", QuickAction::Confidential),
            ("/lock", QuickAction::Lock),
            ("/unlock", QuickAction::Unlock),
            ("/award :tada:", QuickAction::Award("tada".into())),
            ("/move a/b", QuickAction::Move("a/b".into())),
        ] {
            assert_eq!(only(line), Some(want), "{line}");
        }
    }

    #[test]
    fn a_day_is_counted_from_when_the_command_is_carried_out() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let seen = |day: Day| day.seen_from("2026-11-30".parse().unwrap());
        assert_eq!(seen(Day::Today), Some(day("2026-11-30")));
        assert_eq!(seen(Day::Tomorrow), Some(day("2026-12-01")));
        assert_eq!(seen(Day::On(day("2026-02-28"))), Some(day("2026-02-28")));
        assert_eq!(Day::Tomorrow.seen_from(Date::MAX), None);
    }

    #[test]
    fn what_makes_no_sense_is_text() {
        for line in [
            "/unknown",
            "/label",
            "/due someday",
            "/due +20000-01-01",
            "/due +2000-01-01",
            "/due -5000-01-01",
            "/due 0000-01-01",
            "/due 002026-1-1",
            "/due 20000-01-01",
            "/due 2026-1-1",
            "/due 2026-02-30",
            "/spend 1h +20000-01-01",
            "/estimate soon",
            "/estimate -1h",
            "/award tada",
            "see /close",
            " /close",
        ] {
            assert_eq!(extract(line), Extracted { text: line.to_owned(), actions: vec![] });
        }
    }

    #[test]
    fn there_is_an_end_to_commands_and_names() {
        let many = extract(&"/close\n".repeat(MAX_ACTIONS + 2));
        assert_eq!((many.actions.len(), many.text.as_str()), (MAX_ACTIONS, "/close\n/close"));
        for (command, sign) in
            [("/label", '~'), ("/unlabel", '~'), ("/relabel", '~'), ("/assign", '@'), ("/unassign", '@')]
        {
            let distinct: String = (0..MAX_NAMES + 5).map(|number| format!(" {sign}n{number}")).collect();
            let same = format!(" {sign}a").repeat(40_000);
            for (names, want) in [(distinct, MAX_NAMES), (same, 1)] {
                let (QuickAction::Label(taken)
                | QuickAction::Unlabel(taken)
                | QuickAction::Relabel(taken)
                | QuickAction::Assign(taken)
                | QuickAction::Unassign(taken)) = only(&format!("{command}{names}")).unwrap()
                else {
                    panic!("{command} does something else")
                };
                assert_eq!(taken.len(), want, "{command}");
            }
        }
    }

    #[test]
    fn what_has_a_command_is_not_blank() {
        for (text, want) in [("", true), (" \n", true), ("/close", false), ("see", false), ("/unknown", false)] {
            assert_eq!(extract(text).is_blank(), want, "{text:?}");
        }
    }

    #[test]
    fn commands_leave_the_text_and_code_stays() {
        let extracted = extract("Done.\n/close\n```\n/reopen\n```\n/label ~a");
        assert_eq!(extracted.text, "Done.\n```\n/reopen\n```");
        assert_eq!(extracted.actions, [QuickAction::Close, QuickAction::Label(vec!["a".into()])]);
    }
}
