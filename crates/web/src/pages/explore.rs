//! Projects and groups that a visitor may see.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::{Query, group, project};
use tenon_domain::visibility::Visibility;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::group_list::GroupList;
use crate::parts::project_list::{ProjectList, ProjectOrdering};
use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/explore", Guard::Anyone, projects);
    table.get("/explore/projects", Guard::Anyone, projects);
    table.get("/explore/groups", Guard::Anyone, groups);
    table.get(
        "/public",
        Guard::Anyone,
        |context: RequestContext| async move { Ok(Answer::to(&context.own("/explore"))) },
    );
    table.get("/groups", Guard::Anyone, |context: RequestContext| async move {
        Ok(Answer::to(&context.own("/explore/groups")))
    });
}

#[derive(Template)]
#[template(path = "explore/projects.html")]
struct ProjectsPage {
    frame: Frame,
    listed: ProjectList,
}

#[derive(Template)]
#[template(path = "explore/groups.html")]
struct GroupsPage {
    frame: Frame,
    listed: GroupList,
}

/// Strangers have to sign in if administrators hide public content from them.
fn check(query: &Query<'_>, is_closed: bool) -> Result<(), AppError> {
    if is_closed { query.user().map(drop) } else { Ok(()) }
}

fn is_closed(context: &RequestContext) -> bool {
    context.app().known_settings().restricts(Visibility::Public)
}

async fn projects(context: RequestContext) -> Result<Answer, PageError> {
    let is_closed = is_closed(&context);
    let order = ProjectOrdering::parse(context.parameters()).with_more(context.parameters());
    let request = order.request(context.parameters());
    let read = move |query: &mut Query<'_>| {
        check(query, is_closed)?;
        project::list(query, request)
    };
    let (frame, page) = context.read(read).await?;
    let listed = ProjectList::new(&frame.root, order, context.parameters(), page);
    Answer::cacheable(&ProjectsPage { frame, listed })
}

async fn groups(context: RequestContext) -> Result<Answer, PageError> {
    let is_closed = is_closed(&context);
    let request = GroupList::request(context.parameters());
    let read = move |query: &mut Query<'_>| {
        check(query, is_closed)?;
        group::list(query, request)
    };
    let (frame, page) = context.read(read).await?;
    let listed = GroupList::new(&frame.root, context.parameters(), page);
    Answer::cacheable(&GroupsPage { frame, listed })
}
