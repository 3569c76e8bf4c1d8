//! Searching among members.

use tenon_domain::group::GroupAction;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::search::Search;
use tenon_domain::user::normalise_email;
use tenon_storage::user::{self, UserFilter};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::container::ContainerReference;
use crate::shared::views::shares::visible_invited;
use crate::user::{UserView, views};

/// The active members of a group or project whose name, user name or public address has `text`: direct ones, those of groups
/// above it, and those of groups that it is shared with and that the caller sees. By id.
pub(super) fn in_container(
    query: &mut Query<'_>,
    of: &ContainerReference,
    text: &str,
    page: PageRequest,
) -> Result<Page<UserView>, AppError> {
    let (project, home) = match of {
        ContainerReference::Group(group) => (None, query.group(group, GroupAction::Read)?.group.id()),
        ContainerReference::Project(project) => {
            let found = query.project(project, ProjectAction::Read)?;
            (Some(found.project.id), found.namespace.id)
        }
    };
    let Some(search) = Search::parse(text) else { return Ok(Page::empty(page)) };
    let filter = UserFilter {
        search: Some(search),
        search_email: Some(normalise_email(text)),
        active: true,
        ..UserFilter::default()
    };
    let today = query.today();
    let invited = visible_invited(query, home, project)?;
    let found = user::members_of(&mut query.tx, project, home, &invited, &filter, today, page)?;
    Ok(Page { items: views(query, found.items, false)?, total: found.total, request: found.request })
}
