//! A list of issues or merge requests, as its page shows it.

use tenon_app::error::AppError;
use tenon_app::issuable::{IssuableView, StateCounts};
use tenon_app::{ContainerReference, PageRequest, Query, Reference, label, member, milestone};
use tenon_domain::issuable::{IssuableKind, State};
use tenon_domain::label::Label;

use super::filter::{Chip, Filters, Sort};
use crate::context::frame::Frame;
use crate::kit::choice::Choice;
use crate::kit::error::permitted;
use crate::kit::pagination::SIZES;
use crate::kit::subject::{self, SubjectPart};
use crate::kit::words::{Moment, count, day, grouped};
use crate::parts::links::{LabelBadge, MilestoneLink, PersonLink};

/// A state as a tab, with its number of entries.
pub(crate) struct StateTab {
    pub(crate) words: &'static str,
    pub(crate) count: i64,
    pub(crate) href: String,
    pub(crate) is_here: bool,
}

impl StateTab {
    pub(crate) fn count_words(&self) -> String {
        grouped(self.count)
    }
}

/// The choices of a project: labels, milestones and members, as many as a page offers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Offered {
    pub(crate) labels: Vec<Label>,
    pub(crate) milestones: Vec<milestone::MilestoneView>,
    pub(crate) members: Vec<member::MemberView>,
}

/// Reads the choices for the forms of a project. If the caller may not see it, there are none.
pub(crate) fn offered(query: &mut Query<'_>, project: &Reference) -> Result<Offered, AppError> {
    let of = ContainerReference::Project(project.clone());
    let page = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let labels = label::first(query, &of, PageRequest::MAX_PER_PAGE);
    let request = milestone::ListMilestones {
        active: Some(true),
        include_ancestors: true,
        page,
        ..milestone::ListMilestones::default()
    };
    let milestones = milestone::list(query, &of, request);
    let members = member::effective(query, &of, &member::ListMembers { page, ..member::ListMembers::default() });
    Ok(Offered {
        labels: permitted(labels)?.unwrap_or_default(),
        milestones: permitted(milestones)?.map(|found| found.items).unwrap_or_default(),
        members: permitted(members)?.map(|found| found.items).unwrap_or_default(),
    })
}

/// The form of the filters.
pub(crate) struct FilterForm {
    pub(crate) filters: Filters,
    /// The menus of the list. Those of people, labels and milestones are only in the list of one project.
    pub(crate) menus: Vec<FilterMenu>,
    pub(crate) sizes: Vec<StateTab>,
    pub(crate) chips: Vec<Chip>,
    /// The list without any condition but its state.
    pub(crate) cleared: String,
}

/// A menu of lists that differ in one condition.
pub(crate) struct FilterMenu {
    pub(crate) name: &'static str,
    pub(crate) links: Vec<FilterLink>,
}

/// A list in a menu.
pub(crate) struct FilterLink {
    pub(crate) words: String,
    pub(crate) href: String,
    pub(crate) is_here: bool,
}

/// The menu of these choices. `change` makes the conditions of the list with a choice.
fn menu(
    name: &'static str,
    filters: &Filters,
    choices: Vec<Choice>,
    change: impl Fn(&mut Filters, String),
) -> FilterMenu {
    let link = |choice: Choice| FilterLink {
        href: filters.href(|other| change(other, choice.value)),
        words: choice.words,
        is_here: choice.chosen,
    };
    FilterMenu { name, links: choices.into_iter().map(link).collect() }
}

/// The choices after those for objects with none of them, and with any of them.
fn with_none_and_any(mut choices: Vec<Choice>, chosen: Option<&str>) -> Vec<Choice> {
    let special = ["None", "Any"].map(|word| Choice::new(word, word, chosen == Some(word)));
    choices.retain(|choice| !special.iter().any(|known| known.value == choice.value));
    special.into_iter().chain(choices).collect()
}

/// The members as choices.
fn people(offered: &Offered, chosen: Option<&str>) -> Vec<Choice> {
    let choice = |member: &member::MemberView| {
        let is_chosen = chosen.is_some_and(|chosen| chosen.eq_ignore_ascii_case(&member.user.username));
        Choice::new(&member.user.username, &format!("{} (@{})", member.user.name, member.user.username), is_chosen)
    };
    with_chosen(offered.members.iter().map(choice).collect(), chosen, "@")
}

