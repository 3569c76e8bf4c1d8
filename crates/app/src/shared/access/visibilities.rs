//! The visibilities that a caller may choose, for forms to offer: those that the use cases do not refuse.

use tenon_domain::group::{GroupAction, visibility_above_parent};
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::project::{ProjectAction, visibility_above_group, visibility_above_source};
use tenon_domain::visibility::Visibility;
use tenon_storage::{group, project};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// Those of what is new in `home`: a project, or a group; without a home, a group at the top.
pub fn of_new(query: &mut Query<'_>, home: Option<&Namespace>) -> Result<Vec<Visibility>, AppError> {
    let permitted = permitted(query)?;
    let around = home.filter(|home| home.kind == NamespaceKind::Group).map(|home| home.visibility);
    Ok(permitted.into_iter().filter(|wanted| around.is_none_or(|around| *wanted <= around)).collect())
}

/// Those of a project, with the one that it has.
pub fn of_project(query: &mut Query<'_>, reference: &Reference) -> Result<Vec<Visibility>, AppError> {
    let found = query.project(reference, ProjectAction::Read)?;
    let source = match found.project.forked_from {
        Some(source) => project::find(&mut query.tx, source)?.map(|source| source.visibility),
        None => None,
    };
    let home = Some(&found.namespace).filter(|home| home.kind == NamespaceKind::Group).map(|home| home.visibility);
    let is_free = |wanted: Visibility| {
        home.and_then(|home| visibility_above_group(wanted, home)).is_none()
            && source.and_then(|source| visibility_above_source(wanted, source)).is_none()
    };
    with_present(query, found.project.visibility, is_free)
}

/// Those of a group, with the one that it has.
pub fn of_group(query: &mut Query<'_>, reference: &Reference) -> Result<Vec<Visibility>, AppError> {
    let found = query.group(reference, GroupAction::Read)?.group;
    let parent = match found.namespace.parent {
        Some(parent) => group::find(&mut query.tx, parent)?.map(|parent| parent.visibility()),
        None => None,
    };
    let below = group::most_open_below(&mut query.tx, found.id())?;
    let is_free = |wanted: Visibility| {
        parent.and_then(|parent| visibility_above_parent(wanted, parent)).is_none()
            && [below.0, below.1].into_iter().flatten().all(|open| open <= wanted)
    };
    with_present(query, found.visibility(), is_free)
}

/// Those that the administrators leave to the caller, and the present one.
fn with_present(
    query: &mut Query<'_>,
    present: Visibility,
    is_free: impl Fn(Visibility) -> bool,
) -> Result<Vec<Visibility>, AppError> {
    let permitted = permitted(query)?;
    let is_offered = |wanted: &Visibility| *wanted == present || permitted.contains(wanted) && is_free(*wanted);
    Ok(Visibility::ALL.into_iter().filter(is_offered).collect())
}

fn permitted(query: &mut Query<'_>) -> Result<Vec<Visibility>, AppError> {
    let settings = query.settings()?;
    let is_admin = query.viewer().is_admin();
    Ok(Visibility::ALL.into_iter().filter(|wanted| is_admin || !settings.restricts(*wanted)).collect())
}
