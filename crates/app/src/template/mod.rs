//! Templates of files that people add to a new project: Dockerfiles, `.gitignore`, CI configurations and licences, which
//! come with the program, and descriptions of issues and merge requests, which come with the project.

mod description;
mod license;
mod texts;

use chrono::Datelike;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;

pub use self::description::{DescriptionKind, default_description, description, descriptions};
pub use self::license::License;
use self::license::Names;
pub use self::texts::Template;
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// The purpose of a template that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateKind {
    /// A Dockerfile.
    Dockerfile,
    /// A `.gitignore`.
    Gitignore,
    /// A `.gitlab-ci.yml`.
    Ci,
    /// A licence.
    License,
}

/// An entry of a list of templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplateName {
    /// The key of a request for it.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
}

/// One template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateView {
    /// A file that is taken as it is.
    File(Template),
    /// A licence, filled in.
    License(License),
}

/// The values that fill in a licence.
#[derive(Debug, Clone, Default)]
pub struct FillIn {
    /// The name of the work; its placeholders stay if absent.
    pub project: Option<String>,
    /// The holder of the copyright; the caller's name if absent, and for anonymous callers the placeholder.
    pub fullname: Option<String>,
}

/// The templates of a kind, by category and then by key, as a project offers them: all projects offer the same.
///
/// # Errors
/// [`AppError::NotFound`] if the caller may not see the project.
pub fn list(
    query: &mut Query<'_>,
    project: Option<&Reference>,
    kind: TemplateKind,
    page: PageRequest,
) -> Result<Page<TemplateName>, AppError> {
    check_readable(query, project)?;
    Ok(Page::cut(names(query, kind), page))
}

/// The names of all templates of a kind, as [`list`] has them.
#[must_use]
pub fn names(_caller: &Query<'_>, kind: TemplateKind) -> Vec<TemplateName> {
    match kind {
        TemplateKind::License => license::all().iter().map(License::named).collect(),
        TemplateKind::Dockerfile | TemplateKind::Gitignore | TemplateKind::Ci => {
            texts::all(kind).iter().map(|file| TemplateName { key: file.key, name: file.key }).collect()
        }
    }
}

/// The template with exactly this key; a licence with this year and the names of `fill_in`. `None` if there is none.
///
/// # Errors
/// As [`list`].
pub fn show(
    query: &mut Query<'_>,
    project: Option<&Reference>,
    kind: TemplateKind,
    key: &str,
    fill_in: &FillIn,
) -> Result<Option<TemplateView>, AppError> {
    check_readable(query, project)?;
    if kind != TemplateKind::License {
        return Ok(texts::all(kind).iter().find(|file| file.key == key).copied().map(TemplateView::File));
    }
    let own = query.user().ok().map(|user| user.name.as_str());
    let names = Names {
        year: query.today().year(),
        fullname: fill_in.fullname.as_deref().or(own),
        project: fill_in.project.as_deref(),
    };
    let found = license::all().iter().find(|license| license.key == key);
    Ok(found.map(|license| TemplateView::License(license.filled_in(&names))))
}

/// The licences by key, as they are published; only the popular ones if asked.
#[must_use]
pub fn licenses(popular: bool, page: PageRequest) -> Page<License> {
    let wanted = license::all().iter().filter(|license| license.popular || !popular);
    Page::cut(wanted.cloned().collect(), page)
}

fn check_readable(query: &mut Query<'_>, project: Option<&Reference>) -> Result<(), AppError> {
    project.map_or(Ok(()), |project| query.project(project, ProjectAction::Read).map(drop))
}
