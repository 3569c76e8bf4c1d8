//! Threads and forms below a line of a difference.

use tenon_domain::merge_request::DiffRefs;

use crate::kit::form::Form;
use crate::parts::diff::{ChangedFile, DiffLine};
use crate::parts::issuable::suggestion::block;
use crate::parts::issuable::talk::{Draft, DraftCard, ThreadView};

/// The fields of a position.
const POSITION: [&str; 7] = ["base_sha", "start_sha", "head_sha", "old_path", "new_path", "old_line", "new_line"];

/// Threads, drafts and a form below a line.
#[derive(Default)]
pub(super) struct Below {
    /// The line, as addresses name it.
    pub(super) id: String,
    pub(super) threads: Vec<ThreadView>,
    /// Comments of the caller's that are not published yet.
    pub(super) drafts: Vec<DraftCard>,
    /// The form of a new comment.
    pub(super) form: Option<LineForm>,
}

impl Below {
    pub(super) fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.drafts.is_empty() && self.form.is_none()
    }
}

/// The form of a comment on a line.
pub(super) struct LineForm {
    /// The line, as addresses name it. Empty in the form that the script copies.
    pub(super) line: String,
    /// The fields of its position.
    pub(super) position: [(&'static str, String); 7],
    pub(super) draft: Draft,
    /// The block with which a comment proposes another line. Empty for a removed line.
    pub(super) suggestion: String,
}

impl LineForm {
    /// The form at this line.
    pub(super) fn at(line: &DiffLine, id: &str, file: &ChangedFile, refs: &DiffRefs, draft: Draft) -> Self {
        let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let place = [file.old_path.clone(), file.path.clone(), number(line.old), number(line.new)];
        let suggestion = line.new.map(|_| block(&line.text)).unwrap_or_default();
        Self { line: id.to_owned(), position: position(refs, place), draft, suggestion }
    }

    /// The form that the script copies: without a file and a line.
    pub(super) fn blank(refs: &DiffRefs) -> Self {
        let position = position(refs, Default::default());
        Self { line: String::new(), position, draft: Draft::default(), suggestion: String::new() }
    }

    /// The form as it was sent.
    pub(super) fn sent(line: &str, form: Form<'_>, draft: Draft) -> Self {
        let position = POSITION.map(|field| (field, form.text("position", field)));
        Self { line: line.to_owned(), position, draft, suggestion: form.text("", "suggestion") }
    }
}

/// The fields of a position: the file before and after, and the line in each.
fn position(refs: &DiffRefs, [old_path, new_path, old, new]: [String; 4]) -> [(&'static str, String); 7] {
    let values = [refs.base.clone(), refs.start.clone(), refs.head.clone(), old_path, new_path, old, new];
    let mut values = values.into_iter();
    POSITION.map(|field| (field, values.next().unwrap_or_default()))
}
