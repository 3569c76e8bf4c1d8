//! Parts that the forms of notes have in common: the line that they are about, and the page from which they are sent.

use tenon_domain::issuable::StateEvent;
use tenon_domain::note::DiffPosition;

use super::reference::page_of;
use super::side::asked_page;
use crate::context::project::ProjectContext;
use crate::kit::form::Form;

/// The change of the state that a button requests.
pub(crate) fn event(action: &str) -> Option<StateEvent> {
    match action {
        "close" => Some(StateEvent::Close),
        "reopen" => Some(StateEvent::Reopen),
        _ => None,
    }
}

/// The page from which a form was sent: that of the changes, or that of the conversation.
pub(crate) fn origin(context: &ProjectContext) -> String {
    let page = page_of(&context.asked);
    let query = context.request.parameters();
    if context.request.form().ticked("", "from_diff") {
        format!("{page}/diffs{}", crate::parts::issuable::difference_query::kept(query))
    } else {
        format!("{page}{}", asked_page(query))
    }
}

/// The line of a difference that a form is about.
pub(crate) fn position(form: Form<'_>) -> Option<DiffPosition> {
    let text = |name: &str| form.filled("position", name);
    let line = |name: &str| text(name).and_then(|line| line.parse().ok());
    Some(DiffPosition {
        base: text("base_sha")?,
        start: text("start_sha")?,
        head: text("head_sha")?,
        old_path: form.text("position", "old_path"),
        new_path: form.text("position", "new_path"),
        old_line: line("old_line"),
        new_line: line("new_line"),
    })
}
