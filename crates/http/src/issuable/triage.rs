//! What only those may set who look after a project, as clients send it.

use tenon_app::issuable::LabelChange;
use tenon_domain::id::{MilestoneId, UserId};
use tenon_domain::patch::Patch;

use super::filters::label_names;

/// Who is to do it: nobody where an empty list, an empty text or 0 was sent, as it was where nothing was.
pub(crate) fn assignees(many: Option<Vec<i64>>, one: Patch<i64>) -> Option<Vec<UserId>> {
    match one {
        Patch::Absent => many.map(users),
        Patch::Clear => Some(Vec::new()),
        Patch::Set(id) => Some(users(vec![id])),
    }
}

/// The users of these ids; 0 is nobody.
pub(crate) fn users(ids: Vec<i64>) -> Vec<UserId> {
    ids.into_iter().filter(|id| *id != 0).map(UserId::new).collect()
}

/// The milestone; none where nothing or 0 was sent.
pub(crate) fn milestone(given: Patch<i64>) -> Patch<MilestoneId> {
    match given {
        Patch::Absent => Patch::Absent,
        Patch::Clear | Patch::Set(0) => Patch::Clear,
        Patch::Set(id) => Patch::Set(MilestoneId::new(id)),
    }
}

/// What is to become of the labels.
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
