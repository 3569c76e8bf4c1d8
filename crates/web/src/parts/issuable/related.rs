//! Issues and merge requests that are related to another one.

use tenon_app::issuable::IssuableView;
use tenon_domain::issuable::relative_reference;

use super::list::StateBadge;
use crate::context::frame::Frame;
use crate::parts::links::own_path;

/// An object that is related to an issue.
pub(crate) struct Related {
    pub(crate) href: String,
    pub(crate) reference: String,
    pub(crate) title: String,
    pub(crate) state: StateBadge,
    /// Its relation to the issue. Empty if that is obvious.
    pub(crate) how: &'static str,
}

/// An issue or merge request, as a page of the project at the path `here` names it.
pub(crate) fn related_to(frame: &Frame, base_url: &str, here: &str, view: &IssuableView) -> Related {
    Related {
        href: own_path(&frame.root, base_url, &view.web_url),
        reference: relative_reference(here, &view.project_path, &view.issuable.short_reference()),
        title: view.issuable.title.clone(),
        state: StateBadge::new(view.issuable.state, false),
        how: "",
    }
}
