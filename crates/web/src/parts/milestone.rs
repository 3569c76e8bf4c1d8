//! Parts that the milestones of projects and those of groups have in common: the row of a list, and the form.

use std::collections::HashMap;

use tenon_app::error::{AppError, Missing};
use tenon_app::milestone::{self, CreateMilestone, EditMilestone, ListMilestones, MilestoneView};
use tenon_app::{ContainerReference, Query};
use tenon_domain::id::MilestoneId;
use tenon_domain::milestone::{Milestone, MilestoneEvent, MilestoneState};
use tenon_domain::page::Page;
use tenon_domain::time::Date;

use crate::kit::form::{self, Form, day as typed_day, patch};
use crate::kit::problems::Problems;
use crate::kit::words::day;

const FORM: &str = "milestone";

/// A milestone, as pages show it.
pub(crate) struct MilestoneRow {
    pub(crate) title: String,
    pub(crate) href: String,
    /// The first and the last day, in words.
    pub(crate) days: String,
    pub(crate) is_active: bool,
    pub(crate) is_expired: bool,
    /// The path of its group or project, if a list has milestones of several. Empty otherwise.
    pub(crate) home: String,
    /// The number of issues and merge requests that are done, that of all, and the share in percent. `None` if there are none,
    /// or if they are not counted.
    pub(crate) done: Option<(i64, i64, i64)>,
}

/// A page of milestones, and how many of their issues and merge requests are done.
pub(crate) type Counted = (Page<MilestoneView>, HashMap<MilestoneId, (i64, i64)>);

/// Milestones of a project or group, with what is done of them.
pub(crate) fn counted(
    query: &mut Query<'_>,
    of: &ContainerReference,
    request: ListMilestones,
) -> Result<Counted, AppError> {
    let found = milestone::list(query, of, request)?;
    let ids: Vec<MilestoneId> = found.items.iter().map(|view| view.milestone.id).collect();
    let done = milestone::done_of(query, of, &ids)?;
    Ok((found, done))
}

impl MilestoneRow {
    /// The rows of a list of a project or group.
    pub(crate) fn all(place: &str, (found, done): &Counted) -> Vec<Self> {
        let row = |view: &MilestoneView| {
            let counts = done.get(&view.milestone.id).copied().filter(|(_, all)| *all > 0);
            Self { done: counts.map(|(done, all)| (done, all, done * 100 / all)), ..Self::new(place, view) }
        };
        found.items.iter().map(row).collect()
    }

    /// The path of the group or project of the milestone at this address.
    pub(crate) fn home_of(href: &str, root: &str) -> String {
        let path = href.strip_prefix(root).unwrap_or(href);
        let path = path.strip_prefix("/groups").filter(|rest| rest.starts_with('/')).unwrap_or(path);
        let path = path.trim_start_matches('/');
        let home = path.rsplit_once("/milestones/").map_or(path, |(home, _)| home);
        home.trim_end_matches("/-").to_owned()
    }

    /// A milestone whose page is below `project`, or below a group.
    pub(crate) fn new(project: &str, view: &MilestoneView) -> Self {
        let milestone = &view.milestone;
        Self {
            title: milestone.title.clone(),
            href: format!("{project}/milestones/{}", milestone.iid),
            days: match (milestone.start_date.map(day), milestone.due_date.map(day)) {
                (None, None) => String::new(),
                (Some(start), None) => format!("from {start}"),
                (None, Some(due)) => format!("due {due}"),
                (Some(start), Some(due)) => format!("{start} to {due}"),
            },
            is_active: milestone.state == MilestoneState::Active,
            is_expired: view.expired,
            home: String::new(),
            done: None,
        }
    }
}

/// The values of the form of a milestone.
#[derive(Default)]
pub(crate) struct FormValues {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) start_date: String,
    pub(crate) due_date: String,
    /// The fields as the page had them at first ([`form::OriginalValues::field`]). Empty for a new milestone.
    pub(crate) shown: String,
}

impl FormValues {
    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self {
            title: form.text(FORM, "title"),
            description: form.text(FORM, "description"),
            start_date: form.filled(FORM, "start_date").unwrap_or_default(),
            due_date: form.filled(FORM, "due_date").unwrap_or_default(),
            shown: form::OriginalValues::sent(form).field(),
        }
    }

    pub(crate) fn of(milestone: Milestone) -> Self {
        let text = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
        let (start_date, due_date) = (text(milestone.start_date), text(milestone.due_date));
        let shown = form::OriginalValues::of([
            ("title", milestone.title.as_str().into()),
            ("description", milestone.description.as_str().into()),
            ("start_date", start_date.as_str().into()),
            ("due_date", due_date.as_str().into()),
        ]);
        let Milestone { title, description, .. } = milestone;
        Self { title, description, start_date, due_date, shown: shown.field() }
    }

    /// A milestone with the values of the form. A sentence if they are invalid.
    pub(crate) fn created(&self) -> Result<CreateMilestone, Problems> {
        let (start_date, due_date) = self.days()?;
        Ok(CreateMilestone {
            title: self.title.clone(),
            description: Some(self.description.clone()),
            start_date,
            due_date,
        })
    }

    /// The fields that were changed in the form, or the state alone. A sentence if they are invalid.
    pub(crate) fn changed(&self, form: Form<'_>) -> Result<EditMilestone, Problems> {
        let (start, due) = self.days()?;
        Ok(EditMilestone {
            title: form.has(FORM, "title").then(|| self.title.clone()),
            description: form.has(FORM, "description").then(|| self.description.clone()),
            start_date: patch(form.has(FORM, "start_date"), start),
            due_date: patch(form.has(FORM, "due_date"), due),
            state_event: match form.text(FORM, "state_event").as_str() {
                "close" => Some(MilestoneEvent::Close),
                "activate" => Some(MilestoneEvent::Activate),
                _ => None,
            },
        })
    }

    /// First and last day. A sentence if one is no day.
    fn days(&self) -> Result<(Option<Date>, Option<Date>), Problems> {
        let start = typed_day(&self.start_date, "start_date", "Start date must be a date such as 2027-01-31")?;
        Ok((start, typed_day(&self.due_date, "due_date", "Due date must be a date such as 2027-01-31")?))
    }
}

/// The state that an address asks for. The flag is true if milestones in it are active, and none for all states.
pub(crate) fn wanted_state(asked: Option<&str>) -> (&'static str, Option<bool>) {
    match asked {
        Some("closed") => ("closed", Some(false)),
        Some("all") => ("all", None),
        _ => ("active", Some(true)),
    }
}

/// The milestone of that number in a project or group.
pub(crate) fn find(query: &mut Query<'_>, of: &ContainerReference, iid: i64) -> Result<MilestoneView, AppError> {
    let request = ListMilestones { iids: Some(vec![iid]), ..ListMilestones::default() };
    milestone::list(query, of, request)?.items.pop().ok_or(AppError::NotFound(Missing::Plain))
}
