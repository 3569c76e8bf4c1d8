//! The facts beside a conversation. Each is one line of a table, and is changed where the page shows it.

use tenon_app::issuable::{IssuablePage, IssuableRights};
use tenon_app::user::UserRef;
use tenon_domain::id::UserId;
use tenon_domain::issuable::{IssuableKind, State};

use super::form::{Choices, FormValues, LabelBox, PersonBox};
use super::list::{Offered, list_of};
use super::talk::{Draft, DraftPlace};
use crate::context::frame::Frame;
use crate::kit::choice::Choice;
use crate::kit::form::OriginalValues;
use crate::kit::words::day;
use crate::parts::links::{LabelBadge, MilestoneLink, PersonLink};

/// A fact of an issue or merge request.
pub(crate) struct Fact {
    /// The field of the form and of the API. It is also the last part of the path that changes it.
    pub(crate) field: &'static str,
    title: &'static str,
    icon: &'static str,
    of: &'static [IssuableKind],
    may: fn(&IssuableRights) -> bool,
    value: fn(&FactSource<'_>) -> Value,
    control: fn(&FactSource<'_>) -> Control,
}

const BOTH: &[IssuableKind] = &[IssuableKind::Issue, IssuableKind::MergeRequest];
const ISSUES: &[IssuableKind] = &[IssuableKind::Issue];
const REQUESTS: &[IssuableKind] = &[IssuableKind::MergeRequest];

/// All facts, in the order of the page. A further fact is one more entry.
const FACTS: [Fact; 9] = [
    Fact {
        field: "reviewer_ids",
        title: "Reviewers",
        icon: "eye",
        of: REQUESTS,
        may: |may| may.triage,
        value: |source| people(source.frame, &source.more.reviewers),
        control: |source| Control::People(source.choices.reviewers.clone()),
    },
    Fact {
        field: "assignee_ids",
        title: "Assignees",
        icon: "user",
        of: BOTH,
        may: |may| may.triage,
        value: |source| people(source.frame, &source.found.view.assignees),
        control: |source| Control::People(source.choices.assignees.clone()),
    },
    Fact {
        field: "labels",
        title: "Labels",
        icon: "tag",
        of: BOTH,
        may: |may| may.triage,
        value: |source| {
            let (view, list) = (&source.found.view, list_of(source.found.view.issuable.kind));
            let labels = view.label_details.iter().flatten();
            let labels: Vec<_> = labels.map(|label| LabelBadge::of(source.project, list, label)).collect();
            if labels.is_empty() { Value::None } else { Value::Labels(labels) }
        },
        control: |source| Control::Labels(source.choices.labels.clone()),
    },
    Fact {
        field: "milestone_id",
        title: "Milestone",
        icon: "milestone",
        of: BOTH,
        may: |may| may.triage,
        value: |source| {
            let milestone = source.found.view.milestone.as_ref();
            let link = |found| Value::Milestone(MilestoneLink::new(source.frame, source.base_url, found));
            milestone.map_or(Value::None, link)
        },
        control: |source| Control::Choice(source.choices.milestones.clone()),
    },
    Fact {
        field: "due_date",
        title: "Due date",
        icon: "calendar",
        of: ISSUES,
        may: |may| may.triage,
        value: |source| source.found.view.issuable.due_date.map_or(Value::None, |due| Value::Text(day(due))),
        control: |source| Control::Day(source.typed.due_date.clone()),
    },
    Fact {
        field: "weight",
        title: "Weight",
        icon: "scale",
        of: ISSUES,
        may: |may| may.triage,
        value: |source| source.found.view.issuable.weight.map_or(Value::None, |weight| Value::Text(weight.to_string())),
        control: |source| Control::Number(source.typed.weight.clone()),
    },
    Fact {
        field: "target_branch",
        title: "Target branch",
        icon: "git-branch",
        of: REQUESTS,
        may: |may| may.edit,
        value: |source| Value::Text(source.typed.target_branch.clone()),
        control: |source| match source.found.view.issuable.state {
            State::Opened => Control::Name(source.typed.target_branch.clone()),
            State::Closed { .. } | State::Merged | State::Locked => Control::None,
        },
    },
    Fact {
        field: "confidential",
        title: "Confidential",
        icon: "eye-off",
        of: ISSUES,
        may: |may| may.edit,
        value: |source| {
            flag(
                source.typed.confidential,
                "Visible only to the author, assignees and members with at least the Reporter role",
            )
        },
        control: |source| {
            Control::Switch(source.typed.confidential, ["Mark as confidential", "Remove confidentiality"])
        },
    },
    Fact {
        field: "discussion_locked",
        title: "Locked",
        icon: "lock",
        of: BOTH,
        may: |may| may.triage,
        value: |source| flag(source.typed.locked, "Only project members can comment"),
        control: |source| Control::Switch(source.typed.locked, ["Lock conversation", "Unlock conversation"]),
    },
];

/// The data from which the facts of a page are made.
pub(crate) struct FactSource<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) base_url: &'a str,
    /// The address of the project.
    pub(crate) project: &'a str,
    pub(crate) found: &'a IssuablePage,
    pub(crate) more: &'a FactData,
    pub(crate) typed: &'a FormValues,
    choices: &'a Choices,
}

