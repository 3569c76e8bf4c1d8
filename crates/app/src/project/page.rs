//! A project as its pages show it.

use tenon_domain::project::ProjectAction;
use tenon_storage::project::ProjectWithNamespace;

use super::show::one;
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::repository::Code;
use crate::shared::external_wiki;
use crate::shared::project_view::{Detail, ProjectView};

/// A project, with what the caller may do on its pages.
pub struct ProjectPage {
    /// The project.
    pub view: ProjectView,
    /// Its code, where the caller may read it.
    pub code: Option<Code>,
    /// Whether the caller may push.
    pub may_push: bool,
    /// Where its wiki is, if that is elsewhere. The address is what a maintainer has set it to.
    pub external_wiki: Option<String>,
}

/// The project that `reference` names.
pub fn page(query: &mut Query<'_>, reference: &Reference) -> Result<ProjectPage, AppError> {
    let found = query.project(reference, ProjectAction::Read)?;
    let (may_read, may_push) = (found.may(ProjectAction::ReadCode), found.may(ProjectAction::Push));
    let id = found.project.id;
    let external_wiki = external_wiki::of(query, &[id])?.remove(&id);
    let placed = ProjectWithNamespace { project: found.project.clone(), home: found.namespace.clone() };
    let detail = Detail { license: may_read, permissions: Some(found.levels.into()), ..Detail::default() };
    let code = if may_read { Some(Code(query.repository_of(found)?)) } else { None };
    Ok(ProjectPage { view: one(query, placed, detail)?, code, may_push, external_wiki })
}
