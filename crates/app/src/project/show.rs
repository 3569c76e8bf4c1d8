//! One project, and who has to do with it.

use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::search::Search;
use tenon_domain::user::normalise_email;
use tenon_storage::project::ProjectWithNamespace;
use tenon_storage::user::{self, UserFilter};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;
use crate::shared::views::project_view::{Detail, ProjectView, views};
use crate::shared::views::shares::visible_invited;
use crate::shared::views::user_ref::UserRef;

/// A request for one project.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShowProject {
    /// With sizes.
    pub statistics: bool,
    /// With custom attributes; administrators only.
    pub with_custom_attributes: bool,
    /// With its licence.
    pub license: bool,
}

/// The project, with the runners' token for maintainers.
pub fn show(query: &mut Query<'_>, reference: &Reference, request: ShowProject) -> Result<ProjectView, AppError> {
    let found = query.project(reference, ProjectAction::Read)?;
    let detail = Detail {
        simple: false,
        statistics: request.statistics,
        custom_attributes: request.with_custom_attributes,
        for_editor: found.may(ProjectAction::Edit),
        license: request.license && found.may(ProjectAction::ReadCode),
        permissions: Some(found.levels.into()),
    };
    one(query, ProjectWithNamespace { project: found.project, home: found.namespace }, detail)
}

/// The view of one project.
pub(super) fn one(
    query: &mut Query<'_>,
    placed: ProjectWithNamespace,
    detail: Detail,
) -> Result<ProjectView, AppError> {
    views(query, vec![placed], detail)?.pop().ok_or(AppError::NotFound(Missing::Project))
}

/// All users with any effective membership in a project.
pub fn users(
    query: &mut Query<'_>,
    reference: &Reference,
    search: Option<&str>,
    page: PageRequest,
) -> Result<Page<UserRef>, AppError> {
    let found = query.project(reference, ProjectAction::Read)?;
    let today = query.today();
    let filter = UserFilter {
        search: search.and_then(Search::parse),
        search_email: search.map(normalise_email),
        pending: (!query.is_admin()).then_some(false),
        ..UserFilter::default()
    };
    let (project, home) = (found.project.id, found.namespace.id);
    let invited = visible_invited(query, home, Some(project))?;
    let users = user::members_of(&mut query.tx, Some(project), home, &invited, &filter, today, page)?;
    let settings = query.settings()?;
    let links = query.app.links();
    Ok(users.map(|user| UserRef::new(links, &settings, user.basic())))
}