impl FilterForm {
    /// The form of the list of a project, with what the project offers. Without `offered` it is the form of a list of
    /// several projects.
    pub(crate) fn new(filters: Filters, offered: Option<&Offered>) -> Self {
        let mut menus = offered.map(|offered| Self::menus_of_project(&filters, offered)).unwrap_or_default();
        let sorts = Sort::ALL.map(|sort| Choice::new(sort.as_str(), sort.words(), sort == filters.sort));
        menus.push(menu("Sort", &filters, sorts.into(), |other, value| other.sort = Sort::parse(Some(&value))));
        let sizes = SIZES.map(|rows| StateTab {
            words: "",
            count: rows,
            href: filters.href(|other| other.rows = Some(rows).filter(|rows| *rows != SIZES[0])),
            is_here: filters.rows.unwrap_or(SIZES[0]) == rows,
        });
        let bare = Filters {
            state: filters.state.clone(),
            sort: filters.sort,
            rows: filters.rows,
            scope: filters.scope,
            ..Filters::default()
        };
        Self { menus, sizes: sizes.into(), chips: filters.chips(), cleared: format!("?{}", bare.query()), filters }
    }

    fn menus_of_project(filters: &Filters, offered: &Offered) -> Vec<FilterMenu> {
        let (author, assignee) = (filters.author.as_deref(), filters.assignee.as_deref());
        let assignees = with_none_and_any(people(offered, assignee), assignee);
        let chosen = filters.milestone.as_deref();
        let titles = offered.milestones.iter().map(|view| view.milestone.title.as_str());
        let milestones: Vec<Choice> = titles.map(|title| Choice::new(title, title, chosen == Some(title))).collect();
        let milestones = with_none_and_any(with_chosen(milestones, chosen, ""), chosen);
        // One more label at a time: the chosen ones are shown as conditions.
        let names = offered.labels.iter().map(|label| label.name.as_str());
        let further = names.filter(|name| !filters.labels.iter().any(|known| known == name));
        let labels = with_none_and_any(further.map(|name| Choice::new(name, name, false)).collect(), None);
        vec![
            menu("Author", filters, people(offered, author), |other, value| other.author = Some(value)),
            menu("Label", filters, labels, Filters::add_label),
            menu("Milestone", filters, milestones, |other, value| other.milestone = Some(value)),
            menu("Assignee", filters, assignees, |other, value| other.assignee = Some(value)),
        ]
    }
}

/// The choices with the chosen one, even if it is not among the offered ones.
fn with_chosen(mut choices: Vec<Choice>, chosen: Option<&str>, sign: &str) -> Vec<Choice> {
    if let Some(chosen) = chosen.filter(|_| !choices.iter().any(|choice| choice.chosen)) {
        choices.push(Choice::new(chosen, &format!("{sign}{chosen}"), true));
    }
    choices
}

/// The tabs of the states. The counts are those of the list with its conditions.
pub(crate) fn tabs(filters: &Filters, counts: StateCounts, kind: IssuableKind) -> Vec<StateTab> {
    let merged = counts.all - counts.opened - counts.closed;
    let all: Vec<(&str, &str, i64)> = match kind {
        IssuableKind::Issue => {
            vec![("opened", "Open", counts.opened), ("closed", "Closed", counts.closed), ("all", "All", counts.all)]
        }
        IssuableKind::MergeRequest => vec![
            ("opened", "Open", counts.opened),
            ("merged", "Merged", merged),
            ("closed", "Closed", counts.closed),
            ("all", "All", counts.all),
        ],
    };
    let tab = |(state, words, count): (&str, &'static str, i64)| StateTab {
        words,
        count,
        href: filters.href(|other| state.clone_into(&mut other.state)),
        is_here: filters.state == state,
    };
    all.into_iter().map(tab).collect()
}

/// An issue or merge request in a list.
pub(crate) struct Row {
    pub(crate) href: String,
    pub(crate) title: String,
    pub(crate) reference: String,
    pub(crate) state: StateBadge,
    pub(crate) labels: Vec<LabelBadge>,
    pub(crate) opened: Moment,
    pub(crate) author: Option<PersonLink>,
    pub(crate) assignees: Vec<PersonLink>,
    pub(crate) milestone: Option<MilestoneLink>,
    pub(crate) due: Option<String>,
    pub(crate) tasks: Option<String>,
    /// The name of the icon of its state.
    pub(crate) icon: &'static str,
    pub(crate) comments: i64,
    pub(crate) merge_requests: Option<String>,
    pub(crate) is_confidential: bool,
    /// The target branch, if it is not the default one.
    pub(crate) target: Option<String>,
    pub(crate) number: i64,
    /// The number of the row, if it can be selected.
    pub(crate) tick: Option<i64>,
}

