//! The form that changes several issues or merge requests of a list.

use super::list::Offered;
use crate::kit::choice::Choice;

/// The most entries that one form changes. A page has no more rows.
pub(crate) const MOST: usize = 100;

/// The value of a choice that stands for none.
pub(crate) const NONE: &str = "none";

/// The choices of the form. The first one of each changes nothing.
pub(crate) struct BulkForm {
    /// The address of the form.
    pub(crate) href: String,
    pub(crate) selects: [BulkSelect; 5],
}

/// One of its fields.
pub(crate) struct BulkSelect {
    pub(crate) field: &'static str,
    pub(crate) name: &'static str,
    pub(crate) choices: Vec<Choice>,
}

impl BulkForm {
    /// The form with this address, which has the query of the list: its filters and its page.
    pub(crate) fn new(href: String, offered: &Offered) -> Self {
        let select =
            |field: &'static str, name: &'static str, choices: Vec<Choice>| BulkSelect { field, name, choices };
        let choice = |value: &str, words: &str| Choice::new(value, words, false);
        let labels = || offered.labels.iter().map(|label| choice(&label.name, &label.name)).collect::<Vec<_>>();
        let members = offered.members.iter().map(|member| choice(&member.user.id.to_string(), &member.user.name));
        let milestones = &offered.milestones;
        let milestones = milestones.iter().map(|view| choice(&view.milestone.id.to_string(), &view.milestone.title));
        let none = |words: &str| std::iter::once(choice(NONE, words));
        Self {
            href,
            selects: [
                select("state_event", "State", vec![choice("close", "Close"), choice("reopen", "Reopen")]),
                select("add_label", "Add label", labels()),
                select("remove_label", "Remove label", labels()),
                select("assignee_id", "Assignee", none("No assignee").chain(members).collect()),
                select("milestone_id", "Milestone", none("No milestone").chain(milestones).collect()),
            ],
        }
    }
}
