//! Assignees, labels and milestone as clients send them.

use tenon_app::issuable::LabelChange;
use tenon_domain::id::{MilestoneId, UserId};
use tenon_domain::label::split_names;
use tenon_domain::patch::Patch;

/// The names of labels in a list, with commas, with brackets or in JSON.
pub(crate) fn label_names(given: Vec<String>) -> Vec<String> {
    split_names(given.iter().map(String::as_str))
}

/// The assignees: none for an empty list, an empty text or 0; unchanged if nothing was sent.
pub(crate) fn assignees(many: Option<Vec<i64>>, one: Patch<i64>) -> Option<Vec<UserId>> {
    match one {
        Patch::Absent => many.map(users),
        Patch::Clear => Some(Vec::new()),
        Patch::Set(id) => Some(users(vec![id])),
    }
}

/// The users with these ids, without 0.
pub(crate) fn users(ids: Vec<i64>) -> Vec<UserId> {
    ids.into_iter().filter(|id| *id != 0).map(UserId::new).collect()
}

/// The milestone; none for an empty text or 0.
pub(crate) fn milestone(given: Patch<i64>) -> Patch<MilestoneId> {
    match given {
        Patch::Absent => Patch::Absent,
        Patch::Clear | Patch::Set(0) => Patch::Clear,
        Patch::Set(id) => Patch::Set(MilestoneId::new(id)),
    }
}

/// The changes of the labels.
pub(crate) fn label_change(
    all: Option<Vec<String>>,
    add: Option<Vec<String>>,
    remove: Option<Vec<String>>,
) -> LabelChange {
    LabelChange {
        all: all.map(label_names),
        add: label_names(add.unwrap_or_default()),
        remove: label_names(remove.unwrap_or_default()),
    }
}
