//! Who has committed to the default branch.

use askama::Template;
use tenon_app::initials::Initials;
use tenon_app::repository::{self, ContributorOrder, ContributorView};

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::words;

#[derive(Template)]
#[template(path = "project/contributors.html")]
struct ContributorsPage {
    frame: Frame,
    project: ProjectFrame,
    rows: Vec<Row>,
    pages: Pagination,
}

struct Row {
    name: String,
    /// The part of an address that searches for the commits of this name.
    author: String,
    commits: String,
    /// The share of all counted commits, in percent.
    share: i64,
}

impl Row {
    fn initials(&self) -> String {
        Initials::of(&self.name).letters().to_owned()
    }

    fn ground(&self) -> usize {
        Initials::of(&self.name).ground()
    }
}

impl From<ContributorView> for Row {
    fn from(person: ContributorView) -> Self {
        Self {
            author: in_query(&person.name),
            name: person.name,
            commits: words::count(person.commits, "commit", "commits"),
            share: person.commits.saturating_mul(100) / person.of.max(1),
        }
    }
}

pub(super) async fn list(context: ProjectContext) -> Result<Answer, PageError> {
    context.code()?;
    let (app, identity) = (context.request.app(), context.request.identity());
    let (order, page) = (ContributorOrder::Commits, chosen(context.request.parameters()));
    let found = repository::contributors(app, identity, context.project(), order, true, page).await?;
    let pages = Pagination::of(&found);
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Commits)
        .with_api_path("/repository/contributors?order_by=commits&sort=desc");
    let rows = found.items.into_iter().map(Row::from).collect();
    Answer::cacheable(&ContributorsPage { frame: context.frame, project, rows, pages })
}
