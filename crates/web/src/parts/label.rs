//! Parts that the labels of projects and those of groups have in common: the list, the form, and the actions on a
//! label.

use tenon_app::error::AppError;
use tenon_app::label::{self, CreateLabel, EditLabel, LabelReference, LabelView, ListLabels};
use tenon_app::{Command, ContainerReference};
use tenon_domain::id::LabelId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::label::DEFAULT_COLOR;
use tenon_domain::page::Page;
use tenon_domain::transition::Transition;

use crate::kit::address::in_query;
use crate::kit::form::{Form, OriginalValues, patch};
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::parameters::Parameters;
use crate::kit::problems::Problems;
use crate::kit::words::count;
use crate::parts::issuable::list::list_of;
use crate::parts::links::LabelBadge;

const FORM: &str = "label";

pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) badge: LabelBadge,
    /// Lists of the objects with this label: the address of each, and its number of entries.
    pub(crate) counts: Vec<(String, String)>,
    /// True if it belongs to the project or group of the list, and not to a group above.
    pub(crate) is_own: bool,
    pub(crate) priority: Option<i64>,
    pub(crate) is_archived: bool,
    pub(crate) is_followed: bool,
}

/// A list of labels, ready for its page.
pub(crate) struct Listed {
    /// The address to which the form of a new label is sent.
    pub(crate) href: String,
    pub(crate) search: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
    pub(crate) may_manage: bool,
    /// True if labels of a project can be made labels of its group.
    pub(crate) may_promote: bool,
}

impl Listed {
    /// The labels of a project or group whose pages begin with `home`, which has lists of these kinds.
    pub(crate) fn new(home: &str, lists: &[IssuableKind], found: Page<LabelView>, asked: &Parameters) -> Self {
        let search = asked.words("search").unwrap_or_default();
        let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
        let pages = Pagination::of(&found).with_query(&query);
        let row = |view: LabelView| {
            let label = &view.label;
            let badge = |list| {
                LabelBadge::new(home, list, &label.name, &label.color, label.description.as_deref().unwrap_or_default())
            };
            let count = |kind: &IssuableKind| {
                let words = match kind {
                    IssuableKind::Issue => count(view.open_issues, "open issue", "open issues"),
                    IssuableKind::MergeRequest => {
                        count(view.open_merge_requests, "open merge request", "open merge requests")
                    }
                };
                (badge(list_of(*kind)).href, words)
            };
            Row {
                id: label.id.get(),
                badge: badge("issues"),
                counts: lists.iter().map(count).collect(),
                is_own: view.is_project_label,
                priority: view.priority,
                is_archived: label.archived,
                is_followed: view.subscribed,
            }
        };
        let rows = found.items.into_iter().map(row).collect();
        Self { href: format!("{home}/labels"), search, rows, pages, may_manage: false, may_promote: false }
    }
}

/// The colours that the field of a label suggests.
const SWATCHES: [&str; 12] = [
    "#b3261e", "#d10069", "#7a3ec8", "#0033cc", "#0b5cad", "#00707a", "#1a7f43", "#5f6b00", "#9a6700", "#b04a00",
    "#57606c", "#1a1f26",
];

/// A colour as the field of a browser writes it: six small digits.
fn picked(color: &str) -> String {
    let color = color.to_ascii_lowercase();
    match color.strip_prefix('#') {
        Some(digits) if digits.chars().count() == 3 => {
            format!("#{}", digits.chars().flat_map(|one| [one, one]).collect::<String>())
        }
        _ => color,
    }
}

/// The values of the form of a label.
pub(crate) struct FormValues {
    pub(crate) title: String,
    pub(crate) color: String,
    pub(crate) description: String,
    pub(crate) priority: String,
    pub(crate) archived: bool,
    /// True if there is a field for the priority, which labels have in projects.
    pub(crate) has_priority: bool,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new label.
    pub(crate) shown: String,
}

