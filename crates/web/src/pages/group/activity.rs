//! Events in a group and in its descendants.

use askama::Template;
use tenon_app::contribution;

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::parts::activity::{Happening, Kind, in_projects, with_paths};

#[derive(Template)]
#[template(path = "group/activity.html")]
struct ActivityPage {
    frame: Frame,
    group: GroupFrame,
    kinds: Vec<Choice>,
    happenings: Vec<Happening>,
    pages: Pagination,
}

pub(super) async fn show(context: GroupContext) -> Result<Answer, PageError> {
    let kind = Kind::parse(context.request.parameters());
    let request = kind.request(context.request.parameters());
    let work = move |query: &mut tenon_app::Query<'_>, group: &tenon_app::Reference| {
        let page = contribution::of_group(query, group, &request)?;
        with_paths(query, page)
    };
    let (frame, page, (found, paths)) = context.read(work).await?;
    Answer::cacheable(&ActivityPage {
        group: GroupFrame::new(&frame.root, &page, Tab::Activity),
        kinds: kind.choices(),
        pages: Pagination::of(&found).with_query(&kind.query()),
        happenings: in_projects(&frame, &paths, found.items),
        frame,
    })
}
