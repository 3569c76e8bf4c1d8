//! Lists of projects of a group: its own, and archived ones.

use askama::Template;
use tenon_app::project::{self, GroupScope, ListProjects};

use super::{GroupTop, Path, Tab, read};
use crate::answer::Answer;
use crate::dashboard::{ProjectList, ProjectOrdering};
use crate::error::PageError;
use crate::frame::Frame;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "group/projects.html")]
struct ProjectsPage {
    frame: Frame,
    group: GroupTop,
    title: &'static str,
    listed: ProjectList,
}

/// Which projects a page lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// Those in the group itself.
    Own,
    /// The same, with those that are shared with the group.
    Shared,
    /// Those in the group and below it that are archived.
    Archived,
}

pub(super) async fn show(visit: Visit, path: Path, which: Which) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(visit.parameters());
    let request = order.request(visit.parameters());
    let (title, scope, archived) = match which {
        Which::Own => ("Projects in this group", GroupScope { include_subgroups: false, with_shared: false }, None),
        Which::Shared => (
            "Projects in this group and shared with it",
            GroupScope { include_subgroups: false, with_shared: true },
            None,
        ),
        Which::Archived => {
            ("Archived projects", GroupScope { include_subgroups: true, with_shared: false }, Some(true))
        }
    };
    let work = move |query: &mut tenon_app::Query<'_>, group: &tenon_app::Reference| {
        project::of_group(query, group, scope, ListProjects { archived, ..request })
    };
    let (frame, page, found) = read(&visit, &path, work).await?;
    let group = GroupTop::new(&frame.root, &page, Tab::Overview);
    let listed = ProjectList::new(&frame.root, order, visit.parameters(), found);
    Answer::cacheable(&ProjectsPage { frame, group, title, listed })
}