impl FormValues {
    /// The form of a new label.
    pub(crate) fn new(asked: &Parameters) -> Self {
        Self {
            title: asked.words("title").unwrap_or_default(),
            color: picked(DEFAULT_COLOR),
            description: String::new(),
            priority: String::new(),
            archived: false,
            has_priority: true,
            shown: String::new(),
        }
    }

    #[expect(clippy::unused_self, reason = "the template calls it as a method")]
    pub(crate) fn swatches(&self) -> &'static [&'static str] {
        &SWATCHES
    }

    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self {
            title: form.filled(FORM, "title").unwrap_or_default(),
            color: form.filled(FORM, "color").unwrap_or_default(),
            description: form.filled(FORM, "description").unwrap_or_default(),
            priority: form.filled(FORM, "priority").unwrap_or_default(),
            archived: form.ticked(FORM, "archived"),
            has_priority: true,
            shown: OriginalValues::sent(form).field(),
        }
    }

    pub(crate) fn of(view: LabelView) -> Self {
        let LabelView { label, priority, .. } = view;
        let description = label.description.unwrap_or_default();
        let priority = priority.map(|rank| rank.to_string()).unwrap_or_default();
        let color = picked(&label.color);
        let shown = OriginalValues::of([
            ("title", label.name.as_str().into()),
            ("color", color.as_str().into()),
            ("description", description.as_str().into()),
            ("priority", priority.as_str().into()),
            ("archived", label.archived.into()),
        ]);
        Self {
            title: label.name,
            color,
            description,
            priority,
            archived: label.archived,
            has_priority: true,
            shown: shown.field(),
        }
    }

    /// The same without a field for the priority.
    pub(crate) fn without_priority(self) -> Self {
        Self { has_priority: false, ..self }
    }

    /// A label with the values of the form. A sentence if they are invalid.
    pub(crate) fn created(&self) -> Result<CreateLabel, Problems> {
        Ok(CreateLabel {
            name: self.title.clone(),
            color: self.color.clone(),
            description: Some(self.description.clone()),
            archived: self.archived,
            priority: self.rank()?,
        })
    }

    /// The fields that were changed in the form. A sentence if they are invalid.
    pub(crate) fn changed(&self, form: Form<'_>) -> Result<EditLabel, Problems> {
        let given = |field: &str, text: &str| form.has(FORM, field).then(|| text.to_owned());
        Ok(EditLabel {
            new_name: given("title", &self.title),
            color: given("color", &self.color),
            description: given("description", &self.description),
            archived: form.has(FORM, "archived").then_some(self.archived),
            priority: patch(form.has(FORM, "priority"), self.rank()?),
        })
    }

    /// The priority. A sentence if it is no number.
    fn rank(&self) -> Result<Option<i64>, Problems> {
        match self.priority.as_str() {
            "" => Ok(None),
            text => {
                text.parse().map(Some).map_err(|_no_number| Problems::with("priority", "Priority must be a number"))
            }
        }
    }
}

/// The label of this id as an argument of use cases.
pub(crate) fn reference(id: i64) -> LabelReference {
    LabelReference::Id(LabelId::new(id))
}

/// The labels that a list asks for.
pub(crate) fn wanted(asked: &Parameters) -> ListLabels {
    ListLabels { search: asked.words("search"), only_own: false, archived: None, page: chosen(asked) }
}

/// Subscribes the caller to a label, or ends the subscription.
pub(crate) fn toggle(command: &mut Command<'_>, of: &ContainerReference, id: i64) -> Result<(), AppError> {
    if let Transition::Stayed(_) = label::subscribe(command, of, &reference(id))? {
        label::unsubscribe(command, of, &reference(id))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::pill::ink;

    #[test]
    fn a_colour_is_written_as_browsers_write_it() {
        assert_eq!([picked("#428BCA"), picked("#F0a"), picked("nonsense")], ["#428bca", "#ff00aa", "nonsense"]);
    }

    #[test]
    fn white_letters_can_be_read_on_all_suggested_colours() {
        for color in SWATCHES {
            assert_eq!((picked(color).as_str(), ink(color)), (color, "on-dark"));
        }
    }
}
