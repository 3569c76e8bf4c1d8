//! The changes of an edit, as far as mail is about them: the detail of its event. It names things only by their ids;
//! their texts are read when a mail is sent, as its recipient may see them.

use serde::{Deserialize, Serialize};
use tenon_domain::id::{LabelId, NoteId, UserId};

use crate::shared::issuable_aggregate::IssuableAggregate;

/// The changes of an edit of an issue, of a merge request or of a comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EditDetail {
    /// Users who are assigned now and were not, and the other way round.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) assignees: Swapped,
    /// The same of reviewers.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) reviewers: Swapped,
    /// Labels that it did not have before.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) labels: Vec<i64>,
    /// Users whom the text names and did not name before.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) mentioned: Vec<i64>,
    /// True if it has another milestone, or none any more.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) milestone: bool,
    /// True if its source branch has moved.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) pushed: bool,
    /// The note that names the commits which came with it.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) push_note: Option<i64>,
}

/// Who has come and who has gone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Swapped {
    pub(crate) added: Vec<i64>,
    pub(crate) removed: Vec<i64>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl EditDetail {
    /// The differences of `before` and `after`, but for the names in the texts.
    pub(crate) fn between(before: &IssuableAggregate, after: &IssuableAggregate) -> Self {
        let head = |of: &IssuableAggregate| of.request.as_ref().and_then(|request| request.head().map(str::to_owned));
        let added_labels = after.labels.iter().filter(|label| !before.labels.contains(label));
        Self {
            assignees: Swapped::between(&before.assignees, &after.assignees),
            reviewers: Swapped::between(&before.reviewers, &after.reviewers),
            labels: added_labels.map(|(id, _)| LabelId::get(*id)).collect(),
            mentioned: Vec::new(),
            milestone: before.issuable.milestone != after.issuable.milestone,
            pushed: head(before) != head(after),
            push_note: None,
        }
    }

    /// The same, of a text that now names these users.
    pub(crate) fn mentioning(self, users: &[UserId]) -> Self {
        Self { mentioned: users.iter().map(|user| user.get()).collect(), ..self }
    }

    /// The same, with the note that names the commits which came.
    pub(crate) fn with_push_note(self, note: Option<NoteId>) -> Self {
        Self { push_note: note.map(NoteId::get), ..self }
    }

    /// As it is stored; `None` if there is nothing that mail is about.
    pub(crate) fn written(&self) -> Option<String> {
        if is_default(self) { None } else { serde_json::to_string(self).ok() }
    }

    /// Reads a stored detail. Nothing if the text is something else.
    pub(crate) fn parse(detail: Option<&str>) -> Self {
        detail.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}

impl Swapped {
    fn between(before: &[UserId], after: &[UserId]) -> Self {
        let without = |these: &[UserId], others: &[UserId]| {
            these.iter().filter(|user| !others.contains(user)).map(|user| user.get()).collect()
        };
        Self { added: without(after, before), removed: without(before, after) }
    }

    /// True if anyone has come or gone.
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_again_and_nothing_is_not_stored() {
        assert_eq!(EditDetail::default().written(), None);
        let detail = EditDetail { milestone: true, ..EditDetail::default() }.mentioning(&[UserId::new(7)]);
        let stored = detail.written().unwrap();
        assert_eq!(stored, r#"{"mentioned":[7],"milestone":true}"#);
        assert_eq!(EditDetail::parse(Some(&stored)), detail);
        assert_eq!(EditDetail::parse(Some("hard")), EditDetail::default());
        assert_eq!(EditDetail::parse(None), EditDetail::default());
    }
}
