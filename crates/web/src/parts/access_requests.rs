//! The requests for access to a project or group, on the page of its members.

use tenon_app::member::{AccessRequestView, AccessRequests};
use tenon_domain::access::AccessLevel;

use crate::context::frame::Frame;
use crate::kit::form::Form;
use crate::kit::words::Moment;
use crate::parts::links::PersonLink;

/// The requests that wait, and the buttons of a user who may ask.
#[derive(Default)]
pub(crate) struct Requests {
    pub(crate) rows: Vec<RequestRow>,
    pub(crate) total: i64,
    pub(crate) has_asked: bool,
    pub(crate) may_ask: bool,
}

pub(crate) struct RequestRow {
    pub(crate) id: i64,
    pub(crate) person: PersonLink,
    pub(crate) when: Moment,
}

impl Requests {
    pub(crate) fn new(frame: &Frame, found: AccessRequests) -> Self {
        let AccessRequests { waiting, has_asked, may_ask } = found;
        let (total, items) = waiting.map_or_else(Default::default, |page| (page.total, page.items));
        let row = |AccessRequestView { user, requested_at }| RequestRow {
            id: user.id.get(),
            person: PersonLink::new(frame, &user),
            when: requested_at.into(),
        };
        Self { rows: items.into_iter().map(row).collect(), total, has_asked, may_ask }
    }
}

/// The level that the form of a request has chosen; `None` if it is none.
pub(crate) fn level(form: Form<'_>) -> Option<AccessLevel> {
    form.text("", "access_level").parse().ok().and_then(AccessLevel::from_value)
}
