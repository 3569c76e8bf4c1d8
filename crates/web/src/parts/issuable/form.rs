//! The form of an issue or merge request: its values and its choices.

use serde_json::Value;
use tenon_app::issuable::{IssuableView, LabelChange, PeopleChange, Triage};
use tenon_app::user::UserRef;
use tenon_domain::id::{MilestoneId, UserId};
use tenon_domain::label::split_names;
use tenon_domain::time::Date;

use super::list::Offered;
use crate::context::frame::Frame;
use crate::kit::choice::Choice;
use crate::kit::form::{Form, ListChange, OriginalValues, day, number, patch};
use crate::kit::parameters::Parameters;
use crate::kit::problems::Problems;
use crate::parts::links::{LabelBadge, PersonLink};

/// The values of the form, typed or initial.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormValues {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) confidential: bool,
    pub(crate) locked: bool,
    pub(crate) due_date: String,
    pub(crate) weight: String,
    pub(crate) milestone: String,
    pub(crate) labels: Vec<String>,
    pub(crate) assignees: Vec<String>,
    pub(crate) reviewers: Vec<String>,
    pub(crate) target_branch: String,
    pub(crate) squash: bool,
    pub(crate) remove_source_branch: bool,
    /// The version of title and description from which the form was filled. Empty for a new one.
    pub(crate) seen: String,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new one.
    pub(crate) shown: String,
    /// Title and description that another user has stored since then.
    pub(crate) stored: Option<(String, String)>,
}

/// The error if a form was filled from texts that have changed since then.
pub(crate) const CHANGED_SINCE: &str = "Title or description were changed since you opened this form. Below is what is stored \
    now, and then what you typed: saving again replaces what is stored.";

impl FormValues {
    /// The fields of a form that was sent, which are those of `object`.
    pub(crate) fn sent(form: Form<'_>, object: &str) -> Self {
        let list = |name: &str| -> Vec<String> {
            let values = form.list(object, name).into_iter();
            values.filter(|value| !value.is_empty()).map(str::to_owned).collect()
        };
        Self {
            title: form.text(object, "title"),
            description: form.text(object, "description"),
            confidential: form.ticked(object, "confidential"),
            locked: form.ticked(object, "discussion_locked"),
            due_date: form.filled(object, "due_date").unwrap_or_default(),
            weight: form.filled(object, "weight").unwrap_or_default(),
            milestone: form.filled(object, "milestone_id").unwrap_or_default(),
            labels: list("labels"),
            assignees: list("assignee_ids"),
            reviewers: list("reviewer_ids"),
            target_branch: form.filled(object, "target_branch").unwrap_or_default(),
            squash: form.ticked(object, "squash"),
            remove_source_branch: form.ticked(object, "force_remove_source_branch"),
            seen: form.text("", "text_seen"),
            shown: OriginalValues::sent(form).field(),
            stored: None,
        }
    }

    /// The values of the form, beside those that another user has stored since then. A title or description that was
    /// not changed in this form takes the stored value.
    pub(crate) fn beside(mut self, view: &IssuableView, changed: Form<'_>, object: &str) -> Self {
        let (title, description) = (&view.issuable.title, view.issuable.description.clone().unwrap_or_default());
        if !changed.has(object, "title") {
            self.title.clone_from(title);
        }
        if !changed.has(object, "description") {
            self.description.clone_from(&description);
        }
        let shown = OriginalValues::sent(changed).with("title", title.as_str().into());
        self.shown = shown.with("description", description.as_str().into()).field();
        self.seen = view.text_version();
        self.stored = Some((title.clone(), description));
        self
    }