/// A state in a word, and the class of its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateBadge {
    pub(crate) words: &'static str,
    pub(crate) class: &'static str,
}

impl StateBadge {
    pub(crate) const fn new(state: State, is_draft: bool) -> Self {
        let (words, class) = match state {
            State::Opened if is_draft => ("Draft", "draft"),
            State::Opened => ("Open", "open"),
            State::Closed { .. } => ("Closed", "closed"),
            State::Locked => ("Merging", "draft"),
            State::Merged => ("Merged", "merged"),
        };
        Self { words, class }
    }
}

/// The name of the icon of a state.
pub(crate) const fn state_icon(kind: IssuableKind, state: State, is_draft: bool) -> &'static str {
    match (kind, state) {
        (IssuableKind::Issue, State::Closed { .. }) => "circle-check",
        (IssuableKind::Issue, _) => "circle-dot",
        (IssuableKind::MergeRequest, State::Opened) if is_draft => "git-pull-request-draft",
        (IssuableKind::MergeRequest, State::Opened | State::Locked) => "git-pull-request-arrow",
        (IssuableKind::MergeRequest, State::Closed { .. }) => "git-pull-request-closed",
        (IssuableKind::MergeRequest, State::Merged) => "git-merge",
    }
}

impl Row {
    /// Its title, with code between backticks.
    pub(crate) fn subject(&self) -> Vec<SubjectPart<'_>> {
        subject::parts(&self.title)
    }

    /// The number of comments in words.
    pub(crate) fn comment_words(&self) -> String {
        count(self.comments, "comment", "comments")
    }

    /// A row of a list of several projects.
    pub(crate) fn across(frame: &Frame, base_url: &str, view: &IssuableView, is_draft: bool) -> Self {
        let project = format!("{}/{}", frame.root, view.project_path);
        let reference = format!("{}{}", view.project_path, view.issuable.short_reference());
        Self { reference, ..Self::new(frame, base_url, &project, view, is_draft) }
    }

    /// A row of a list below the project at `project`.
    pub(crate) fn new(frame: &Frame, base_url: &str, project: &str, view: &IssuableView, is_draft: bool) -> Self {
        let issuable = &view.issuable;
        let list = list_of(issuable.kind);
        let details = view.label_details.as_deref().unwrap_or_default();
        let (all, ticked) = view.tasks;
        Self {
            href: crate::parts::links::own_path(&frame.root, base_url, &view.web_url),
            title: issuable.title.clone(),
            reference: issuable.short_reference(),
            state: match (issuable.kind, StateBadge::new(issuable.state, is_draft)) {
                (IssuableKind::Issue, state) if state.class == "closed" => StateBadge { class: "done", ..state },
                (_, state) => state,
            },
            labels: details.iter().map(|label| LabelBadge::of(project, list, label)).collect(),
            opened: issuable.created_at.into(),
            author: view.author.as_ref().map(|user| PersonLink::new(frame, user)),
            assignees: view.assignees.iter().map(|user| PersonLink::new(frame, user)).collect(),
            milestone: view.milestone.as_ref().map(|found| MilestoneLink::new(frame, base_url, found)),
            due: issuable.due_date.map(day),
            tasks: (all > 0).then(|| format!("{ticked} of {}", count(all, "task", "tasks"))),
            icon: state_icon(issuable.kind, issuable.state, is_draft),
            comments: issuable.user_notes_count,
            merge_requests: (view.merge_requests_count > 0)
                .then(|| count(view.merge_requests_count, "merge request", "merge requests")),
            is_confidential: issuable.confidential,
            target: None,
            number: issuable.iid.get(),
            tick: None,
        }
    }

    /// The same with a box that selects the row, if the caller may change it.
    pub(crate) fn with_tick(mut self, is_shown: bool) -> Self {
        self.tick = is_shown.then_some(self.number);
        self
    }
}

/// The page of the list of a kind, below its project.
pub(crate) const fn list_of(kind: IssuableKind) -> &'static str {
    match kind {
        IssuableKind::Issue => "issues",
        IssuableKind::MergeRequest => "merge_requests",
    }
}
