//! Lists of projects of a group: its own, and archived ones.

use askama::Template;
use tenon_app::project::{self, GroupScope, ListProjects};

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::project_list::{ProjectList, ProjectOrdering};

#[derive(Template)]
#[template(path = "group/projects.html")]
struct ProjectsPage {
    frame: Frame,
    group: GroupFrame,
    title: &'static str,
    listed: ProjectList,
}

/// The projects in the group itself.
pub(super) async fn own(context: GroupContext) -> Result<Answer, PageError> {
    let scope = GroupScope { include_subgroups: false, with_shared: false };
    list(context, "Projects in this group", scope, None).await
}

/// The same, with those that are shared with the group.
pub(super) async fn shared(context: GroupContext) -> Result<Answer, PageError> {
    let scope = GroupScope { include_subgroups: false, with_shared: true };
    list(context, "Projects in this group and shared projects", scope, None).await
}

/// The projects in the group and below it that are archived.
pub(super) async fn archived(context: GroupContext) -> Result<Answer, PageError> {
    let scope = GroupScope { include_subgroups: true, with_shared: false };
    list(context, "Archived projects", scope, Some(true)).await
}

async fn list(
    context: GroupContext,
    title: &'static str,
    scope: GroupScope,
    archived: Option<bool>,
) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(context.request.parameters());
    let request = order.request(context.request.parameters());
    let work = move |query: &mut tenon_app::Query<'_>, group: &tenon_app::Reference| {
        project::of_group(query, group, scope, ListProjects { archived, ..request })
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Overview);
    let listed = ProjectList::new(&frame.root, order, context.request.parameters(), found);
    Answer::cacheable(&ProjectsPage { frame, group, title, listed })
}
