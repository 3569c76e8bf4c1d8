//! The facts about an issue or merge request beside its text.

use tenon_app::issuable::{IssuablePage, IssuableRights};
use tenon_app::note::Conversation;
use tenon_domain::issuable::{IssuableKind, State};

use super::fact::{FactRow, Value};
use super::list::{StateBadge, list_of, state_icon};
use super::talk::{Draft, DraftPlace, TaskForm};
use crate::context::frame::Frame;
use crate::kit::parameters::Parameters;
use crate::kit::subject::{self, SubjectPart};
use crate::kit::words::{Moment, count};
use crate::parts::links::PersonLink;

pub(crate) struct Facts {
    pub(crate) title: String,
    pub(crate) reference: String,
    /// The address of its page.
    pub(crate) href: String,
    /// The page that is shown, below that address.
    pub(crate) below: &'static str,
    /// The query that the addresses of the page keep, with a question mark. Empty if there is none.
    pub(crate) kept: String,
    /// The object of its fields in forms.
    pub(crate) object: &'static str,
    pub(crate) state: StateBadge,
    pub(crate) state_icon: &'static str,
    pub(crate) is_open: bool,
    pub(crate) is_closed: bool,
    pub(crate) author: Option<PersonLink>,
    pub(crate) opened: Moment,
    pub(crate) closed_by: Option<PersonLink>,
    /// The facts that have a form. Pages without the column of facts leave them out.
    pub(crate) rows: Vec<FactRow>,
    pub(crate) time: Option<String>,
    pub(crate) tasks: Option<String>,
    pub(crate) comments: i64,
    pub(crate) is_confidential: bool,
    pub(crate) is_locked: bool,
    pub(crate) is_subscribed: bool,
    /// The description as safe HTML, made by the renderer of Markdown.
    pub(crate) description: String,
    /// The form of the tasks of the description, if the caller may tick them.
    pub(crate) tasks_form: Option<TaskForm>,
    /// The reason why no task of the description was ticked.
    pub(crate) refusal: Option<String>,
    pub(crate) awards: Vec<tenon_app::issuable::AwardCount>,
    pub(crate) may: IssuableRights,
    /// The target project that was typed to move the issue, and its errors.
    pub(crate) move_to: String,
    pub(crate) move_problem: Option<String>,
    /// How many suggestions can be applied, and whether the caller may.
    pub(crate) suggestions: i64,
    pub(crate) may_apply: bool,
    /// The branch that the caller can make for the issue. Empty if there is none.
    pub(crate) branch: String,
    /// True if the caller can make a merge request of that branch at once.
    pub(crate) may_request: bool,
}

impl Facts {
    /// The title, with code between backticks.
    pub(crate) fn subject(&self) -> Vec<SubjectPart<'_>> {
        subject::parts(&self.title)
    }

    pub(crate) fn new(frame: &Frame, project: &str, found: &IssuablePage) -> Self {
        let (view, issuable) = (&found.view, &found.view.issuable);
        let list = list_of(issuable.kind);
        let person = |user| PersonLink::new(frame, user);
        let time = match (&view.human_total_time_spent, &view.human_time_estimate) {
            (None, None) => None,
            (Some(spent), None) => Some(format!("{spent} spent")),
            (None, Some(estimate)) => Some(format!("0h of {estimate}")),
            (Some(spent), Some(estimate)) => Some(format!("{spent} of {estimate}")),
        };
        let (all, ticked) = view.tasks;
        let (tasks_form, description) =
            TaskForm::new("tasks".to_owned(), found.tasks.as_ref(), found.description_html.clone());
        Self {
            title: issuable.title.clone(),
            reference: issuable.short_reference(),
            href: format!("{project}/{list}/{}", issuable.iid),
            below: "",
            kept: String::new(),
            object: match issuable.kind {
                IssuableKind::Issue => "issue",
                IssuableKind::MergeRequest => "merge_request",
            },
            state: StateBadge::new(issuable.state, false),
            state_icon: state_icon(issuable.kind, issuable.state, false),
            is_open: issuable.state == State::Opened,
            is_closed: matches!(issuable.state, State::Closed { .. }),
            author: view.author.as_ref().map(person),
            opened: issuable.created_at.into(),
            closed_by: view.closed_by.as_ref().map(person),
            rows: Vec::new(),
            time,
            tasks: (all > 0).then(|| format!("{ticked} of {}", count(all, "task", "tasks"))),
            comments: issuable.user_notes_count,
            is_confidential: issuable.confidential,
            is_locked: issuable.discussion_locked == Some(true),
            is_subscribed: view.subscribed == Some(true),
            description,
            tasks_form,
            refusal: None,
            awards: found.awards.get(&None).cloned().unwrap_or_default(),
            may: found.may,
            move_to: String::new(),
            move_problem: None,
            suggestions: 0,
            may_apply: false,
            branch: String::new(),
            may_request: false,
        }
    }

    /// The same, with the reason why no task of the description was ticked.
    pub(crate) fn with_refusal(mut self, draft: Option<&Draft>) -> Self {
        let refused = draft.filter(|draft| draft.place == DraftPlace::Tasks(None));
        self.refusal = refused.and_then(|draft| draft.problems.iter().next()).map(|problem| problem.text.clone());
        self
    }

    /// True if a fact without a value can be set.
    pub(crate) fn may_add(&self) -> bool {
        self.rows.iter().any(|row| !row.is_set() && row.may_change())
    }

    /// The number of comments in words.
    pub(crate) fn comment_words(&self) -> String {
        count(self.comments, "comment", "comments")
    }

    /// True if a fact of the line for phones is set.
    pub(crate) fn has_brief(&self) -> bool {
        let is_brief = |row: &FactRow| matches!(row.value, Value::People(_) | Value::Labels(_) | Value::Milestone(_));
        self.tasks.is_some() || self.rows.iter().any(is_brief)
    }

    /// The address of the page that is shown. An answer to a form has another one.
    pub(crate) fn page(&self) -> String {
        format!("{}{}{}", self.href, self.below, self.kept)
    }

    /// The same, followed by the sign for one more parameter.
    pub(crate) fn page_and(&self) -> String {
        let and = if self.kept.is_empty() { '?' } else { '&' };
        format!("{}{and}", self.page())
    }
}

/// The query of the page of a conversation from which a form was sent, with a question mark.
pub(crate) fn asked_page(query: &Parameters) -> String {
    query.number("page").map(|number| format!("?page={number}")).unwrap_or_default()
}

/// The query of the page of a conversation that is shown, with a question mark. Empty for the last one, unless it was
/// requested by its number.
pub(crate) fn shown_page(query: &Parameters, talk: &Conversation) -> String {
    let (number, last) = (talk.threads.request.page(), talk.threads.total_pages());
    if number < last || query.number("page").is_some() { format!("?page={number}") } else { String::new() }
}