/// The value of a fact.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    None,
    People(Vec<PersonLink>),
    Labels(Vec<LabelBadge>),
    Milestone(MilestoneLink),
    Text(String),
}

/// The field that changes a fact.
#[derive(Debug, Clone)]
pub(crate) enum Control {
    None,
    People(Vec<PersonBox>),
    Labels(Vec<LabelBox>),
    Choice(Vec<Choice>),
    Day(String),
    Number(String),
    Name(String),
    /// A button. True if it is on, and the words that switch it on and off.
    Switch(bool, [&'static str; 2]),
}

/// A fact, as the page shows it.
pub(crate) struct FactRow {
    pub(crate) field: &'static str,
    pub(crate) title: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) value: Value,
    pub(crate) control: Control,
    /// The value of the page ([`OriginalValues::field`]).
    pub(crate) shown: String,
    /// The refusal of the value that was sent.
    pub(crate) problem: Option<String>,
    /// The id of the caller, if they can assign themselves with one button.
    pub(crate) own: Option<i64>,
    /// The answers of reviewers, by user name.
    marks: Vec<(String, ReviewMark)>,
}

/// The answer of a reviewer so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReviewMark {
    pub(crate) icon: &'static str,
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
}

const APPROVED: ReviewMark = ReviewMark { icon: "circle-check", class: "good", words: "Approved" };
const CHANGES_REQUESTED: ReviewMark = ReviewMark { icon: "circle-x", class: "bad", words: "Changes requested" };
const REQUESTED: ReviewMark = ReviewMark { icon: "clock", class: "wait", words: "Review requested" };

impl FactRow {
    /// The answer of this person, if the fact is about reviewers.
    pub(crate) fn mark(&self, person: &PersonLink) -> Option<&ReviewMark> {
        self.marks.iter().find(|(username, _)| *username == person.username).map(|(_, mark)| mark)
    }

    pub(crate) fn is_set(&self) -> bool {
        !matches!(self.value, Value::None)
    }

    pub(crate) fn may_change(&self) -> bool {
        !matches!(self.control, Control::None)
    }

    /// True if the form has a button that saves. The choices of others are buttons themselves.
    pub(crate) fn saves(&self) -> bool {
        !matches!(self.control, Control::Switch(..) | Control::Choice(_))
    }
}

fn people(frame: &Frame, users: &[UserRef]) -> Value {
    let people: Vec<_> = users.iter().map(|user| PersonLink::new(frame, user)).collect();
    if people.is_empty() { Value::None } else { Value::People(people) }
}

fn flag(is_on: bool, words: &str) -> Value {
    if is_on { Value::Text(words.to_owned()) } else { Value::None }
}

