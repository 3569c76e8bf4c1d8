//! What happened in a group and in what is below it.

use askama::Template;
use tenon_app::contribution;

use super::{GroupTop, Path, Tab, read};
use crate::activity::{Happening, Kind, in_projects, with_paths};
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::list::Choice;
use crate::pagination::Pagination;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "group/activity.html")]
struct ActivityPage {
    frame: Frame,
    group: GroupTop,
    kinds: Vec<Choice>,
    happenings: Vec<Happening>,
    pages: Pagination,
}

pub(super) async fn show(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let kind = Kind::parse(visit.parameters());
    let request = kind.request(visit.parameters());
    let work = move |query: &mut tenon_app::Query<'_>, group: &tenon_app::Reference| {
        let page = contribution::of_group(query, group, &request)?;
        with_paths(query, page)
    };
    let (frame, page, (found, paths)) = read(&visit, &path, work).await?;
    Answer::cacheable(&ActivityPage {
        group: GroupTop::new(&frame.root, &page, Tab::Activity),
        kinds: kind.choices(),
        pages: Pagination::of(&found).with_query(&kind.query()),
        happenings: in_projects(&frame, &paths, found.items),
        frame,
    })
}
