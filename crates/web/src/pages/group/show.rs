//! The page of a group: its description, the groups in it, and its projects.

use askama::Template;
use tenon_app::group::{self, ListGroups};
use tenon_app::project::{self, GroupScope};
use tenon_app::{PageRequest, Reference};
use tenon_domain::id::NamespaceId;

use crate::context::frame::Frame;
use crate::context::group::{GroupFrame, Tab};
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::group_list::GroupRow;
use crate::parts::project_list::{ProjectList, ProjectOrdering};

#[derive(Template)]
#[template(path = "group/show.html")]
struct ShowPage {
    frame: Frame,
    group: GroupFrame,
    id: i64,
    description: String,
    /// The canonical address of this page.
    canonical: String,
    groups: Vec<GroupRow>,
    groups_total: i64,
    listed: ProjectList,
    may_create_project: bool,
    may_create_subgroup: bool,
}

/// The page of the group of this id.
pub(crate) async fn show(context: RequestContext, id: NamespaceId) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(context.parameters());
    let request = order.request(context.parameters());
    let read = context.read(move |query| {
        let reference = Reference::Id(id.get());
        let page = group::page(query, &reference)?;
        let first = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
        let below = ListGroups { all_available: Some(true), page: first, ..ListGroups::default() };
        let groups = group::subgroups(query, &reference, below)?;
        let scope = GroupScope { include_subgroups: true, with_shared: false };
        Ok((page, groups, project::of_group(query, &reference, scope, request)?))
    });
    let (frame, (page, groups, projects)) = read.await?;
    let top = GroupFrame::new(&frame.root, &page, Tab::Overview);
    let listed = ProjectList::new(&frame.root, order, context.parameters(), projects);
    Answer::cacheable(&ShowPage {
        id: page.group.id().get(),
        description: page.group.description,
        canonical: top.href.clone(),
        group: top,
        groups_total: groups.total,
        groups: groups.items.into_iter().map(|view| GroupRow::new(&frame.root, view)).collect(),
        listed,
        may_create_project: page.may.create_project,
        may_create_subgroup: page.may.create_subgroup,
        frame,
    })
}