impl Fact {
    /// The fact of this field, if such an object has it.
    pub(crate) fn named(field: &str, kind: IssuableKind) -> Option<&'static Self> {
        FACTS.iter().find(|fact| fact.field == field && fact.of.contains(&kind))
    }

    fn row(&self, source: &FactSource<'_>, draft: Option<&Draft>) -> FactRow {
        let draft = draft.filter(|draft| draft.place == DraftPlace::Fact(self.field));
        let control = if (self.may)(&source.found.may) { (self.control)(source) } else { Control::None };
        let typed = |control: Control| match (control, draft) {
            (Control::Day(_), Some(draft)) => Control::Day(draft.text.clone()),
            (Control::Number(_), Some(draft)) => Control::Number(draft.text.clone()),
            (Control::Name(_), Some(draft)) => Control::Name(draft.text.clone()),
            (control, _) => control,
        };
        let user = source.frame.user.as_ref().filter(|_| self.field == "assignee_ids");
        let is_assigned = |id: i64| source.found.view.assignees.iter().any(|user| user.id.get() == id);
        FactRow {
            field: self.field,
            title: self.title,
            icon: self.icon,
            value: (self.value)(source),
            shown: shown(self.field, &control),
            problem: draft.and_then(|draft| draft.problems.iter().next()).map(|problem| problem.text.clone()),
            own: user.map(|user| user.id).filter(|id| !is_assigned(*id) && !matches!(control, Control::None)),
            control: typed(control),
            marks: if self.field == "reviewer_ids" { source.more.marks() } else { Vec::new() },
        }
    }
}

/// The facts of an object, as far as it has them or the caller may set them.
pub(crate) fn rows(
    frame: &Frame,
    base_url: &str,
    project: &str,
    found: &IssuablePage,
    more: &FactData,
    draft: Option<&Draft>,
) -> Vec<FactRow> {
    let typed = FormValues {
        target_branch: more.target_branch.clone(),
        reviewers: more.reviewers.iter().map(|user| user.id.to_string()).collect(),
        ..FormValues::of(&found.view)
    };
    let choices = Choices::new(frame, project, &more.offered, &typed, Some(&found.view), &more.reviewers);
    let source = FactSource { frame, base_url, project, found, more, typed: &typed, choices: &choices };
    let kind = found.view.issuable.kind;
    let rows = FACTS.iter().filter(|fact| fact.of.contains(&kind)).map(|fact| fact.row(&source, draft));
    rows.filter(|row| row.is_set() || row.may_change()).collect()
}

/// The data of the facts that an [`IssuablePage`] lacks.
#[derive(Default)]
pub(crate) struct FactData {
    /// The choices. None are read for callers who may not set them.
    pub(crate) offered: Offered,
    pub(crate) reviewers: Vec<UserRef>,
    /// The users who have approved, and those who have requested changes.
    pub(crate) approved_by: Vec<UserId>,
    pub(crate) changes_requested_by: Vec<UserId>,
    pub(crate) target_branch: String,
}

impl FactData {
    /// The answer of each reviewer, by user name.
    fn marks(&self) -> Vec<(String, ReviewMark)> {
        let mark = |user: &UserRef| match (
            self.approved_by.contains(&user.id),
            self.changes_requested_by.contains(&user.id),
        ) {
            (true, _) => APPROVED,
            (false, true) => CHANGES_REQUESTED,
            (false, false) => REQUESTED,
        };
        self.reviewers.iter().map(|user| (user.username.clone(), mark(user))).collect()
    }
}

/// The value that a control has on the page.
fn shown(field: &str, control: &Control) -> String {
    let value = match control {
        Control::None | Control::Switch(..) => return String::new(),
        Control::People(boxes) => boxes.iter().filter(|one| one.ticked).map(|one| one.id.as_str()).collect(),
        Control::Labels(boxes) => boxes.iter().filter(|one| one.ticked).map(|one| one.badge.name.as_str()).collect(),
        Control::Choice(choices) => {
            let chosen = choices.iter().find(|choice| choice.chosen);
            chosen.map(|choice| choice.value.as_str()).unwrap_or_default().into()
        }
        Control::Day(text) | Control::Number(text) | Control::Name(text) => text.as_str().into(),
    };
    OriginalValues::of([(field, value)]).field()
}