    /// The same for a page that shows these fields as they are stored.
    pub(crate) fn with_shown(mut self) -> Self {
        let shown = OriginalValues::of([
            ("title", self.title.as_str().into()),
            ("description", self.description.as_str().into()),
            ("confidential", self.confidential.into()),
            ("discussion_locked", self.locked.into()),
            ("due_date", self.due_date.as_str().into()),
            ("weight", self.weight.as_str().into()),
            ("milestone_id", self.milestone.as_str().into()),
            ("labels", self.labels.clone().into()),
            ("assignee_ids", self.assignees.clone().into()),
            ("reviewer_ids", self.reviewers.clone().into()),
            ("target_branch", self.target_branch.as_str().into()),
            ("squash", self.squash.into()),
            ("force_remove_source_branch", self.remove_source_branch.into()),
        ]);
        self.shown = shown.field();
        self
    }

    /// The version from which the form was filled, if it names one.
    pub(crate) fn text_seen(&self) -> Option<String> {
        Some(self.seen.clone()).filter(|seen| !seen.is_empty())
    }

    /// The values that an address puts into a new form: `issue[title]=…`. Other programs write labels and assignees in
    /// one of two ways.
    pub(crate) fn prefilled(query: &Parameters, object: &str) -> Self {
        let mut typed = Self::sent(Form::new(query.map()), object);
        let single = |name: &str| {
            let value = query.map().values.get(object).and_then(|fields| fields.get(name)).and_then(Value::as_str);
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        typed.assignees.extend(single("assignee_id"));
        typed.labels.extend(split_names(single("labels").as_deref()));
        typed
    }

    /// The values of an existing issue or merge request.
    pub(crate) fn of(view: &IssuableView) -> Self {
        let issuable = &view.issuable;
        Self {
            title: issuable.title.clone(),
            description: issuable.description.clone().unwrap_or_default(),
            confidential: issuable.confidential,
            locked: issuable.discussion_locked == Some(true),
            due_date: issuable.due_date.map(|day| day.to_string()).unwrap_or_default(),
            weight: issuable.weight.map(|weight| weight.to_string()).unwrap_or_default(),
            milestone: issuable.milestone.map(|id| id.to_string()).unwrap_or_default(),
            labels: view.labels.clone(),
            assignees: view.assignees.iter().map(|user| user.id.to_string()).collect(),
            seen: view.text_version(),
            ..Self::default()
        }
    }

    /// The day in the form. A sentence if the text is no day.
    pub(crate) fn due(&self) -> Result<Option<Date>, Problems> {
        day(&self.due_date, "due_date", "Due date must be a date such as 2027-01-31")
    }

    /// The weight in the form. A sentence if the text is no number.
    pub(crate) fn weight(&self) -> Result<Option<i64>, Problems> {
        number(&self.weight, "weight", "Weight must be a whole number")
    }

    pub(crate) fn assignee_ids(&self) -> Vec<UserId> {
        ids(&self.assignees)
    }

    pub(crate) fn reviewer_ids(&self) -> Vec<UserId> {
        ids(&self.reviewers)
    }

    pub(crate) fn milestone_id(&self) -> Option<MilestoneId> {
        self.milestone.parse().ok().map(MilestoneId::new)
    }

    /// The fields that only some callers may set. Only fields of the form are changed.
    pub(crate) fn triage(&self, form: Form<'_>, object: &str) -> Result<Triage, Problems> {
        Ok(Triage {
            assignees: form
                .has(object, "assignee_ids")
                .then(|| people_change(form, object, "assignee_ids", &self.assignees)),
            milestone: patch(form.has(object, "milestone_id"), self.milestone_id()),
            // Labels that other users have added since the page was made stay.
            labels: match form.list_change(object, "labels") {
                _ if !form.has(object, "labels") => LabelChange::default(),
                Some(ListChange { added, removed }) => LabelChange { all: None, add: added, remove: removed },
                None => LabelChange { all: Some(self.labels.clone()), ..LabelChange::default() },
            },
            due_date: patch(form.has(object, "due_date"), self.due()?),
            weight: patch(form.has(object, "weight"), self.weight()?),
            issue_type: None,
            discussion_locked: form.has(object, "discussion_locked").then_some(self.locked),
        })
    }
}

/// The change of a list of people; `all` if the form does not say which ones the page had.
pub(crate) fn people_change(form: Form<'_>, object: &str, field: &str, all: &[String]) -> PeopleChange {
    match form.list_change(object, field) {
        Some(ListChange { added, removed }) => PeopleChange::Some { add: ids(&added), remove: ids(&removed) },
        None => PeopleChange::All(ids(all)),
    }
}

fn ids(texts: &[String]) -> Vec<UserId> {
    texts.iter().filter_map(|text| text.parse().ok()).map(UserId::new).collect()
}

/// A box to tick beside a label.
#[derive(Debug, Clone)]
pub(crate) struct LabelBox {
    pub(crate) badge: LabelBadge,
    pub(crate) ticked: bool,
}

/// A box to tick beside a user.
#[derive(Debug, Clone)]
pub(crate) struct PersonBox {
    pub(crate) id: String,
    pub(crate) person: PersonLink,
    pub(crate) ticked: bool,
}

/// The choices of the form.
pub(crate) struct Choices {
    pub(crate) labels: Vec<LabelBox>,
    pub(crate) milestones: Vec<Choice>,
    pub(crate) assignees: Vec<PersonBox>,
    pub(crate) reviewers: Vec<PersonBox>,
    /// The ids of chosen assignees who have no box.
    pub(crate) kept_assignees: Vec<String>,
    pub(crate) kept_reviewers: Vec<String>,
}

fn without_box(chosen: &[String], boxes: &[PersonBox]) -> Vec<String> {
    chosen.iter().filter(|id| !boxes.iter().any(|known| known.id == **id)).cloned().collect()
}

impl Choices {
    /// The choices of a project, with the chosen ones. Chosen values that are not offered stay as they are in `now`.
    pub(crate) fn new(
        frame: &Frame,
        project: &str,
        offered: &Offered,
        typed: &FormValues,
        now: Option<&IssuableView>,
        reviewing: &[UserRef],
    ) -> Self {
        let ticked = |name: &str| typed.labels.iter().any(|known| known == name);
        let mut labels: Vec<LabelBox> = Vec::new();
        for label in &offered.labels {
            let description = label.description.as_deref().unwrap_or_default();
            let badge = LabelBadge::new(project, "issues", &label.name, &label.color, description);
            labels.push(LabelBox { ticked: ticked(&label.name), badge });
        }
        // A label may be too new to be offered, or one of several hundred.
        for name in &typed.labels {
            if !labels.iter().any(|known| known.badge.name == *name) {
                let badge = LabelBadge::new(project, "issues", name, "#535c68", "");
                labels.push(LabelBox { badge, ticked: true });
            }
        }
        let mut milestones = vec![Choice::new("", "No milestone", typed.milestone.is_empty())];
        for view in &offered.milestones {
            let (id, title) = (view.milestone.id.to_string(), view.milestone.title.as_str());
            milestones.push(Choice::new(&id, title, typed.milestone == id));
        }
        if let Some(own) = now.and_then(|view| view.milestone.as_ref()) {
            let id = own.milestone.id.to_string();
            if !milestones.iter().any(|choice| choice.value == id) {
                milestones.push(Choice::new(&id, &own.milestone.title, typed.milestone == id));
            }
        }
        let people = |chosen: &[String], others: &[UserRef]| {
            let mut boxes: Vec<PersonBox> = Vec::new();
            for user in offered.members.iter().map(|member| &member.user).chain(others) {
                let id = user.id.to_string();
                if !boxes.iter().any(|known| known.id == id) {
                    boxes.push(PersonBox { person: PersonLink::new(frame, user), ticked: chosen.contains(&id), id });
                }
            }
            boxes
        };
        let assigned = now.map(|view| view.assignees.as_slice()).unwrap_or_default();
        let (assignees, reviewers) = (people(&typed.assignees, assigned), people(&typed.reviewers, reviewing));
        Self {
            kept_assignees: without_box(&typed.assignees, &assignees),
            kept_reviewers: without_box(&typed.reviewers, &reviewers),
            labels,
            milestones,
            assignees,
            reviewers,
        }
    }
}
