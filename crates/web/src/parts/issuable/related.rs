//! Issues and merge requests that another one has to do with.

use tenon_app::issuable::IssuableView;
use tenon_domain::issuable::relative_reference;

use super::list::StateBadge;
use crate::context::frame::Frame;
use crate::parts::links::own_path;

/// Something that an issue has to do with.
pub(crate) struct Related {
    pub(crate) href: String,
    pub(crate) reference: String,
    pub(crate) title: String,
    pub(crate) state: StateBadge,
    /// How it stands to the issue; empty where that is plain.
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
